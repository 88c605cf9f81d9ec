-- 7: column 1: CREATE VIEW is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE VIEW w AS SELECT 1;
