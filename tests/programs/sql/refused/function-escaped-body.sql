-- 7: column 51: a body with escaped quotes is not supported: write it between $$ and $$
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN ''x''; END';
