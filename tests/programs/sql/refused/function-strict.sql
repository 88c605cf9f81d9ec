-- 7: column 50: STRICT or RETURNS NULL ON NULL INPUT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql STRICT AS $$ BEGIN RETURN 1; END $$;
