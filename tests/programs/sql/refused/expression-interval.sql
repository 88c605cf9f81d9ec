-- 10: column 8: type interval is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF interval '1 day' IS NULL THEN
        p := 1;
    END IF;
END;
$$;
