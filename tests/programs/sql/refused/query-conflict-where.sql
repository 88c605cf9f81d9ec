-- 10: column 61: WHERE for the index of ON CONFLICT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id) VALUES (1) ON CONFLICT (id) WHERE id > 1 DO NOTHING;
END;
$$;
