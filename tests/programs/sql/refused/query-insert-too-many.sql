-- 10: column 27: INSERT has more expressions than target columns
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t VALUES (1, 2, 3, 4);
END;
$$;
