-- 7: column 23: UNLOGGED is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE UNLOGGED TABLE u (id int PRIMARY KEY);
