-- 10: column 8: function overlay(unknown, unknown, integer) does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF overlay('a' PLACING 'b' FROM 1) = 'x' THEN
        p := 1;
    END IF;
END;
$$;
