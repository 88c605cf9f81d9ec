-- 7: column 1: CREATE SEQUENCE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE SEQUENCE q;
