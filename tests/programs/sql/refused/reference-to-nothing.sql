-- 7: column 50: relation "nowhere" does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY REFERENCES nowhere);
