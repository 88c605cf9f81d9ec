-- 10: function f: EXIT cannot be used outside a loop, unless it has a label
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    EXIT;
END;
$$;
