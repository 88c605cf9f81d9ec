-- 7: column 1: ALTER TABLE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
ALTER TABLE t ADD COLUMN x int;
