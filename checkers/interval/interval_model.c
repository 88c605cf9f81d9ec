#include "checkers/interval/interval_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/interval/dependency_counts_private.h"
#include "checkers/interval/derivation_private.h"
#include "checkers/interval/interval_model_private.h"
#include "checkers/interval/key_versions_private.h"
#include "checkers/interval/mechanisms/certifier.h"
#include "checkers/interval/mechanisms/consistent_read.h"
#include "checkers/interval/mechanisms/first_updater.h"
#include "checkers/interval/mechanisms/mutual_exclusion.h"
#include "checkers/interval/mechanisms/predicate_read.h"
#include "checkers/interval/settled_order_private.h"

/* --- Collection ------------------------------------------------------------------ */

#define COLLECTION_STEP 64 /* events between two collections, at the least */

/* The earliest time that somebody who is not judged, or still to come, may read as of. */
static void find_oldest(struct interval_model *m)
{
    m->oldest = m->profile.timing == TIMING_NONE ? TIMELINE_BEGINNING : m->judged_until;
    for (size_t i = 0; i < m->live.count && m->oldest > TIMELINE_BEGINNING; i++)
        if (!m->live.at[i].is_gone && (!m->live.at[i].is_judged || !m->live.at[i].is_installed) &&
            m->live.at[i].at.low < m->oldest)
            m->oldest = m->live.at[i].at.low;
}

static enum status release_point(struct timeline *t, uint32_t *point, bool *all_gone,
                                 struct error *err)
{
    bool is_gone;

    if (*point == INTERVAL_NONE)
        return STATUS_OK;
    TRY(timeline_release(t, *point, &is_gone, err));
    if (is_gone)
        *point = INTERVAL_NONE;
    *all_gone &= is_gone;
    return STATUS_OK;
}

/* The view of a transaction, or its commit. */
static enum status release_instant(struct interval_model *m, const struct live_txn *live,
                                   uint32_t *point, uint32_t as, bool *all_gone, struct error *err)
{
    uint32_t released = *point;

    TRY(release_point(&m->timeline, point, all_gone, err));
    if (released != INTERVAL_NONE && *point == INTERVAL_NONE)
        settled_order_add(m, live, released, as, INTERVAL_NONE);
    return STATUS_OK;
}

typedef void keep_function(struct interval_model *, const struct live_txn *, struct key_version *);

/* Versions keep what was known of the instants that are about to go. */
static void keep_times(struct interval_model *m, const struct live_txn *live, struct key_version *v)
{
    (void)live;
    derivation_keep_ends(m, v);
    v->installed = version_installed(m, v);
    v->viewed = view_times(m, v->view, v->viewed);
}

static void keep_points(struct interval_model *m, const struct live_txn *live,
                        struct key_version *v)
{
    (void)m;
    v->point = live->point;
    v->view = live->view;
    v->certified = live->certified;
}

/* A version whose place another has taken has gone already. */
static bool is_of(const struct interval_model *m, const struct live_txn *live,
                  const struct txn_access *a)
{
    const struct key_version *v = &m->versions.at[a->version];

    return v->txn == m->live_first + (uint64_t)(live - m->live.at) && v->op == a->op;
}

static void for_each_version(struct interval_model *m, const struct live_txn *live,
                             keep_function *keep)
{
    for (uint32_t i = 0; i < live->access_count; i++) {
        const struct txn_access *a = &live->accesses[i];

        if (a->kind == TRACE_WRITE && a->version != INTERVAL_NONE && is_of(m, live, a))
            keep(m, live, &m->versions.at[a->version]);
    }
}

/* Views of statements, the first first: each leads to the next. */
static enum status release_statements(struct interval_model *m, struct live_txn *live,
                                      bool *all_gone, struct error *err)
{
    for (uint32_t i = 0, next; i < live->access_count; i = next) {
        uint32_t view = live->accesses[i].view, left = view;

        for (next = i + 1; next < live->access_count && live->accesses[next].view == view;)
            next++;
        TRY(release_point(&m->timeline, &left, all_gone, err));
        if (view != INTERVAL_NONE && left == INTERVAL_NONE)
            settled_order_add(m, live, view, live->accesses[i].op, live->accesses[i].key);
        while (i < next)
            live->accesses[i++].view = left;
    }
    return STATUS_OK;
}

