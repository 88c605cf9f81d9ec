-- 7: column 1: LANGUAGE sql is not supported: plpgsql is
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';
