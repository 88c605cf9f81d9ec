-- What the transactions of PostgreSQL saw, as a history for `ordeal check`: no client has to be changed
-- but for its statements. A note is part of the transaction that it is about: it is there if that has
-- committed. Those that were rolled back leave no note, and real time is not noted.
--
--     BEGIN;
--     SELECT ordeal_read('x', (SELECT to_jsonb(value) FROM items WHERE key = 'x'));
--     UPDATE items SET value = 7 WHERE key = 'x';
--     SELECT ordeal_write('x', 7);           -- a value that nobody else writes to x
--     COMMIT;
--
--     psql -qAt -f recorder.sql                                 once, before all transactions
--     psql -qAt -c 'SELECT line FROM ordeal_history' > history.jsonl

CREATE TABLE ordeal_notes (
    n bigserial PRIMARY KEY,
    txn bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    session integer NOT NULL DEFAULT pg_backend_pid(),
    kind text NOT NULL,
    key text NOT NULL,
    v jsonb
);

-- The value, so that it can stand in place of what it notes.
CREATE FUNCTION ordeal_read(key text, v jsonb) RETURNS jsonb LANGUAGE sql AS $$
    INSERT INTO ordeal_notes (kind, key, v) VALUES ('r', $1, $2) RETURNING v
$$;
CREATE FUNCTION ordeal_write(key text, v bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ordeal_notes (kind, key, v) VALUES ('w', $1, to_jsonb($2))
$$;
CREATE FUNCTION ordeal_append(key text, v bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO ordeal_notes (kind, key, v) VALUES ('append', $1, to_jsonb($2))
$$;

-- One line each, in the order of every session.
CREATE VIEW ordeal_history AS
SELECT line FROM (
    SELECT 0 AS n, '{"ordeal-history":1,"producer":"recorder.sql"}' AS line
    UNION ALL
    SELECT min(n), format('{"txn":%s,"session":%s,"status":"ok","ops":[%s]}', txn, session,
                          string_agg(json_build_object(kind, key, 'v', v)::text, ',' ORDER BY n))
    FROM ordeal_notes GROUP BY txn, session
) AS lines ORDER BY n;
