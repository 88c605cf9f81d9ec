-- 7: column 25: OUT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(OUT a int) LANGUAGE plpgsql AS $$ BEGIN a := 1; END $$;
