-- 8: column 54: a call of g in DEFAULT expressions is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
CREATE TABLE u (id bigint PRIMARY KEY, x int DEFAULT g());
