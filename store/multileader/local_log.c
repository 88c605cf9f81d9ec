/*
 * Keeps the log of a multi-leader node, and the state that it makes.
 *
 *     own commits ─┐
 *                  ├─ push ─> | base | stored, applied | on its way to the disk |
 *     of others  ──┘                                 ^ applied
 *
 * One log holds all transactions, own ones and others', in the order in which they are
 * taken in; an entry is applied when it is on the disk, and not before. So what a
 * node shows to anybody is on its disk; what it has after a crash is what it had; and
 * a causal node, which takes in a transaction only behind what that has seen, has a
 * log each of whose beginnings is causally closed.
 *
 * Applying is the same everywhere but for its order, and the order makes no difference:
 * a version goes to its place by stamp, stamps are unique, the highest is seen.
 *
 * The log is the store of anti-entropy, too: an entry stays until every node is known to have
 * stored it. Entries up to the first that some node may lack make room when a checkpoint takes
 * their place. It holds the state as it is when it is written, so that of the entries
 * behind it those that it knows already are not applied again.
 *
 * Collecting. Of each origin, the newest transaction that all nodes have stored has a stamp
 * below which they have all, and above which all come that it makes later: an origin's
 * stamps rise with its sequence, through crashes, as its clock is set forward by its own log.
 * The least of these stamps is the horizon. Nothing new comes below it, to any
 * node: older versions are seen by nobody who looks at the state from now on, and a
 * removal has nothing left to hide. A node that has nothing to say marks its time now
 * and then, as long as there is something to be collected.
 */
#include "store/multileader/local_log_private.h"

#include "store/multileader/local_txn_private.h"
#include "store/multileader/multileader_private.h"

/* --- Places ----------------------------------------------------------------------------------- */

static void note_place(struct multileader *m, uint64_t index)
{
    struct delta d = delta_head(raft_log_command(&m->log, index));
    struct delta_origin *origin = &m->origins[d.origin];

    if (origin->places.count == 0)
        origin->first = d.sequence;
    assert(d.sequence == origin->first + origin->places.count);
    pool_push(m->pool, &origin->places, index);
    if (m->have[d.origin] < d.sequence)
        m->have[d.origin] = d.sequence;
}

void local_log_push(struct multileader *m, const struct delta *d, struct text bytes)
{
    assert(d->sequence == m->have[d->origin] + 1);
    raft_log_push(&m->log, 0, bytes);
    note_place(m, raft_log_last(&m->log));
}

static bool is_in_log(const struct multileader *m, uint32_t origin, uint64_t sequence)
{
    const struct delta_origin *o = &m->origins[origin];

    return o->places.count > 0 && sequence >= o->first && sequence - o->first < o->places.count;
}

struct text local_log_delta(const struct multileader *m, uint32_t origin, uint64_t sequence)
{
    const struct delta_origin *o = &m->origins[origin];

    assert(is_in_log(m, origin, sequence));
    return raft_log_command(&m->log, o->places.at[sequence - o->first]);
}

/* --- What all have stored --------------------------------------------------------------------- */

static void raise_everywhere(struct multileader *m, uint32_t origin)
{
    struct delta_origin *o = &m->origins[origin];
    uint64_t least = UINT64_MAX;

    for (uint32_t node = 0; node < m->node_count; node++) {
        uint64_t known = m->known[(size_t)node * m->node_count + origin];

        if (known < least)
            least = known;
    }
    if (least <= o->everywhere)
        return;
    o->everywhere = least;
    if (is_in_log(m, origin, least))
        o->settled = delta_head(local_log_delta(m, origin, least)).at;
}

void local_log_learn(struct multileader *m, uint32_t node, uint32_t origin, uint64_t count)
{
    uint64_t *known = &m->known[(size_t)node * m->node_count + origin];
    bool was_least = *known == m->origins[origin].everywhere;

    if (count <= *known)
        return;
    *known = count;
    if (was_least)
        raise_everywhere(m, origin);
}

/* --- Applying --------------------------------------------------------------------------------- */

