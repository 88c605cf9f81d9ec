-- 10: a join that an outer join may leave out is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT t.v INTO p FROM t LEFT JOIN (t AS u JOIN t AS w ON true) ON u.id = t.id;
END;
$$;
