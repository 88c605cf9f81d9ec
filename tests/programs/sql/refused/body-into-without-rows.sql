-- 10: INTO used with a command that cannot return data
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM t INTO p;
END;
$$;
