-- 10: column 12: subquery must return only one column
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT (SELECT v, id FROM t LIMIT 1) INTO p;
END;
$$;
