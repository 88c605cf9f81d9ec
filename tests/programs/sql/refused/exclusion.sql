-- 7: column 37: EXCLUDE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, EXCLUDE (id WITH =));
