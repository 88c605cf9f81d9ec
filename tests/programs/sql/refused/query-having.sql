-- 10: column 62: HAVING is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT count(*) INTO p FROM t GROUP BY v HAVING count(*) > 1;
END;
$$;
