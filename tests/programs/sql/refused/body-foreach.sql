-- 10: FOREACH is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    FOREACH p IN ARRAY ARRAY[1, 2] LOOP
        NULL;
    END LOOP;
END;
$$;
