-- 7: column 50: STABLE or IMMUTABLE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 1; END $$;
