/*
 * derivation: from what the model derived each order of instants, for witnesses.
 *
 *     step 0   T3 read x of T1, as nothing else it may have seen has the value
 *     step 1   T3 comes before T2, which overwrote that       from step 0, and by times
 *     step 2   T2 comes before T4, by their locks             as step 1 had moved T2's window
 *
 * A step is drawn from others, and from ends of windows, which the orders of steps moved to where
 * they are (timeline_private.h has records of that). So all that a finding rests on can be told,
 * the first first, and nothing besides: docs/format-witness.md, Instants. Whoever does not want a
 * witness keeps none of it.
 *
 *     derivation_locks(m, ...);             a draft: what the next order is drawn from
 *     TRY(model_order(m, ...));         becomes a step if the order is laid
 */
#ifndef CHECKERS_INTERVAL_DERIVATION_PRIVATE_H
#define CHECKERS_INTERVAL_DERIVATION_PRIVATE_H

#include "base/array.h"
#include "base/map.h"
#include "checkers/interval/read_view_private.h"

#define DERIVATION_NONE UINT32_MAX
/* In the place of an operation: an instant of its transaction. */
#define DERIVATION_VIEW (UINT32_MAX - 1)
#define DERIVATION_COMMIT (UINT32_MAX - 2)

/* As the witness names them: X(enumerator, name). */
#define DERIVATION_KINDS(X)                                                                        \
    X(PROGRAM, "program")                                                                          \
    X(READS, "reads")                                                                              \
    X(FINDS, "finds")                                                                              \
    X(OVERWRITES, "overwrites")                                                                    \
    X(INSTALLED, "installed")                                                                      \
    X(PRECEDES, "precedes")                                                                        \
    X(FOUND, "found")                                                                              \
    X(NOT_FOUND, "not-found")                                                                      \
    X(LOCKS, "locks")                                                                              \
    X(FIRST_WINS, "first-wins")                                                                    \
    X(UNREAD, "unread")                                                                            \
    X(UNLOCKED, "unlocked")                                                                        \
    X(LOST, "lost")                                                                                \
    X(OWN, "own")                                                                                  \
    X(ROW, "row")                                                                                  \
    X(STRUCTURE, "structure")

enum derivation_kind {
#define DERIVATION_ENUM(enumerator, name) DERIVATION_##enumerator,
    DERIVATION_KINDS(DERIVATION_ENUM) DERIVATION_KIND_COUNT
#undef DERIVATION_ENUM
};

/* Numbers and operations are the caller's, as in findings; INTERVAL_NONE is the initial version. */
struct derivation_step {
    uint8_t kind;
    uint32_t txns[3], ops[2], keys[2];
    size_t use_end; /* of what it is drawn from, behind those of the step before */
};

/* Of a version: the ends of its windows once its instants have gone; what shows it committed. */
struct version_derivation {
    struct point_ends installed, viewed;
    uint32_t confirmed, next; /* next: the step by which it precedes who is told in `before` */
};

/* A version that was let go, and what hid it from all who came. */
struct gone_version {
    uint64_t value;
    uint32_t next; /* of the key */
    uint32_t uses[5];
};

/* An instant that nothing more will be known of; settled_order_private.h has what its place is. */
struct settled_instant {
    int64_t low;
    uint64_t serial;  /* among those of one low end */
    uint32_t number;  /* of the transaction */
    uint32_t op, key; /* as of derivation_program() */
};

struct derivation {
    ARRAY(struct derivation_step) steps;
    ARRAY(uint32_t) uses; /* a step twice, or a record of an end twice and one more */
    struct derivation_step draft;
    uint32_t draft_step;                       /* once it has become one */
    struct map reads;                          /* which step told what a read saw */
    ARRAY(struct version_derivation) versions; /* by place */
    ARRAY(uint32_t) gone_first;                /* by key */
    ARRAY(struct gone_version) gone;
    ARRAY(struct settled_instant) settled;
    bool is_broken; /* there was no memory */
};

void derivation_close(struct derivation *);

/*
 * In all of the following nothing happens where the model keeps no grounds.
 */

