-- 10: column 8: numeric values of more than 38 digits are not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF 10000000000000000000000000000000000000000 = p THEN
        p := 1;
    END IF;
END;
$$;
