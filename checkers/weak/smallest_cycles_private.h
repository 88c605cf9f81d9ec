/*
 * smallest_cycles: a smallest cycle of each component.
 *
 *     smallest_cycles_init(&cycles, w, axiom, judgement, err);
 *     for (uint32_t k = 0; k < cycles.count; k++)
 *         smallest_cycles_find(&cycles, k, err);      ... cycles.cycle.at[i] ...
 *     smallest_cycles_close(&cycles);
 *
 * Within components all edges that the axiom forces are made, also those that follow from
 * others; session order leads from each to all later ones. The search is breadth first, from one
 * transaction after the other, as long as there is patience: components are small, or
 * else any short cycle will do. One that needs a single edge beside session order and
 * reads says more than others, and is looked for first.
 */
#ifndef CHECKERS_WEAK_SMALLEST_CYCLES_PRIVATE_H
#define CHECKERS_WEAK_SMALLEST_CYCLES_PRIVATE_H

#include "checkers/weak/weak_private.h"

enum weak_arc_kind { WEAK_PROCESS, WEAK_READ, WEAK_SHOWN, WEAK_CO };

struct weak_arc {
    uint32_t from, to; /* transactions */
    uint32_t op;       /* of all but session order: the read */
    uint8_t kind;      /* enum weak_arc_kind */
};

struct smallest_cycles {
    struct weak *w;
    const uint32_t *component;
    uint32_t count;
    uint32_t *members, *member_start; /* transactions by component, by session, in its order */
    struct weak_arc *arcs;            /* within components, by component and where they begin */
    uint32_t *arc_start;              /* by place among the members, and one more */
    uint32_t *place;                  /* by transaction: among the members */
    uint32_t *first;                  /* by place: the first of its session and component */
    uint64_t patience;
    bool is_plain;

    /* A search: by place, what holds if `date` is that of the search. */
    uint32_t now, *date, *length, *bound_date, *bound, *queue;
    struct weak_arc *back;

    ARRAY(struct weak_arc) cycle; /* what was found; none if nothing was */
};

MUST_USE enum status smallest_cycles_init(struct smallest_cycles *, struct weak *, const struct weak_axiom *,
                                          const struct weak_judgement *, struct error *);
void smallest_cycles_close(struct smallest_cycles *);

MUST_USE enum status smallest_cycles_find(struct smallest_cycles *, uint32_t component, struct error *);

#endif
