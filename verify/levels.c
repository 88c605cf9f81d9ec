/*
 * Which levels a checker decides, and what of a history each of them judges:
 * docs/format-witness.md, "What a verdict is drawn from" and "Valid".
 */
#include "verify/verify_private.h"

#define BIT(level) LEVEL_BIT(LEVEL_##level)
#define SNAPSHOTS (BIT(SNAPSHOT) | BIT(SESSION_SNAPSHOT) | BIT(STRICT_SNAPSHOT))
#define SERIALIZABLES (BIT(SERIALIZABLE) | BIT(SESSION_SERIALIZABLE) | BIT(STRICT_SERIALIZABLE))
#define OF_SESSIONS                                                                                \
    (BIT(SESSION_READ_UNCOMMITTED) | BIT(SESSION_READ_COMMITTED) | BIT(SESSION_SNAPSHOT) |         \
     BIT(SESSION_SERIALIZABLE))
#define OF_TIME                                                                                    \
    (BIT(STRICT_READ_UNCOMMITTED) | BIT(STRICT_READ_COMMITTED) | BIT(STRICT_SNAPSHOT) |            \
     BIT(STRICT_SERIALIZABLE) | BIT(LINEARIZABLE))
#define WITHOUT_READS                                                                              \
    (BIT(READ_UNCOMMITTED) | BIT(SESSION_READ_UNCOMMITTED) | BIT(STRICT_READ_UNCOMMITTED))
#define WEAK                                                                                       \
    (BIT(READ_COMMITTED) | BIT(READ_ATOMIC) | BIT(CAUSAL) | BIT(PREFIX) | BIT(READ_YOUR_WRITES) |  \
     BIT(MONOTONIC_READS) | BIT(MONOTONIC_WRITES) | BIT(WRITES_FOLLOW_READS) | BIT(PRAM))
/* Adya's and Elle's models, which forbid cycles of a shape: see cycle_shapes.c. */
#define MODELS_OF_SHAPE                                                                            \
    (BIT(MONOTONIC_ATOMIC_VIEW) | BIT(CURSOR_STABILITY) | BIT(UPDATE_ATOMIC) |                     \
     BIT(PARALLEL_SNAPSHOT) | BIT(MONOTONIC_VIEW) | BIT(MONOTONIC_SNAPSHOT_READ) |                 \
     BIT(CONSISTENT_VIEW) | BIT(FORWARD_CONSISTENT_VIEW) | BIT(UPDATE_SERIALIZABLE) |              \
     BIT(READ_ATOMIC) | BIT(CAUSAL) | BIT(PREFIX))
#define WITH_OWN                                                                                   \
    (BIT(REPEATABLE_READ) | SNAPSHOTS | SERIALIZABLES | BIT(LINEARIZABLE) | BIT(UPDATE_ATOMIC) |   \
     BIT(PARALLEL_SNAPSHOT) | BIT(READ_ATOMIC) | BIT(CAUSAL) | BIT(PREFIX))
#define WITHOUT_LOST_UPDATES                                                                       \
    (BIT(REPEATABLE_READ) | SNAPSHOTS | SERIALIZABLES | BIT(CURSOR_STABILITY) |                    \
     BIT(UPDATE_ATOMIC) | BIT(PARALLEL_SNAPSHOT) | BIT(CONSISTENT_VIEW) |                          \
     BIT(FORWARD_CONSISTENT_VIEW) | BIT(UPDATE_SERIALIZABLE))
#define CONSISTENT                                                                                 \
    (BIT(PARALLEL_SNAPSHOT) | BIT(CONSISTENT_VIEW) | BIT(FORWARD_CONSISTENT_VIEW) |                \
     BIT(UPDATE_SERIALIZABLE) | BIT(REPEATABLE_READ) | SNAPSHOTS | SERIALIZABLES)
