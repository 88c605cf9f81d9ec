-- 7: column 1: COMMENT is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
COMMENT ON TABLE t IS 'x';
