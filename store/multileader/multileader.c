/*
 * Opens and closes a multi-leader node, takes its messages apart, and does its periodic work.
 *
 *     request ──> a transaction ── commit ──┐
 *     gossip  ──> transactions of others ──>├── log ── sync ── applied ──┬── clients hear
 *                                           └────────────────────────────┴── others hear
 *
 * After a crash a node has what its disk has, which is all that it ever showed to
 * anybody: own transactions that were on their way to the disk are gone, and nobody has heard of
 * them, so that their numbers can be given again.
 *
 * That holds as far as disks keep their promises. Own commits stand on one disk until
 * others have heard of them, so that nothing can make up for damage there: these
 * protocols tolerate none (damage is outside their fault model). A node that finds synced bytes
 * damaged, or hears from others of own transactions that it does not have, *refuses*
 * from then on, across restarts: it serves no client and joins in no gossip. Others
 * keep what they have heard of it. What it had acknowledged and told nobody is lost, and going
 * on would give the same numbers to others.
 */
#include "store/multileader/multileader.h"

#include "store/multileader/local_log_private.h"
#include "store/multileader/local_txn_private.h"
#include "store/multileader/multileader_private.h"

/*
 * Anti-entropy: how what is committed at one node comes to all others.
 *
 *     origin ── DELTAS: what it has just stored ──────────────> everybody, once
 *     A ── HAVE: how much of each origin ──> B                  each peer in its turn
 *     A <── DELTAS: what A lacks, in the order of B's log ── B
 *     A <── HAVE, if A has more ── B
 *
 * The first is fast and may be lost; the others repair whatever was, also through third
 * nodes when two cannot talk. Messages are bounded: who gets a part says HAVE again for
 * the next. All of it may come twice, late or in any order: a delta that is here is passed over,
 * one whose time has not come is held, or dropped and sent again.
 *
 * Of an origin, transactions are taken in by their sequence, so that a number says
 * which are here. Whether those of different origins must wait for each other is the
 * protocol's: local_rules.may_follow. What comes in the order of another's log never has
 * to wait, as it stood there behind what it had seen.
 *
 * HAVE says, too, how much of it is stored. A node that is told of more transactions of its
 * own than it has knows that its disk has lied, and refuses to go on: it
 * would number others like those that are lost.
 */
/*
 * gossip: anti-entropy between the nodes of a multi-leader store.
 */

#define MESSAGE_BYTES_MAX ((size_t)64 << 10)
#define EARLY_COUNT_MAX 64
#define ASK_PAUSE_NS (INT64_C(20) * 1000 * 1000)

#define HAS_MORE_OFFSET 1 /* of the byte that says it, in a message with deltas */

enum gossip_kind { GOSSIP_HAVE, GOSSIP_DELTAS };

/* --- HAVE ------------------------------------------------------------------------------------- */

static void send_have(struct multileader *m, uint32_t node, bool is_answer)
{
    struct wire_writer *w = &m->out;

    wire_writer_reset(w);
    wire_put_byte(w, GOSSIP_HAVE);
    wire_put_byte(w, is_answer);
    for (uint32_t origin = 0; origin < m->node_count; origin++) {
        wire_put_number(w, m->held[origin]);
        wire_put_number(w, m->have[origin] - m->held[origin]);
    }
    server_send_local(m->server, node, wire_writer_text(w));
}

/* Where in the log the first entry stands that somebody who has that much lacks. */
static uint64_t first_lacking(const struct multileader *m, const uint64_t *have)
{
    uint64_t first = m->applied + 1;

    for (uint32_t i = 0; i < m->node_count; i++) {
        const struct delta_origin *origin = &m->origins[i];
        uint64_t sequence = have[i] + 1;

        if (have[i] >= m->held[i] || origin->places.count == 0)
            continue;
        /* What is here no more everybody has stored: an old message says otherwise. */
        if (sequence < origin->first)
            sequence = origin->first;
        if (origin->places.at[sequence - origin->first] < first)
            first = origin->places.at[sequence - origin->first];
    }
    return first;
}

/* --- DELTAS ----------------------------------------------------------------------------------- */

static void begin_deltas(struct multileader *m)
{
    wire_writer_reset(&m->out);
    wire_put_byte(&m->out, GOSSIP_DELTAS);
    wire_put_byte(&m->out, false); /* there is no more */
}

