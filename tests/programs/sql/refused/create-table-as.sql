-- 7: column 1: CREATE TABLE AS is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u AS SELECT 1;
