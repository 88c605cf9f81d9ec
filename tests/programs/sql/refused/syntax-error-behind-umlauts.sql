-- 7: column 44: syntax error at or near "CREATE"
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE "äöü" (id int PRIMARY KEY) CREATE;
