-- 10: a UNION on the right side of another is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t UNION ALL (SELECT 1 UNION SELECT 2);
END;
$$;
