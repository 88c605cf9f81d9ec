#include "checkers/interval/mechanisms/mutual_exclusion.h"

#include <inttypes.h>

#include "checkers/interval/derivation_private.h"
#include "checkers/interval/findings_private.h"
#include "checkers/interval/key_versions_private.h"
#include "checkers/interval/mechanisms/predicate_read.h"

struct key_lock {
    struct time_window taken, released;
    uint32_t point; /* of the commit */
    uint32_t start; /* an instant after the lock was taken */
    uint32_t number, op;
    bool is_read;
    int64_t id;
    const struct key_version *version; /* or NULL */
};

static struct key_lock lock_of_version(const struct interval_model *m, const struct key_version *v)
{
    return (struct key_lock){ .taken = v->locked,
                              .released = version_installed(m, v),
                              .point = v->point,
                              .start = v->point,
                              .number = v->number,
                              .op = v->op,
                              .id = v->txn_id,
                              .version = v };
}

/* A row that is read as it is there is read when its lock has been taken. */
static struct key_lock lock_of_access(const struct interval_model *m, const struct live_txn *live,
                                      const struct txn_access *a)
{
    bool has_view = a->view != INTERVAL_NONE && (a->is_locking || m->profile.view == VIEW_ROW);

    return (struct key_lock){ .taken = a->at,
                              .released = view_times(m, live->point, live->commit),
                              .point = live->point,
                              .start = has_view ? a->view : live->point,
                              .number = live->number,
                              .op = a->op,
                              .is_read = a->kind != TRACE_WRITE,
                              .id = live->id };
}

static struct key_lock lock_of_locker(const struct interval_model *m,
                                      const struct key_reader *locker)
{
    const struct live_txn *live = model_live(m, locker->txn);

    return lock_of_access(m, live, &live->accesses[locker->access]);
}

static struct derivation_side side_of(const struct key_lock *lock)
{
    return (struct derivation_side){
        .number = lock->number, .op = lock->op, .version = lock->version, .point = lock->point
    };
}

/* --- One after the other, or neither ------------------------------------------------------ */

static void tell_lock(const struct interval_model *m, uint32_t key, const struct key_lock *lock,
                      struct buffer *out)
{
    buffer_print(out, "T%" PRId64 " %s ", lock->id, lock->is_read ? "read" : "wrote");
    finding_tell_op(m, lock->number, lock->op, key, out);
    buffer_text(out, TEXT(" and took its lock within "));
    finding_tell_times(lock->taken, out);
}

static void tell_not_first(const struct interval_model *m, const struct key_lock *first,
                           const struct key_lock *second, struct buffer *out)
{
    buffer_print(out, "T%" PRId64 " first: it gave the lock back at its commit, ", first->id);
    finding_tell_low(first->released, out);
    finding_tell_narrowed(m, first->point, false, out);
    buffer_print(out, ", and T%" PRId64 " had it ", second->id);
    finding_tell_high(second->taken, out);
}

static void accuse(struct interval_model *m, uint32_t key, const struct key_lock *a,
                   const struct key_lock *b)
{
    struct interval_finding *f = finding_begin(m, MECHANISM_LOCK, ANOMALY_LOCK_VIOLATION);
    int64_t error_a = finding_clock_error(a->released.low, b->taken.high);
    int64_t error_b = finding_clock_error(b->released.low, a->taken.high);
    struct derivation_side sides[] = { side_of(a), side_of(b) };
    struct window_drawing drawing = { 0 };

    if (!f)
        return;
    finding_add_txn(f, a->number, a->id);
    finding_add_txn(f, b->number, b->id);
    tell_lock(m, key, a, &f->explanation);
    buffer_text(&f->explanation, TEXT(", "));
    tell_lock(m, key, b, &f->explanation);
    buffer_text(&f->explanation, TEXT("; (1) "));
    tell_not_first(m, a, b, &f->explanation);
    buffer_text(&f->explanation, TEXT("; (2) "));
    tell_not_first(m, b, a, &f->explanation);
    f->clock_error = error_a < error_b ? error_a : error_b;
    findings_drawing_add(&drawing, a->taken, "T%" PRId64 " locks", a->id);
    findings_drawing_add(&drawing, a->released, "T%" PRId64 " commits", a->id);
    findings_drawing_add(&drawing, b->taken, "T%" PRId64 " locks", b->id);
    findings_drawing_add(&drawing, b->released, "T%" PRId64 " commits", b->id);
    findings_drawing_print(&drawing, &f->drawing);
    derivation_unlocked(m, f, key, &sides[0], &sides[1]);
}

