-- 10: column 47: constraint "x" for table "t" does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id) VALUES (1) ON CONFLICT ON CONSTRAINT x DO NOTHING;
END;
$$;
