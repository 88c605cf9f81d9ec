-- 10: column 7: explicit cursors are not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    c CURSOR FOR SELECT id FROM t;
BEGIN
    OPEN c;
END;
$$;
