-- 10: FOR UPDATE cannot be applied to the nullable side of an outer join
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT t.v INTO p FROM t LEFT JOIN t AS u ON u.id = t.id FOR UPDATE;
END;
$$;
