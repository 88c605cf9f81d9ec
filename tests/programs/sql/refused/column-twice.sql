-- 7: column 37: column "id" specified more than once
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, id int);
