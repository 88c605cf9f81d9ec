-- 10: column 26: a schema before a table's name is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM public.t;
END;
$$;
