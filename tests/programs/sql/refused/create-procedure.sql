-- 7: column 1: CREATE PROCEDURE is not supported: make it a function
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE PROCEDURE q() LANGUAGE plpgsql AS $$ BEGIN NULL; END $$;
