-- 10: column 25: DISTINCT ON is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT DISTINCT ON (v) v INTO p FROM t;
END;
$$;
