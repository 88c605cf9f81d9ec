-- 10: column 25: USING in DELETE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM t USING t u WHERE t.id = u.id;
END;
$$;
