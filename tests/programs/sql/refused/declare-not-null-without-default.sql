-- 10: function f: variable "c" must have a default value, since it's declared NOT NULL
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    c int NOT NULL;
BEGIN
    NULL;
END;
$$;
