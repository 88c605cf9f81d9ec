-- 10: column 25: multiple assignments to same column "v"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE t SET v = 1, v = 2;
END;
$$;
