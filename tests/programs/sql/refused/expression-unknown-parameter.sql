-- 10: column 8: there is no parameter $2
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF $2 = 1 THEN
        p := 1;
    END IF;
END;
$$;