/* The draft's step, which it becomes now if it was none; DERIVATION_NONE where none are kept. */
uint32_t derivation_take(struct interval_model *);
/* One instant of a transaction before another: each DERIVATION_VIEW, DERIVATION_COMMIT, or an operation. */
void derivation_program(struct interval_model *, const struct live_txn *, uint32_t from_op,
                        uint32_t from_key, uint32_t to_op, uint32_t to_key);
/* A read of an item, or a statement that looked at a key, can have seen that version alone. */
void derivation_reads(struct interval_model *, const struct read_view *, uint32_t seen,
                      enum derivation_kind);
/* A look of which such a step was made comes before a version that is behind what it saw. */
void derivation_overwrites(struct interval_model *, const struct read_view *, uint32_t seen,
                           uint32_t other);
/* Likewise of one that was there, and so comes before what was seen. */
void derivation_installed(struct interval_model *, const struct read_view *, uint32_t other);
void derivation_precedes(struct interval_model *, uint32_t key, const struct key_version *,
                         const struct key_version *);
/* A statement, and a version that was surely there, or surely not. */
void derivation_found(struct interval_model *, const struct read_view *, const struct key_version *,
                      bool was_there);

/* Something that was done to a key, from when on it was over: by a version, or a live instant. */
struct derivation_side {
    uint32_t number, op;
    const struct key_version *version; /* or NULL */
    uint32_t point, view;              /* as there is no version */
};

/* The first gave its lock back before the second took it, as the other way round is impossible. */
void derivation_locks(struct interval_model *, uint32_t key, const struct derivation_side *first,
                      const struct derivation_side *second);
/* Likewise of updaters: the first committed before the second's view. */
void derivation_first_wins(struct interval_model *, uint32_t key,
                           const struct derivation_side *first,
                           const struct derivation_side *second);

/* --- Of findings: the last step ------------------------------------------------------------- */

void derivation_unread(struct interval_model *, struct interval_finding *,
                       const struct read_view *);
/* Neither can have been the first. */
void derivation_unlocked(struct interval_model *, struct interval_finding *, uint32_t key,
                         const struct derivation_side *, const struct derivation_side *);
void derivation_lost(struct interval_model *, struct interval_finding *, uint32_t key,
                     const struct derivation_side *, const struct derivation_side *);
/* What one operation shows by itself, of a key. */
void derivation_own(struct interval_model *, struct interval_finding *, const struct live_txn *,
                    uint32_t op, uint32_t key, enum derivation_kind);
/* Of a look that agrees with no version. */
void derivation_row(struct interval_model *, struct interval_finding *, const struct read_view *);
/* Two orders of the certifier, one behind the other, and the ends of windows that make it so. */
void derivation_structure(struct interval_model *, struct interval_finding *,
                          const struct live_txn *const txns[3], const uint32_t points[3]);
/* Orders that contradict each other. */
void derivation_chain(struct interval_model *, struct interval_finding *, const struct timeline *);

/* --- Of versions ------------------------------------------------------------------------------ */

void derivation_add_version(struct interval_model *, const struct live_txn *, uint32_t place);
/* Its instants are about to go. */
void derivation_keep_ends(struct interval_model *, const struct key_version *);
void derivation_keep_next(struct interval_model *, const struct key_version *, uint32_t step);
/* It was seen, as that step has it. */
void derivation_confirm(struct interval_model *, const struct read_view *,
                        const struct key_version *);
/* It goes: the other, which is behind it, hides it from all who come. */
void derivation_drop_version(struct interval_model *, uint32_t key, const struct key_version *,
                             const struct key_version *floor);

extern const char *const derivation_names[];

/* "steps":[...] of a finding; transactions, operations and keys have the history's numbers. */
MUST_USE enum status derivation_witness_tell(const struct interval_model *, const struct history *,
                                             const struct interval_finding *, struct buffer *,
                                             struct error *);
/* "b12", "c12", [12,3], or of rows that are read one by one [12,3,"t/7"] */
void derivation_witness_tell_instant(const struct interval_model *, const struct history *,
                                     uint32_t txn, uint32_t op, uint32_t key, struct buffer *);
/* "profile":{...},"clock-error":n, */
void derivation_witness_tell_premises(const struct profile *, int64_t clock_error, struct buffer *);

#endif
