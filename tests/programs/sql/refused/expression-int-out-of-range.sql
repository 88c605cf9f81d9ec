-- 10: column 21: value "99999999999" is out of range for type integer
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF '99999999999'::int = p THEN
        p := 1;
    END IF;
END;
$$;
