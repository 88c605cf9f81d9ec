-- 10: INSERT ... SELECT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t SELECT id + 1, v, s FROM t;
END;
$$;