static bool has_written(const struct live_txn *live, uint32_t key)
{
    for (uint32_t i = 0; i < live->access_count; i++)
        if (live->accesses[i].kind == TRACE_WRITE && live->accesses[i].key == key)
            return true;
    return false;
}

/* Of those who are known to commit behind a version, the one who wrote its key and did so first. */
static void keep_next(struct interval_model *m, const struct live_txn *live, struct key_version *v,
                      uint32_t key)
{
    const struct timeline *t = &m->timeline;
    int64_t first = TIMELINE_END;

    for (uint32_t o = timeline_point(t, live->point)->first_out; o != TIMELINE_NONE;
         o = t->orders.at[o].next_out) {
        const struct instant_point *to = timeline_point(t, t->orders.at[o].to);
        const struct live_txn *other = model_owner(m, to);

        if (other == live || other->point != t->orders.at[o].to || to->high > first ||
            !has_written(other, key))
            continue;
        first = to->high;
        v->before = number_before(m->live_first + (uint64_t)(other - m->live.at));
        derivation_keep_next(m, v, t->orders.at[o].step);
    }
}

static void keep_orders(struct interval_model *m, const struct live_txn *live)
{
    for (uint32_t i = 0; i < live->access_count && live->point != INTERVAL_NONE; i++) {
        const struct txn_access *a = &live->accesses[i];

        if (a->kind != TRACE_WRITE || a->version == INTERVAL_NONE || !a->is_last)
            continue;
        if (is_of(m, live, a))
            keep_next(m, live, &m->versions.at[a->version], a->key);
    }
}

static enum status release(struct interval_model *m, struct live_txn *live, struct error *err)
{
    bool all_gone = true;

    for_each_version(m, live, keep_times);
    keep_orders(m, live);
    if (live->has_statements)
        TRY(release_statements(m, live, &all_gone, err));
    if (m->profile.view == VIEW_TRANSACTION)
        TRY(release_instant(m, live, &live->view, DERIVATION_VIEW, &all_gone, err));
    TRY(release_point(&m->certifier, &live->certified, &all_gone, err));
    if (all_gone)
        TRY(release_instant(m, live, &live->point, DERIVATION_COMMIT, &all_gone, err));
    if (m->profile.view == VIEW_COMMIT)
        live->view = live->point;
    for_each_version(m, live, keep_points);
    live->is_gone = all_gone;
    return STATUS_OK;
}

/* The first of those who came, as many as have gone. */
static void drop_gone(struct interval_model *m)
{
    size_t gone = 0;

    while (gone < m->live.count && m->live.at[gone].is_gone) {
        predicate_read_close(m, &m->live.at[gone]);
        free(m->live.at[gone++].accesses);
    }
    memmove(m->live.at, m->live.at + gone, (m->live.count - gone) * sizeof *m->live.at);
    m->live.count -= gone;
    m->live_first += gone;
}

/* Those that nothing holds any more since others went. */
static enum status release_unheld(struct interval_model *m, struct timeline *t, struct error *err)
{
    while (t->unheld.count > 0) {
        const struct instant_point *p = timeline_point(t, t->unheld.at[--t->unheld.count]);

        if (p->is_live && model_may_go(m, model_owner(m, p)))
            TRY(release(m, model_owner(m, p), err));
    }
    return STATUS_OK;
}

static enum status collection_pass(struct interval_model *m, struct error *err)
{
    find_oldest(m);
    TRY(dependency_counts_decide(m, false, err));
    for (size_t i = 0; i < m->live.count; i++) {
        if (model_may_go(m, &m->live.at[i]))
            TRY(release(m, &m->live.at[i], err));
        TRY(release_unheld(m, &m->timeline, err));
        TRY(release_unheld(m, &m->certifier, err));
    }
    drop_gone(m);
    m->until_collection = COLLECTION_STEP + m->live.count;
    return STATUS_OK;
}

