-- 10: column 66: a subquery in RETURNING that has columns of the statement is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM t RETURNING (SELECT u.v FROM t AS u WHERE u.id = t.id) INTO p;
END;
$$;
