-- 10: column 8: function extract(unknown, timestamp without time zone) does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF extract(year FROM timestamp '2000-01-01') = 1 THEN
        p := 1;
    END IF;
END;
$$;
