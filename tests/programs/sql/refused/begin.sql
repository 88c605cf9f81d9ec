-- 7: column 1: a statement about transactions (BEGIN, COMMIT, ...) is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
BEGIN;
