-- 10: column 9: a slice of an array is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF (ARRAY[1, 2])[1:2] IS NULL THEN
        p := 1;
    END IF;
END;
$$;
