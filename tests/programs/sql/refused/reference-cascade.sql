-- 7: column 39: ON DELETE CASCADE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY REFERENCES t ON DELETE CASCADE);
