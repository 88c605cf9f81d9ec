-- 10: column 51: a subquery is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT t.v INTO p FROM t JOIN t AS u ON t.v = (SELECT 1);
END;
$$;
