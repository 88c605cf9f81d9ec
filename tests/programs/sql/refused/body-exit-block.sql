-- 12: EXIT of a block that is no loop is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    <<b>>
    BEGIN
        EXIT b;
    END;
END;
$$;
