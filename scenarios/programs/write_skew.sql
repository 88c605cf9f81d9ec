-- Write skew: two transactions read the same rows, and each writes another one of them.
--
-- Source: the constraint of two accounts in Berenson et al., "A Critique of ANSI SQL Isolation
-- Levels" (SIGMOD 1995), where single rows are read (G2-item); and the doctors on call of Cahill,
-- Röhm, Fekete, "Serializable Isolation for Snapshot Databases" (SIGMOD 2008), where a predicate
-- is.
--
-- mix: withdraw 25, pay_in 25, go_off_call 25, go_on_call 25
-- sizes: O = 5 * scale, S = 3 * scale, D = 4
-- arguments: withdraw(zipf(1, O), uniform(0, 1), uniform(1, 100))
-- arguments: pay_in(zipf(1, O), uniform(0, 1), uniform(1, 100))
-- arguments: go_off_call(zipf(1, S), uniform(1, D))
-- arguments: go_on_call(zipf(1, S), uniform(1, D))

-- Each owner has side 0 and side 1. One may be negative, but not both together.
CREATE TABLE holdings (
    owner   bigint NOT NULL,
    side    bigint NOT NULL,
    balance bigint NOT NULL,
    PRIMARY KEY (owner, side)
);

CREATE TABLE doctors (
    shift   bigint NOT NULL,
    doctor  bigint NOT NULL,
    on_call boolean NOT NULL,
    PRIMARY KEY (shift, doctor)
);

-- Per unit of scale five owners with 100 on each side, and three shifts of four doctors, two on
-- call.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..5 * p_scale LOOP
        INSERT INTO holdings (owner, side, balance) VALUES (i, 0, 100), (i, 1, 100);
    END LOOP;
    FOR i IN 1..3 * p_scale LOOP
        INSERT INTO doctors (shift, doctor, on_call)
        VALUES (i, 1, true), (i, 2, true), (i, 3, false), (i, 4, false);
    END LOOP;
END;
$$;

-- Takes from one side what both together can pay.
CREATE FUNCTION withdraw(p_owner bigint, p_side bigint, p_amount bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_near bigint;
    v_far  bigint;
BEGIN
    SELECT balance INTO v_near FROM holdings WHERE owner = p_owner AND side = p_side;
    SELECT balance INTO v_far FROM holdings WHERE owner = p_owner AND side = 1 - p_side;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no owner % with side %', p_owner, p_side;
    END IF;
    IF v_near + v_far < p_amount THEN
        RAISE EXCEPTION 'owner % has too little for %', p_owner, p_amount;
    END IF;
    UPDATE holdings SET balance = v_near - p_amount WHERE owner = p_owner AND side = p_side;
END;
$$;

CREATE FUNCTION pay_in(p_owner bigint, p_side bigint, p_amount bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_amount <= 0 THEN
        RAISE EXCEPTION 'amount % is not positive', p_amount;
    END IF;
    UPDATE holdings SET balance = balance + p_amount WHERE owner = p_owner AND side = p_side;
END;
$$;

-- A doctor leaves, if another one stays.
CREATE FUNCTION go_off_call(p_shift bigint, p_doctor bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_others bigint;
BEGIN
    SELECT count(*) INTO v_others
    FROM doctors
    WHERE shift = p_shift AND on_call AND doctor <> p_doctor;
    IF v_others = 0 THEN
        RAISE EXCEPTION 'doctor % is the last one on call in shift %', p_doctor, p_shift;
    END IF;
    UPDATE doctors SET on_call = false WHERE shift = p_shift AND doctor = p_doctor;
END;
$$;

CREATE FUNCTION go_on_call(p_shift bigint, p_doctor bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE doctors SET on_call = true WHERE shift = p_shift AND doctor = p_doctor;
END;
$$;

-- Both sides of an owner together are never negative.
CREATE FUNCTION invariant_owners_solvent() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_total bigint;
BEGIN
    FOR r IN SELECT owner FROM holdings WHERE side = 0 LOOP
        SELECT sum(balance) INTO v_total FROM holdings WHERE owner = r.owner;
        IF v_total < 0 THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- Somebody is on call in every shift.
CREATE FUNCTION invariant_somebody_on_call() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r         record;
    v_on_call bigint;
BEGIN
    FOR r IN SELECT shift FROM doctors WHERE doctor = 1 LOOP
        SELECT count(*) INTO v_on_call FROM doctors WHERE shift = r.shift AND on_call;
        IF v_on_call = 0 THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;
