-- 10: column 42: OF in FOR UPDATE or FOR SHARE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t FOR UPDATE OF t;
END;
$$;
