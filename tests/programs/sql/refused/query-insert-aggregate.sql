-- 10: column 32: aggregate functions are not allowed in VALUES
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO t (id) VALUES (count(*));
END;
$$;
