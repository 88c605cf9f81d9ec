-- 10: column 40: a FULL JOIN is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT t.v INTO p FROM t FULL JOIN t AS u ON u.id = t.id;
END;
$$;
