-- 12: two blocks and DECLARE in one line are not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    x int;
BEGIN
    BEGIN LOOP DECLARE y int := 0; BEGIN y := 1; END; END LOOP; END;
END;
$$;
