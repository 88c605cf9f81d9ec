-- 10: column 38: column "v" is of type integer but expression is of type boolean
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id, v) VALUES (1, true);
END;
$$;
