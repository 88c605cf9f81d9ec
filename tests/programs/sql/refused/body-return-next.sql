-- 10: column 12: function f: cannot use RETURN NEXT in a non-SETOF function
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEXT 1;
END;
$$;
