-- 7: column 1: DROP is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
DROP TABLE t;
