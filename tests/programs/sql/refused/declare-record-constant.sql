-- 10: a record with a default, CONSTANT or NOT NULL is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    "r" constant record := row(1);
BEGIN
    RETURN 1;
END;
$$;
