-- 7: column 53: unterminated dollar-quoted string at or near "$$ BEGIN "
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
