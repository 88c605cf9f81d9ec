-- Long fork: two readers see two independent writes in different orders.
--
-- Source: the long fork of Sovran, Power, Aguilera, Li, "Transactional Storage for Geo-Replicated
-- Systems" (SOSP 2011), which snapshot isolation forbids and parallel snapshot isolation permits.
--
-- mix: advance 40, observe 20, record_observation 40
-- sizes: P = 5 * scale
-- arguments: advance(zipf(1, P), uniform(0, 1))
-- arguments: observe(zipf(1, P))
-- arguments: record_observation(fresh, zipf(1, P))

-- Two registers in every pair. They only grow.
CREATE TABLE registers (
    pair  bigint NOT NULL,
    side  bigint NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (pair, side)
);

-- What readers have seen, under keys that the callers have never used before.
CREATE TABLE observations (
    obs_id       bigint PRIMARY KEY,
    pair         bigint NOT NULL,
    first_value  bigint NOT NULL,
    second_value bigint NOT NULL
);

CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..5 * p_scale LOOP
        INSERT INTO registers (pair, side, value) VALUES (i, 0, 0), (i, 1, 0);
    END LOOP;
END;
$$;

CREATE FUNCTION advance(p_pair bigint, p_side bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE registers SET value = value + 1 WHERE pair = p_pair AND side = p_side;
END;
$$;

CREATE FUNCTION register_value(p_pair bigint, p_side bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_value bigint;
BEGIN
    SELECT value INTO v_value FROM registers WHERE pair = p_pair AND side = p_side;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no pair % with side %', p_pair, p_side;
    END IF;
    RETURN v_value;
END;
$$;

-- Reads both registers, and writes nothing.
CREATE FUNCTION observe(p_pair bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_first  bigint := register_value(p_pair, 0);
    v_second bigint := register_value(p_pair, 1);
BEGIN
    RETURN v_first::text || ' ' || v_second::text;
END;
$$;

-- Reads both registers, and leaves a record of it for the invariant.
CREATE FUNCTION record_observation(p_obs_id bigint, p_pair bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_first  bigint := register_value(p_pair, 0);
    v_second bigint := register_value(p_pair, 1);
BEGIN
    INSERT INTO observations (obs_id, pair, first_value, second_value)
    VALUES (p_obs_id, p_pair, v_first, v_second);
END;
$$;

-- Of two observations of a pair, one has seen all that the other has: sorted by the first register,
-- the second never falls.
CREATE FUNCTION invariant_observations_agree() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r        record;
    v_pair   bigint := 0;
    v_second bigint := 0;
BEGIN
    FOR r IN
        SELECT pair, second_value FROM observations ORDER BY pair, first_value, second_value
    LOOP
        IF r.pair = v_pair AND r.second_value < v_second THEN
            RETURN false;
        END IF;
        v_pair := r.pair;
        v_second := r.second_value;
    END LOOP;
    RETURN true;
END;
$$;
