-- 10: FOR UPDATE or FOR SHARE is not allowed with aggregates or GROUP BY
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    SELECT sum(v) INTO p FROM t FOR UPDATE;
END;
$$;
