-- 10: column 10: a call behind CASE is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    p := CASE f(1) WHEN 1 THEN 1 ELSE 2 END;
END;
$$;
