-- 7: column 50: COST is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql COST 1 AS $$ BEGIN RETURN 1; END $$;
