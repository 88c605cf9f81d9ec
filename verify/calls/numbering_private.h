/*
 * numbering: what sequences give to a transaction that is run.
 *
 * While the initial rows are made, sequences count. Of a transaction of a log nobody knows what they gave:
 * a witness says it, number by number in the order in which they were asked for.
 */
#ifndef VERIFY_CALLS_NUMBERING_PRIVATE_H
#define VERIFY_CALLS_NUMBERING_PRIVATE_H

#include "base/map.h"
#include "verify/calls/formula_private.h"

struct sequence_state {
    int64_t last, known;
    bool is_called; /* else `last` is what comes next */
    bool is_known;  /* to currval() */
};

struct numbering {
    const struct catalog *catalog;
    struct sequence_state *states; /* by sequence */
    const struct sequence *last;   /* of the last nextval(), or NULL */

    bool is_given; /* by a witness: */
    bool is_chosen; /* or some that nobody else has, since it makes no difference which */
    const int64_t *given;
    uint32_t given_count, given_at;
    uint64_t owner;     /* the transaction */
    struct map *owners; /* of numbers that were given, or NULL */
};

/* In the arena. */
void numbering_open(struct numbering *, const struct catalog *, struct arena *);
/* From here on they are given, to this transaction. */
void numbering_give(struct numbering *, uint64_t owner, const int64_t *numbers, uint32_t count);

/* Whether one that is chosen could be this. */
bool numbering_could_choose(const struct numbering *, int64_t);
/* From here on they are chosen, if none are given. */
void numbering_choose(struct numbering *);

struct item numbering_evaluate(struct numbering *, const struct workbench *, const struct formula *,
                               struct item value, struct item is_called);

#endif
