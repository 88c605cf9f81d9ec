/*
 * Which cycles Adya's and Elle's models forbid: docs/format-witness.md, "Models".
 *
 *     so, wr, ww, rw     edges, in a circle; so at the models that ask for sessions
 */
#include "verify/invalid/cycle_shapes_private.h"

#include "verify/lookup_private.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"

static bool is_anti(enum witness_edge_kind kind)
{
    return kind == EDGE_RW || kind == EDGE_PREDICATE_RW;
}

static size_t count_of(const struct witness_anomaly *a, bool (*is_it)(enum witness_edge_kind))
{
    size_t count = 0;

    for (size_t i = 0; i < a->cycle.count; i++)
        count += is_it(a->cycle.at[i].kind);
    return count;
}

static bool is_read(enum witness_edge_kind kind)
{
    return kind == EDGE_WR || kind == EDGE_PREDICATE_WR;
}

static bool is_seen(enum witness_edge_kind kind)
{
    return kind == EDGE_PROCESS || is_read(kind);
}

/* The edges before and at the only anti-dependency. */
static void around(const struct witness_anomaly *a, const struct witness_edge **before,
                   const struct witness_edge **anti)
{
    size_t count = a->cycle.count;

    for (size_t i = 0; i < count; i++)
        if (is_anti(a->cycle.at[i].kind)) {
            *anti = &a->cycle.at[i];
            *before = &a->cycle.at[(i + count - 1) % count];
        }
}

static bool each_anti_follows_what_was_seen(const struct witness_anomaly *a)
{
    size_t count = a->cycle.count;

    for (size_t i = 0; i < count; i++)
        if (is_anti(a->cycle.at[i].kind) && !is_seen(a->cycle.at[(i + count - 1) % count].kind))
            return false;
    return true;
}

static bool txn_writes(const struct verifier *v, int64_t id)
{
    uint64_t txn = 0;

    return map_find(&v->txn_of_id, (uint64_t)id, &txn) && lookup_writes(v, (uint32_t)txn);
}

static bool has_one_reader(const struct verifier *v, const struct witness_anomaly *a)
{
    size_t count = 0;

    for (size_t i = 0; i < a->cycle.count; i++)
        count += !txn_writes(v, a->cycle.at[i].from);
    return count <= 1;
}

/* Whether a reader went on to write the key, so that its version stands behind what it read. */
static bool is_update(const struct verifier *v, const struct witness_edge *e)
{
    uint64_t txn = 0;
    uint32_t key = intern_find(&v->keys, e->key);

    return e->kind == EDGE_WR && map_find(&v->txn_of_id, (uint64_t)e->to, &txn) &&
           lookup_left(v, (uint32_t)txn, key) != HISTORY_NONE;
}

/* Whether the reader went on to write the key: else no cursor stood there. */
static bool goes_on_to_write(const struct verifier *v, const struct witness_edge *anti)
{
    const struct history *h = v->h;
    uint32_t key = intern_find(&v->keys, anti->key);
    uint64_t txn = 0;
    int64_t place = -1;

    if (!map_find(&v->txn_of_id, (uint64_t)anti->from, &txn))
        return false;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        place += !op_is_row(h->op_kind[op]);
        if (place >= anti->from_op && h->op_key[op] == key && history_makes_version(h, op))
            return true;
    }
    return false;
}

bool cycle_shapes_forbid(const struct verifier *v, const struct witness_anomaly *a)
{
    size_t anti_count = count_of(a, is_anti), count = a->cycle.count;
    const struct witness_edge *before = NULL, *anti = NULL;

    if (anti_count == 0)
        return true;
    if (v->w->level == LEVEL_UPDATE_SERIALIZABLE)
        return has_one_reader(v, a);
    if (v->w->level == LEVEL_PREFIX)
        return each_anti_follows_what_was_seen(a);
    if (anti_count > 1)
        return false;
    around(a, &before, &anti);
    switch (v->w->level) {
    case LEVEL_READ_ATOMIC:
        return count == 2 && is_seen(before->kind);
    case LEVEL_CAUSAL:
        return count_of(a, is_seen) == count - 1;
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
        return count == 2 && is_read(before->kind) && before->to_op < anti->from_op;
    case LEVEL_UPDATE_ATOMIC:
        return count == 2 && (is_read(before->kind) || before->kind == EDGE_WW);
    case LEVEL_CURSOR_STABILITY:
        return count == 2 && text_equal(before->key, anti->key) && goes_on_to_write(v, anti) &&
               (before->kind == EDGE_WW || is_update(v, before));
    case LEVEL_MONOTONIC_VIEW:
    case LEVEL_MONOTONIC_SNAPSHOT_READ: /* what a statement writes comes behind what it reads */
        return before->to_op < anti->from_op + (before->kind != EDGE_WW);
    default: /* consistent views, parallel snapshots */
        return true;
    }
}
