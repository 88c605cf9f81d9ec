-- 7: column 1: MERGE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
MERGE INTO t USING t u ON true WHEN MATCHED THEN DELETE;
