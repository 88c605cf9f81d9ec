-- 10: column 12: column "w" does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT w INTO p FROM t;
END;
$$;