const char *interval_model_mechanism_name(enum mechanism mechanism)
{
    static const char *const names[] = { "consistent read", "mutual exclusion",
                                         "first updater wins", "serialization certifier" };

    assert(mechanism < MECHANISM_COUNT);
    return names[mechanism];
}

void interval_model_init(struct interval_model *m, const struct profile *profile,
                         int64_t clock_error)
{
    *m = (struct interval_model){ .profile = *profile,
                                  .clock_error = clock_error,
                                  .judged_until = TIMELINE_BEGINNING,
                                  .oldest = TIMELINE_BEGINNING };
}

void interval_model_close(struct interval_model *m)
{
    predicate_read_close_all(m);
    timeline_close(&m->timeline);
    timeline_close(&m->certifier);
    for (size_t i = 0; i < m->keys.count; i++) {
        free(m->keys.at[i].readers.at);
        free(m->keys.at[i].lockers.at);
    }
    for (size_t i = 0; i < m->live.count; i++)
        free(m->live.at[i].accesses);
    for (size_t i = 0; i < m->findings.count; i++) {
        array_close(&m->findings.at[i].txns);
        array_close(&m->findings.at[i].ids);
        array_close(&m->findings.at[i].steps);
        buffer_close(&m->findings.at[i].explanation);
        buffer_close(&m->findings.at[i].drawing);
    }
    gaps_close(&m->gaps);
    array_close(&m->keys);
    array_close(&m->versions);
    map_close(&m->values);
    array_close(&m->free_versions);
    array_close(&m->live);
    array_close(&m->events);
    array_close(&m->undecided);
    array_close(&m->own.slots);
    array_close(&m->before.links);
    array_close(&m->findings);
}

static const struct time_window always = { TIMELINE_BEGINNING, TIMELINE_END };

/* What the timeline's points may use of times. */
static struct time_window usable(const struct interval_model *m, struct time_window times)
{
    return m->profile.timing == TIMING_FULL ? times : always;
}

/* --- Fetching ---------------------------------------------------------------------------- */

/*
 * Waiting for one key after the other would be most of what keys cost that have not been asked for
 * in a while: the processor is told of all of them first, and waits once.
 */
static void fetch_keys(const struct interval_model *m, const struct live_txn *live)
{
    for (uint32_t i = 0; i < live->access_count; i++)
        if (live->accesses[i].key < m->keys.count)
            __builtin_prefetch(&m->keys.at[live->accesses[i].key]);
}

static void fetch_versions(const struct interval_model *m, const struct live_txn *live)
{
    for (uint32_t i = 0; i < live->access_count; i++) {
        const struct key_state *key;
        const char *newest;

        if (live->accesses[i].key >= m->keys.count)
            continue;
        key = &m->keys.at[live->accesses[i].key];
        if (key->newest == INTERVAL_NONE)
            continue;
        newest = (const char *)&m->versions.at[key->newest];
        __builtin_prefetch(newest);
        __builtin_prefetch(newest + sizeof(struct key_version) - 1);
        __builtin_prefetch(key->readers.at);
    }
}

/* --- What a transaction wrote itself ----------------------------------------------------- */

static enum status forget_writes(struct own_writes *own, size_t op_count, struct error *err)
{
    static const struct txn_write none = { 0 };

    own->stamp++;
    own->mask = 15;
    while (own->mask < 2 * op_count)
        own->mask = 2 * own->mask + 1;
    while (own->slots.count <= own->mask)
        TRY(array_push(&own->slots, none, err));
    return STATUS_OK;
}

/* Its slot, or a free one. */
static struct txn_write *find_write(struct own_writes *own, uint32_t key)
{
    size_t at = hash_number(key) & own->mask;

    while (own->slots.at[at].stamp == own->stamp && own->slots.at[at].key != key)
        at = (at + 1) & own->mask;
    return &own->slots.at[at];
}

/* --- Accesses ----------------------------------------------------------------------------- */

