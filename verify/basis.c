#include "verify/basis_private.h"

#include <assert.h>

#include "verify/verify_private.h"
#include "verify/witness/workings.h"

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

#define PROOF(name) (1U << PROOF_##name)

const char *const basis_names[BASIS_COUNT + 1] = { "order", "certificate", "blackbox", "infer",
                                                   "weak",  "interval",    NULL };

static const struct basis bases[BASIS_COUNT] = {
    {
        .checker = "order",
        .levels = SERIALIZABLES,
        .proofs = PROOF(CYCLE) | PROOF(READ) | PROOF(WRITES),
        .has_places = true,
    },
    {
        .checker = "certificate",
        .levels = BIT(READ_UNCOMMITTED) | BIT(READ_COMMITTED) | BIT(CAUSAL) | BIT(REPEATABLE_READ) |
                  SNAPSHOTS | SERIALIZABLES,
        .proofs = PROOF(CYCLE) | PROOF(READ) | PROOF(WRITES),
        .has_version_sets = true,
    },
    {
        .checker = "blackbox",
        .levels = SNAPSHOTS | SERIALIZABLES,
        .proofs = PROOF(READ) | PROOF(REFUTATION),
        .is_of_clients = true,
        .has_values = true,
        .searches_orders = true,
    },
    {
        .checker = "infer",
        .levels = OF_INFER,
        .levels_of_shape = MODELS_OF_SHAPE,
        .levels_refuted = BIT(LINEARIZABLE),
        .proofs = PROOF(CYCLE) | PROOF(READ) | PROOF(WRITES) | PROOF(READS) | PROOF(VERSIONS) |
                  PROOF(TOTALS),
        .is_of_clients = true,
        .has_values = true,
        .infers_versions = true,
    },
    {
        .checker = "weak",
        .levels = WEAK,
        .levels_refuted = BIT(PREFIX),
        .proofs = PROOF(CYCLE) | PROOF(READ) | PROOF(READS),
        .is_of_clients = true,
        .has_values = true,
        .saturates = true,
    },
    {
        .checker = "interval",
        .levels = OF_INTERVAL,
        .proofs = PROOF(STEPS),
        .is_of_clients = true,
        .has_instants = true,
    },
};

const struct basis *basis_at(unsigned number)
{
    assert(number < BASIS_COUNT);
    return &bases[number];
}

bool basis_allows(const struct basis *b, enum level level, enum witness_proof proof)
{
    return (b->proofs >> proof & 1) ||
           (proof == PROOF_REFUTATION && (b->levels_refuted & LEVEL_BIT(level)));
}

/* Whether a database that works as the witness says has the level. */
static enum status check_workings(struct verifier *v, struct error *err)
{
    const char *doubt = workings_doubt(&v->w->workings, v->w->level);

    return verify_need(v, !doubt || !v->basis->has_instants, err, "the profile cannot mean %s: %s",
                       level_name(v->w->level), doubt);
}

enum status basis_take_level(struct verifier *v, struct error *err)
{
    uint64_t level = LEVEL_BIT(v->w->level);

    if (!(v->basis->levels & level))
        return verify_refuse(v, err, "the checker does not decide %s", level_name(v->w->level));
    v->has_shape = v->basis->levels_of_shape & level;
    v->is_causal = v->basis->has_version_sets && (level & BIT(CAUSAL));
    /* At a model an order with snapshots proves more than is asked for. */
    v->is_snapshot = (level & SNAPSHOTS) || (v->basis->saturates && (level & BIT(PREFIX))) ||
                     (v->has_shape && v->w->has_snapshots);
    v->is_exclusive = (level & SNAPSHOTS) ||
                      (v->has_shape && !(level & (BIT(READ_ATOMIC) | BIT(CAUSAL) | BIT(PREFIX))));
    v->judges_reads = !(level & WITHOUT_READS);
    v->has_rw = v->has_shape ||
                (level & (BIT(REPEATABLE_READ) | SNAPSHOTS | SERIALIZABLES | BIT(LINEARIZABLE)));
    v->has_predicate_rw =
        (v->has_shape && !(level & OF_ITEMS)) || (level & (SNAPSHOTS | SERIALIZABLES));
    v->forbids_lost_update = level & WITHOUT_LOST_UPDATES;
    v->repeats_reads = level & WITH_OWN;
    v->reads_are_consistent = level & CONSISTENT;
    v->judges_own = v->basis->saturates || v->repeats_reads;
    if (v->basis->saturates || v->is_causal || (level & OF_SESSIONS) ||
        (v->has_shape &&
         (level & (BIT(PARALLEL_SNAPSHOT) | BIT(READ_ATOMIC) | BIT(CAUSAL) | BIT(PREFIX)))))
        v->closing = CLOSED_BY_SESSIONS;
    if (level & OF_TIME)
        v->closing = CLOSED_BY_TIME;
    return check_workings(v, err);
}
