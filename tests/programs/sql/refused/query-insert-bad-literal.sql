-- 10: column 38: invalid input syntax for type integer: "one"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id, v) VALUES (1, 'one');
END;
$$;
