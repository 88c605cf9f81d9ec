-- 7: column 1: CREATE INDEX is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE INDEX i ON t (v);
