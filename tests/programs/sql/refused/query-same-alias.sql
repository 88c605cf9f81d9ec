-- 10: column 31: table name "t" specified more than once
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT t.v INTO p FROM t, t;
END;
$$;
