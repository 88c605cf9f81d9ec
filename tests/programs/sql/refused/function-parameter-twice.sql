-- 7: column 28: parameter name "a" used more than once
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(a int, a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
