-- Helpdesk: tickets, numbered by a sequence, and what was said about them, in a table without a primary key,
-- as logs often are.
--
-- Source: our own. Messages that say the same of the same ticket are rows that nothing tells apart. Each ticket
-- counts its messages, and each agent the tickets that are open.
--
-- mix: open_ticket 10, answer 35, forget 15, close_ticket 10, reopen 10, look 20
-- sizes: A = 3 * scale, T = 8 * scale
-- arguments: open_ticket(uniform(1, A), choose('hello', 'any news?'))
--            answer(uniform(1, 2 * T), choose('hello', 'thanks', 'any news?', 'it works'))
--            forget(uniform(1, 2 * T), choose('hello', 'thanks'))
--            close_ticket(uniform(1, 2 * T))
--            reopen(uniform(1, 2 * T), uniform(1, A))
--            look(uniform(1, 2 * T))

CREATE TABLE agents (
    id    bigint PRIMARY KEY,
    holds bigint NOT NULL DEFAULT 0 CHECK (holds >= 0)
);

CREATE TABLE tickets (
    id       serial PRIMARY KEY,
    agent    bigint REFERENCES agents,
    messages bigint NOT NULL DEFAULT 0
);

CREATE TABLE messages (
    ticket bigint NOT NULL REFERENCES tickets,
    said   varchar(80) NOT NULL,
    stars  smallint
);

-- Tickets are dealt to the agents in turn, and each begins with a message or two.
CREATE FUNCTION load(p_scale bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    v_ticket bigint;
BEGIN
    FOR i IN 1..3 * p_scale LOOP
        INSERT INTO agents (id) VALUES (i);
    END LOOP;
    FOR i IN 1..8 * p_scale LOOP
        v_ticket := open_ticket(1 + i % (3 * p_scale), 'hello');
        PERFORM answer(v_ticket, 'hello');
    END LOOP;
END;
$$;

-- The number of a new ticket.
CREATE FUNCTION open_ticket(p_agent bigint, p_said text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_ticket bigint;
BEGIN
    INSERT INTO tickets (agent, messages) VALUES (p_agent, 1) RETURNING id INTO v_ticket;
    INSERT INTO messages (ticket, said) VALUES (v_ticket, p_said);
    UPDATE agents SET holds = holds + 1 WHERE id = p_agent;
    RETURN v_ticket;
END;
$$;

-- How many messages the ticket has then; null if there is no such ticket.
CREATE FUNCTION answer(p_ticket bigint, p_said text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_messages bigint;
BEGIN
    UPDATE tickets SET messages = messages + 1 WHERE id = p_ticket RETURNING messages INTO v_messages;
    IF FOUND THEN
        INSERT INTO messages VALUES (p_ticket, p_said);
    END IF;
    RETURN v_messages;
END;
$$;

-- Deletes all messages of a ticket that say so, and tells how many they were.
CREATE FUNCTION forget(p_ticket bigint, p_said text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    v_count bigint := (SELECT count(*) FROM messages WHERE ticket = p_ticket AND said = p_said);
BEGIN
    DELETE FROM messages WHERE ticket = p_ticket AND said = p_said;
    UPDATE tickets SET messages = messages - v_count WHERE id = p_ticket;
    RETURN v_count;
END;
$$;

-- Nobody holds the ticket any more; its messages get stars. False: it was closed.
CREATE FUNCTION close_ticket(p_ticket bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    v_agent bigint;
BEGIN
    SELECT agent INTO v_agent FROM tickets WHERE id = p_ticket;
    IF v_agent IS NULL THEN
        RETURN false;
    END IF;
    UPDATE tickets SET agent = NULL WHERE id = p_ticket;
    UPDATE agents SET holds = holds - 1 WHERE id = v_agent;
    UPDATE messages SET stars = length(said) % 6 WHERE ticket = p_ticket;
    RETURN true;
END;
$$;

CREATE FUNCTION reopen(p_ticket bigint, p_agent bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE tickets SET agent = p_agent WHERE id = p_ticket AND agent IS NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE agents SET holds = holds + 1 WHERE id = p_agent;
    RETURN true;
END;
$$;

-- What was said of a ticket, and how many different things.
CREATE FUNCTION look(p_ticket bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    v_all text := '';
    v_row record;
BEGIN
    FOR v_row IN SELECT said, count(*) AS times, sum(stars) AS stars
                 FROM messages WHERE ticket = p_ticket GROUP BY said ORDER BY said LOOP
        v_all := v_all || v_row.times || ' times ' || v_row.said || COALESCE(' *' || v_row.stars, '') || '; ';
    END LOOP;
    RETURN v_all;
END;
$$;

CREATE FUNCTION invariant_messages_counted() RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    RETURN NOT EXISTS (
        SELECT 1 FROM tickets t
        WHERE t.messages <> (SELECT count(*) FROM messages m WHERE m.ticket = t.id));
END;
$$;

CREATE FUNCTION invariant_tickets_held() RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    RETURN NOT EXISTS (
        SELECT 1 FROM agents a
        WHERE a.holds <> (SELECT count(*) FROM tickets t WHERE t.agent = a.id));
END;
$$;