/* What a transaction wrote itself is not read from others, and only its last write stays. */
static void add_access(struct interval_model *m, struct live_txn *live, const struct trace_op *op)
{
    struct txn_access *access = &live->accesses[live->access_count];
    /* A transaction that only reads has nothing to find. */
    struct txn_write *own =
        op->kind == TRACE_WRITE || live->has_writes ? find_write(&m->own, op->key) : NULL;
    bool is_own = own && own->stamp == m->own.stamp;

    if (op->kind == TRACE_READ && is_own && live->status == TXN_OK)
        consistent_read_judge_own(m, live, op, &live->accesses[own->access]);
    if (op->kind == TRACE_READ && (is_own || live->status != TXN_OK))
        return;
    *access = (struct txn_access){ .at = model_widened(m, op->invoked, op->completed),
                                   .value = op->value,
                                   .key = op->key,
                                   .op = op->op,
                                   .view = INTERVAL_NONE,
                                   .kind = op->kind,
                                   .is_locking = op->is_locking,
                                   .version = INTERVAL_NONE };
    live->has_reads |= op->kind == TRACE_READ;
    if (op->kind == TRACE_WRITE) {
        access->row = op->row;
        live->has_writes = access->is_last = true;
        if (is_own)
            live->accesses[own->access].is_last = false;
        *own = (struct txn_write){ m->own.stamp, op->key, live->access_count };
    }
    live->access_count++;
}

/* Of what the transaction has read, it may have written some later. */
static void find_updated(struct interval_model *m, struct live_txn *live)
{
    for (uint32_t i = 0; live->has_reads && live->has_writes && i < live->access_count; i++)
        live->accesses[i].is_updated =
            live->accesses[i].kind != TRACE_QUERY &&
            find_write(&m->own, live->accesses[i].key)->stamp == m->own.stamp;
}

/* Each statement before its rows. */
static enum status add_accesses(struct interval_model *m, struct live_txn *live,
                                const struct interval_trace *trace, struct error *err)
{
    size_t next = 0;

    for (size_t i = 0; i <= trace->op_count; i++) {
        for (; next < trace->query_count && trace->queries[next].first_op == i; next++) {
            const struct trace_query *q = &trace->queries[next];

            TRY(predicate_read_add(m, live, trace, q, model_widened(m, q->invoked, q->completed),
                                   err));
        }
        if (i == trace->op_count)
            break;
        add_access(m, live, &trace->ops[i]);
        if (trace->ops[i].kind == TRACE_READ)
            predicate_read_drop_op(m, &trace->ops[i]);
    }
    find_updated(m, live);
    return STATUS_OK;
}

/* --- Times --------------------------------------------------------------------------------- */

/* Whether it reads as of an instant that is not its transaction's. */
static bool has_own_view(const struct interval_model *m, const struct txn_access *a)
{
    return a->kind != TRACE_WRITE && profile_reads_apart(&m->profile, a->is_locking);
}

/* From the first time that a transaction may read as of, to the first that it has read at. */
static struct time_window view_of(const struct interval_model *m, const struct live_txn *live)
{
    struct time_window view = { live->at.low, live->commit.high };

    for (uint32_t i = 0; m->profile.by_operations && i < live->access_count; i++)
        if (live->accesses[i].kind != TRACE_WRITE && !has_own_view(m, &live->accesses[i]) &&
            live->accesses[i].at.high < view.high)
            view.high = live->accesses[i].at.high;
    return view;
}

/* When all is known that a transaction's reads can have seen. */
static int64_t judged_at(const struct interval_model *m, const struct live_txn *live,
                         struct time_window view)
{
    bool by_view = m->profile.view == VIEW_TRANSACTION && m->profile.timing == TIMING_FULL;
    int64_t at = by_view ? view.high : TIMELINE_BEGINNING;

    if (m->profile.ignores_times)
        return TIMELINE_END;
    if (m->profile.timing == TIMING_NONE || m->profile.view == VIEW_COMMIT)
        return live->commit.high;
    for (uint32_t i = 0; i < live->access_count; i++)
        if ((!by_view || has_own_view(m, &live->accesses[i])) && live->accesses[i].at.high > at)
            at = live->accesses[i].at.high;
    return at;
}

/*
 * An operation that ended with its transaction may have been what committed it: of that it is
 * known that it had begun.
 */
static int64_t least_commit(const struct interval_trace *trace, int64_t invoked, int64_t completed)
{
    return completed < trace->completed ? completed : invoked;
}

