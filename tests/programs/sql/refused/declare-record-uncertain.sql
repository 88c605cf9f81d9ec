-- 17: column 10: which fields record "r" has here is not certain
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    IF p > 1 THEN
        SELECT id INTO r FROM t;
    ELSE
        SELECT v INTO r FROM t;
    END IF;
    p := r.id;
END;
$$;
