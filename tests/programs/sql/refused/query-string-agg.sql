-- 10: column 12: function string_agg(text, unknown) does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT string_agg(s, ',') INTO p FROM t;
END;
$$;
