-- 10: column 11: type real is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF p::real > 1 THEN
        p := 1;
    END IF;
END;
$$;
