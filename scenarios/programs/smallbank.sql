-- SmallBank: customers with a savings and a checking account each.
--
-- Source: Alomari, Cahill, Fekete, Röhm, "The Cost of Serializability on Platforms That Use
-- Snapshot Isolation" (ICDE 2008), and its form in BenchBase. Amounts are the constants of
-- BenchBase.
--
-- mix: amalgamate 15, balance 15, deposit_checking 15, send_payment 25, transact_savings 15,
--   write_check 15
-- mix conserving: amalgamate 30, balance 30, send_payment 40
-- sizes: N = 20 * scale
-- arguments: amalgamate(uniform(1, N), uniform(1, N))
-- arguments: balance('customer' || uniform(1, N))
-- arguments: deposit_checking(fresh, 'customer' || uniform(1, N), 1.30)
-- arguments: send_payment(uniform(1, N), uniform(1, N), 5.00)
-- arguments: transact_savings(fresh, 'customer' || uniform(1, N), choose(20.20, -20.20))
-- arguments: write_check(fresh, 'customer' || uniform(1, N), 5.00)

CREATE TABLE accounts (
    custid bigint PRIMARY KEY,
    name   varchar(64) NOT NULL UNIQUE
);

CREATE TABLE savings (
    custid bigint PRIMARY KEY REFERENCES accounts (custid),
    bal    numeric(12,2) NOT NULL
);

CREATE TABLE checking (
    custid bigint PRIMARY KEY REFERENCES accounts (custid),
    bal    numeric(12,2) NOT NULL
);

-- Money that came into the bank (or left it, below zero). Not in the benchmark: without it nobody
-- can tell a deposit from money out of nothing. Rows are only ever inserted, under a key the caller
-- has not used before, and no procedure reads them, so two transactions never conflict here.
CREATE TABLE movements (
    mov_id bigint PRIMARY KEY,
    custid bigint NOT NULL,
    amount numeric(12,2) NOT NULL
);

-- 20 customers per unit of scale; both balances between 100 and 499.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_seed     bigint := 1;
    v_savings  bigint;
    v_checking bigint;
BEGIN
    FOR i IN 1..20 * p_scale LOOP
        v_seed := (v_seed * 1103515245 + 12345) % 2147483648;
        v_savings := 100 + v_seed / 65536 % 400;
        v_seed := (v_seed * 1103515245 + 12345) % 2147483648;
        v_checking := 100 + v_seed / 65536 % 400;

        INSERT INTO accounts (custid, name) VALUES (i, 'customer' || i::text);
        INSERT INTO savings (custid, bal) VALUES (i, v_savings);
        INSERT INTO checking (custid, bal) VALUES (i, v_checking);
        INSERT INTO movements (mov_id, custid, amount) VALUES (-i, i, v_savings + v_checking);
    END LOOP;
END;
$$;

