-- 10: column 9: a field of an expression is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF (p).x = 1 THEN
        p := 1;
    END IF;
END;
$$;
