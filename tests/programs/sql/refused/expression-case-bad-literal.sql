-- 10: column 10: invalid input syntax for type integer: "x"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    p := CASE WHEN true THEN 1 ELSE 'x' END;
END;
$$;
