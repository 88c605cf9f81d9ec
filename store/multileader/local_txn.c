/*
 * Runs the transactions of clients at a multi-leader node.
 *
 *     first request ── what its session has seen is here? ──┬── yes: it begins
 *                                                           └── no: it waits, for a while
 *     read    the stored rows as they are, or were when it began; own writes laid over
 *     write   kept here
 *     commit  stamp, log, sync, applied ──> the client
 *
 * Nothing is ever asked of another node, and no commit is refused: two transactions
 * that write the same row both commit, and the higher stamp is seen. Locks would have to be
 * agreed on, so there are none: FOR UPDATE means nothing here.
 *
 * A stamp is above those of all transactions that its own can have seen, as the clock
 * goes forward with each that is applied; and above those that its session has seen
 * at other nodes, as the client carries the highest along.
 *
 * For the certificate, a read's reply says of each key concerned which version was
 * there: of a predicate, those of all keys of its table. A removal that has been
 * collected is still named; the node remembers who made it, and uses that for nothing else.
 */
#include "store/multileader/local_txn_private.h"

#include "base/bisect.h"
#include "store/multileader/local_log_private.h"
#include "store/multileader/multileader_private.h"

#define SESSION_PATIENCE_NS (INT64_C(3) * 1000 * 1000 * 1000)
/* A transaction whose client says nothing for this share of the retention is given up. */
#define SILENCE_DIVISOR 2
#define NEWEST UINT64_MAX

/* --- Transactions by id ----------------------------------------------------------------------- */

static uint32_t place_of(const struct multileader *m, uint64_t id)
{
    uint32_t place;

    BISECT(place, 0, m->txns.count, m->txns.at[place]->id < id);
    return place;
}

static struct local_txn *find(const struct multileader *m, uint64_t id)
{
    uint32_t place = place_of(m, id);

    return place < m->txns.count && m->txns.at[place]->id == id ? m->txns.at[place] : NULL;
}

static struct local_txn *add(struct multileader *m, uint32_t client, uint64_t id)
{
    struct local_txn *txn = pool_take(m->pool, sizeof *txn);
    uint32_t place = place_of(m, id);

    txn->id = id;
    txn->client = client;
    txn->since_ns = txn->heard_ns = local_now_ns(m);
    pool_reserve(m->pool, &m->txns, 1);
    memmove(&m->txns.at[place + 1], &m->txns.at[place],
            (m->txns.count - place) * sizeof *m->txns.at);
    m->txns.at[place] = txn;
    m->txns.count++;
    return txn;
}

static void forget_request(struct multileader *m, struct local_txn *txn)
{
    if (txn->phase == LOCAL_WAITING)
        m->waiting_count--;
    pool_give(m->pool, (void *)txn->request.at, txn->request.length);
    txn->request = (struct text){ 0 };
}

static void close_txn(struct multileader *m, struct local_txn *txn)
{
    array_remove(&m->txns, place_of(m, txn->id));
    forget_request(m, txn);
    own_rows_close(&txn->writes, m->pool);
    pool_give(m->pool, txn->past, m->node_count * sizeof *txn->past);
    pool_give(m->pool, txn, sizeof *txn);
}

/* --- Replies ---------------------------------------------------------------------------------- */

/* What the session has seen once it has got this reply. */
static struct text token(struct multileader *m, const struct local_txn *txn)
{
    wire_writer_reset(&m->token);
    for (uint32_t node = 0; m->rules->is_causal && node < m->node_count; node++)
        wire_put_number(&m->token, txn->past[node]);
    return wire_writer_text(&m->token);
}

static void reply_done(struct multileader *m, struct local_txn *txn, struct client_reply *reply)
{
    reply->kind = REPLY_DONE;
    reply->session = token(m, txn);
    client_sessions_reply(&m->sessions, txn->client, txn->id, reply);
}

static void abort_txn(struct multileader *m, struct local_txn *txn, enum refusal refusal)
{
    struct client_reply reply = { .kind = REPLY_ABORTED, .refusal = refusal };

    assert(txn->phase != LOCAL_COMMITTING); /* it can only commit */
    world_note(m->server->world, m->node, NOTE_ABORTED, txn->id, refusal);
    client_sessions_reply(&m->sessions, txn->client, txn->id, &reply);
    close_txn(m, txn);
}

/* Its client wants no more of it. */
static void abandon(struct multileader *m, uint64_t id)
{
    struct local_txn *txn = find(m, id);

    if (txn && txn->phase != LOCAL_COMMITTING)
        abort_txn(m, txn, REFUSED_ABORTED);
}

