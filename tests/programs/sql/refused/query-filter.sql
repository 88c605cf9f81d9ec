-- 10: column 35: FILTER is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT sum(v) FILTER (WHERE v > 1) INTO p FROM t;
END;
$$;
