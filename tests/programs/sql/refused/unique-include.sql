-- 7: column 44: INCLUDE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, x int, UNIQUE (x) INCLUDE (id));
