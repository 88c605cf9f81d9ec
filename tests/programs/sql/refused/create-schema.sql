-- 7: column 1: CREATE SCHEMA is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE SCHEMA s;
