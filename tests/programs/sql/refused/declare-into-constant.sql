-- 10: function f: variable "c" is declared CONSTANT
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    c CONSTANT int := 1;
BEGIN
    SELECT v INTO c FROM t;
END;
$$;
