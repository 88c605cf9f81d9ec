-- 10: RETURN cannot have a parameter in function returning void
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    RETURN 1;
END;
$$;
