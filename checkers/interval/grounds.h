/*
 * grounds: what the mirror drew each order from, for witnesses.
 *
 *     step 0   T3 read x of T1, as nothing else it may have seen has the value
 *     step 1   T3 comes before T2, which overwrote that       from step 0, and by times
 *     step 2   T2 comes before T4, by their locks             as step 1 had moved T2's window
 *
 * A step is drawn from others, and from ends of windows, which the orders of steps moved to where
 * they are (timeline.h has records of that). So all that a finding rests on can be told,
 * the first first, and nothing besides: docs/format-witness.md, Instants. Whoever does not want a
 * witness keeps none of it.
 *
 *     grounds_locks(m, ...);             a draft: what the next order is drawn from
 *     TRY(mirror_order(m, ...));         becomes a step if the order is laid
 */
#ifndef CHECKERS_INTERVAL_GROUNDS_H
#define CHECKERS_INTERVAL_GROUNDS_H

#include "base/array.h"
#include "base/map.h"
#include "checkers/interval/look.h"

#define GROUND_NONE UINT32_MAX
/* In the place of an operation: an instant of its transaction. */
#define GROUND_VIEW (UINT32_MAX - 1)
#define GROUND_COMMIT (UINT32_MAX - 2)

/* As the witness names them: X(enumerator, name). */
#define GROUND_KINDS(X)                                                                            \
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

enum ground_kind {
#define GROUND_ENUM(enumerator, name) GROUND_##enumerator,
    GROUND_KINDS(GROUND_ENUM) GROUND_KIND_COUNT
#undef GROUND_ENUM
};

/* Numbers and operations are the caller's, as in findings; MIRROR_NONE is the initial version. */
struct ground {
    uint8_t kind;
    uint32_t txns[3], ops[2], keys[2];
    size_t use_end; /* of what it is drawn from, behind those of the step before */
};

/* Of a version: the ends of its windows once its instants have gone; what shows it committed. */
struct version_grounds {
    struct point_ends installed, viewed;
    uint32_t confirmed, next; /* next: the step by which it precedes who is told in `before` */
};

/* A version that was let go, and what hid it from all who came. */
struct gone_version {
    uint64_t value;
    uint32_t next; /* of the key */
    uint32_t uses[5];
};

/* An instant that nothing more will be known of; settled.h has what its place is. */
struct settled_instant {
    int64_t low;
    uint64_t serial;  /* among those of one low end */
    uint32_t number;  /* of the transaction */
    uint32_t op, key; /* as of grounds_program() */
};

struct grounds {
    ARRAY(struct ground) steps;
    ARRAY(uint32_t) uses; /* a step twice, or a record of an end twice and one more */
    struct ground draft;
    uint32_t draft_step;                    /* once it has become one */
    struct map reads;                       /* which step told what a read saw */
    ARRAY(struct version_grounds) versions; /* by place */
    ARRAY(uint32_t) gone_first;             /* by key */
    ARRAY(struct gone_version) gone;
    ARRAY(struct settled_instant) settled;
    bool is_broken; /* there was no memory */
};

void grounds_close(struct grounds *);

/*
 * In all of the following nothing happens where the mirror keeps no grounds.
 */

/* The draft's step, which it becomes now if it was none; GROUND_NONE where none are kept. */
uint32_t grounds_take(struct mirror *);
/* One instant of a transaction before another: each GROUND_VIEW, GROUND_COMMIT, or an operation. */
void grounds_program(struct mirror *, const struct live *, uint32_t from_op, uint32_t from_key,
                     uint32_t to_op, uint32_t to_key);
/* A read of an item, or a statement that looked at a key, can have seen that version alone. */
void grounds_reads(struct mirror *, const struct look *, uint32_t seen, enum ground_kind);
/* A look of which such a step was made comes before a version that is behind what it saw. */
void grounds_overwrites(struct mirror *, const struct look *, uint32_t seen, uint32_t other);
/* Likewise of one that was there, and so comes before what was seen. */
void grounds_installed(struct mirror *, const struct look *, uint32_t other);
void grounds_precedes(struct mirror *, uint32_t key, const struct version *,
                      const struct version *);
/* A statement, and a version that was surely there, or surely not. */
void grounds_found(struct mirror *, const struct look *, const struct version *, bool was_there);

/* Something that was done to a key, from when on it was over: by a version, or a live instant. */
struct ground_side {
    uint32_t number, op;
    const struct version *version; /* or NULL */
    uint32_t point, view;          /* as there is no version */
};

/* The first gave its lock back before the second took it, as the other way round is impossible. */
void grounds_locks(struct mirror *, uint32_t key, const struct ground_side *first,
                   const struct ground_side *second);
/* Likewise of updaters: the first committed before the second's view. */
void grounds_first_wins(struct mirror *, uint32_t key, const struct ground_side *first,
                        const struct ground_side *second);

/* --- Of findings: the last step ------------------------------------------------------------- */

void grounds_unread(struct mirror *, struct mirror_finding *, const struct look *);
/* Neither can have been the first. */
void grounds_unlocked(struct mirror *, struct mirror_finding *, uint32_t key,
                      const struct ground_side *, const struct ground_side *);
void grounds_lost(struct mirror *, struct mirror_finding *, uint32_t key,
                  const struct ground_side *, const struct ground_side *);
/* What one operation shows by itself, of a key. */
void grounds_own(struct mirror *, struct mirror_finding *, const struct live *, uint32_t op,
                 uint32_t key, enum ground_kind);
/* Of a look that agrees with no version. */
void grounds_row(struct mirror *, struct mirror_finding *, const struct look *);
/* Two orders of the certifier, one behind the other, and the ends of windows that make it so. */
void grounds_structure(struct mirror *, struct mirror_finding *, const struct live *const txns[3],
                       const uint32_t points[3]);
/* Orders that contradict each other. */
void grounds_chain(struct mirror *, struct mirror_finding *, const struct timeline *);

/* --- Of versions ------------------------------------------------------------------------------ */

void grounds_add_version(struct mirror *, const struct live *, uint32_t place);
/* Its instants are about to go. */
void grounds_keep_ends(struct mirror *, const struct version *);
void grounds_keep_next(struct mirror *, const struct version *, uint32_t step);
/* It was seen, as that step has it. */
void grounds_confirm(struct mirror *, const struct look *, const struct version *);
/* It goes: the other, which is behind it, hides it from all who come. */
void grounds_drop_version(struct mirror *, uint32_t key, const struct version *,
                          const struct version *floor);

extern const char *const ground_names[];

/* --- grounds_tell.c: as the witness has it --- */

/* "steps":[...] of a finding; transactions, operations and keys have the history's numbers. */
MUST_USE enum status grounds_tell(const struct mirror *, const struct history *,
                                  const struct mirror_finding *, struct buffer *, struct error *);
/* "b12", "c12", [12,3], or of rows that are read one by one [12,3,"t/7"] */
void grounds_tell_instant(const struct mirror *, const struct history *, uint32_t txn, uint32_t op,
                          uint32_t key, struct buffer *);
/* "profile":{...},"clock-error":n, */
void grounds_tell_premises(const struct profile *, int64_t clock_error, struct buffer *);

#endif
