-- 10: column 26: an alias with names of columns is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT a INTO p FROM t u (a, b, c);
END;
$$;
