-- 13: column 36: column reference "p" is ambiguous
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (
    p bigint PRIMARY KEY
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT u.p INTO p FROM u WHERE p = 1;
END;
$$;
