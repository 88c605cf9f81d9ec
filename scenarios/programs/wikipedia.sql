-- Wikipedia: pages, their revisions, and users who watch them.
--
-- Source: the Wikipedia benchmark of BenchBase, after MediaWiki. Columns that no transaction writes
-- or reads are left out; the numbers that the benchmark lets the database generate are one argument
-- of update_page here; the table `text` is called page_text.
--
-- mix: add_watch_list 1, remove_watch_list 1, update_page 7, get_page_anonymous 90,
--   get_page_authenticated 1
-- sizes: T = 10 * scale, U = 10 * scale
-- arguments: add_watch_list(uniform(0, U), uniform(0, 1), 'Page ' || zipf(1, T), now)
-- arguments: remove_watch_list(uniform(0, U), uniform(0, 1), 'Page ' || zipf(1, T), now)
-- arguments: update_page(fresh, uniform(0, U), '10.0.0.' || uniform(1, 9), uniform(0, 1),
--   'Page ' || zipf(1, T), 'a new text', 'a comment', now)
-- arguments: get_page_anonymous('10.0.0.' || uniform(1, 9), uniform(0, 1), 'Page ' || zipf(1, T))
-- arguments: get_page_authenticated(uniform(0, U), uniform(0, 1), 'Page ' || zipf(1, T))

CREATE TABLE useracct (
    user_id        bigint PRIMARY KEY,
    user_name      varchar(255) NOT NULL UNIQUE,
    user_touched   timestamp NOT NULL,
    user_editcount bigint NOT NULL DEFAULT 0
);

CREATE TABLE user_groups (
    ug_user  bigint NOT NULL,
    ug_group varchar(16) NOT NULL,
    PRIMARY KEY (ug_user, ug_group)
);

CREATE TABLE page (
    page_id          bigint PRIMARY KEY,
    page_namespace   int NOT NULL,
    page_title       varchar(255) NOT NULL,
    page_is_redirect boolean NOT NULL DEFAULT false,
    page_is_new      boolean NOT NULL DEFAULT true,
    page_touched     timestamp NOT NULL,
    page_latest      bigint NOT NULL,
    page_len         bigint NOT NULL,
    UNIQUE (page_namespace, page_title)
);

CREATE TABLE page_restrictions (
    pr_id    bigint PRIMARY KEY,
    pr_page  bigint NOT NULL,
    pr_type  varchar(60) NOT NULL,
    pr_level varchar(60) NOT NULL,
    UNIQUE (pr_page, pr_type)
);

CREATE TABLE ipblocks (
    ipb_id      bigint PRIMARY KEY,
    ipb_address varchar(40) NOT NULL,
    ipb_user    bigint NOT NULL,
    ipb_reason  varchar(255) NOT NULL
);

CREATE TABLE page_text (
    old_id    bigint PRIMARY KEY,
    old_text  text NOT NULL,
    old_flags varchar(30) NOT NULL,
    old_page  bigint NOT NULL
);

CREATE TABLE revision (
    rev_id        bigint PRIMARY KEY,
    rev_page      bigint NOT NULL,
    rev_text_id   bigint NOT NULL,
    rev_comment   varchar(255) NOT NULL,
    rev_user      bigint NOT NULL,
    rev_timestamp timestamp NOT NULL,
    rev_len       bigint NOT NULL,
    rev_parent_id bigint NOT NULL
);

CREATE TABLE watchlist (
    wl_user                  bigint NOT NULL,
    wl_namespace             int NOT NULL,
    wl_title                 varchar(255) NOT NULL,
    wl_notificationtimestamp timestamp,
    PRIMARY KEY (wl_user, wl_namespace, wl_title)
);

CREATE TABLE recentchanges (
    rc_id          bigint PRIMARY KEY,
    rc_timestamp   timestamp NOT NULL,
    rc_user        bigint NOT NULL,
    rc_namespace   int NOT NULL,
    rc_title       varchar(255) NOT NULL,
    rc_comment     varchar(255) NOT NULL,
    rc_cur_id      bigint NOT NULL,
    rc_this_oldid  bigint NOT NULL,
    rc_last_oldid  bigint NOT NULL,
    rc_ip          varchar(40) NOT NULL,
    rc_new_len     bigint NOT NULL
);

