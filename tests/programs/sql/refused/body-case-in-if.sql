-- 8: function f: syntax error at end of input
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF CASE p WHEN 1 THEN true END THEN
        p := 1;
    END IF;
END;
$$;
