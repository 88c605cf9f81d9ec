-- 10: column 8: invalid input syntax for type integer: "b"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF substring('a' SIMILAR 'b' ESCAPE 'c') = 'x' THEN
        p := 1;
    END IF;
END;
$$;
