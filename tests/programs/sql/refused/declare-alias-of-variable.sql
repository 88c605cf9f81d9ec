-- 11: column 7: ALIAS is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    x int;
    q ALIAS FOR x;
BEGIN
    q := 1;
END;
$$;
