-- 7: column 25: COLLATE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TABLE u (id text COLLATE "C" PRIMARY KEY);
