-- 10: column 44: GROUPING SETS, ROLLUP or CUBE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*) INTO p FROM t GROUP BY ROLLUP (v);
END;
$$;
