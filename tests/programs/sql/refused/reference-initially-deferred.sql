-- 7: column 40: DEFERRABLE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY, FOREIGN KEY (id) REFERENCES t INITIALLY DEFERRED);
