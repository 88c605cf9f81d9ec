-- 10: column 70: column reference "v" is ambiguous
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET v = v + 1;
END;
$$;
