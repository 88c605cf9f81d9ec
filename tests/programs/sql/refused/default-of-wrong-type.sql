-- 7: column 46: column "x" is of type integer but default expression is of type boolean
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY, x int DEFAULT true);
