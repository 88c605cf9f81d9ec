-- 10: column 8: argument of NOT must be type boolean, not type bigint
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF NOT p THEN
        p := 1;
    END IF;
END;
$$;
