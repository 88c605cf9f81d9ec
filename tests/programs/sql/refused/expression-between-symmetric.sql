-- 10: column 10: BETWEEN SYMMETRIC is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF p BETWEEN SYMMETRIC 1 AND 2 THEN
        p := 1;
    END IF;
END;
$$;
