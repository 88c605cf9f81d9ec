-- 7: column 39: ON UPDATE SET DEFAULT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY REFERENCES t ON UPDATE SET DEFAULT);
