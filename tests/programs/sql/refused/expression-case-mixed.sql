-- 10: column 10: CASE types integer and boolean cannot be matched
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    p := CASE WHEN true THEN 1 ELSE false END;
END;
$$;
