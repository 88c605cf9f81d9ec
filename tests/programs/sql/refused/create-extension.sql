-- 7: column 1: CREATE EXTENSION is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE EXTENSION x;
