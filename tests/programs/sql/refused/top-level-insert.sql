-- 7: column 1: INSERT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
INSERT INTO t VALUES (1);
