/*
 * instants: which states a transaction may have seen, by the times of clients, and by what the database said of it.
 *
 * Of a transaction that reads at some time between its invocation and its first answer: what was
 * completed before it was invoked is in what it saw, and what was invoked after its first answer came
 * is not. The strict levels promise that; elsewhere it is where to look first.
 *
 * A log without times still has sessions: a transaction was invoked after the one before it in its session was
 * committed. That is a guess, since the order of lines promises nothing.
 *
 * Bounds are given as places in the order in which transactions are taken. Those that only read
 * have no place and bound nothing.
 */
#ifndef AUDIT_INSTANTS_PRIVATE_H
#define AUDIT_INSTANTS_PRIVATE_H

#include "audit/plan_private.h"

/* When something was at a place of the order, or, as a bound: from when on so many of its first transactions. */
struct instant {
    int64_t at_ns;
    uint32_t place;
};

/* By time, then by place. */
void audit_instants_sort(struct instant *, size_t count);

struct instants {
    /* By transaction. */
    uint32_t *least; /* the order's first so many at least */
    uint32_t *most;  /* and so many at the most */
    uint32_t *surely; /* so many at least, even where some of them may stand too early */
    bool is_torn;    /* a transaction that writes stands before one that was completed before it was invoked */
};

enum instants_how {
    INSTANTS_LAST = 1,  /* up to the completion instead of the first answer */
    INSTANTS_GUESS = 2, /* by sessions where there are no times */
    INSTANTS_SAW = 4,   /* and by "saw" of the log */
};

/* `how` is a set of these. */
MUST_USE enum status audit_instants_find(struct instants *, const struct plan *, const uint32_t *order,
                                   uint32_t count, unsigned how, struct error *);
/* The transaction at a place of the order now stands at a later one; so many transactions there are. */
void audit_instants_move(struct instants *, size_t txns, uint32_t from, uint32_t to);

/* Becomes a copy of itself, to be closed as well as the original. */
MUST_USE enum status audit_instants_copy(struct instants *, size_t txns, struct error *);

/* The first `count` of the order, where one is moved: so many of them there are of the others, or of all. */
static inline uint32_t instants_moved(uint32_t count, uint32_t from, uint32_t to)
{
    return count > from && count <= to ? count - 1 : count;
}
void audit_instants_close(struct instants *);

#endif
