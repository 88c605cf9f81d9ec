-- 7: column 1: GRANT or REVOKE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
GRANT ALL ON t TO x;