static void install(struct multileader *m, uint64_t index, const struct delta *d,
                    const struct row_change *change)
{
    const struct stored_version *newest = versions_newest(&m->versions, change->key);
    struct stored_version head = { .at = d->at,
                                   .index = index,
                                   .out = stamp_never(),
                                   .writer = d->at.txn,
                                   .is_removed = change->is_removed };

    /* Its writer had not seen the other: whatever one has seen has a lower stamp. */
    if (newest && stamp_less(d->at, newest->at))
        SOMETIMES(m->sometimes, WRITES_MERGED);
    versions_install(&m->versions, change->key, &head, change->row);
}

static void apply(struct multileader *m, uint64_t index)
{
    size_t used = m->server->scratch.used;
    struct delta d;
    bool is_sound = delta_get(raft_log_command(&m->log, index), &d, &m->server->scratch);

    assert(is_sound && d.sequence == m->held[d.origin] + 1);
    stamp_clock_forward(&m->server->clock, d.at);
    for (uint32_t i = 0; i < d.change_count; i++)
        install(m, index, &d, &d.changes[i]);
    m->held[d.origin] = d.sequence;
    m->applied = index;
    if (d.origin == m->node)
        local_committed(m, &d);
    arena_reset_to(&m->server->scratch, used);
}

bool local_log_apply(struct multileader *m)
{
    uint64_t before = m->applied;

    while (m->applied < m->wal.stored)
        apply(m, m->applied + 1);
    for (uint32_t origin = 0; m->applied > before && origin < m->node_count; origin++)
        local_log_learn(m, m->node, origin, m->held[origin]);
    return m->applied > before;
}

/* --- The state as bytes ----------------------------------------------------------------------- */

static void save_graves(const struct graves *graves, struct wire_writer *w)
{
    wire_put_number(w, graves->keys.count);
    for (uint32_t i = 0; i < graves->keys.count; i++) {
        wire_put_number(w, graves->keys.at[i]);
        wire_put_number(w, graves->writers.at[graves->keys.at[i]]);
    }
}

static void save(const struct multileader *m, struct wire_writer *w)
{
    wire_put_number(w, m->applied);
    wire_put_stamp(w, stamp_clock_last(&m->server->clock));
    for (uint32_t origin = 0; origin < m->node_count; origin++) {
        wire_put_number(w, m->held[origin]);
        wire_put_number(w, m->origins[origin].everywhere);
        wire_put_stamp(w, m->origins[origin].settled);
    }
    save_graves(&m->graves, w);
    versions_save(&m->versions, w);
}

static void dig_grave(struct multileader *m, uint32_t key, uint64_t writer)
{
    struct graves *graves = &m->graves;

    if (key >= graves->writers.count) {
        /* What lies behind the count is zero, as the pool gives and grows it. */
        pool_reserve(m->pool, &graves->writers, key + 1 - graves->writers.count);
        graves->writers.count = key + 1;
    }
    if (graves->writers.at[key] == 0)
        pool_push(m->pool, &graves->keys, key);
    graves->writers.at[key] = writer;
}

static void load_graves(struct multileader *m, struct wire_reader *r)
{
    uint32_t count = wire_get_count(r);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = (uint32_t)wire_get_number(r);
        uint64_t writer = wire_get_number(r);

        dig_grave(m, key, writer);
    }
}

/* What all have stored once they have stored for ever. */
static void load_origin(struct multileader *m, uint32_t origin, struct wire_reader *r)
{
    uint64_t held = wire_get_number(r), everywhere = wire_get_number(r);

    m->have[origin] = m->held[origin] = held;
    m->origins[origin].everywhere = everywhere;
    m->origins[origin].settled = wire_get_stamp(r);
    for (uint32_t node = 0; node < m->node_count; node++)
        m->known[(size_t)node * m->node_count + origin] = node == m->node ? held : everywhere;
}

static void load(struct multileader *m, struct text state)
{
    struct wire_reader r = wire_reader_of(state);

    m->applied = wire_get_number(&r);
    stamp_clock_forward(&m->server->clock, wire_get_stamp(&r));
    for (uint32_t origin = 0; origin < m->node_count; origin++)
        load_origin(m, origin, &r);
    load_graves(m, &r);
    versions_load(&m->versions, &r);
    assert(wire_reader_is_done(&r)); /* the wal has checked its checksum */
}

