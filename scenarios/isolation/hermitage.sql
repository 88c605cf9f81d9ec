-- The table of the Hermitage cases.
CREATE TABLE test (
    id bigint PRIMARY KEY,
    value bigint NOT NULL
);

CREATE FUNCTION load() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO test VALUES (1, 10), (2, 20);
END;
$$;
