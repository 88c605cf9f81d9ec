-- 7: column 1: CREATE DOMAIN is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE DOMAIN d AS int;
