/*
 * A multi-leader node: its life, its doors, and what it does unasked.
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

#include "store/multileader/gossip_private.h"
#include "store/multileader/local_log_private.h"
#include "store/multileader/local_txn_private.h"
#include "store/multileader/multileader_private.h"

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
