-- 10: CURRENT OF a cursor is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET v = 1 WHERE CURRENT OF c;
END;
$$;
