-- 10: column 13: a call before BETWEEN is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF f(1) BETWEEN 1 AND 2 THEN
        p := 1;
    END IF;
END;
$$;
