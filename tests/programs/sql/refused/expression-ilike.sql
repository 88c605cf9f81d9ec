-- 10: column 16: ILIKE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF p::text ILIKE 'a%' THEN
        p := 1;
    END IF;
END;
$$;
