-- 10: column 34: aggregate functions are not allowed in WHERE
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t WHERE count(*) > 1;
END;
$$;
