-- 10: column 24: column "id" specified more than once
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id, id) VALUES (1, 2);
END;
$$;
