-- 7: column 36: there is no unique constraint matching given keys for referenced table "t"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY REFERENCES t (v));
