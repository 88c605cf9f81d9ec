-- 10: column 37: JOIN ... USING is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT a.v INTO p FROM t a JOIN t b USING (id);
END;
$$;
