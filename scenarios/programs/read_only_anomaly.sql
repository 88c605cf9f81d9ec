-- The read-only anomaly: a report that fits no serial order, of two transactions that without it
-- fit one.
--
-- Source: Fekete, O'Neil, O'Neil, "A Read-Only Transaction Anomaly Under Snapshot Isolation"
-- (SIGMOD Record 2004). A withdrawal that both accounts together do not cover costs a penalty of 1.
-- Under snapshot isolation a deposit of 20 and a withdrawal of 10 from empty accounts may both
-- commit with the penalty, although a report between their commits has seen the 20 and no
-- withdrawal.
--
-- mix: deposit 30, withdraw 30, report 10, record_report 30
-- sizes: N = 10 * scale
-- arguments: deposit(uniform(1, N), 20)
-- arguments: withdraw(fresh, uniform(1, N), 10)
-- arguments: report(uniform(1, N))
-- arguments: record_report(fresh, uniform(1, N))

-- Deposits make savings grow, and withdrawals make checking fall. Nothing else writes them.
CREATE TABLE savings (
    customer bigint PRIMARY KEY,
    balance  bigint NOT NULL DEFAULT 0
);

CREATE TABLE checking (
    customer bigint PRIMARY KEY,
    balance  bigint NOT NULL DEFAULT 0
);

-- States that existed: what a report has seen, and what a withdrawal has left. The callers give
-- keys that they have never used before.
CREATE TABLE states (
    state_id bigint PRIMARY KEY,
    customer bigint NOT NULL,
    savings  bigint NOT NULL,
    checking bigint NOT NULL
);

CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..10 * p_scale LOOP
        INSERT INTO savings (customer) VALUES (i);
        INSERT INTO checking (customer) VALUES (i);
    END LOOP;
END;
$$;

CREATE FUNCTION savings_of(p_customer bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
BEGIN
    SELECT balance INTO v_balance FROM savings WHERE customer = p_customer;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_customer;
    END IF;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION checking_of(p_customer bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_balance bigint;
BEGIN
    SELECT balance INTO v_balance FROM checking WHERE customer = p_customer;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no customer %', p_customer;
    END IF;
    RETURN v_balance;
END;
$$;

CREATE FUNCTION deposit(p_customer bigint, p_amount bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_savings bigint;
BEGIN
    IF p_amount <= 0 THEN
        RAISE EXCEPTION 'amount % is not positive', p_amount;
    END IF;
    v_savings := savings_of(p_customer);
    UPDATE savings SET balance = v_savings + p_amount WHERE customer = p_customer;
END;
$$;

-- Returns whether the penalty was due.
CREATE FUNCTION withdraw(p_state_id bigint, p_customer bigint, p_amount bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_checking bigint;
    v_savings  bigint;
    v_penalty  bigint := 0;
BEGIN
    IF p_amount <= 0 THEN
        RAISE EXCEPTION 'amount % is not positive', p_amount;
    END IF;
    v_checking := checking_of(p_customer);
    v_savings := savings_of(p_customer);
    IF v_checking + v_savings < p_amount THEN
        v_penalty := 1;
    END IF;

    v_checking := v_checking - p_amount - v_penalty;
    UPDATE checking SET balance = v_checking WHERE customer = p_customer;
    INSERT INTO states (state_id, customer, savings, checking)
    VALUES (p_state_id, p_customer, v_savings, v_checking);
    RETURN v_penalty = 1;
END;
$$;

-- Reads both accounts, and writes nothing.
CREATE FUNCTION report(p_customer bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_savings  bigint := savings_of(p_customer);
    v_checking bigint := checking_of(p_customer);
BEGIN
    RETURN v_savings::text || ' ' || v_checking::text;
END;
$$;

-- The same, with a record of what was seen for the invariant.
CREATE FUNCTION record_report(p_state_id bigint, p_customer bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_savings  bigint := savings_of(p_customer);
    v_checking bigint := checking_of(p_customer);
BEGIN
    INSERT INTO states (state_id, customer, savings, checking)
    VALUES (p_state_id, p_customer, v_savings, v_checking);
END;
$$;

-- The states of a customer came one after the other: as savings grow, checking never rises.
CREATE FUNCTION invariant_states_in_order() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r          record;
    v_customer bigint := 0;
    v_checking bigint := 0;
BEGIN
    FOR r IN
        SELECT customer, checking FROM states ORDER BY customer, savings, checking DESC
    LOOP
        IF r.customer = v_customer AND r.checking > v_checking THEN
            RETURN false;
        END IF;
        v_customer := r.customer;
        v_checking := r.checking;
    END LOOP;
    RETURN true;
END;
$$;
