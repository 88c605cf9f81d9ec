-- 14: column 14: which fields record "r" has here is not certain
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
    SELECT id INTO r FROM t;
    LOOP
        p := r.id;
        SELECT v INTO r FROM t;
    END LOOP;
END;
$$;
