-- 10: column 8: CURRENT_TIMESTAMP, CURRENT_USER or the like is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF CURRENT_TIMESTAMP = NULL THEN
        p := 1;
    END IF;
END;
$$;
