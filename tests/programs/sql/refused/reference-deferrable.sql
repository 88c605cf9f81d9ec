-- 7: column 52: DEFERRABLE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY REFERENCES t DEFERRABLE);
