-- Voter: a telephone vote for a talent show, limited per telephone number.
--
-- Source: the Voter benchmark of H-Store, in the form of BenchBase. Its only transaction counts by
-- a predicate what it then adds to: a phantom is all that can go wrong.
--
-- mix: vote 100
-- sizes: N = 6, A = 10, P = 10 * scale
-- arguments: vote(fresh, uniform(200, 200 + A) * 10000000 + uniform(1, P), uniform(0, N), now)

CREATE TABLE contestants (
    contestant_number bigint PRIMARY KEY,
    contestant_name   varchar(50) NOT NULL
);

CREATE TABLE area_code_state (
    area_code smallint PRIMARY KEY,
    state     varchar(2) NOT NULL
);

-- The benchmark's votes have no key; ours are keyed by the number that the caller gives them
-- anyway.
CREATE TABLE votes (
    vote_id           bigint PRIMARY KEY,
    phone_number      bigint NOT NULL,
    state             varchar(2) NOT NULL,
    contestant_number bigint NOT NULL,
    created           timestamp NOT NULL
);

-- How often one telephone may vote. BenchBase passes 1000 as an argument of vote.
CREATE FUNCTION votes_per_phone() RETURNS bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN 2;
END;
$$;

-- Six contestants and area codes 201 to 210. The scale says how many telephones an area has: that
-- is a matter of the arguments only.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1..6 LOOP
        INSERT INTO contestants (contestant_number, contestant_name)
        VALUES (i, 'contestant ' || i::text);
    END LOOP;
    FOR i IN 201..210 LOOP
        INSERT INTO area_code_state (area_code, state)
        VALUES (i, substr('CANYTXFLWA', 1 + 2 * (i % 5), 2));
    END LOOP;
END;
$$;

-- The same, and all votes but one of the first telephone of each area.
CREATE FUNCTION load_one_vote_left(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_start timestamp := '2000-01-01 00:00:00';
    v_votes bigint := votes_per_phone() - 1;
BEGIN
    PERFORM load(p_scale);
    FOR i IN 201..210 LOOP
        FOR k IN 1..v_votes LOOP
            INSERT INTO votes (vote_id, phone_number, state, contestant_number, created)
            VALUES (-(1000 * k + i), i * 10000000 + 1, substr('CANYTXFLWA', 1 + 2 * (i % 5), 2), 1, v_start);
        END LOOP;
    END LOOP;
END;
$$;

-- 0: counted; 1: there is no such contestant; 2: this telephone has voted often enough. All of them
-- commit.
CREATE FUNCTION vote(p_vote_id bigint, p_phone bigint, p_contestant bigint, p_now timestamp)
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_contestant bigint;
    v_votes      bigint;
    v_limit      bigint := votes_per_phone();
    v_state      varchar(2);
BEGIN
    SELECT contestant_number INTO v_contestant
    FROM contestants
    WHERE contestant_number = p_contestant;
    IF NOT FOUND THEN
        RETURN 1;
    END IF;

    SELECT count(*) INTO v_votes FROM votes WHERE phone_number = p_phone;
    IF v_votes >= v_limit THEN
        RETURN 2;
    END IF;

    SELECT state INTO v_state FROM area_code_state WHERE area_code = p_phone / 10000000;

    INSERT INTO votes (vote_id, phone_number, state, contestant_number, created)
    VALUES (p_vote_id, p_phone, COALESCE(v_state, 'XX'), p_contestant, p_now);
    RETURN 0;
END;
$$;

-- The benchmark's two views, as functions.
CREATE FUNCTION votes_by_phone(p_phone bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_votes bigint;
BEGIN
    SELECT count(*) INTO v_votes FROM votes WHERE phone_number = p_phone;
    RETURN v_votes;
END;
$$;

CREATE FUNCTION votes_by_contestant_and_state(p_contestant bigint, p_state text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_votes bigint;
BEGIN
    SELECT count(*) INTO v_votes
    FROM votes
    WHERE contestant_number = p_contestant AND state = p_state;
    RETURN v_votes;
END;
$$;

-- No telephone has voted more often than it may.
CREATE FUNCTION invariant_votes_within_limit() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_limit bigint := votes_per_phone();
    v_phone bigint := 0;
    v_votes bigint := 0;
BEGIN
    FOR r IN SELECT phone_number FROM votes ORDER BY phone_number LOOP
        IF r.phone_number <> v_phone THEN
            v_phone := r.phone_number;
            v_votes := 0;
        END IF;
        v_votes := v_votes + 1;
        IF v_votes > v_limit THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- A vote carries the state of its telephone's area, or XX where the area is unknown.
CREATE FUNCTION invariant_states_match_areas() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_state varchar(2);
BEGIN
    FOR r IN SELECT phone_number, state FROM votes LOOP
        SELECT state INTO v_state FROM area_code_state WHERE area_code = r.phone_number / 10000000;
        IF r.state <> COALESCE(v_state, 'XX') THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;