static bool is_full(const struct multileader *m)
{
    return m->out.count >= MESSAGE_BYTES_MAX ||
           (m->out.count > HAS_MORE_OFFSET + 1 && BUGGIFY(m->sometimes, m->node, DELTAS_SMALL));
}

static void send_lacking(struct multileader *m, uint32_t node, const uint64_t *have)
{
    begin_deltas(m);
    for (uint64_t index = first_lacking(m, have); index <= m->applied; index++) {
        struct text bytes = raft_log_command(&m->log, index);
        struct delta d = delta_head(bytes);

        if (d.sequence <= have[d.origin])
            continue;
        if (is_full(m)) {
            SOMETIMES(m->sometimes, MORE_DELTAS);
            m->out.at[HAS_MORE_OFFSET] = true;
            break;
        }
        wire_put_text(&m->out, bytes);
    }
    server_send_local(m->server, node, wire_writer_text(&m->out));
}

static void send_to_all(struct multileader *m)
{
    for (uint32_t node = 0; node < m->node_count; node++)
        if (node != m->node && !BUGGIFY(m->sometimes, m->node, DELTA_UNTOLD))
            server_send_local(m->server, node, wire_writer_text(&m->out));
}

/* Own transactions that are stored now go to everybody. */
static void gossip_tell(struct multileader *m)
{
    uint64_t last = m->held[m->node];

    while (m->told < last) {
        begin_deltas(m);
        while (m->told < last && !is_full(m))
            wire_put_text(&m->out, local_log_delta(m, m->node, ++m->told));
        send_to_all(m);
    }
}

/* --- Taking in -------------------------------------------------------------------------------- */

enum taken { TAKEN_IN, TAKEN_BEFORE, TAKEN_NOT_YET };

static bool may_follow(const struct multileader *m, const struct delta *d)
{
    return d->sequence == m->have[d->origin] + 1 &&
           (!m->rules->may_follow ||
            m->rules->may_follow(m->bugs, d->past, m->have, m->node_count));
}

static enum taken take_in(struct multileader *m, struct text bytes)
{
    struct delta d;
    bool is_sound = delta_get(bytes, &d, &m->server->scratch);

    assert(is_sound && d.origin < m->node_count);
    if (d.sequence <= m->have[d.origin])
        return TAKEN_BEFORE;
    if (d.origin == m->node) {
        multileader_refuse(m);
        return TAKEN_BEFORE;
    }
    if (!may_follow(m, &d))
        return TAKEN_NOT_YET;
    local_log_push(m, &d, bytes);
    return TAKEN_IN;
}

static bool is_held(const struct multileader *m, struct text bytes)
{
    for (uint32_t i = 0; i < m->early.count; i++)
        if (text_equal(m->early.at[i], bytes))
            return true;
    return false;
}

/* There is no harm in dropping it: it will be sent again. */
static void hold(struct multileader *m, struct text bytes)
{
    char *copy;

    if (m->early.count == EARLY_COUNT_MAX || is_held(m, bytes) ||
        BUGGIFY(m->sometimes, m->node, DELTA_DROPPED))
        return;
    SOMETIMES(m->sometimes, DELTA_CAME_EARLY);
    copy = pool_take(m->pool, bytes.length);
    memcpy(copy, bytes.at, bytes.length);
    pool_push(m->pool, &m->early, ((struct text){ copy, bytes.length }));
}

/* Those that were held, as long as one makes way for another. */
static void take_in_held(struct multileader *m)
{
    for (uint32_t i = 0; i < m->early.count;) {
        struct text bytes = m->early.at[i];
        enum taken taken = take_in(m, bytes);

        if (taken == TAKEN_NOT_YET) {
            i++;
            continue;
        }
        pool_give(m->pool, (void *)bytes.at, bytes.length);
        array_remove(&m->early, i);
        if (taken == TAKEN_IN)
            i = 0;
    }
}

/* Something is missing. Not asked for again at once: the answer may be under way. */
static void ask_for_gap(struct multileader *m, uint32_t node)
{
    int64_t now_ns = local_now_ns(m);

    if (m->asked_ns[node] != 0 && now_ns - m->asked_ns[node] < ASK_PAUSE_NS)
        return;
    SOMETIMES(m->sometimes, GAP_ASKED_FOR);
    m->asked_ns[node] = now_ns;
    send_have(m, node, true);
}

/* --- Messages --------------------------------------------------------------------------------- */

