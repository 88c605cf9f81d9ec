-- 7: column 14: relation "t" already exists
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE t (id int PRIMARY KEY);
