-- 10: column 16: COLLATE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF p::text COLLATE "C" = 'a' THEN
        p := 1;
    END IF;
END;
$$;
