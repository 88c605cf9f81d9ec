-- 7: column 38: RETURNS TABLE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS TABLE (a int) LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$;
