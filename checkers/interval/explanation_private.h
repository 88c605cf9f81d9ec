/*
 * explanation_private: the walk along an order of instants, and what it passes.
 */
#ifndef CHECKERS_INTERVAL_EXPLANATION_PRIVATE_H
#define CHECKERS_INTERVAL_EXPLANATION_PRIVATE_H

#include "base/map.h"
#include "checkers/interval/explanation.h"

#define NONE UINT32_MAX

enum { OP_IS_OWN = 1, OP_IS_LAST = 2, OP_IS_OPEN = 4 };

/* A key as of the instant that the walk has come to. */
struct key_now {
    uint64_t value;
    uint32_t writer;                /* NONE: the beginning */
    uint32_t writer_place;          /* of its commit */
    uint32_t first_reader;          /* of this version */
    uint32_t read_locker;           /* who gave such a lock back last */
    int64_t written_at, unlocked_at; /* the earliest that these commits can have been */
    struct times installed;         /* by times alone, as when it was sent */
    int64_t sent;
    uint32_t row; /* in the row store, which holds it for this */
};

/* A version by times alone; once sorted, `low` is the greatest of the key so far. */
struct past {
    uint32_t key;
    int64_t high, low;
};

struct version_reader {
    uint32_t txn, op, next;
};

struct dependent {
    uint32_t to, next;
};

struct explanation {
    const struct mirror *m;
    const struct history *h;
    uint8_t *flags;  /* by operation */
    bool *counts;    /* by transaction, as the next */
    bool *writes;
    uint32_t *view_place, *commit_place;
    uint32_t *first_dependency, *dependency_count; /* count: into it */
    struct key_now *keys;
    uint32_t *date; /* by key, as the next two */
    uint64_t *own_asked, *came_asked; /* the last look whose transaction wrote it, or which got it */
    uint64_t asked;
    struct traces *traces;
    ARRAY(struct version_reader) readers;
    ARRAY(struct dependent) dependencies;
    struct map values; /* that were there by now, where any of them may be read */
    struct times *commits; /* by transaction, by times alone */
    ARRAY(struct past) pasts; /* where windows say nothing of instants */
    int64_t now;       /* the earliest that the walk's instant can be */
    uint32_t place;
};

/* Whether times alone allow that the key's version was seen by the transaction, and by then. */
bool explanation_times_allow(const struct explanation *, uint32_t key, uint32_t txn, int64_t by);
bool explanation_writes(const struct history *, uint32_t op);

/* --- explanation_looks.c --- */

/* Whether a statement looks for rows as of one instant. */
bool look_is_explicable(const struct explanation *, uint32_t head);
/* What it got, and what it did not, as of the instant that the walk has come to: if so, not open. */
MUST_USE enum status look_explain(struct explanation *, uint32_t txn, uint32_t head,
                                  struct error *);

#endif
