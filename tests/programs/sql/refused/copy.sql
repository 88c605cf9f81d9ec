-- 7: column 1: COPY is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
COPY t FROM stdin;
