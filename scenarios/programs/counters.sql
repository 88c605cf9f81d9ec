-- Counters: increments that must not be lost.
--
-- Source: the lost update of Berenson et al., "A Critique of ANSI SQL Isolation Levels" (SIGMOD
-- 1995), which is Hermitage's P4.
--
-- mix: increment 30, read_and_increment 30, move_amount 20, read 20
-- sizes: N = 10 * scale
-- arguments: increment(fresh, zipf(1, N), uniform(1, 5))
-- arguments: read_and_increment(fresh, zipf(1, N), uniform(1, 5))
-- arguments: move_amount(fresh, fresh, zipf(1, N), zipf(1, N), uniform(1, 5))
-- arguments: read(zipf(1, N))

CREATE TABLE counters (
    id    bigint PRIMARY KEY,
    value bigint NOT NULL DEFAULT 0
);

-- What was added, under keys that the callers have never used before: rows are only inserted, and
-- only the invariant reads them.
CREATE TABLE increments (
    inc_id  bigint PRIMARY KEY,
    counter bigint NOT NULL,
    amount  bigint NOT NULL
);

CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..10 * p_scale LOOP
        INSERT INTO counters (id) VALUES (i);
    END LOOP;
END;
$$;

-- Adds in one statement, and returns the new value.
CREATE FUNCTION increment(p_inc_id bigint, p_counter bigint, p_amount bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_value bigint;
BEGIN
    UPDATE counters SET value = value + p_amount WHERE id = p_counter
    RETURNING value INTO v_value;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no counter %', p_counter;
    END IF;
    INSERT INTO increments (inc_id, counter, amount) VALUES (p_inc_id, p_counter, p_amount);
    RETURN v_value;
END;
$$;

-- Reads, adds, and writes the sum: between the two, somebody else's increment may be lost.
CREATE FUNCTION read_and_increment(p_inc_id bigint, p_counter bigint, p_amount bigint)
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_value bigint;
BEGIN
    SELECT value INTO v_value FROM counters WHERE id = p_counter;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no counter %', p_counter;
    END IF;
    v_value := v_value + p_amount;
    UPDATE counters SET value = v_value WHERE id = p_counter;
    INSERT INTO increments (inc_id, counter, amount) VALUES (p_inc_id, p_counter, p_amount);
    RETURN v_value;
END;
$$;

-- Takes from one counter and adds to another, in the order of their numbers so that two never wait
-- for each other.
CREATE FUNCTION move_amount(
    p_from_inc_id bigint, p_to_inc_id bigint, p_from bigint, p_to bigint, p_amount bigint
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_value bigint;
BEGIN
    IF p_from < p_to THEN
        v_value := increment(p_from_inc_id, p_from, -p_amount);
        v_value := increment(p_to_inc_id, p_to, p_amount);
    ELSE
        v_value := increment(p_to_inc_id, p_to, p_amount);
        v_value := increment(p_from_inc_id, p_from, -p_amount);
    END IF;
END;
$$;

CREATE FUNCTION read(p_counter bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_value bigint;
BEGIN
    SELECT value INTO v_value FROM counters WHERE id = p_counter;
    RETURN v_value;
END;
$$;

-- Every counter is the sum of what was added to it.
CREATE FUNCTION invariant_no_increment_lost() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r     record;
    v_sum bigint;
BEGIN
    FOR r IN SELECT id, value FROM counters LOOP
        SELECT sum(amount) INTO v_sum FROM increments WHERE counter = r.id;
        IF r.value <> COALESCE(v_sum, 0) THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;
