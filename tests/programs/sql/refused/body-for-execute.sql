-- 10: FOR ... IN EXECUTE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    FOR p IN EXECUTE 'SELECT 1' LOOP
        NULL;
    END LOOP;
END;
$$;
