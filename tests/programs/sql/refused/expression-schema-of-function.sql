-- 10: column 8: a schema before a function's name is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF public.f(1) > 1 THEN
        p := 1;
    END IF;
END;
$$;
