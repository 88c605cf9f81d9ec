-- RUBiS: an auction site where things can also be bought at once.
--
-- Source: RUBiS 1.4 (Rice University Bidding System) in the form of C-RUBiS of Cobra, whose five
-- transactions are the ones that published checkers are measured on. Columns that no transaction
-- writes or reads are left out.
--
-- mix: register_user 10, register_item 15, store_buy_now 15, store_comment 20, random_browse 40
-- sizes: R = 5, U = 20 * scale, I = 40 * scale
-- arguments: register_user(fresh, 'region ' || uniform(0, R), 'nick ' || fresh)
-- arguments: register_item(fresh, uniform(1, U), 'a thing', uniform(1, 100), uniform(1, 10))
-- arguments: store_buy_now(fresh, uniform(1, I), uniform(1, U), uniform(1, 3))
-- arguments: store_comment(fresh, uniform(1, I), uniform(1, U), zipf(1, U), uniform(0, 5), 'fine')
-- arguments: random_browse(array(5, uniform(1, I)), array(3, zipf(1, U)))

CREATE TABLE regions (
    id   bigint PRIMARY KEY,
    name varchar(25) NOT NULL UNIQUE
);

CREATE TABLE users (
    id       bigint PRIMARY KEY,
    nickname varchar(32) NOT NULL UNIQUE,
    region   bigint NOT NULL,
    rating   int NOT NULL
);

-- offered is the quantity at registration: it never changes, and the invariants need it.
CREATE TABLE items (
    id         bigint PRIMARY KEY,
    seller     bigint NOT NULL,
    name       varchar(100) NOT NULL,
    buy_now    numeric(10,2) NOT NULL,
    offered    int NOT NULL,
    quantity   int NOT NULL,
    nb_of_bids int NOT NULL DEFAULT 0,
    max_bid    numeric(10,2) NOT NULL DEFAULT 10
);

CREATE TABLE buy_now (
    id       bigint PRIMARY KEY,
    buyer_id bigint NOT NULL,
    item_id  bigint NOT NULL,
    qty      int NOT NULL
);

CREATE TABLE comments (
    id           bigint PRIMARY KEY,
    from_user_id bigint NOT NULL,
    to_user_id   bigint NOT NULL,
    item_id      bigint NOT NULL,
    rating       int NOT NULL,
    comment      text NOT NULL
);

-- Five regions; per unit of scale 20 users, with two items and one comment each.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_users bigint := 20 * p_scale;
BEGIN
    FOR i IN 1..5 LOOP
        INSERT INTO regions (id, name) VALUES (i, 'region ' || i::text);
    END LOOP;
    FOR i IN 1..v_users LOOP
        INSERT INTO users (id, nickname, region, rating)
        VALUES (i, 'nick ' || i::text, 1 + i % 5, i % 5);
    END LOOP;
    FOR i IN 1..v_users LOOP
        INSERT INTO items (id, seller, name, buy_now, offered, quantity)
        VALUES (2 * i - 1, i, 'lamp of ' || i::text, 10 + i % 7, 50, 50),
               (2 * i, i, 'chair of ' || i::text, 20 + i % 9, 5, 5);
        INSERT INTO comments (id, from_user_id, to_user_id, item_id, rating, comment)
        VALUES (i, i, 1 + i % v_users, 2 * i, (1 + i % v_users) % 5, 'as described');
    END LOOP;
END;
$$;

