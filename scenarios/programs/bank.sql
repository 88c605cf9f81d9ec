-- Bank: accounts with deposits, withdrawals, transfers and an agreed overdraft.
--
-- Source: the bank server on which Troubadour was measured (Pick et al., "Checking Observational
-- Correctness of Database Systems"). The paper prints deposit and transfer, in its figure 2, and
-- names the other three; what those do when money is short is our reading.
--
-- mix: deposit 20, withdraw 15, transfer 40, withdraw_overdraft 10, balance 15
-- sizes: N = 10 * scale
-- arguments: deposit(uniform(1, N), uniform(1, 100))
-- arguments: withdraw(uniform(1, N), uniform(1, 100))
-- arguments: transfer(uniform(1, N), uniform(1, N), uniform(1, 100))
-- arguments: withdraw_overdraft(uniform(1, N), uniform(1, 150))
-- arguments: balance(uniform(1, N))
--
-- Transfers and balances alone leave sum(balance) as it was: a mix of only these two can be checked
-- for conserved money too.

CREATE TABLE accounts (
    acc_id          bigint PRIMARY KEY,
    balance         numeric(12,2) NOT NULL,
    overdraft_limit numeric(12,2) NOT NULL DEFAULT 0
);

-- 10 accounts per unit of scale, with 1000.00 each; every second one may be overdrawn by 200.00.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..10 * p_scale LOOP
        INSERT INTO accounts (acc_id, balance, overdraft_limit)
        VALUES (i, 1000, CASE WHEN i % 2 = 0 THEN 200 ELSE 0 END);
    END LOOP;
END;
$$;

-- Amounts are positive and in whole cents: rounding would make money out of nothing.
CREATE FUNCTION require_payable(p_amt numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_cents numeric(12,2) := p_amt;
BEGIN
    IF p_amt <= 0 OR p_amt <> v_cents THEN
        RAISE EXCEPTION 'amount % cannot be paid', p_amt;
    END IF;
END;
$$;

CREATE FUNCTION deposit(p_tgt bigint, p_amt numeric) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM require_payable(p_amt);

    UPDATE accounts SET balance = balance + p_amt WHERE acc_id = p_tgt;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no account %', p_tgt;
    END IF;
END;
$$;

-- Pays out only what is there.
CREATE FUNCTION withdraw(p_src bigint, p_amt numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_balance numeric(12,2);
BEGIN
    PERFORM require_payable(p_amt);

    SELECT balance INTO v_balance FROM accounts WHERE acc_id = p_src;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no account %', p_src;
    END IF;
    IF v_balance < p_amt THEN
        RAISE EXCEPTION 'account % has too little for %', p_src, p_amt;
    END IF;

    UPDATE accounts SET balance = balance - p_amt WHERE acc_id = p_src;
END;
$$;

-- The paper's figure transfers unconditionally; this is the conditional form of its section 5.
CREATE FUNCTION transfer(p_src bigint, p_tgt bigint, p_amt numeric) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM withdraw(p_src, p_amt);
    PERFORM deposit(p_tgt, p_amt);
END;
$$;

-- Pays out as far as the agreed overdraft goes, and returns the new balance.
CREATE FUNCTION withdraw_overdraft(p_src bigint, p_amt numeric) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    v_balance numeric(12,2);
    v_limit   numeric(12,2);
BEGIN
    PERFORM require_payable(p_amt);

    SELECT balance, overdraft_limit INTO v_balance, v_limit FROM accounts WHERE acc_id = p_src;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no account %', p_src;
    END IF;
    IF v_balance + v_limit < p_amt THEN
        RAISE EXCEPTION 'account % may not be overdrawn for %', p_src, p_amt;
    END IF;

    UPDATE accounts SET balance = balance - p_amt WHERE acc_id = p_src
    RETURNING balance INTO v_balance;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION balance(p_acc_id bigint) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    v_balance numeric(12,2);
BEGIN
    SELECT balance INTO v_balance FROM accounts WHERE acc_id = p_acc_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no account %', p_acc_id;
    END IF;
    RETURN v_balance;
END;
$$;

-- No account is overdrawn further than was agreed: two withdrawals that each saw the other's money
-- break it.
CREATE FUNCTION invariant_within_overdraft_limit() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_beyond bigint;
BEGIN
    SELECT count(*) INTO v_beyond FROM accounts WHERE balance < -overdraft_limit;
    RETURN v_beyond = 0;
END;
$$;
