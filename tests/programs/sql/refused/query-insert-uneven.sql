-- 10: column 32: VALUES lists must all be the same length
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t VALUES (1), (2, 3);
END;
$$;