static void on_deltas(struct multileader *m, uint32_t node, struct wire_reader *r)
{
    bool has_more = wire_get_byte(r) != 0, is_new = false;

    while (r->at < r->end && !m->is_refusing) {
        struct text bytes = wire_get_text(r);
        enum taken taken = take_in(m, bytes);

        is_new |= taken == TAKEN_IN;
        if (taken == TAKEN_NOT_YET)
            hold(m, bytes);
    }
    assert(!r->bad);
    if (is_new)
        take_in_held(m);
    if (has_more && is_new)
        send_have(m, node, true);
    else if (m->early.count > 0)
        ask_for_gap(m, node);
}

static void on_have(struct multileader *m, uint32_t node, struct wire_reader *r)
{
    uint64_t *held = multileader_scratch(m, m->node_count, sizeof *held);
    uint64_t *have = multileader_scratch(m, m->node_count, sizeof *have);
    bool is_answer = wire_get_byte(r) != 0;

    for (uint32_t origin = 0; origin < m->node_count; origin++) {
        held[origin] = wire_get_number(r);
        have[origin] = held[origin] + wire_get_number(r);
        local_log_learn(m, node, origin, held[origin]);
    }
    assert(wire_reader_is_done(r));
    if (have[m->node] > m->have[m->node]) {
        multileader_refuse(m);
        return;
    }
    if (!past_covers(have, m->held, m->node_count))
        send_lacking(m, node, have);
    if (!is_answer && !past_covers(m->have, held, m->node_count))
        send_have(m, node, true);
}

static void gossip_message(struct multileader *m, uint32_t node, struct wire_reader *r)
{
    switch ((enum gossip_kind)wire_get_byte(r)) {
    case GOSSIP_HAVE:
        on_have(m, node, r);
        return;
    case GOSSIP_DELTAS:
        on_deltas(m, node, r);
        return;
    }
    assert(!"no gossip");
}

/* Each peer in its turn. */
static void gossip_tick(struct multileader *m)
{
    if (m->node_count == 1)
        return;
    m->next_peer = (m->next_peer + 1) % m->node_count;
    if (m->next_peer == m->node)
        m->next_peer = (m->next_peer + 1) % m->node_count;
    send_have(m, m->next_peer, false);
}

#define MILLISECOND INT64_C(1000000)
#define DUTIES_NS (200 * MILLISECOND)
#define MARK_NS (1000 * MILLISECOND)

/* The log has no use for terms; in the file of the term stands whether the node refuses. */
#define TERM_REFUSES 1

enum { WHAT_WAL = 1, WHAT_GOSSIP = 2 };

void multileader_refuse(struct multileader *m)
{
    if (m->is_refusing)
        return;
    SOMETIMES(m->sometimes, NODE_REFUSED);
    m->is_refusing = true;
    m->wal.meta.term = TERM_REFUSES;
    wal_work(&m->wal);
}

static bool is_serving(const struct multileader *m)
{
    return m->is_open && !m->is_refusing;
}

/* What has come to be on the disk, and what follows from it. */
static void go_on(struct multileader *m)
{
    if (!is_serving(m))
        return;
    if (local_log_apply(m)) {
        gossip_tell(m);
        local_wake(m);
    }
    wal_work(&m->wal);
}

/* --- Life ------------------------------------------------------------------------------------- */

static void set_timer(struct multileader *m, int64_t delay_ns)
{
    world_set_timer(m->server->world, m->node, delay_ns,
                    server_payload(COMPONENT_MULTILEADER, 0) | WHAT_GOSSIP);
}

static void open_wal(struct multileader *m)
{
    struct wal_options options = { .world = m->server->world,
                                   .node = m->node,
                                   .disk = &m->server->disk,
                                   .payload =
                                       server_payload(COMPONENT_MULTILEADER, 0) | WHAT_WAL,
                                   .sometimes = m->sometimes };

    wal_open(&m->wal, &options, &m->log, m->pool);
}

struct multileader *multileader_open(struct server *server, const struct local_rules *rules)
{
    struct cluster *cluster = server->cluster;
    struct pool *pool = &server->pool;
    struct multileader *m = pool_take(pool, sizeof *m);

    m->server = server;
    m->rules = rules;
    m->pool = pool;
    m->catalog = &cluster->catalog;
    m->bugs = &cluster->options.bugs;
    m->sometimes = &cluster->sometimes;
    m->node = server->node;
    m->node_count = server->world->options.node_count;
    m->next_peer = m->node;
    m->out.pool = m->bytes.pool = m->token.pool = pool;
    m->asked_ns = pool_take(pool, m->node_count * sizeof *m->asked_ns);
    client_sessions_open(&m->sessions, server);
    local_log_open(m);
    open_wal(m);
    return m;
}

