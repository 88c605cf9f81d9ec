-- 7: column 29: RETURNS record is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS record LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
