-- Accounts and votes, for tests of exploration.
CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL, paid bigint NOT NULL);
CREATE TABLE votes (id bigint PRIMARY KEY, seen bigint NOT NULL);

CREATE FUNCTION load(n bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..n LOOP
        INSERT INTO accounts (id, balance, paid) VALUES (i, 10, 0);
    END LOOP;
END;
$$;

CREATE FUNCTION deposit(p_id bigint, p_amount bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE accounts SET balance = balance + p_amount WHERE id = p_id;
END;
$$;

-- What is paid is a row of its own, so that a lost update shows.
CREATE FUNCTION withdraw(p_id bigint, p_amount bigint, p_payment bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    v bigint;
BEGIN
    SELECT balance INTO v FROM accounts WHERE id = p_id;
    IF v < p_amount THEN
        RETURN false;
    END IF;
    UPDATE accounts SET balance = v - p_amount WHERE id = p_id;
    INSERT INTO votes (id, seen) VALUES (p_payment, p_amount);
    RETURN true;
END;
$$;

CREATE FUNCTION vote(p_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
BEGIN
    SELECT count(*) INTO n FROM votes WHERE seen >= 0;
    INSERT INTO votes (id, seen) VALUES (p_id, n);
    RETURN n;
END;
$$;

CREATE FUNCTION invariant_paid() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    paid bigint;
    held bigint;
BEGIN
    SELECT sum(seen) INTO paid FROM votes;
    SELECT sum(balance) INTO held FROM accounts;
    RETURN paid IS NULL OR held + paid = 20;
END;
$$;
