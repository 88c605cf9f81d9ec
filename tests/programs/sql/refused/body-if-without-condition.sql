-- 10: column 8: invalid input syntax for type boolean: "x"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF 'x' THEN
        p := 1;
    END IF;
END;
$$;
