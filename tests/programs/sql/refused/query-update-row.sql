-- 10: SET of several columns at once is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET (v, s) = (1, NULL);
END;
$$;