static void on_opened(struct multileader *m)
{
    int64_t gossip_ns = m->server->cluster->options.gossip_ns;
    uint64_t first_ns =
        random_below(world_random(m->server->world, m->node), (uint64_t)gossip_ns);

    if (m->wal.found != WAL_FRESH)
        SOMETIMES(m->sometimes, REPLICA_RECOVERED);
    local_log_recover(m);
    m->is_open = true;
    m->own_ns = m->duties_ns = local_now_ns(m);
    set_timer(m, (int64_t)first_ns);
}

/* --- Duties ----------------------------------------------------------------------------------- */

/* Others can collect nothing above the last that they know of this node. */
static bool must_mark(const struct multileader *m, int64_t now_ns)
{
    return !versions_are_settled(&m->versions) && m->have[m->node] == m->held[m->node] &&
           now_ns - m->own_ns >= MARK_NS;
}

static void see_to_duties(struct multileader *m, int64_t now_ns)
{
    m->duties_ns = now_ns;
    local_tick(m);
    local_log_collect(m);
    local_log_checkpoint_if_due(m);
    if (must_mark(m, now_ns))
        local_mark(m);
}

static void tick(struct multileader *m)
{
    int64_t now_ns = local_now_ns(m);

    set_timer(m, m->server->cluster->options.gossip_ns);
    gossip_tick(m);
    if (now_ns - m->duties_ns >= DUTIES_NS)
        see_to_duties(m, now_ns);
}

/* --- Doors ------------------------------------------------------------------------------------ */

/* Until the disk has been read nobody is heard; who wants something says it again. */
void multileader_request(struct multileader *m, uint32_t client, struct text bytes)
{
    if (is_serving(m))
        local_request(m, client, bytes);
    go_on(m);
}

void multileader_message(struct multileader *m, uint32_t node, struct text bytes)
{
    struct wire_reader r = wire_reader_of(bytes);

    if (is_serving(m))
        gossip_message(m, node, &r);
    go_on(m);
}

void multileader_timer(struct multileader *m, uint64_t payload)
{
    if ((uint32_t)payload == WHAT_WAL)
        wal_on_timer(&m->wal);
    else if (is_serving(m))
        tick(m);
    go_on(m);
}

void multileader_completion(struct multileader *m, uint64_t what)
{
    enum wal_event event;

    assert((uint32_t)what == WHAT_WAL);
    event = wal_on_completion(&m->wal);
    if (m->wal.found == WAL_LOST || m->wal.found == WAL_WIPED ||
        m->wal.meta.term == TERM_REFUSES) {
        multileader_refuse(m);
        return;
    }
    if (event == WAL_OPENED)
        on_opened(m);
    else if (event == WAL_CHECKPOINTED)
        local_log_on_checkpoint(m);
    go_on(m);
}

/* --- For the harness -------------------------------------------------------------------------- */

const struct stored_versions *multileader_versions(const struct multileader *m)
{
    return &m->versions;
}

bool multileader_is_idle(const struct multileader *m)
{
    const struct cluster *cluster = m->server->cluster;

    if (!is_serving(m) || m->applied < raft_log_last(&m->log))
        return false;
    for (uint32_t node = 0; node < m->node_count; node++) {
        const struct multileader *peer = cluster->servers[node].multileader;

        if (peer && !past_covers(m->held, peer->have, m->node_count))
            return false;
    }
    return true;
}

static void digest_stamp(struct digest_stream *stream, struct stamp stamp)
{
    digest_add_number(stream, (uint64_t)stamp.wall_ns);
    digest_add_number(stream, stamp.logical);
    digest_add_number(stream, stamp.txn);
}

/* Of rows that are there: a removal may be collected here and not yet there. */
struct digest multileader_digest(const struct multileader *m)
{
    struct digest_stream stream;

    digest_begin(&stream);
    for (uint32_t key = 0; key < m->versions.newest.count; key++) {
        const struct stored_version *version = versions_newest(&m->versions, key);

        if (!version_is_row(version))
            continue;
        digest_add_number(&stream, key);
        digest_stamp(&stream, version->at);
        digest_add_number(&stream, version->size);
        digest_add(&stream, version->row, version->size);
    }
    return digest_end(&stream);
}
