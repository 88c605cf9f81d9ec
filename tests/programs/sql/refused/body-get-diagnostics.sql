-- 10: GET DIAGNOSTICS is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    GET DIAGNOSTICS p = ROW_COUNT;
END;
$$;
