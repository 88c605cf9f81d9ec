-- 10: column 45: NATURAL JOIN is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT a.v INTO p FROM t a NATURAL JOIN t b;
END;
$$;
