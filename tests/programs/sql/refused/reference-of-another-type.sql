-- 7: column 37: foreign key constraint "u_id_fkey" cannot be implemented
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id text PRIMARY KEY REFERENCES t);
