-- 10: a subquery in FROM is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT x.v INTO p FROM (SELECT v FROM t) x;
END;
$$;
