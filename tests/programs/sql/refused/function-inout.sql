-- 7: column 27: INOUT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(INOUT a int) LANGUAGE plpgsql AS $$ BEGIN a := 1; END $$;
