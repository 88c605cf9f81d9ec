-- 7: column 50: number of referencing and referenced columns for foreign key disagree
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY, x bigint, FOREIGN KEY (id, x) REFERENCES t (id));
