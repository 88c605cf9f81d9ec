-- 7: column 39: type double precision is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, x double precision);
