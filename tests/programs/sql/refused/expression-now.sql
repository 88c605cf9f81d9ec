-- 10: column 8: function now() does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF now() = NULL THEN
        p := 1;
    END IF;
END;
$$;
