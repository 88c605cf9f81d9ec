-- 7: column 43: NULLS NOT DISTINCT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, x int UNIQUE NULLS NOT DISTINCT);
