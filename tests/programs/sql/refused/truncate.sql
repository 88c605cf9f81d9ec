-- 7: column 1: TRUNCATE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
TRUNCATE t;
