-- 7: column 21: %TYPE outside of DECLARE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(a t.id%TYPE) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
