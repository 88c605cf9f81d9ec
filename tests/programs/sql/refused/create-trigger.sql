-- 7: column 1: CREATE TRIGGER is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE TRIGGER g BEFORE INSERT ON t EXECUTE FUNCTION f();
