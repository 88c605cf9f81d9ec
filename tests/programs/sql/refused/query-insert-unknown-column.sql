-- 10: column 24: column "w" of relation "t" does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id, w) VALUES (1, 2);
END;
$$;
