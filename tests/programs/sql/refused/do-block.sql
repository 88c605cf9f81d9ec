-- 7: column 1: DO is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
DO $$ BEGIN NULL; END $$;