-- False, and nothing done, when there is no such region or the nickname is taken.
CREATE FUNCTION register_user(p_id bigint, p_region text, p_nickname text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_region bigint;
    v_other  bigint;
BEGIN
    SELECT id INTO v_region FROM regions WHERE name = p_region;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT id INTO v_other FROM users WHERE nickname = p_nickname;
    IF FOUND THEN
        RETURN false;
    END IF;

    SELECT id INTO v_other FROM users WHERE id = p_id;
    IF FOUND THEN
        RAISE EXCEPTION 'user % exists', p_id;
    END IF;
    INSERT INTO users (id, nickname, region, rating)
    VALUES (p_id, p_nickname, v_region, p_id % 5);
    RETURN true;
END;
$$;

CREATE FUNCTION register_item(
    p_id bigint, p_seller bigint, p_name text, p_buy_now numeric, p_quantity bigint
) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_nickname varchar(32);
BEGIN
    SELECT nickname INTO v_nickname FROM users WHERE id = p_seller;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF p_quantity < 0 THEN
        RAISE EXCEPTION 'nobody can offer % items', p_quantity;
    END IF;
    INSERT INTO items (id, seller, name, buy_now, offered, quantity)
    VALUES (p_id, p_seller, p_name, p_buy_now, p_quantity, p_quantity);
    RETURN true;
END;
$$;

-- Reads the quantity and writes it back less what is bought: two buyers at once may lose an update.
CREATE FUNCTION store_buy_now(p_id bigint, p_item bigint, p_buyer bigint, p_qty bigint)
RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_quantity int;
BEGIN
    SELECT quantity INTO v_quantity FROM items WHERE id = p_item;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- Corrected: C-RUBiS sells what is not there, and the quantity falls below zero.
    IF v_quantity < p_qty THEN
        RETURN false;
    END IF;

    UPDATE items SET quantity = v_quantity - p_qty WHERE id = p_item;
    INSERT INTO buy_now (id, buyer_id, item_id, qty) VALUES (p_id, p_buyer, p_item, p_qty);
    RETURN true;
END;
$$;

-- Comments on a user, whose rating becomes that of the comment.
CREATE FUNCTION store_comment(
    p_id bigint, p_item bigint, p_from bigint, p_to bigint, p_rating bigint, p_comment text
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_nickname varchar(32);
BEGIN
    INSERT INTO comments (id, from_user_id, to_user_id, item_id, rating, comment)
    VALUES (p_id, p_from, p_to, p_item, p_rating, p_comment);

    -- Corrected: C-RUBiS returns false here, which commits a comment on nobody.
    SELECT nickname INTO v_nickname FROM users WHERE id = p_to;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no user %', p_to;
    END IF;
    UPDATE users SET rating = p_rating WHERE id = p_to;
END;
$$;

-- Reads the items and the ratings of the users, and returns a sum of both.
CREATE FUNCTION random_browse(p_items bigint[], p_users bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_quantity int;
    v_rating   int;
    v_sum      bigint := 0;
BEGIN
    FOR k IN 1..cardinality(p_items) LOOP
        SELECT quantity INTO v_quantity FROM items WHERE id = p_items[k];
        v_sum := v_sum + COALESCE(v_quantity, 0);
    END LOOP;
    FOR k IN 1..cardinality(p_users) LOOP
        SELECT rating INTO v_rating FROM users WHERE id = p_users[k];
        v_sum := v_sum + COALESCE(v_rating, 0);
    END LOOP;
    RETURN v_sum;
END;
$$;

-- What is left of an item is what was offered less what was sold, and never below zero.
CREATE FUNCTION invariant_items_sold_or_left() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r      record;
    v_sold bigint;
BEGIN
    FOR r IN SELECT id, offered, quantity FROM items LOOP
        SELECT sum(qty) INTO v_sold FROM buy_now WHERE item_id = r.id;
        IF r.quantity < 0 OR r.quantity <> r.offered - COALESCE(v_sold, 0) THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- The rating of a user is the first one, or that of a comment on this user.
CREATE FUNCTION invariant_ratings_come_from_comments() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r          record;
    v_comments bigint;
    v_same     bigint;
BEGIN
    FOR r IN SELECT id, rating FROM users LOOP
        SELECT count(*) INTO v_comments FROM comments WHERE to_user_id = r.id;
        SELECT count(*) INTO v_same
        FROM comments
        WHERE to_user_id = r.id AND rating = r.rating;
        IF (v_comments > 0 AND v_same = 0) OR (v_comments = 0 AND r.rating <> r.id % 5) THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- No two users have one nickname.
CREATE FUNCTION invariant_nicknames_unique() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r          record;
    v_previous varchar(32) := '';
BEGIN
    FOR r IN SELECT nickname FROM users ORDER BY nickname LOOP
        IF r.nickname = v_previous THEN
            RETURN false;
        END IF;
        v_previous := r.nickname;
    END LOOP;
    RETURN true;
END;
$$;

-- Every comment is on somebody.
CREATE FUNCTION invariant_comments_have_a_target() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r       record;
    v_count bigint;
BEGIN
    FOR r IN SELECT to_user_id FROM comments LOOP
        SELECT count(*) INTO v_count FROM users WHERE id = r.to_user_id;
        IF v_count = 0 THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;