static int64_t end_of(const struct interval_trace *trace)
{
    return trace->completed == TIME_NEVER || trace->status == TXN_UNKNOWN ? TIMELINE_END
                                                                          : trace->completed;
}

struct time_window interval_model_commit_times(const struct interval_model *m,
                                               const struct interval_trace *trace)
{
    int64_t commit_low = trace->invoked;
    struct time_window commit;

    for (size_t i = 0; i < trace->op_count && m->profile.by_operations; i++)
        commit_low = model_later_of(
            commit_low, least_commit(trace, trace->ops[i].invoked, trace->ops[i].completed));
    for (size_t i = 0; i < trace->query_count && m->profile.by_operations; i++)
        commit_low = model_later_of(commit_low, least_commit(trace, trace->queries[i].invoked,
                                                             trace->queries[i].completed));
    commit = model_widened(m, commit_low, end_of(trace));
    if (commit.low > commit.high)
        commit.low = commit.high;
    return commit;
}

/* --- Adding ---------------------------------------------------------------------------- */

static enum status add_points(struct interval_model *m, struct live_txn *live, uint64_t txn,
                              struct time_window *views, struct error *err)
{
    struct time_window commit = usable(m, live->commit), view = usable(m, *views);
    struct time_window certified = certifier_times(m, live);

    if (m->profile.view == VIEW_TRANSACTION)
        TRY(timeline_add(&m->timeline, view, (uint32_t)txn, true, &live->view, err));
    TRY(timeline_add(&m->timeline, commit, (uint32_t)txn, false, &live->point, err));
    if (profile_certifies(&m->profile))
        TRY(timeline_add(&m->certifier, certified, (uint32_t)txn, false, &live->certified, err));
    if (m->profile.view == VIEW_COMMIT)
        live->view = live->point;
    return STATUS_OK;
}

/* A join sends its tables at once, and of those that it locks it reads what is there. */
static bool comes_behind(const struct txn_access *last, const struct txn_access *a)
{
    return last->at.high <= a->at.low || !(last->is_locking || a->is_locking);
}

/* Of an instant that no access has: of the first the transaction's view, of the second the commit. */
static enum status lay_program(struct interval_model *m, const struct live_txn *live,
                               const struct txn_access *first, const struct txn_access *second,
                               struct error *err)
{
    struct instant_order order = { .from = first ? first->view : live->view,
                                   .to = second ? second->view : live->point,
                                   .reason = ORDER_PROGRAM,
                                   .key = INTERVAL_NONE };
    bool holds;

    if (timeline_knows(&m->timeline, order.from, order.to))
        return STATUS_OK;
    derivation_program(m, live, first ? first->op : DERIVATION_VIEW,
                       first ? first->key : INTERVAL_NONE, second ? second->op : DERIVATION_COMMIT,
                       second ? second->key : INTERVAL_NONE);
    m->timeline.step = derivation_take(m);
    return timeline_order(&m->timeline, order, &holds, err);
}

/* Behind the views before it, as far back as one that is behind all before it. */
static enum status lay_behind(struct interval_model *m, struct live_txn *live, uint32_t access,
                              struct error *err)
{
    struct txn_access *a = &live->accesses[access];

    a->is_behind = true;
    for (uint32_t i = access; i-- > 0;) {
        const struct txn_access *b = &live->accesses[i];

        if (b->view == INTERVAL_NONE)
            continue;
        if (!comes_behind(b, a)) {
            a->is_behind = false;
            continue;
        }
        TRY(lay_program(m, live, b, a, err));
        if (b->is_behind)
            break;
    }
    return STATUS_OK;
}

/* Each statement its own instant, one behind the other; or each row, in whatever order. */
static enum status add_statement_views(struct interval_model *m, struct live_txn *live,
                                       uint64_t txn, struct error *err)
{
    const struct txn_access *last = NULL;

    for (uint32_t i = 0; i < live->access_count; i++) {
        struct txn_access *a = &live->accesses[i];
        struct time_window view = usable(m, a->at);

        if (!has_own_view(m, a))
            continue;
        if (last && a->op == last->op && m->profile.view != VIEW_ROW) {
            a->view = last->view;
            a->is_behind = last->is_behind;
            continue;
        }
        TRY(timeline_add(&m->timeline, view, (uint32_t)txn, true, &a->view, err));
        if (m->profile.view != VIEW_ROW)
            TRY(lay_behind(m, live, i, err));
        last = a;
        live->has_statements = true;
    }
    return STATUS_OK;
}

