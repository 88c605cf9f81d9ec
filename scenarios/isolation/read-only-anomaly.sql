-- Two accounts, with nothing in them.
CREATE TABLE test (
    id bigint PRIMARY KEY,
    value bigint NOT NULL
);

CREATE FUNCTION load() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO test VALUES (1, 0), (2, 0);
END;
$$;
