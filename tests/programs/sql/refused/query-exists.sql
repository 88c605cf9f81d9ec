-- 10: column 8: a subquery is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM t) THEN
        p := 1;
    END IF;
END;
$$;
