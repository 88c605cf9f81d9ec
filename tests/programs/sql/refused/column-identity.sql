-- 7: column 24: GENERATED AS IDENTITY is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
