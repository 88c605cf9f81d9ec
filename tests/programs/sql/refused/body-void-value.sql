-- 10: column 10: cannot cast type void to bigint
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    p := g();
END;
$$;
CREATE FUNCTION g() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
END;
$$;
