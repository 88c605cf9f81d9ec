-- 7: column 43: multiple primary keys for table "u" are not allowed
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, x int PRIMARY KEY);
