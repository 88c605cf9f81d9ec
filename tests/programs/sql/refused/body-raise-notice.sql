-- 10: RAISE of anything but EXCEPTION is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RAISE NOTICE 'x';
END;
$$;
