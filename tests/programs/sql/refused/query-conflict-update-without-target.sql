-- 10: column 35: ON CONFLICT DO UPDATE requires inference specification or constraint name
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id) VALUES (1) ON CONFLICT DO UPDATE SET v = 1;
END;
$$;
