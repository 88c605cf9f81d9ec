-- 10: column 24: OVER is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT sum(v) OVER () INTO p FROM t;
END;
$$;
