-- 7: column 24: TEMPORARY is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TEMPORARY TABLE u (id int PRIMARY KEY);
