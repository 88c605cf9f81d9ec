-- 7: column 14: a schema before a table's name is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE a.u (id int PRIMARY KEY);
