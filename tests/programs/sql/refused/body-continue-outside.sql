-- 10: function f: CONTINUE cannot be used outside a loop
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    CONTINUE;
END;
$$;
