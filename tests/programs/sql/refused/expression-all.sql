-- 10: column 10: ALL (array) is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF p = ALL (ARRAY[1]) THEN
        p := 1;
    END IF;
END;
$$;
