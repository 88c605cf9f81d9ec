-- 7: column 39: type numeric(39,2) is not supported: no more than 38 digits
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int PRIMARY KEY, x numeric(39,2));
