-- 10: query has no destination for result data
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT id FROM t;
END;
$$;
