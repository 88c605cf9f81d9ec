-- 10: column 14: invalid input syntax for type integer: "x"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    c int := 'x';
BEGIN
    NULL;
END;
$$;
