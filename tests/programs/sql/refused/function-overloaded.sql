-- 8: column 1: a second function "f" is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
CREATE FUNCTION f(a text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
