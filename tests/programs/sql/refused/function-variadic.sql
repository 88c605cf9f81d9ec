-- 7: column 30: VARIADIC is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(VARIADIC a bigint[]) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
