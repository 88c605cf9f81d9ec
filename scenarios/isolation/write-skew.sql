-- Three fruits.
CREATE TABLE fruit (
    i bigint PRIMARY KEY,
    t text NOT NULL
);

CREATE FUNCTION load() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO fruit VALUES (5, 'apple'), (7, 'pear'), (11, 'banana');
END;
$$;
