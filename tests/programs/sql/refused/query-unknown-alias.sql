-- 10: column 12: missing FROM-clause entry for table "u"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT u.v INTO p FROM t;
END;
$$;
