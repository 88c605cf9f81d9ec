-- 7: column 33: DEFAULT of a parameter is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(a int DEFAULT 1) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