/* --- Reading ---------------------------------------------------------------------------------- */

const struct stored_version *local_version(const struct multileader *m, uint32_t key,
                                           uint64_t snapshot)
{
    const struct stored_version *version = versions_newest(&m->versions, key);

    if (version && version->index > snapshot)
        SOMETIMES(m->sometimes, OLDER_STATE_READ);
    while (version && version->index > snapshot)
        version = version->older;
    return version;
}

static uint64_t grave_of(const struct multileader *m, uint32_t key)
{
    return key < m->graves.writers.count ? m->graves.writers.at[key] : 0;
}

static void add_seen(const struct multileader *m, struct client_reply *reply, struct seen_key *seen,
                     uint32_t key, const struct stored_version *version)
{
    seen[reply->seen_count++] =
        (struct seen_key){ .key = key,
                           .at = version ? version->at : (struct stamp){ 0 },
                           .writer = version ? version->writer : grave_of(m, key) };
}

static struct read_row row_of(uint32_t key, const struct stored_version *version)
{
    struct read_row row = { .key = key, .is_row = version_is_row(version) };

    if (version) {
        row.at = version->at;
        row.writer = version->writer;
        row.row = version_row(version);
    }
    return row;
}

static void read_keys(struct multileader *m, const struct local_txn *txn,
                      const struct client_request *request, struct client_reply *reply)
{
    struct read_row *rows = multileader_scratch(m, request->key_count, sizeof *rows);
    struct seen_key *seen = multileader_scratch(m, request->key_count, sizeof *seen);

    for (uint32_t i = 0; i < request->key_count; i++) {
        uint32_t key = request->keys[i];
        const struct own_row *own = own_rows_find(&txn->writes, key);
        const struct stored_version *version = local_version(m, key, txn->snapshot);

        rows[reply->row_count++] = own ? own_row_as_read(own, txn->id) : row_of(key, version);
        add_seen(m, reply, seen, key, version);
    }
    reply->rows = rows;
    reply->seen = seen;
}

static void lay_over(struct multileader *m, const struct local_txn *txn, uint32_t scope,
                     struct client_reply *reply, struct read_row *rows)
{
    for (uint32_t i = 0; i < txn->writes.count; i++)
        if (own_row_is_in(&txn->writes.at[i], m->catalog, scope))
            rows[reply->row_count++] = own_row_as_read(&txn->writes.at[i], txn->id);
}

/* Of rows that are not even listed any more. */
static void add_graves(const struct multileader *m, uint32_t table, struct client_reply *reply,
                       struct seen_key *seen)
{
    for (uint32_t i = 0; i < m->graves.keys.count; i++) {
        uint32_t key = m->graves.keys.at[i];

        if (catalog_table(m->catalog, key) == table && !versions_newest(&m->versions, key))
            add_seen(m, reply, seen, key, NULL);
    }
}

static void read_scope(struct multileader *m, const struct local_txn *txn,
                       const struct client_request *request, struct client_reply *reply)
{
    uint32_t scope = request->scope, table = catalog_scope_table(m->catalog, scope);
    const uint32_t *keys;
    uint32_t count = versions_keys(&m->versions, table, &keys);
    struct read_row *rows =
        multileader_scratch(m, (size_t)count + txn->writes.count, sizeof *rows);
    struct seen_key *seen =
        multileader_scratch(m, (size_t)count + m->graves.keys.count, sizeof *seen);

    for (uint32_t i = 0; i < count; i++) {
        const struct stored_version *version = local_version(m, keys[i], txn->snapshot);

        if (!versions_newest(&m->versions, keys[i]) || (!version && !grave_of(m, keys[i])))
            continue;
        add_seen(m, reply, seen, keys[i], version);
        if (version_is_row(version) && !own_rows_find(&txn->writes, keys[i]) &&
            catalog_matches(m->catalog, scope, version_row(version)))
            rows[reply->row_count++] = row_of(keys[i], version);
    }
    add_graves(m, table, reply, seen);
    lay_over(m, txn, scope, reply, rows);
    reply->rows = rows;
    reply->seen = seen;
}

static void serve_read(struct multileader *m, struct local_txn *txn,
                       const struct client_request *request)
{
    struct client_reply reply = { 0 };

    if (request->scope == SCOPE_NONE)
        read_keys(m, txn, request, &reply);
    else
        read_scope(m, txn, request, &reply);
    reply_done(m, txn, &reply);
}

