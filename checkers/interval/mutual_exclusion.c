/*
 * Mutual exclusion (Leopard, section V-B). A lock is taken within the times of an operation, and
 * held until the commit:
 *
 *     T0  locks |--|                commits |--|
 *     T1               locks |--|                  commits |--|     both had it at once
 *
 * Of two that exclude each other, one was given back before the other was taken. T0 first is
 * impossible here, as it commits after T1 had its lock; so is T1. Where the times leave one
 * of the two orders, it is that.
 */
#include <inttypes.h>

#include "checkers/interval/grounds.h"

struct lock {
    struct times taken, released;
    uint32_t point; /* of the commit */
    uint32_t start; /* an instant after the lock was taken */
    uint32_t number, op;
    bool is_read;
    int64_t id;
    const struct version *version; /* or NULL */
};

static struct lock lock_of_version(const struct mirror *m, const struct version *v)
{
    return (struct lock){ .taken = v->locked,
                          .released = version_installed(m, v),
                          .point = v->point,
                          .start = v->point,
                          .number = v->number,
                          .op = v->op,
                          .id = v->txn_id,
                          .version = v };
}

/* A row that is read as it is there is read when its lock has been taken. */
static struct lock lock_of_access(const struct mirror *m, const struct live *live,
                                  const struct access *a)
{
    bool has_view = a->view != MIRROR_NONE && (a->is_locking || m->profile.view == VIEW_ROW);

    return (struct lock){ .taken = a->at,
                          .released = view_times(m, live->point, live->commit),
                          .point = live->point,
                          .start = has_view ? a->view : live->point,
                          .number = live->number,
                          .op = a->op,
                          .is_read = a->kind != TRACE_WRITE,
                          .id = live->id };
}

static struct lock lock_of_locker(const struct mirror *m, const struct reader *locker)
{
    const struct live *live = mirror_live(m, locker->txn);

    return lock_of_access(m, live, &live->accesses[locker->access]);
}

static struct ground_side side_of(const struct lock *lock)
{
    return (struct ground_side){ .number = lock->number,
                                 .op = lock->op,
                                 .version = lock->version,
                                 .point = lock->point };
}

/* --- One after the other, or neither ------------------------------------------------------ */

static void tell_lock(const struct mirror *m, uint32_t key, const struct lock *lock,
                      struct buffer *out)
{
    buffer_print(out, "T%" PRId64 " %s ", lock->id, lock->is_read ? "read" : "wrote");
    tell_op_name(m, lock->number, lock->op, key, out);
    buffer_text(out, TEXT(" and took its lock within "));
    tell_times(lock->taken, out);
}

static void tell_not_first(const struct mirror *m, const struct lock *first,
                           const struct lock *second, struct buffer *out)
{
    buffer_print(out, "T%" PRId64 " first: it gave the lock back at its commit, ", first->id);
    tell_low(first->released, out);
    tell_narrowed(m, first->point, false, out);
    buffer_print(out, ", and T%" PRId64 " had it ", second->id);
    tell_high(second->taken, out);
}

static void accuse(struct mirror *m, uint32_t key, const struct lock *a, const struct lock *b)
{
    struct mirror_finding *f = finding_begin(m, MECHANISM_LOCK, ANOMALY_LOCK_VIOLATION);
    int64_t error_a = finding_clock_error(a->released.low, b->taken.high);
    int64_t error_b = finding_clock_error(b->released.low, a->taken.high);
    struct ground_side sides[] = { side_of(a), side_of(b) };
    struct drawing drawing = { 0 };

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
    drawing_add(&drawing, a->taken, "T%" PRId64 " locks", a->id);
    drawing_add(&drawing, a->released, "T%" PRId64 " commits", a->id);
    drawing_add(&drawing, b->taken, "T%" PRId64 " locks", b->id);
    drawing_add(&drawing, b->released, "T%" PRId64 " commits", b->id);
    drawing_print(&drawing, &f->drawing);
    grounds_unlocked(m, f, key, &sides[0], &sides[1]);
}

static enum status compare(struct mirror *m, uint32_t key, const struct lock *a,
                           const struct lock *b, struct error *err)
{
    bool can_a = a->released.low <= b->taken.high, can_b = b->released.low <= a->taken.high;
    enum order_reason reason = a->is_read || b->is_read ? ORDER_LOCKED : ORDER_INSTALLED;
    const struct lock *first = can_a ? a : b, *second = can_a ? b : a;
    struct ground_side sides[] = { side_of(first), side_of(second) };

    if (can_a && can_b)
        return STATUS_OK;
    if (!can_a && !can_b) {
        accuse(m, key, a, b);
        return STATUS_OK;
    }
    grounds_locks(m, key, &sides[0], &sides[1]);
    return mirror_order(m, first->point, second->start, reason, key, MECHANISM_LOCK, err);
}

static enum status compare_with_writes(struct mirror *m, const struct live *live,
                                       const struct access *a, struct error *err)
{
    uint64_t txn = m->live_first + (uint64_t)(live - m->live.at);
    uint32_t next = m->keys.at[a->key].newest;
    int64_t from = m->profile.by_operations ? a->at.low : TIMELINE_BEGINNING;

    for (; next != MIRROR_NONE; next = version_older(m, &m->versions.at[next], from)) {
        const struct version *v = &m->versions.at[next];
        struct lock own, other;

        if (v->txn == txn || v->state != VERSION_COMMITTED)
            continue;
        own = lock_of_access(m, live, a);
        other = lock_of_version(m, v);
        TRY(compare(m, a->key, &other, &own, err));
    }
    return STATUS_OK;
}

enum status lock_judge(struct mirror *m, struct live *live, uint32_t access, struct error *err)
{
    const struct access *a = &live->accesses[access];
    uint64_t txn = m->live_first + (uint64_t)(live - m->live.at);
    struct key_state *key = &m->keys.at[a->key];

    TRY(compare_with_writes(m, live, a, err));
    if (a->kind == TRACE_READ)
        return key_add_reader(m, &key->lockers, (struct reader){ txn, MIRROR_NONE, access }, err);
    for (size_t i = 0; i < key->lockers.count; i++) {
        const struct reader *locker = &key->lockers.at[i];
        struct lock own = lock_of_access(m, live, a), other;

        if (locker->txn == txn || !mirror_is_live(m, locker->txn))
            continue;
        other = lock_of_locker(m, locker);
        TRY(compare(m, a->key, &other, &own, err));
    }
    return STATUS_OK;
}

enum status lock_compare(struct mirror *m, const struct live *live, const struct access *taken,
                         uint32_t key, uint32_t version, struct error *err)
{
    struct lock own = lock_of_access(m, live, taken);
    struct lock other = lock_of_version(m, &m->versions.at[version]);

    return compare(m, key, &other, &own, err);
}
