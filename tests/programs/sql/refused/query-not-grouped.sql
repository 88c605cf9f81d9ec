-- 10: column "t.v" must appear in the GROUP BY clause or be used in an aggregate function
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v, count(*) INTO p, p FROM t;
END;
$$;