CREATE TABLE logging (
    log_id        bigint PRIMARY KEY,
    log_type      varchar(32) NOT NULL,
    log_action    varchar(32) NOT NULL,
    log_timestamp timestamp NOT NULL,
    log_user      bigint NOT NULL,
    log_namespace int NOT NULL,
    log_title     varchar(255) NOT NULL,
    log_params    varchar(255) NOT NULL,
    log_page      bigint NOT NULL
);

CREATE FUNCTION load_page(p_page bigint, p_namespace bigint, p_title text, p_now timestamp)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_text text := 'This is ' || p_title;
BEGIN
    INSERT INTO page (page_id, page_namespace, page_title, page_touched, page_latest, page_len)
    VALUES (p_page, p_namespace, p_title, p_now, p_page, length(v_text));
    INSERT INTO page_text (old_id, old_text, old_flags, old_page)
    VALUES (p_page, v_text, 'utf-8', p_page);
    INSERT INTO revision (rev_id, rev_page, rev_text_id, rev_comment, rev_user, rev_timestamp,
                          rev_len, rev_parent_id)
    VALUES (p_page, p_page, p_page, 'first', 0, p_now, length(v_text), 0);
    IF p_page % 5 = 0 THEN
        INSERT INTO page_restrictions (pr_id, pr_page, pr_type, pr_level)
        VALUES (2 * p_page - 1, p_page, 'edit', 'autoconfirmed'),
               (2 * p_page, p_page, 'move', 'sysop');
    END IF;
END;
$$;

-- Per unit of scale 10 users, and 10 titles with an article (namespace 0) and a talk page (1) each.
-- Nobody has edited anything yet: the benchmark's random edit counts would hide what the invariants
-- look for.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_start timestamp := '2000-01-01 00:00:00';
    v_title text;
BEGIN
    FOR i IN 1..10 * p_scale LOOP
        INSERT INTO useracct (user_id, user_name, user_touched)
        VALUES (i, 'User ' || i::text, v_start);
        INSERT INTO user_groups (ug_user, ug_group)
        VALUES (i, CASE WHEN i % 10 = 0 THEN 'sysop' ELSE 'user' END);
    END LOOP;
    FOR i IN 1..10 * p_scale LOOP
        v_title := 'Page ' || i::text;
        PERFORM load_page(2 * i - 1, 0, v_title, v_start);
        PERFORM load_page(2 * i, 1, v_title, v_start);
        INSERT INTO watchlist (wl_user, wl_namespace, wl_title)
        VALUES (i, 0, v_title), (i, 1, v_title);
    END LOOP;
    INSERT INTO ipblocks (ipb_id, ipb_address, ipb_user, ipb_reason)
    VALUES (1, '10.0.0.9', 3, 'vandalism');
END;
$$;

-- Watches a page, and with an article its talk page too. What one watches already is a violation of
-- the primary key.
CREATE FUNCTION add_watch_list(p_user bigint, p_namespace bigint, p_title text, p_now timestamp)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_user > 0 THEN
        INSERT INTO watchlist (wl_user, wl_namespace, wl_title)
        VALUES (p_user, p_namespace, p_title);
        IF p_namespace = 0 THEN
            INSERT INTO watchlist (wl_user, wl_namespace, wl_title) VALUES (p_user, 1, p_title);
        END IF;
        UPDATE useracct SET user_touched = p_now WHERE user_id = p_user;
    END IF;
END;
$$;

CREATE FUNCTION remove_watch_list(p_user bigint, p_namespace bigint, p_title text, p_now timestamp)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF p_user > 0 THEN
        DELETE FROM watchlist
        WHERE wl_user = p_user AND wl_namespace = p_namespace AND wl_title = p_title;
        IF p_namespace = 0 THEN
            DELETE FROM watchlist
            WHERE wl_user = p_user AND wl_namespace = 1 AND wl_title = p_title;
        END IF;
        UPDATE useracct SET user_touched = p_now WHERE user_id = p_user;
    END IF;
END;
$$;

