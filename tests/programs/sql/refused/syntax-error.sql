-- 7: column 8: syntax error at or near "TABL"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABL u (id int);
