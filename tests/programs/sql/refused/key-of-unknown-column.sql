-- 7: column 25: column "x" named in key does not exist
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int, PRIMARY KEY (x));
