-- 7: column 60: CURRENT_TIMESTAMP, CURRENT_USER or the like is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id bigint PRIMARY KEY, x timestamp DEFAULT CURRENT_TIMESTAMP);
