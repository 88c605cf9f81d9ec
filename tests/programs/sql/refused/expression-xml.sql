-- 10: column 8: XML is not supported
CREATE TABLE t (
    id bigint PRIMARY KEY,
    v int,
    s text
);
CREATE FUNCTION f(p bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    IF xmlparse(content 'x') IS NULL THEN
        p := 1;
    END IF;
END;
$$;
