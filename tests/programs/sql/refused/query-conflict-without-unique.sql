-- 10: column 47: there is no unique or exclusion constraint matching the ON CONFLICT specification
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id) VALUES (1) ON CONFLICT (v) DO NOTHING;
END;
$$;
