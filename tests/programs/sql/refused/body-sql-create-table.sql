-- 10: CREATE TABLE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    CREATE TABLE u (id int PRIMARY KEY);
END;
$$;
