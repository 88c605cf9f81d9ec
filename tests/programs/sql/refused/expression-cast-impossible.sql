-- 10: column 12: cannot cast type boolean to timestamp without time zone
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF true::timestamp IS NULL THEN
        p := 1;
    END IF;
END;
$$;
