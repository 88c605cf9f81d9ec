-- 7: column 28: IF NOT EXISTS is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE IF NOT EXISTS u (id int PRIMARY KEY);
