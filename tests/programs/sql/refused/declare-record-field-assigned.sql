-- 13: column 5: function f: "r.id" is not a known variable
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    SELECT id INTO r FROM t;
    r.id := 1;
END;
$$;
