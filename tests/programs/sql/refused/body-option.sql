-- 9: column 1: an option of PL/pgSQL (#...) is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    p := 1;
END;
$$;
