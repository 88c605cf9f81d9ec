-- The bank server of "Checking Observational Correctness of Database Systems", for its figures 8 to 10: conditional
-- writes that return what they wrote, or nothing (blind writes). `pay` is the transfer of its figure 2.

CREATE TABLE accounts (
    acc_id  bigint PRIMARY KEY,
    balance bigint NOT NULL,
    credit  bigint NOT NULL DEFAULT 0
);

CREATE FUNCTION load(p_count bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..p_count LOOP
        INSERT INTO accounts (acc_id, balance, credit) VALUES (i, 1000, 200);
    END LOOP;
END;
$$;

CREATE FUNCTION balance(p_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
BEGIN
    SELECT balance INTO v_balance FROM accounts WHERE acc_id = p_id;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION deposit(p_tgt bigint, p_amt bigint, p_blind boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
BEGIN
    UPDATE accounts SET balance = balance + p_amt WHERE acc_id = p_tgt RETURNING balance INTO v_balance;
    IF p_blind THEN
        RETURN NULL;
    END IF;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION withdraw(p_src bigint, p_amt bigint, p_blind boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
BEGIN
    SELECT balance INTO v_balance FROM accounts WHERE acc_id = p_src;
    IF v_balance >= p_amt THEN
        v_balance := v_balance - p_amt;
        UPDATE accounts SET balance = v_balance WHERE acc_id = p_src;
    END IF;
    IF p_blind THEN
        RETURN NULL;
    END IF;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION transfer(p_src bigint, p_tgt bigint, p_amt bigint, p_blind boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
BEGIN
    SELECT balance INTO v_balance FROM accounts WHERE acc_id = p_src;
    IF v_balance >= p_amt THEN
        v_balance := v_balance - p_amt;
        UPDATE accounts SET balance = v_balance WHERE acc_id = p_src;
        UPDATE accounts SET balance = balance + p_amt WHERE acc_id = p_tgt;
    END IF;
    IF p_blind THEN
        RETURN NULL;
    END IF;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION withdraw_overdraft(p_src bigint, p_amt bigint, p_blind boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
BEGIN
    UPDATE accounts SET balance = balance - p_amt WHERE acc_id = p_src AND balance + credit >= p_amt
        RETURNING balance INTO v_balance;
    IF p_blind THEN
        RETURN NULL;
    END IF;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION pay(p_src bigint, p_tgt bigint, p_amt bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE accounts SET balance = balance + p_amt WHERE acc_id = p_tgt;
    UPDATE accounts SET balance = balance - p_amt WHERE acc_id = p_src;
END;
$$;
