-- 10: CALL is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    CALL g();
END;
$$;
CREATE FUNCTION g() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
END;
$$;