CREATE FUNCTION customer_named(p_name text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_custid bigint;
BEGIN
    SELECT custid INTO v_custid FROM accounts WHERE name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_name;
    END IF;
    RETURN v_custid;
END;
$$;

CREATE FUNCTION require_customer(p_custid bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_name varchar(64);
BEGIN
    SELECT name INTO v_name FROM accounts WHERE custid = p_custid;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer number %', p_custid;
    END IF;
END;
$$;

CREATE FUNCTION savings_of(p_custid bigint) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    v_bal numeric(12,2);
BEGIN
    SELECT bal INTO v_bal FROM savings WHERE custid = p_custid;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'customer % has no savings account', p_custid;
    END IF;
    RETURN v_bal;
END;
$$;

CREATE FUNCTION checking_of(p_custid bigint) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    v_bal numeric(12,2);
BEGIN
    SELECT bal INTO v_bal FROM checking WHERE custid = p_custid;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'customer % has no checking account', p_custid;
    END IF;
    RETURN v_bal;
END;
$$;

CREATE FUNCTION balance(p_name text) RETURNS numeric
LANGUAGE plpgsql AS $$
DECLARE
    v_custid bigint := customer_named(p_name);
    v_total  numeric(12,2);
BEGIN
    v_total := savings_of(v_custid) + checking_of(v_custid);
    RETURN v_total;
END;
$$;

CREATE FUNCTION deposit_checking(p_mov_id bigint, p_name text, p_amount numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_custid bigint := customer_named(p_name);
    v_amount numeric(12,2) := p_amount;
BEGIN
    UPDATE checking SET bal = bal + v_amount WHERE custid = v_custid;
    INSERT INTO movements (mov_id, custid, amount) VALUES (p_mov_id, v_custid, v_amount);
END;
$$;

-- Adds the amount, which may be negative, as in the paper. BenchBase subtracts it.
CREATE FUNCTION transact_savings(p_mov_id bigint, p_name text, p_amount numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_custid  bigint := customer_named(p_name);
    v_savings numeric(12,2) := savings_of(v_custid);
    v_amount  numeric(12,2) := p_amount;
BEGIN
    IF v_savings + v_amount < 0 THEN
        RAISE EXCEPTION 'savings of % cannot pay %', p_name, -v_amount;
    END IF;

    UPDATE savings SET bal = bal + v_amount WHERE custid = v_custid;
    INSERT INTO movements (mov_id, custid, amount) VALUES (p_mov_id, v_custid, v_amount);
END;
$$;

-- Cashes a check. It is paid even when both accounts together do not cover it, for a penalty of 1:
-- together with transact_savings, the benchmark's write skew.
CREATE FUNCTION write_check(p_mov_id bigint, p_name text, p_amount numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_custid bigint := customer_named(p_name);
    v_total  numeric(12,2);
    v_charge numeric(12,2) := p_amount;
BEGIN
    v_total := savings_of(v_custid) + checking_of(v_custid);
    IF v_total < v_charge THEN
        -- Corrected: BenchBase takes the penalty off what is charged, so that it becomes a bonus.
        v_charge := v_charge + 1;
    END IF;

    UPDATE checking SET bal = bal - v_charge WHERE custid = v_custid;
    INSERT INTO movements (mov_id, custid, amount) VALUES (p_mov_id, v_custid, -v_charge);
END;
$$;

CREATE FUNCTION send_payment(p_source bigint, p_target bigint, p_amount numeric) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_amount   numeric(12,2) := p_amount;
    v_checking numeric(12,2);
BEGIN
    PERFORM require_customer(p_source);
    PERFORM require_customer(p_target);
    v_checking := checking_of(p_source);
    IF v_checking < v_amount THEN
        RAISE EXCEPTION 'checking of customer % cannot pay %', p_source, v_amount;
    END IF;

    UPDATE checking SET bal = bal - v_amount WHERE custid = p_source;
    UPDATE checking SET bal = bal + v_amount WHERE custid = p_target;
END;
$$;

-- Moves all that the source has into the checking account of the target.
--
-- Corrected: BenchBase (like OLTP-Bench) reads the checking account of the target instead of the
-- source's, and then subtracts the total from the target's savings, so that money vanishes.
CREATE FUNCTION amalgamate(p_source bigint, p_target bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_total numeric(12,2);
BEGIN
    PERFORM require_customer(p_source);
    PERFORM require_customer(p_target);
    v_total := savings_of(p_source) + checking_of(p_source);

    UPDATE checking SET bal = 0 WHERE custid = p_source;
    UPDATE savings SET bal = 0 WHERE custid = p_source;
    UPDATE checking SET bal = bal + v_total WHERE custid = p_target;
END;
$$;

-- What all accounts hold is what came in: no money appears or vanishes. Every procedure rounds its
-- amount to cents first, so that rounding loses nothing either.
CREATE FUNCTION invariant_money_conserved() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_savings   numeric;
    v_checking  numeric;
    v_movements numeric;
BEGIN
    SELECT sum(bal) INTO v_savings FROM savings;
    SELECT sum(bal) INTO v_checking FROM checking;
    SELECT sum(amount) INTO v_movements FROM movements;
    RETURN COALESCE(v_savings, 0) + COALESCE(v_checking, 0) = COALESCE(v_movements, 0);
END;
$$;

-- Only checking accounts can be overdrawn.
CREATE FUNCTION invariant_savings_not_negative() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_negative bigint;
BEGIN
    SELECT count(*) INTO v_negative FROM savings WHERE bal < 0;
    RETURN v_negative = 0;
END;
$$;
