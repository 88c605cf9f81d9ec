-- 7: column 21: type anyelement is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(a anyelement) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
