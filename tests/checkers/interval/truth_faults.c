/*
 * Faults, where there is an occasion, and whether what clients tell leaves no doubt of them.
 *
 *     stale read     v0 |--| v1 |--|    reads v0 |--|       in these very orders, all of it
 *     dirty read     the other aborts, whatever it was going to do
 *     lock skipped   each had its lock before the other was going to commit
 *     lost update    each had its snapshot before the other was going to commit
 *     write skew     each read the version before the other's
 *
 * Of two transactions, often not even their order is sure before both are over.
 */
#include "tests/checkers/interval/truth_private.h"

static bool is_chosen(struct truth *t, enum truth_fault fault)
{
    return t->options.fault == fault && random_below(&t->random, t->options.fault_every) == 0;
}

/* One surely comes before the other, whatever the clocks are. */
static bool is_surely_before(const struct truth *t, int64_t a, int64_t b)
{
    return a != TIME_NEVER && a < b - 2 * t->options.clock_error_ns;
}

static bool values_tell(const struct truth *t)
{
    return t->options.values == 0 && t->options.deletes.numerator == 0;
}

/* --- Reads ---------------------------------------------------------------------------------- */

static bool read_stale(struct truth *t, struct truth_work *work, const struct truth_key *key,
                       const struct truth_version **read)
{
    size_t at = *read ? (size_t)(*read - key->versions.at) : 0;
    const struct truth_version *before;
    uint64_t own;

    if (at == 0 || work_find_own(work, (uint32_t)(key - t->database->keys), &own) ||
        !is_chosen(t, TRUTH_STALE_READ))
        return false;
    before = *read - 1;
    work->plant = (struct truth_plant){
        .fault = TRUTH_STALE_READ,
        .txns = { work->told.trace.number, (*read)->txn },
        .is_sure = values_tell(t) && t->options.profile->timing != TIMING_NONE &&
                   is_surely_before(t, (*read)->completed, work->told.trace.invoked) &&
                   is_surely_before(t, before->completed, (*read)->commit_low),
    };
    *read = before;
    return true;
}

static bool read_dirty(struct truth *t, struct truth_work *work, uint32_t key, uint64_t *value)
{
    struct truth_work **works = t->database->works;

    if (!is_chosen(t, TRUTH_DIRTY_READ))
        return false;
    for (size_t s = 1; s <= t->options.sessions; s++) {
        if (!works[s] || s == work->session || !works[s]->is_heard ||
            !work_find_own(works[s], key, value))
            continue;
        works[s]->is_doomed = true;
        work->plant = (struct truth_plant){
            .fault = TRUTH_DIRTY_READ,
            .txns = { work->told.trace.number, works[s]->told.trace.number },
            .is_sure = values_tell(t),
        };
        return true;
    }
    return false;
}

bool fault_reads_dirty(struct truth *t, struct truth_work *work, uint32_t key, uint64_t *value)
{
    return t->options.fault == TRUTH_DIRTY_READ && work->plant.fault == TRUTH_NO_FAULT &&
           read_dirty(t, work, key, value);
}

bool fault_reads_stale(struct truth *t, struct truth_work *work, const struct truth_key *key,
                       const struct truth_version **read)
{
    return t->options.fault == TRUTH_STALE_READ && work->plant.fault == TRUTH_NO_FAULT &&
           read_stale(t, work, key, read);
}

/* --- Two who write -------------------------------------------------------------------------- */

static struct truth_plant plant_of(enum truth_fault fault, uint32_t txn, uint32_t other)
{
    return (struct truth_plant){ .fault = fault, .txns = { txn, other } };
}

/* Forgets the plant when there is no memory for it. */
static void begin_pending(struct truth *t, struct truth_pending pending)
{
    struct error ignored = { 0 };

    if (array_push(&t->clients->pending, pending, &ignored) != STATUS_OK)
        return;
}

bool fault_skips_lock(struct truth *t, const struct truth_work *work, uint32_t key)
{
    const struct truth_database *d = t->database;
    const struct truth_work *owner = d->works[d->keys[key].owner];

    if (t->options.fault != TRUTH_LOCK_SKIPPED || !owner || owner == work || !owner->is_heard ||
        !is_chosen(t, TRUTH_LOCK_SKIPPED))
        return false;
    begin_pending(t, (struct truth_pending){
                         .plant = plant_of(TRUTH_LOCK_SKIPPED, work->told.trace.number,
                                           owner->told.trace.number),
                         .key = key });
    return true;
}

bool fault_loses_update(struct truth *t, const struct truth_work *work,
                        const struct truth_version *newest)
{
    struct truth_pending pending = {
        .plant = plant_of(TRUTH_LOST_UPDATE, work->told.trace.number, newest->txn),
        .side[1] = { .high = newest->view_high,
                     .low = newest->commit_low,
                     .is_over = true,
                     .is_lost = newest->completed == TIME_NEVER },
    };

    if (t->options.fault != TRUTH_LOST_UPDATE || !is_chosen(t, TRUTH_LOST_UPDATE))
        return false;
    begin_pending(t, pending);
    return true;
}