static void place_initial_rows(struct multileader *m)
{
    const struct cluster *cluster = m->server->cluster;
    struct stored_version head = { .out = stamp_never() };

    for (uint32_t i = 0; i < cluster->initial.count; i++)
        versions_install(&m->versions, cluster->initial.at[i].key, &head,
                         cluster->initial.at[i].row);
}

/* --- Life ------------------------------------------------------------------------------------- */

void local_log_open(struct multileader *m)
{
    uint32_t count = m->node_count;

    m->have = pool_take(m->pool, count * sizeof *m->have);
    m->held = pool_take(m->pool, count * sizeof *m->held);
    m->known = pool_take(m->pool, (size_t)count * count * sizeof *m->known);
    m->origins = pool_take(m->pool, count * sizeof *m->origins);
    versions_open(&m->versions, m->catalog, m->pool);
    raft_log_init(&m->log, m->pool);
}

void local_log_recover(struct multileader *m)
{
    if (m->wal.base_index > 0)
        SOMETIMES(m->sometimes, STATE_LOADED);
    if (m->wal.base_index > 0)
        load(m, wal_state(&m->wal));
    else
        place_initial_rows(m);
    wal_forget_state(&m->wal);
    for (uint64_t index = m->wal.base_index + 1; index <= raft_log_last(&m->log); index++)
        note_place(m, index);
    m->stable = m->wal.base_index;
    assert(m->applied <= m->wal.stored);
    local_log_apply(m);
    m->told = m->held[m->node];
}

/* --- Checkpoints ------------------------------------------------------------------------------ */

static void advance_stable(struct multileader *m)
{
    while (m->stable < m->applied) {
        struct delta d = delta_head(raft_log_command(&m->log, m->stable + 1));

        if (d.sequence > m->origins[d.origin].everywhere)
            return;
        m->stable++;
    }
}

void local_log_checkpoint_if_due(struct multileader *m)
{
    uint32_t entries = m->server->cluster->options.snapshot_entries;

    advance_stable(m);
    if (BUGGIFY(m->sometimes, m->node, LOG_SHORT))
        entries = 1;
    if (m->stable < m->wal.base_index + entries || wal_is_checkpointing(&m->wal))
        return;
    save(m, wal_begin_checkpoint(&m->wal, m->stable, 0));
}

static void drop_places(struct delta_origin *origin, uint64_t base)
{
    uint32_t gone = 0;

    while (gone < origin->places.count && origin->places.at[gone] <= base)
        gone++;
    if (gone == 0)
        return;
    origin->first += gone;
    origin->places.count -= gone;
    memmove(origin->places.at, origin->places.at + gone,
            origin->places.count * sizeof *origin->places.at);
}

void local_log_on_checkpoint(struct multileader *m)
{
    for (uint32_t origin = 0; origin < m->node_count; origin++)
        drop_places(&m->origins[origin], m->wal.base_index);
    raft_log_drop(&m->log, m->wal.base_index);
}

/* --- Collecting ------------------------------------------------------------------------------- */

static void take_horizon(struct multileader *m)
{
    struct stamp least = stamp_never();

    for (uint32_t origin = 0; origin < m->node_count; origin++)
        least = stamp_min(least, m->origins[origin].settled);
    if (!stamp_less(m->collected, least))
        return;
    m->horizon = least;
    m->horizon_index = m->applied;
}

/* A certificate must be able to name what a read of nothing has seen. */
static void bury(struct multileader *m)
{
    for (const struct stored_version *v = m->versions.queue_first;
         v && !stamp_less(m->horizon, v->at); v = v->next) {
        if (!v->is_removed || versions_at(&m->versions, v->key, m->horizon) != v)
            continue;
        SOMETIMES(m->sometimes, GRAVE_DUG);
        dig_grave(m, v->key, v->writer);
    }
}

/* Transactions that began before the horizon was there may look below it. */
void local_log_collect(struct multileader *m)
{
    if (stamp_is_zero(m->horizon))
        take_horizon(m);
    if (stamp_is_zero(m->horizon) || local_oldest_snapshot(m) < m->horizon_index)
        return;
    bury(m);
    if (versions_collect(&m->versions, m->horizon))
        SOMETIMES(m->sometimes, VERSION_COLLECTED);
    m->collected = m->horizon;
    m->horizon = (struct stamp){ 0 };
}
