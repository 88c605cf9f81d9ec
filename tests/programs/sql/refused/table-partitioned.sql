-- 7: column 37: PARTITION BY is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY) PARTITION BY RANGE (id);
