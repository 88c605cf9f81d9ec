-- 7: column 1: a function with the name of a built-in one (abs) is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION abs(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