static enum status compare(struct interval_model *m, uint32_t key, const struct key_lock *a,
                           const struct key_lock *b, struct error *err)
{
    bool can_a = a->released.low <= b->taken.high, can_b = b->released.low <= a->taken.high;
    enum order_reason reason = a->is_read || b->is_read ? ORDER_LOCKED : ORDER_INSTALLED;
    const struct key_lock *first = can_a ? a : b, *second = can_a ? b : a;
    struct derivation_side sides[] = { side_of(first), side_of(second) };

    if (can_a && can_b)
        return STATUS_OK;
    if (!can_a && !can_b) {
        accuse(m, key, a, b);
        return STATUS_OK;
    }
    derivation_locks(m, key, &sides[0], &sides[1]);
    return model_order(m, (struct instant_order){ first->point, second->start, reason, key },
                       MECHANISM_LOCK, err);
}

static enum status compare_with_writes(struct interval_model *m, const struct live_txn *live,
                                       const struct txn_access *a, struct error *err)
{
    uint64_t txn = m->live_first + (uint64_t)(live - m->live.at);
    uint32_t next = m->keys.at[a->key].newest;
    int64_t from = m->profile.by_operations ? a->at.low : TIMELINE_BEGINNING;

    for (; next != INTERVAL_NONE; next = version_older(m, &m->versions.at[next], from)) {
        const struct key_version *v = &m->versions.at[next];
        struct key_lock own, other;

        if (v->txn == txn || v->state != VERSION_COMMITTED)
            continue;
        own = lock_of_access(m, live, a);
        other = lock_of_version(m, v);
        TRY(compare(m, a->key, &other, &own, err));
    }
    return STATUS_OK;
}

enum status mutual_exclusion_judge(struct interval_model *m, struct live_txn *live, uint32_t access,
                                   struct error *err)
{
    const struct txn_access *a = &live->accesses[access];
    uint64_t txn = m->live_first + (uint64_t)(live - m->live.at);
    struct key_state *key = &m->keys.at[a->key];

    TRY(compare_with_writes(m, live, a, err));
    if (a->kind == TRACE_READ)
        return key_versions_add_reader(
            m, &key->lockers,
            (struct key_reader){ .txn = txn, .version = INTERVAL_NONE, .access = access }, err);
    for (size_t i = 0; i < key->lockers.count; i++) {
        const struct key_reader *locker = &key->lockers.at[i];
        struct key_lock own = lock_of_access(m, live, a), other;

        if (locker->txn == txn || !model_is_live(m, locker->txn))
            continue;
        other = lock_of_locker(m, locker);
        TRY(compare(m, a->key, &other, &own, err));
    }
    return STATUS_OK;
}

static enum status compare_locks(struct interval_model *m, const struct live_txn *live,
                                 const struct txn_access *taken, uint32_t key, uint32_t version,
                                 struct error *err)
{
    struct key_lock own = lock_of_access(m, live, taken);
    struct key_lock other = lock_of_version(m, &m->versions.at[version]);

    return compare(m, key, &other, &own, err);
}

/* --- Ranges ---------------------------------------------------------------------------------- */

/*
 * Locks of ranges. Where rows that were not found are locked too, nobody writes a row that
 * matches before the transaction that looked for it commits:
 *
 *     T0  select v >= 10 |--|                 commits |--|
 *     T1            insert v = 30 |--|    commits |--|            both had it at once
 *
 * Rows that came are locked by themselves (mutual_exclusion.c).
 */
bool mutual_exclusion_locks_range(const struct interval_model *m, const struct txn_access *query)
{
    return profile_locks_to_read(&m->profile, query->is_locking, false);
}

static enum status compare_range(struct interval_model *m, const struct live_txn *live,
                                 uint32_t access, uint32_t key, uint32_t version, struct error *err)
{
    const struct txn_access *query = &live->accesses[access];
    const struct key_version *v = &m->versions.at[version];
    uint64_t txn = m->live_first + (uint64_t)(live - m->live.at);

    if (v->state != VERSION_COMMITTED || v->txn == txn ||
        predicate_read_matches(m, &live->queries[query->row], v->value, v->row) != PREDICATE_YES)
        return STATUS_OK;
    return compare_locks(m, live, query, key, version, err);
}

enum status mutual_exclusion_judge_range(struct interval_model *m, const struct live_txn *live,
                                         uint32_t access, uint32_t key, struct error *err)
{
    int64_t from = m->profile.by_operations ? live->accesses[access].at.low : TIMELINE_BEGINNING;

    if (!mutual_exclusion_locks_range(m, &live->accesses[access]))
        return STATUS_OK;
    for (uint32_t next = m->keys.at[key].newest; next != INTERVAL_NONE;
         next = version_older(m, &m->versions.at[next], from))
        TRY(compare_range(m, live, access, key, next, err));
    return STATUS_OK;
}

enum status mutual_exclusion_installed(struct interval_model *m, const struct live_txn *live,
                                       uint32_t access, uint32_t key, uint32_t version,
                                       struct error *err)
{
    return mutual_exclusion_locks_range(m, &live->accesses[access])
               ? compare_range(m, live, access, key, version, err)
               : STATUS_OK;
}
