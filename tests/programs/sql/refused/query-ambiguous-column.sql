-- 10: column 12: column reference "v" is ambiguous
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t a, t b WHERE a.id = b.id;
END;
$$;
