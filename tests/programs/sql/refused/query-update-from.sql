-- 10: column 29: FROM in UPDATE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET v = 1 FROM t u;
END;
$$;