static enum status add_orders_to_commit(struct interval_model *m, struct live_txn *live,
                                        struct error *err)
{
    uint32_t last = live->point;

    for (uint32_t i = 0; live->has_statements && i < live->access_count; i++) {
        uint32_t view = live->accesses[i].view;

        if (view == INTERVAL_NONE || view == last)
            continue;
        TRY(lay_program(m, live, &live->accesses[i], NULL, err));
        last = view;
    }
    if (m->profile.view != VIEW_TRANSACTION)
        return STATUS_OK;
    return lay_program(m, live, NULL, NULL, err);
}

/* The transaction's instants, and what is to be done as of which time. */
static enum status schedule(struct interval_model *m, struct live_txn *live, uint64_t txn,
                            struct error *err)
{
    struct time_window view = view_of(m, live);

    live->view_high = view.high;
    /* Views are added before the commit, so that ranks rise along the program. */
    if (live->status == TXN_OK)
        TRY(add_statement_views(m, live, txn, err));
    if (live->status != TXN_ABORT) {
        TRY(add_points(m, live, txn, &view, err));
        TRY(add_orders_to_commit(m, live, err));
    }
    TRY(event_heap_push(&m->events, (struct timed_event){ live->commit.low, txn, false }, err));
    if (live->status != TXN_OK) {
        live->is_judged = true;
        return STATUS_OK;
    }
    return event_heap_push(&m->events, (struct timed_event){ judged_at(m, live, view), txn, true },
                           err);
}

static bool is_late(const struct interval_model *m, int64_t invoked)
{
    return model_earlier(invoked, m->clock_error) < m->judged_until;
}

/* What follows from the trace and the profile alone. */
static enum status make_live(struct interval_model *m, const struct interval_trace *trace,
                             struct live_txn *live, struct error *err)
{
    *live = (struct live_txn){ .id = trace->id,
                               .number = trace->number,
                               .status = trace->status,
                               .at = model_widened(m, trace->invoked, end_of(trace)),
                               .commit = interval_model_commit_times(m, trace),
                               .point = INTERVAL_NONE,
                               .view = INTERVAL_NONE,
                               .certified = INTERVAL_NONE };
    TRY(memory_resize((void **)&live->accesses, trace->op_count + trace->query_count + 1,
                      sizeof *live->accesses, err));
    TRY(forget_writes(&m->own, trace->op_count, err));
    return add_accesses(m, live, trace, err);
}

enum status interval_model_add(struct interval_model *m, const struct interval_trace *trace,
                               struct error *err)
{
    uint64_t txn = m->live_first + m->live.count;
    struct live_txn live;
    enum status status;

    m->counts.txns++;
    m->counts.ops += trace->op_count;
    if (is_late(m, trace->invoked)) {
        m->counts.late++;
        predicate_read_drop_trace(m, trace);
        return STATUS_OK;
    }
    TRY(array_reserve(&m->live, 1, err));
    status = make_live(m, trace, &live, err);
    if (status != STATUS_OK) {
        predicate_read_close(m, &live);
        free(live.accesses);
        return status;
    }
    m->live.at[m->live.count++] = live;
    fetch_keys(m, &live);
    return schedule(m, &m->live.at[m->live.count - 1], txn, err);
}

enum status interval_model_gap(struct interval_model *m, int64_t from, int64_t to,
                               struct error *err)
{
    struct time_window gap = model_widened(m, from, to);

    return gaps_add(&m->gaps, gap.low, gap.high, err);
}

void interval_model_open_gap(struct interval_model *m, int64_t from)
{
    m->gaps.is_open = true;
    m->gaps.open_from = model_earlier(from, m->clock_error);
}

void interval_model_end_open_gap(struct interval_model *m)
{
    m->gaps.is_open = false;
}

