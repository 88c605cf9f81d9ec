-- 10: FOR NO KEY UPDATE and FOR KEY SHARE are not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t FOR NO KEY UPDATE;
END;
$$;