static void serve_write(struct multileader *m, struct local_txn *txn,
                        const struct client_request *request)
{
    struct client_reply reply = { 0 };

    for (uint32_t i = 0; i < request->change_count; i++)
        own_rows_keep(&txn->writes, m->pool, &request->changes[i]);
    reply_done(m, txn, &reply);
}

/* --- Committing ------------------------------------------------------------------------------- */

static struct stamp next_stamp(struct multileader *m, uint64_t txn)
{
    struct server *server = m->server;

    if (m->bugs->on[BUG_LAST_WRITER_BY_LOCAL_CLOCK])
        return (struct stamp){ .wall_ns = world_wall_ns(server->world, m->node), .txn = txn };
    return server_now(server, txn);
}

static void log_own(struct multileader *m, struct delta *d)
{
    d->origin = m->node;
    d->sequence = m->have[m->node] + 1;
    if (m->rules->is_causal)
        d->past_count = m->node_count;
    wire_writer_reset(&m->bytes);
    delta_put(&m->bytes, d);
    local_log_push(m, d, wire_writer_text(&m->bytes));
    m->own_ns = local_now_ns(m);
}

void local_mark(struct multileader *m)
{
    struct delta d = { .at = next_stamp(m, 0), .past = m->held };

    log_own(m, &d);
}

static void reply_committed(struct multileader *m, struct local_txn *txn, struct stamp at)
{
    struct client_reply reply = { .at = at };

    world_note(m->server->world, m->node, NOTE_DECIDED, txn->id, 1);
    reply_done(m, txn, &reply);
}

/* What its session does next, wherever that is, comes behind what it has read. */
static void commit_reader(struct multileader *m, struct local_txn *txn)
{
    struct stamp none = { 0 };

    record_read_only(m->server->cluster->record, txn->id, none, false, none);
    reply_committed(m, txn, stamp_clock_last(&m->server->clock));
    close_txn(m, txn);
}

static void serve_commit(struct multileader *m, struct local_txn *txn)
{
    const struct own_rows *writes = &txn->writes;
    struct row_change *changes = multileader_scratch(m, writes->count, sizeof *changes);
    struct delta d = { .past = txn->past, .changes = changes, .change_count = writes->count };

    if (writes->count == 0) {
        commit_reader(m, txn);
        return;
    }
    for (uint32_t i = 0; i < writes->count; i++)
        changes[i] = (struct row_change){ writes->at[i].key, writes->at[i].is_removed,
                                          writes->at[i].row };
    d.at = next_stamp(m, txn->id);
    log_own(m, &d);
    txn->phase = LOCAL_COMMITTING;
    if (m->rules->is_causal)
        txn->past[m->node] = d.sequence;
    if (m->bugs->on[BUG_ACKS_BEFORE_LOG])
        reply_committed(m, txn, d.at);
}

void local_committed(struct multileader *m, const struct delta *d)
{
    struct local_txn *txn = find(m, d->at.txn);
    struct decision decision = {
        .txn = d->at.txn, .commits = true, .at = d->at, .place = d->at, .participants = 1
    };

    if (d->at.txn != 0) {
        record_applied(m->server->cluster->record, d->at.txn);
        record_decision(m->server->cluster->record, &decision);
    }
    if (!txn)
        return; /* a mark; or one of before a crash */
    reply_committed(m, txn, d->at);
    close_txn(m, txn);
}

/* --- Beginning -------------------------------------------------------------------------------- */

static void serve(struct multileader *m, struct local_txn *txn,
                  const struct client_request *request)
{
    switch (request->kind) {
    case CLIENT_READ:
        serve_read(m, txn, request);
        return;
    case CLIENT_WRITE:
        serve_write(m, txn, request);
        return;
    case CLIENT_COMMIT:
        serve_commit(m, txn);
        return;
    case CLIENT_ABORT:
    case CLIENT_REQUEST_KIND_COUNT:
        break;
    }
    assert(!"no request of a transaction that goes on");
}

/* Whether all that the session has seen is here. A new session has seen nothing. */
static bool is_ready_for(struct multileader *m, struct text session)
{
    struct wire_reader r = wire_reader_of(session);

    if (!m->rules->is_causal || session.length == 0)
        return true;
    for (uint32_t node = 0; node < m->node_count; node++)
        if (wire_get_number(&r) > m->held[node])
            return false;
    return true;
}

static void local_begin(struct multileader *m, struct local_txn *txn,
                        const struct client_request *request)
{
    txn->phase = LOCAL_IDLE;
    txn->snapshot = m->rules->reads_one_state ? m->applied : NEWEST;
    if (m->rules->is_causal) {
        txn->past = pool_take(m->pool, m->node_count * sizeof *txn->past);
        memcpy(txn->past, m->held, m->node_count * sizeof *txn->past);
    }
    serve(m, txn, request);
}