/* --- Two who read --------------------------------------------------------------------------- */

static bool has_read(const struct truth_key *key, uint32_t txn, uint64_t *snapshot)
{
    for (size_t i = 0; i < key->readers.count; i++)
        if (key->readers.at[i].txn == txn) {
            *snapshot = key->readers.at[i].snapshot;
            return true;
        }
    return false;
}

static bool has_version_of(const struct truth_key *key, uint32_t txn)
{
    for (size_t i = 0; i < key->versions.count; i++)
        if (key->versions.at[i].txn == txn)
            return true;
    return false;
}

/* Whether the other read the version before the one that this transaction has just left. */
static bool is_read_before(struct truth *t, const struct truth_work *work, uint32_t other)
{
    for (size_t i = 0; i < work->write_count; i++) {
        const struct truth_key *key = &t->database->keys[work->ops[work->writes[i]].key];
        const struct truth_version *read;
        uint64_t snapshot;

        if (!has_read(key, other, &snapshot) || has_version_of(key, other))
            continue;
        read = database_version(key, snapshot);
        if (!read || is_surely_before(t, read->completed, work->commit_low))
            return true;
    }
    return false;
}

/* Of what it read, the next version; and the other read what it wrote itself. */
static void find_skew(struct truth *t, struct truth_work *work, size_t read)
{
    const struct truth_key *key = &t->database->keys[work->ops[read].key];
    const struct truth_version *v = database_version(key, work->sources[read]);
    size_t next = v ? (size_t)(v - key->versions.at) + 1 : 0;
    const struct truth_version *w = &key->versions.at[next];

    if (next == key->versions.count || w->txn == work->told.trace.number ||
        w->completed == TIME_NEVER || (v && !is_surely_before(t, v->completed, w->commit_low)))
        return;
    if (!is_read_before(t, work, w->txn))
        return;
    work->plant = plant_of(TRUTH_WRITE_SKEW, work->told.trace.number, w->txn);
    work->plant.is_sure = values_tell(t) && t->options.profile->timing == TIMING_FULL;
}

void fault_skews_writes(struct truth *t, struct truth_work *work)
{
    for (size_t i = 0; i < work->op_count && work->plant.fault == TRUTH_NO_FAULT; i++)
        if (work->ops[i].kind == TRACE_READ && work->sources[i] != TRUTH_OWN_SOURCE &&
            !has_version_of(&t->database->keys[work->ops[i].key], work->told.trace.number))
            find_skew(t, work, i);
}

/* --- When it is over -------------------------------------------------------------------------- */

/* Commits lie behind the last operation that did not end with its transaction. */
static int64_t commit_low_of(const struct truth *t, const struct truth_work *work)
{
    const struct interval_trace *trace = &work->told.trace;
    int64_t low = trace->invoked;

    for (size_t i = 0; t->options.profile->by_operations && i < trace->op_count; i++)
        if (trace->ops[i].completed > low && trace->ops[i].completed < trace->completed)
            low = trace->ops[i].completed;
    return low;
}

static int64_t last_write_of(const struct truth_work *work, uint32_t key)
{
    for (size_t i = work->write_count; i > 0; i--)
        if (work->ops[work->writes[i - 1]].key == key)
            return work->ops[work->writes[i - 1]].completed;
    return TIME_NEVER;
}

static void end_side(const struct truth *t, const struct truth_work *work,
                     const struct truth_pending *pending, struct truth_side *side)
{
    bool is_lock = pending->plant.fault == TRUTH_LOCK_SKIPPED;

    side->is_over = true;
    side->is_lost = work->told.trace.status != TXN_OK;
    side->low = commit_low_of(t, work);
    side->high = is_lock ? last_write_of(work, pending->key) : work->view_high;
}

static enum status end_pending(struct truth *t, const struct truth_pending *pending,
                               struct error *err)
{
    const struct truth_side *a = &pending->side[0], *b = &pending->side[1];
    struct truth_plant plant = pending->plant;

    if (a->is_lost || b->is_lost)
        return STATUS_OK;
    plant.is_sure = t->options.profile->timing == TIMING_FULL &&
                    is_surely_before(t, a->high, b->low) && is_surely_before(t, b->high, a->low);
    return array_push(&t->plants, plant, err);
}

enum status fault_end(struct truth *t, const struct truth_work *work, struct error *err)
{
    struct truth_clients *c = t->clients;
    size_t kept = 0;

    for (size_t i = 0; i < c->pending.count; i++) {
        struct truth_pending pending = c->pending.at[i];

        for (size_t s = 0; s < 2; s++)
            if (pending.plant.txns[s] == work->told.trace.number && !pending.side[s].is_over)
                end_side(t, work, &pending, &pending.side[s]);
        if (pending.side[0].is_over && pending.side[1].is_over)
            TRY(end_pending(t, &pending, err));
        else
            c->pending.at[kept++] = pending;
    }
    c->pending.count = kept;
    if (work->plant.fault != TRUTH_NO_FAULT && work->told.trace.status == TXN_OK)
        return array_push(&t->plants, work->plant, err);
    return STATUS_OK;
}
