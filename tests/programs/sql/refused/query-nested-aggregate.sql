-- 10: column 16: aggregate function calls cannot be nested
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT sum(count(*)) INTO p FROM t;
END;
$$;