static void make_wait(struct multileader *m, struct local_txn *txn, struct text bytes)
{
    char *copy = pool_take(m->pool, bytes.length);

    SOMETIMES(m->sometimes, CAUSAL_WAITED);
    memcpy(copy, bytes.at, bytes.length);
    txn->request = (struct text){ copy, bytes.length };
    txn->phase = LOCAL_WAITING;
    m->waiting_count++;
}

static void local_start(struct multileader *m, uint32_t client,
                        const struct client_request *request, struct text bytes)
{
    struct local_txn *txn = add(m, client, request->txn);

    if (is_ready_for(m, request->session)) {
        local_begin(m, txn, request);
    } else {
        make_wait(m, txn, bytes);
    }
}

void local_wake(struct multileader *m)
{
    /* From the last: who begins may end at once, and moves those behind it. */
    for (uint32_t i = m->txns.count; m->waiting_count > 0 && i-- > 0;) {
        struct local_txn *txn = m->txns.at[i];
        struct client_request request;
        struct text bytes = txn->request;

        if (txn->phase != LOCAL_WAITING)
            continue;
        request = client_request_of(bytes, &m->server->scratch);
        if (!is_ready_for(m, request.session))
            continue;
        txn->request = (struct text){ 0 };
        forget_request(m, txn);
        local_begin(m, txn, &request);
        pool_give(m->pool, (void *)bytes.at, bytes.length);
    }
}

/* --- Requests --------------------------------------------------------------------------------- */

static void on_next(struct multileader *m, uint32_t client, const struct client_request *request)
{
    struct local_txn *txn = find(m, request->txn);

    if (!txn || txn->phase != LOCAL_IDLE) {
        client_sessions_say_over(&m->sessions, client);
        return;
    }
    txn->heard_ns = local_now_ns(m);
    serve(m, txn, request);
}

static void on_again(struct multileader *m, uint32_t client, const struct client_request *request)
{
    struct local_txn *txn = find(m, request->txn);

    if (txn)
        txn->heard_ns = local_now_ns(m);
    client_sessions_repeat(&m->sessions, client);
}

void local_request(struct multileader *m, uint32_t client, struct text bytes)
{
    struct client_request request = client_request_of(bytes, &m->server->scratch);
    struct client_session *session = client_sessions_find(&m->sessions, client);
    uint64_t before = session->txn;

    switch (client_session_hear(session, &request)) {
    case SESSION_LATE:
        SOMETIMES(m->sometimes, REQUEST_LATE);
        return;
    case SESSION_AGAIN:
        on_again(m, client, &request);
        return;
    case SESSION_GOES_ON:
        on_next(m, client, &request);
        return;
    case SESSION_BEGINS:
        abandon(m, before);
        stamp_clock_forward(&m->server->clock, request.seen);
        local_start(m, client, &request, bytes);
        return;
    case SESSION_UNKNOWN:
        abandon(m, before);
        client_sessions_say_over(&m->sessions, client);
        return;
    case SESSION_ENDS:
        abandon(m, before);
        return;
    }
}

/* --- Time ------------------------------------------------------------------------------------- */

void local_tick(struct multileader *m)
{
    int64_t now_ns = local_now_ns(m);
    int64_t silence_ns = m->server->cluster->options.retention_ns / SILENCE_DIVISOR;

    for (uint32_t i = m->txns.count; i-- > 0;) {
        struct local_txn *txn = m->txns.at[i];

        if (txn->phase == LOCAL_WAITING &&
            (now_ns - txn->since_ns > SESSION_PATIENCE_NS ||
             BUGGIFY(m->sometimes, m->node, SESSION_REFUSED))) {
            SOMETIMES(m->sometimes, SESSION_GAVE_UP);
            abort_txn(m, txn, REFUSED_OVERLOADED);
        } else if (txn->phase == LOCAL_IDLE && now_ns - txn->heard_ns > silence_ns) {
            SOMETIMES(m->sometimes, ABANDONED_ABORTED);
            abort_txn(m, txn, REFUSED_OVERLOADED);
        }
    }
}

uint64_t local_oldest_snapshot(const struct multileader *m)
{
    uint64_t oldest = NEWEST;

    for (uint32_t i = 0; i < m->txns.count; i++)
        if (m->txns.at[i]->phase == LOCAL_IDLE && m->txns.at[i]->snapshot < oldest)
            oldest = m->txns.at[i]->snapshot;
    return oldest;
}
