-- 7: column 43: a generated column is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, x int GENERATED ALWAYS AS (id + 1) STORED);
