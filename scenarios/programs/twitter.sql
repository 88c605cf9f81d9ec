-- Twitter: users, who follows whom, and what they say.
--
-- Source: two benchmarks on one schema. C-Twitter of Cobra (Tan, Zhao, Mu, Walfish, "Cobra: Making
-- Transactional Key-Value Stores Verifiably Serializable", OSDI 2020), which has new_tweet, follow,
-- timeline, show_follow and show_tweets; and Twitter of BenchBase, which has the other five.
--
-- mix: new_tweet 20, follow 40, timeline 10, show_follow 10, show_tweets 20
-- mix benchbase: get_tweet 1, get_tweets_from_following 1, get_followers 7, get_user_tweets 90,
--   insert_tweet 1
-- sizes: N = 20 * scale
-- arguments: new_tweet(fresh, uniform(1, N), 'a tweet', now)
-- arguments: follow(zipf(1, N), zipf(1, N), choose(true, false), now)
-- arguments: timeline(uniform(1, N))
-- arguments: show_follow(uniform(1, N))
-- arguments: show_tweets(uniform(1, N))
-- arguments: get_tweet(uniform(1, 5 * N))
-- arguments: get_tweets_from_following(uniform(1, N))
-- arguments: get_followers(uniform(1, N))
-- arguments: get_user_tweets(uniform(1, N))
-- arguments: insert_tweet(fresh, uniform(1, N), 'a tweet', now)

CREATE TABLE users (
    uid        bigint PRIMARY KEY,
    name       text NOT NULL,
    last_tweet bigint NOT NULL
);

CREATE TABLE tweets (
    id         bigint PRIMARY KEY,
    uid        bigint NOT NULL,
    text       varchar(140) NOT NULL,
    createdate timestamp NOT NULL
);

-- f1 follows f2, as long as active says so.
CREATE TABLE follows (
    f1     bigint NOT NULL,
    f2     bigint NOT NULL,
    active boolean NOT NULL,
    since  timestamp NOT NULL,
    PRIMARY KEY (f1, f2)
);

-- The same from the other side: f1 is followed by f2.
CREATE TABLE followers (
    f1     bigint NOT NULL,
    f2     bigint NOT NULL,
    active boolean NOT NULL,
    since  timestamp NOT NULL,
    PRIMARY KEY (f1, f2)
);

-- 20 users per unit of scale, with five tweets each; everybody follows themselves and three others.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_users bigint := 20 * p_scale;
    v_start timestamp := '2000-01-01 00:00:00';
    v_other bigint;
BEGIN
    FOR i IN 1..v_users LOOP
        INSERT INTO users (uid, name, last_tweet) VALUES (i, 'user ' || i::text, 5 * i);
        FOR k IN 0..4 LOOP
            INSERT INTO tweets (id, uid, text, createdate)
            VALUES (5 * i - k, i, 'tweet ' || k::text || ' of user ' || i::text, v_start);
        END LOOP;
        FOR k IN 0..3 LOOP
            v_other := 1 + (i - 1 + k * k) % v_users;
            INSERT INTO follows (f1, f2, active, since) VALUES (i, v_other, true, v_start);
            INSERT INTO followers (f1, f2, active, since) VALUES (v_other, i, true, v_start);
        END LOOP;
    END LOOP;
END;
$$;

-- C-Twitter

CREATE FUNCTION new_tweet(p_id bigint, p_uid bigint, p_text text, p_now timestamp) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tweets (id, uid, text, createdate) VALUES (p_id, p_uid, p_text, p_now);
    UPDATE users SET last_tweet = p_id WHERE uid = p_uid;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no user %', p_uid;
    END IF;
END;
$$;

-- Follow (or cease to follow) somebody. Cobra also keeps a bitmap of all one follows, because its
-- store has no scans; here that is a range of follows.
CREATE FUNCTION follow(p_source bigint, p_target bigint, p_active boolean, p_now timestamp)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO followers (f1, f2, active, since) VALUES (p_target, p_source, p_active, p_now)
    ON CONFLICT (f1, f2) DO UPDATE SET active = p_active, since = p_now;

    INSERT INTO follows (f1, f2, active, since) VALUES (p_source, p_target, p_active, p_now)
    ON CONFLICT (f1, f2) DO UPDATE SET active = p_active, since = p_now;
END;
$$;

-- The last tweet of each of the first 20 that one follows: their numbers, in the order of users.
CREATE FUNCTION timeline(p_uid bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_last  bigint;
    v_text  varchar(140);
    v_lines text := '';
BEGIN
    FOR r IN SELECT f2 FROM follows WHERE f1 = p_uid AND active ORDER BY f2 LIMIT 20 LOOP
        SELECT last_tweet INTO v_last FROM users WHERE uid = r.f2;
        SELECT text INTO v_text FROM tweets WHERE id = v_last;
        IF FOUND THEN
            v_lines := v_lines || v_last::text || ' ';
        END IF;
    END LOOP;
    RETURN v_lines;
END;
$$;

-- The first 20 that one follows.
CREATE FUNCTION show_follow(p_uid bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r      record;
    v_uids text := '';
BEGIN
    FOR r IN SELECT f2 FROM follows WHERE f1 = p_uid AND active ORDER BY f2 LIMIT 20 LOOP
        v_uids := v_uids || r.f2::text || ' ';
    END LOOP;
    RETURN v_uids;
END;
$$;

-- The last tweet of a user and up to ten before it. Corrected: Cobra reads the ten preceding
-- numbers, whoever the author; here they are the user's own.
CREATE FUNCTION show_tweets(p_uid bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r      record;
    v_last bigint;
    v_ids  text := '';
BEGIN
    SELECT last_tweet INTO v_last FROM users WHERE uid = p_uid;
    FOR r IN
        SELECT id FROM tweets WHERE uid = p_uid AND id <= v_last ORDER BY id DESC LIMIT 11
    LOOP
        v_ids := v_ids || r.id::text || ' ';
    END LOOP;
    RETURN v_ids;
END;
$$;

-- BenchBase's Twitter

CREATE FUNCTION get_tweet(p_id bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_tweet text;
BEGIN
    SELECT uid::text || ': ' || text INTO v_tweet FROM tweets WHERE id = p_id;
    RETURN v_tweet;
END;
$$;

-- How many tweets the first 20 that one follows have written.
CREATE FUNCTION get_tweets_from_following(p_uid bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    r        record;
    v_tweets bigint;
    v_total  bigint := 0;
BEGIN
    FOR r IN SELECT f2 FROM follows WHERE f1 = p_uid AND active ORDER BY f2 LIMIT 20 LOOP
        SELECT count(*) INTO v_tweets FROM tweets WHERE uid = r.f2;
        v_total := v_total + v_tweets;
    END LOOP;
    RETURN v_total;
END;
$$;

CREATE FUNCTION get_followers(p_uid bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_name  text;
    v_names text := '';
BEGIN
    FOR r IN SELECT f2 FROM followers WHERE f1 = p_uid AND active ORDER BY f2 LIMIT 20 LOOP
        SELECT name INTO v_name FROM users WHERE uid = r.f2;
        v_names := v_names || COALESCE(v_name, '?') || ', ';
    END LOOP;
    RETURN v_names;
END;
$$;

CREATE FUNCTION get_user_tweets(p_uid bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r     record;
    v_ids text := '';
BEGIN
    FOR r IN SELECT id FROM tweets WHERE uid = p_uid ORDER BY id LIMIT 10 LOOP
        v_ids := v_ids || r.id::text || ' ';
    END LOOP;
    RETURN v_ids;
END;
$$;

-- Corrected: BenchBase inserts into a table of its own, which nothing reads, so that its five
-- transactions have no conflict at all.
CREATE FUNCTION insert_tweet(p_id bigint, p_uid bigint, p_text text, p_now timestamp) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tweets (id, uid, text, createdate) VALUES (p_id, p_uid, p_text, p_now);
END;
$$;

-- The two sides of following agree.
CREATE FUNCTION invariant_followers_mirror_follows() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r           record;
    v_follows   bigint;
    v_followers bigint;
    v_active    boolean;
BEGIN
    SELECT count(*) INTO v_follows FROM follows;
    SELECT count(*) INTO v_followers FROM followers;
    IF v_follows <> v_followers THEN
        RETURN false;
    END IF;

    FOR r IN SELECT f1, f2, active FROM follows LOOP
        SELECT active INTO v_active FROM followers WHERE f1 = r.f2 AND f2 = r.f1;
        IF NOT FOUND OR v_active <> r.active THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- The last tweet of a user exists and is the user's own.
CREATE FUNCTION invariant_last_tweet_is_own() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r        record;
    v_author bigint;
BEGIN
    FOR r IN SELECT uid, last_tweet FROM users LOOP
        SELECT uid INTO v_author FROM tweets WHERE id = r.last_tweet;
        IF NOT FOUND OR v_author <> r.uid THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;
