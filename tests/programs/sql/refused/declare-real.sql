-- 10: type real is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    r real;
BEGIN
    NULL;
END;
$$;
