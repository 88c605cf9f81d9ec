-- 10: RAISE without parameters cannot be used outside an exception handler
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RAISE;
END;
$$;
