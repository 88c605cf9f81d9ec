-- 10: column 10: aggregate functions are not allowed in an expression without a query
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    p := count(*);
END;
$$;
