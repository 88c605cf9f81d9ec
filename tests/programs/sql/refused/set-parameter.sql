-- 7: column 1: SET of a parameter is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
SET x = 1;
