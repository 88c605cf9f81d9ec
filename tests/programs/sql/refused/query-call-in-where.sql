-- 10: column 39: a call of f in WHERE is not supported: assign it to a variable before
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT v INTO p FROM t WHERE id = f(1);
END;
$$;
