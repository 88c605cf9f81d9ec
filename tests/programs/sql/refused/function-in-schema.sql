-- 7: column 1: a schema before a function's name is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION a.f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
