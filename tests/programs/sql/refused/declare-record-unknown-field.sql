-- 13: column 10: record "r" has no field "v"
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
    p := r.v;
END;
$$;
