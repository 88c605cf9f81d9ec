/*
 * case_units: counts the parts of a case, and makes the case without some of them.
 *
 * Each strike, transaction or operation has a number of the kind that is asked for. Several may share
 * a number.
 */
#ifndef TRIAL_BISECT_CASE_UNITS_PRIVATE_H
#define TRIAL_BISECT_CASE_UNITS_PRIVATE_H

#include "trial/bisect/case_private.h"

enum case_unit {
    UNIT_FAMILY,  /* strikes of one kind of nemesis */
    UNIT_NEMESIS, /* strikes of one nemesis */
    UNIT_STRIKE,
    UNIT_VICTIM,  /* a node or link of a strike */
    UNIT_SESSION,
    UNIT_KEY,     /* operations on one key */
    UNIT_TXN,
    UNIT_STEP,    /* operations of a transaction that belong together */
    UNIT_COUNT
};

MUST_USE enum status case_count(const struct bisect_case *, const struct bisect_origin *,
                                enum case_unit, size_t *count, struct error *);

/* Units [from, to) of a kind. */
struct case_part {
    enum case_unit unit;
    size_t from, to;
};

MUST_USE enum status case_without(struct bisect_case *, const struct bisect_case *,
                                  const struct bisect_origin *, const struct case_part *,
                                  struct error *);

/* Sessions from 0 on, as many as have transactions. */
MUST_USE enum status case_renumber(struct bisect_case *, const struct bisect_case *,
                                   struct error *);

/* Clients of nodes that are gone talk to others. */
void case_set_nodes(struct bisect_case *, uint32_t nodes);

/* Strike `number` goes on until the nemesis's next one ends, which is left out. */
MUST_USE enum status case_merge(struct bisect_case *, const struct bisect_case *,
                                const struct bisect_origin *, size_t number, struct error *);

/* Only the first transactions, and the strikes that came before the next one, or soon after. */
MUST_USE enum status case_prefix(struct bisect_case *, const struct bisect_case *, size_t txns,
                                 struct error *);

#endif
