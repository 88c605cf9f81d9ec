-- 10: column 10: IN types bigint and boolean cannot be matched
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF p IN (1, true) THEN
        p := 1;
    END IF;
END;
$$;
