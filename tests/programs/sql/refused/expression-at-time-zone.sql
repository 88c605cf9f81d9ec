-- 10: column 31: function timezone(unknown, timestamp without time zone) does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF timestamp '2000-01-01' AT TIME ZONE 'UTC' IS NULL THEN
        p := 1;
    END IF;
END;
$$;
