-- 10: column 18: column "w" of relation "t" does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET w = 1;
END;
$$;