/* --- Judging ----------------------------------------------------------------------------- */

/* All versions are looked at for each access: a key must not make that quadratic. */
static bool has_too_many(struct interval_model *m, uint32_t key)
{
    bool has = m->keys.at[key].count > INTERVAL_VERSIONS_LOOKED_AT;

    m->counts.unjudged += has;
    return has;
}

/* A last write of a transaction that committed. */
static enum status judge_write(struct interval_model *m, struct live_txn *live, uint32_t access,
                               struct error *err)
{
    const struct txn_access *a = &live->accesses[access];

    if (has_too_many(m, a->key))
        return STATUS_OK;
    TRY(dependency_of_write(m, a->version, err));
    if (m->profile.locks_writes)
        TRY(mutual_exclusion_judge(m, live, access, err));
    if (profile_first_wins(&m->profile))
        TRY(first_updater_judge(m, live, access, err));
    TRY(consistent_read_installed(m, a->key, a->version, err));
    return predicate_read_installed(m, a->key, a->version, err);
}

static enum status install(struct interval_model *m, uint64_t txn, struct error *err)
{
    struct live_txn *live = model_live(m, txn);

    for (uint32_t i = 0; i < live->access_count; i++) {
        struct txn_access *a = &live->accesses[i];

        if (a->kind != TRACE_WRITE)
            continue;
        TRY(key_versions_know(m, a->key, err));
        TRY(key_versions_install(m, live, a, err));
        if (live->status != TXN_OK || !a->is_last)
            continue;
        TRY(judge_write(m, live, i, err));
        if (m->keys.at[a->key].count >= m->keys.at[a->key].count_to_collect)
            TRY(key_versions_collect(m, &m->keys.at[a->key], err));
    }
    live->is_installed = true;
    return STATUS_OK;
}

/* Where nothing is there, nothing can be locked but the place. */
static bool locks(const struct interval_model *m, const struct txn_access *read)
{
    return profile_locks_to_read(&m->profile, read->is_locking, read->value != 0);
}

static enum status judge(struct interval_model *m, uint64_t txn, struct error *err)
{
    struct live_txn *live = model_live(m, txn);

    for (uint32_t i = 0; i < live->access_count; i++) {
        struct txn_access *a = &live->accesses[i];

        if (a->kind == TRACE_WRITE && live->query_count > 0)
            predicate_read_pass_write(m, live, i);
        if (a->kind == TRACE_QUERY)
            TRY(predicate_read_judge(m, live, i, err));
        if (a->kind != TRACE_READ)
            continue;
        TRY(key_versions_know(m, a->key, err));
        m->counts.reads++;
        if (has_too_many(m, a->key))
            continue;
        TRY(consistent_read_judge(m, live, i, err));
        if (locks(m, a))
            TRY(mutual_exclusion_judge(m, live, i, err));
    }
    live->is_judged = true;
    return STATUS_OK;
}

/* While it works at one event, the processor fetches what the next is about. */
static enum status pass_event(struct interval_model *m, struct timed_event event, struct error *err)
{
    if (m->events.count > 0)
        fetch_versions(m, model_live(m, m->events.at[0].txn));
    TRY(event.is_judging ? judge(m, event.txn, err) : install(m, event.txn, err));
    return m->until_collection-- == 0 ? collection_pass(m, err) : STATUS_OK;
}

enum status interval_model_advance(struct interval_model *m, int64_t until, struct error *err)
{
    until = model_earlier(until, m->clock_error);
    if (until > m->judged_until)
        m->judged_until = until;
    while (m->events.count > 0 && m->events.at[0].at < until)
        TRY(pass_event(m, event_heap_pop(&m->events), err));
    return STATUS_OK;
}

enum status interval_model_end(struct interval_model *m, size_t steps_max, struct error *err)
{
    for (size_t i = 0; i < steps_max && m->events.count > 0; i++) {
        struct timed_event event = event_heap_pop(&m->events);

        if (event.at > m->judged_until)
            m->judged_until = event.at;
        TRY(pass_event(m, event, err));
    }
    return m->events.count > 0 ? STATUS_OK : dependency_counts_decide(m, true, err);
}
