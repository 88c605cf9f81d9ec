-- 10: column 12: a call of f in a query with FROM is not supported: assign it to a variable before
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT f(v) INTO p FROM t;
END;
$$;