/* Of these, those that say nothing of predicates. */
#define OF_ITEMS (BIT(MONOTONIC_ATOMIC_VIEW) | BIT(CURSOR_STABILITY))
#define OF_INFER                                                                                   \
    (WITHOUT_READS | BIT(READ_COMMITTED) | BIT(SESSION_READ_COMMITTED) |                           \
     BIT(STRICT_READ_COMMITTED) | BIT(REPEATABLE_READ) | SNAPSHOTS | SERIALIZABLES |               \
     BIT(LINEARIZABLE) | MODELS_OF_SHAPE)

#define OF_INTERVAL                                                                                \
    (BIT(READ_COMMITTED) | BIT(SNAPSHOT) | BIT(STRICT_SNAPSHOT) | BIT(SERIALIZABLE) |              \
     BIT(STRICT_SERIALIZABLE))

/* Whether a database that works as the witness says has the level. */
static enum status check_workings(struct verifier *v, struct error *err)
{
    const char *doubt = workings_doubt(&v->w->workings, v->w->level);

    return !doubt || v->w->checker != WITNESS_INTERVAL
               ? STATUS_OK
               : verify_refuse(v, err, "the profile cannot mean %s: %s", level_name(v->w->level),
                               doubt);
}

enum status levels_take(struct verifier *v, struct error *err)
{
    static const uint64_t decided[] = {
        [WITNESS_ORDER] = SERIALIZABLES,
        [WITNESS_CERTIFICATE] = BIT(READ_UNCOMMITTED) | BIT(READ_COMMITTED) | BIT(CAUSAL) |
                                BIT(REPEATABLE_READ) | SNAPSHOTS | SERIALIZABLES,
        [WITNESS_BLACKBOX] = SNAPSHOTS | SERIALIZABLES,
        [WITNESS_INFER] = OF_INFER,
        [WITNESS_WEAK] = WEAK,
        [WITNESS_INTERVAL] = OF_INTERVAL,
    };
    uint64_t level = LEVEL_BIT(v->w->level);

    if (!(decided[v->w->checker] & level))
        return verify_refuse(v, err, "the checker does not decide %s", level_name(v->w->level));
    v->is_weak = v->w->checker == WITNESS_WEAK;
    v->has_shape = v->w->checker == WITNESS_INFER && (level & MODELS_OF_SHAPE);
    v->is_causal = v->w->checker == WITNESS_CERTIFICATE && (level & BIT(CAUSAL));
    /* At a model an order with snapshots proves more than is asked for. */
    v->is_snapshot = (level & SNAPSHOTS) || (v->is_weak && (level & BIT(PREFIX))) ||
                     (v->has_shape && v->w->has_snapshots);
    v->is_exclusive =
        (level & SNAPSHOTS) ||
        (v->has_shape && !(level & (BIT(READ_ATOMIC) | BIT(CAUSAL) | BIT(PREFIX))));
    v->judges_reads = !(level & WITHOUT_READS);
    v->has_rw = v->has_shape ||
                (level & (BIT(REPEATABLE_READ) | SNAPSHOTS | SERIALIZABLES | BIT(LINEARIZABLE)));
    v->has_predicate_rw =
        (v->has_shape && !(level & OF_ITEMS)) || (level & (SNAPSHOTS | SERIALIZABLES));
    v->forbids_lost_update = level & WITHOUT_LOST_UPDATES;
    v->repeats_reads = level & WITH_OWN;
    v->reads_are_consistent = level & CONSISTENT;
    v->judges_own = v->is_weak || v->repeats_reads;
    if (v->is_weak || v->is_causal || (level & OF_SESSIONS) ||
        (v->has_shape &&
         (level & (BIT(PARALLEL_SNAPSHOT) | BIT(READ_ATOMIC) | BIT(CAUSAL) | BIT(PREFIX)))))
        v->closing = CLOSED_BY_SESSIONS;
    if (level & OF_TIME)
        v->closing = CLOSED_BY_TIME;
    return check_workings(v, err);
}
