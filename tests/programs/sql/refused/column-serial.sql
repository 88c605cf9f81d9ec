-- 7: column 20: type serial is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id serial PRIMARY KEY);
