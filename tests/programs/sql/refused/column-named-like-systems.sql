-- 7: column 37: column name "xmin" conflicts with a system column name
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, xmin int);
