-- 7: column 33: unterminated quoted string at or near "'x); "
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id text DEFAULT 'x);
