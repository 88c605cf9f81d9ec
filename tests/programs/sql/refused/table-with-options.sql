-- 7: column 43: WITH (storage parameters) is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY) WITH (fillfactor = 50);