CREATE FUNCTION page_called(p_namespace bigint, p_title text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_page bigint;
BEGIN
    SELECT page_id INTO v_page
    FROM page
    WHERE page_namespace = p_namespace AND page_title = p_title;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no page % in namespace %', p_title, p_namespace;
    END IF;
    RETURN v_page;
END;
$$;

-- The latest text of a page, and how many restrictions it has.
CREATE FUNCTION read_page(p_page bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r              record;
    v_restrictions bigint := 0;
    v_revision     bigint;
    v_text_id      bigint;
    v_text         text;
BEGIN
    FOR r IN SELECT pr_type, pr_level FROM page_restrictions WHERE pr_page = p_page LOOP
        v_restrictions := v_restrictions + 1;
    END LOOP;

    SELECT rev_id, rev_text_id INTO v_revision, v_text_id
    FROM page
    JOIN revision ON rev_page = page_id AND rev_id = page_latest
    WHERE page_id = p_page;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'page % has no latest revision', p_page;
    END IF;

    SELECT old_text INTO v_text FROM page_text WHERE old_id = v_text_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'revision % has no text', v_revision;
    END IF;
    RETURN v_revision::text || ' (' || v_restrictions::text || '): ' || v_text;
END;
$$;

CREATE FUNCTION get_page_anonymous(p_ip text, p_namespace bigint, p_title text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r        record;
    v_page   bigint := page_called(p_namespace, p_title);
    v_blocks bigint := 0;
    v_text   text;
BEGIN
    FOR r IN SELECT ipb_reason FROM ipblocks WHERE ipb_address = p_ip LOOP
        v_blocks := v_blocks + 1;
    END LOOP;
    v_text := read_page(v_page);
    RETURN v_text;
END;
$$;

CREATE FUNCTION get_page_authenticated(p_user bigint, p_namespace bigint, p_title text)
RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    r        record;
    v_page   bigint;
    v_name   varchar(255);
    v_blocks bigint := 0;
    v_groups text := '';
    v_text   text;
BEGIN
    IF p_user > 0 THEN
        SELECT user_name INTO v_name FROM useracct WHERE user_id = p_user;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'no user %', p_user;
        END IF;
        -- Corrected: BenchBase runs the query above a second time instead of this one.
        FOR r IN SELECT ug_group FROM user_groups WHERE ug_user = p_user ORDER BY ug_group LOOP
            v_groups := v_groups || r.ug_group || ' ';
        END LOOP;
    END IF;

    v_page := page_called(p_namespace, p_title);
    FOR r IN SELECT ipb_reason FROM ipblocks WHERE ipb_user = p_user LOOP
        v_blocks := v_blocks + 1;
    END LOOP;
    v_text := read_page(v_page);
    RETURN v_groups || v_text;
END;
$$;

CREATE FUNCTION notify_watchers(p_user bigint, p_namespace bigint, p_title text, p_now timestamp)
RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    r      record;
    v_name varchar(255);
BEGIN
    FOR r IN
        SELECT wl_user
        FROM watchlist
        WHERE wl_namespace = p_namespace AND wl_title = p_title
          AND wl_user <> p_user AND wl_notificationtimestamp IS NULL
        ORDER BY wl_user
    LOOP
        UPDATE watchlist SET wl_notificationtimestamp = p_now
        WHERE wl_user = r.wl_user AND wl_namespace = p_namespace AND wl_title = p_title;
        SELECT user_name INTO v_name FROM useracct WHERE user_id = r.wl_user;
    END LOOP;
END;
$$;

-- Writes a new revision of a page, and tells those who watch it. User 0 is nobody.
--
-- Corrected: BenchBase gets the revision to replace from an earlier transaction and overwrites
-- page_latest whatever it is by then, so that edits are lost even in a serial execution. Here the
-- revision is read in this transaction.
CREATE FUNCTION update_page(
    p_id bigint, p_user bigint, p_ip text, p_namespace bigint, p_title text, p_text text,
    p_comment text, p_now timestamp
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_page     bigint := page_called(p_namespace, p_title);
    v_parent   bigint;
    v_old_text bigint;
BEGIN
    SELECT rev_id, rev_text_id INTO v_parent, v_old_text
    FROM page
    JOIN revision ON rev_page = page_id AND rev_id = page_latest
    WHERE page_id = v_page;

    INSERT INTO page_text (old_id, old_text, old_flags, old_page)
    VALUES (p_id, p_text, 'utf-8', v_page);
    INSERT INTO revision (rev_id, rev_page, rev_text_id, rev_comment, rev_user, rev_timestamp,
                          rev_len, rev_parent_id)
    VALUES (p_id, v_page, p_id, p_comment, p_user, p_now, length(p_text), v_parent);
    UPDATE page
    SET page_latest = p_id, page_touched = p_now, page_is_new = false, page_is_redirect = false,
        page_len = length(p_text)
    WHERE page_id = v_page;
    INSERT INTO recentchanges (rc_id, rc_timestamp, rc_user, rc_namespace, rc_title, rc_comment,
                               rc_cur_id, rc_this_oldid, rc_last_oldid, rc_ip, rc_new_len)
    VALUES (p_id, p_now, p_user, p_namespace, p_title, p_comment,
            v_page, p_id, v_old_text, p_ip, length(p_text));

    PERFORM notify_watchers(p_user, p_namespace, p_title, p_now);

    INSERT INTO logging (log_id, log_type, log_action, log_timestamp, log_user, log_namespace,
                         log_title, log_params, log_page)
    VALUES (p_id, 'patrol', 'patrol', p_now, p_user, p_namespace,
            p_title, p_id::text || ' ' || v_parent::text || ' 1', v_page);
    UPDATE useracct SET user_editcount = user_editcount + 1 WHERE user_id = p_user;
    UPDATE useracct SET user_touched = p_now WHERE user_id = p_user;
END;
$$;

-- A user's edit count is the number of this user's recent changes.
CREATE FUNCTION invariant_edits_equal_changes() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r         record;
    v_changes bigint;
BEGIN
    FOR r IN SELECT user_id, user_editcount FROM useracct LOOP
        SELECT count(*) INTO v_changes FROM recentchanges WHERE rc_user = r.user_id;
        IF v_changes <> r.user_editcount THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- A user's edit count is the number of this user's entries in the log.
CREATE FUNCTION invariant_edits_equal_log() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r         record;
    v_entries bigint;
BEGIN
    FOR r IN SELECT user_id, user_editcount FROM useracct LOOP
        SELECT count(*) INTO v_entries FROM logging WHERE log_user = r.user_id;
        IF v_entries <> r.user_editcount THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- Changes and log agree, edits of nobody included.
CREATE FUNCTION invariant_changes_equal_log() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r         record;
    v_changes bigint;
    v_entries bigint;
BEGIN
    SELECT count(*) INTO v_changes FROM recentchanges;
    SELECT count(*) INTO v_entries FROM logging;
    IF v_changes <> v_entries THEN
        RETURN false;
    END IF;

    FOR r IN SELECT rc_id, rc_user FROM recentchanges LOOP
        SELECT count(*) INTO v_entries
        FROM logging
        WHERE log_id = r.rc_id AND log_user = r.rc_user;
        IF v_entries <> 1 THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- The revisions of a page are a chain: following the parents from the latest one visits all of
-- them. A lost update forks it.
CREATE FUNCTION invariant_revisions_are_chains() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r           record;
    v_revisions bigint;
    v_visited   bigint;
    v_revision  bigint;
    v_parent    bigint;
BEGIN
    FOR r IN SELECT page_id, page_latest FROM page LOOP
        SELECT count(*) INTO v_revisions FROM revision WHERE rev_page = r.page_id;
        v_visited := 0;
        v_revision := r.page_latest;
        WHILE v_revision <> 0 AND v_visited <= v_revisions LOOP
            SELECT rev_parent_id INTO v_parent
            FROM revision
            WHERE rev_id = v_revision AND rev_page = r.page_id;
            IF NOT FOUND THEN
                RETURN false;
            END IF;
            v_visited := v_visited + 1;
            v_revision := v_parent;
        END LOOP;
        IF v_visited <> v_revisions THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;

-- The length of a page is that of its latest revision's text.
CREATE FUNCTION invariant_lengths_match() RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    r record;
BEGIN
    FOR r IN
        SELECT page_len, rev_len, old_text
        FROM page
        JOIN revision ON rev_id = page_latest
        JOIN page_text ON old_id = rev_text_id
    LOOP
        IF r.page_len <> r.rev_len OR r.rev_len <> length(r.old_text) THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END;
$$;
