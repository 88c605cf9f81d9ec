/*
 * case_units: counts the parts of a case, makes the case without some of them, or changes when they
 * happen.
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

/*
 * Changes when things happen in a case: shorter pauses, an earlier end, rounder times.
 */

/* No pause longer than this: between what begins or ends and the next. */
MUST_USE enum status case_tighten(struct bisect_case *, const struct bisect_case *, int64_t pause_ns,
                                  struct error *);
/* Everything later by as much as lets the first thing happen at `start_ns`, if it is earlier. */
MUST_USE enum status case_start(struct bisect_case *, const struct bisect_case *, int64_t start_ns,
                                struct error *);
/* Times and durations to the next multiple of the unit. */
MUST_USE enum status case_round(struct bisect_case *, const struct bisect_case *, int64_t unit_ns,
                                struct error *);
/* Ends so long after the last thing begins or ends, but not later than before. */
void case_shorten(struct bisect_case *, int64_t after_ns);
/* Faults end then, and clients begin no more. */
MUST_USE enum status case_until(struct bisect_case *, const struct bisect_case *, int64_t end_ns,
                                struct error *);
/* When the last thing begins or ends, or the run is over, whichever is earlier. */
int64_t case_end_ns(const struct bisect_case *);

#endif
