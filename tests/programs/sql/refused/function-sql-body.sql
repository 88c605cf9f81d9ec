-- 7: column 1: a body in SQL is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1;
