-- 7: column 1: CREATE TYPE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TYPE mood AS ENUM ('sad');
