-- 10: column 10: function f: syntax error at or near "="
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF * = 1 THEN
        p := 1;
    END IF;
END;
$$;
