-- 7: column 36: CHECK is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY CHECK (id > 0));
