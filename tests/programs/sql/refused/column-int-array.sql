-- 7: column 39: type integer[] is not supported: of arrays there is only bigint[]
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, x int[]);
