/*
 * explanation: instants that explain what clients saw, for the witness of a valid verdict.
 *
 *     c1   b2   c3   b4   c2   c4        all instants in one order, that windows allow
 *          reads x of T1                 as the last version before b2
 *               reads x of T9            is left open: by times it may have seen that, but this
 *                                        order does not show it
 *
 * The model knows what must be so. Of what it leaves undecided, one order among many is taken, the
 * earliest: each instant as soon as its window begins (settled_order_private.h). What that happens not to
 * explain is told, and by docs/format-witness.md need only be possible.
 */
#ifndef CHECKERS_INTERVAL_EXPLANATION_PRIVATE_H
#define CHECKERS_INTERVAL_EXPLANATION_PRIVATE_H

#include "base/map.h"
#include "checkers/check_private.h"
#include "checkers/interval/derivation_private.h"
#include "checkers/interval/traces_private.h"

#define NONE UINT32_MAX

enum { OP_IS_OWN = 1, OP_IS_LAST = 2, OP_IS_OPEN = 4 };

/* A key as of the instant that the walk has come to. */
struct key_now {
    uint64_t value;
    uint32_t writer;                 /* NONE: the beginning */
    uint32_t writer_place;           /* of its commit */
    uint32_t first_reader;           /* of this version */
    uint32_t read_locker;            /* who gave such a lock back last */
    int64_t written_at, unlocked_at; /* the earliest that these commits can have been */
    struct time_window installed;    /* by times alone, as when it was sent */
    int64_t sent;
    uint32_t row; /* in the row store, which holds it for this */
};

/* A version by times alone; once sorted, `low` is the greatest of the key so far. */
struct explained_past {
    uint32_t key;
    int64_t high, low;
};

/* A read of a version; or a look that it agrees with, by its number. */
struct version_reader {
    uint32_t txn, op, next, look;
};

/* A statement that looked for rows; its condition is held until the end. */
struct explained_statement {
    struct trace_query query;
    uint32_t txn;
    int64_t committed; /* the earliest */
};

/* What was written where ranges are locked. */
struct explained_write {
    uint32_t txn, op, row;
    int64_t committed;
};

struct dependent {
    uint32_t to, next;
};

struct explanation {
    const struct interval_model *m;
    const struct history *h;
    uint8_t *flags; /* by operation */
    bool *counts;   /* by transaction, as the next */
    bool *writes;
    uint32_t *view_place, *commit_place, *op_place; /* op_place: by operation that has a view */
    uint32_t *first_dependency, *dependency_count;  /* count: into it */
    struct key_now *keys;
    uint32_t *date; /* by key, as the next two */
    uint64_t *own_asked,
        *came_asked; /* the last look whose transaction wrote it, or which got it */
    uint64_t asked;
    struct traces *traces;
    ARRAY(struct version_reader) readers;
    ARRAY(struct explained_statement) looks; /* that somebody may still ask about */
    ARRAY(uint32_t) ranges;                /* of looks, those that lock, in the order of commits */
    ARRAY(struct explained_write) written; /* likewise */
    bool gives_up;                         /* it would be too much */
    ARRAY(struct dependent) dependencies;
    struct map values;           /* that were there by now, where any of them may be read */
    struct time_window *commits; /* by transaction, by times alone */
    int64_t
        *committed_by; /* of the unknown who were read: by when a reader had committed, or NULL */
    ARRAY(struct explained_past) pasts; /* where windows say nothing of instants */
    int64_t now;                        /* the earliest that the walk's instant can be */
    uint32_t place;
};

/* "instants":[...],"open":[...], once all has been judged; nothing if dependencies circle. */
MUST_USE enum status explanation_tell(struct interval_model *, struct traces *, struct buffer *,
                                      struct error *);

bool explanation_writes(const struct history *, uint32_t op);

/* Whether dependencies could make a circle. */
bool explanation_certifies(const struct explanation *);
/* The second transaction depends on the first. */
MUST_USE enum status explanation_depend(struct explanation *, uint32_t from, uint32_t to,
                                        struct error *);

/* The latest that an operation was over. */
int64_t explanation_end(const struct explanation *, uint32_t txn, uint32_t op);
/* Whether times alone allow that the key's version was seen by the transaction, and by then. */
bool explanation_times_allow(const struct explanation *, uint32_t key, uint32_t txn, int64_t by);

#endif
