-- 10: column "t.id" must appear in the GROUP BY clause or be used in an aggregate function
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t GROUP BY v HAVING EXISTS (SELECT 1 FROM t AS u WHERE u.id = t.id);
END;
$$;
