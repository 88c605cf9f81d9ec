/*
 * Mutual exclusion (Leopard, section V-B). A lock is taken within the times of an operation, and
 * held until the commit:
 *
 *     T0  locks |--|                commits |--|
 *     T1               locks |--|                  commits |--|     both had it at once
 *
 * Of two that exclude each other, one was given back before the other was taken; where the
 * times leave one of the two orders, it is that.
 */
#include <inttypes.h>

#include "checkers/interval/mirror_private.h"

struct lock {
    struct times taken, released;
    uint32_t point, number;
    int64_t id;
};

static struct lock lock_of_version(const struct mirror *m, const struct version *v)
{
    return (struct lock){ .taken = v->locked,
                          .released = version_installed(m, v),
                          .point = v->point,
                          .number = v->number,
                          .id = v->txn_id };
}

static struct lock lock_of_access(const struct mirror *m, const struct live *live,
                                  struct times taken)
{
    return (struct lock){ .taken = taken,
                          .released = view_times(m, live->point, live->commit),
                          .point = live->point,
                          .number = live->number,
                          .id = live->id };
}

static void accuse(struct mirror *m, uint32_t key, const struct lock *a, const struct lock *b)
{
    struct mirror_finding *f = finding_begin(m, MECHANISM_LOCK, ANOMALY_LOCK_VIOLATION);
    struct drawing drawing = { 0 };

    if (!f)
        return;
    finding_add_txn(f, a->number, a->id);
    finding_add_txn(f, b->number, b->id);
    buffer_print(&f->explanation, "T%" PRId64 " and T%" PRId64 " had ", a->id, b->id);
    tell_key_name(m, key, &f->explanation);
    buffer_print(&f->explanation, " locked at once: T%" PRId64 " took the lock within ", a->id);
    tell_times(a->taken, &f->explanation);
    buffer_text(&f->explanation, TEXT(" and kept it until "));
    tell_times(a->released, &f->explanation);
    buffer_print(&f->explanation, ", T%" PRId64 " took it within ", b->id);
    tell_times(b->taken, &f->explanation);
    buffer_text(&f->explanation, TEXT(" and kept it until "));
    tell_times(b->released, &f->explanation);
    drawing_add(&drawing, a->taken, "T%" PRId64 " locks", a->id);
    drawing_add(&drawing, a->released, "T%" PRId64 " commits", a->id);
    drawing_add(&drawing, b->taken, "T%" PRId64 " locks", b->id);
    drawing_add(&drawing, b->released, "T%" PRId64 " commits", b->id);
    drawing_print(&drawing, &f->drawing);
}

static enum status compare(struct mirror *m, uint32_t key, const struct lock *a,
                           const struct lock *b, struct error *err)
{
    bool can_a = a->released.low <= b->taken.high, can_b = b->released.low <= a->taken.high;

    if (!can_a && !can_b)
        accuse(m, key, a, b);
    else if (!can_a)
        return mirror_order(m, b->point, a->point, ORDER_INSTALLED, key, MECHANISM_LOCK, err);
    else if (!can_b)
        return mirror_order(m, a->point, b->point, ORDER_INSTALLED, key, MECHANISM_LOCK, err);
    return STATUS_OK;
}

static enum status compare_with_writes(struct mirror *m, const struct live *live,
                                       const struct access *a, struct error *err)
{
    uint64_t txn = m->live_first + (uint64_t)(live - m->live.at);
    uint32_t next = m->keys.at[a->key].newest;

    for (; next != MIRROR_NONE; next = m->versions.at[next].older) {
        const struct version *v = &m->versions.at[next];
        struct lock own = lock_of_access(m, live, a->at), other;

        if (m->profile.by_operations && is_settled_by(m, v, a->at.low))
            break;
        if (v->txn == txn || v->state != VERSION_COMMITTED)
            continue;
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
        return array_push(&key->lockers, ((struct locker){ txn, a->at, access }), err);
    for (size_t i = 0; i < key->lockers.count; i++) {
        const struct locker *locker = &key->lockers.at[i];
        struct lock own = lock_of_access(m, live, a->at), other;

        if (locker->txn == txn || !mirror_is_live(m, locker->txn))
            continue;
        other = lock_of_access(m, mirror_live(m, locker->txn), locker->locked);
        TRY(compare(m, a->key, &other, &own, err));
    }
    return STATUS_OK;
}
