-- 7: column 37: conflicting NULL/NOT NULL declarations for column "v"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, v int NULL NOT NULL);
