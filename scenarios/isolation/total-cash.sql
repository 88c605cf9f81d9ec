-- Two accounts of one person.
CREATE TABLE account (
    type text PRIMARY KEY,
    balance bigint NOT NULL
);

CREATE FUNCTION load() RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account VALUES ('checking', 600), ('savings', 600);
END;
$$;
