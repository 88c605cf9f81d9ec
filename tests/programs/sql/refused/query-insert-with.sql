-- 10: column 5: WITH is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    WITH w AS (SELECT 1) INSERT INTO t VALUES (1);
END;
$$;
