-- 10: column 49: an aggregate of columns of the statement around is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t WHERE EXISTS (SELECT max(t.v) FROM t AS u);
END;
$$;
