-- 7: column 1: SELECT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
SELECT 1;
