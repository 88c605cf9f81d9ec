-- 10: column 42: an outer join is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT a.v INTO p FROM t a LEFT JOIN t b ON a.id = b.id;
END;
$$;
