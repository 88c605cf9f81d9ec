/*
 * order: orders all transactions or finds components, and finds shortest paths.
 */
#ifndef CHECKERS_WEAK_ORDER_PRIVATE_H
#define CHECKERS_WEAK_ORDER_PRIVATE_H

#include "checkers/weak/weak_private.h"

/* Of so, wr, shown and these, which may be NULL; those to WEAK_INITIAL are passed over. */
MUST_USE enum status weak_find_order(struct weak *, const struct weak_edges *, struct weak_order *,
                                     struct error *);
void weak_order_close(struct weak_order *);

/* Whether one of these, from that number on, leads to the initial transaction. */
bool weak_leads_to_initial(const struct weak_edges *, size_t from);

/* Whether all of these lead to greater numbers (and CHECK_SLOWLY is not wanted). */
bool weak_goes_forward(const struct weak *, const struct weak_edges *);

/* Fills w->base, once. */
MUST_USE enum status weak_find_base(struct weak *, struct error *);

/* Saturates and orders. so and wr have no cycle. */
MUST_USE enum status weak_judge_axiom(struct weak *, const struct weak_axiom *, struct weak_judgement *,
                                      struct error *);
void weak_judgement_close(struct weak_judgement *);

/* The fewest steps of so and wr that lead from one to the other; there are some. */
MUST_USE enum status weak_find_path(const struct weak *, uint32_t from, uint32_t to,
                                    struct weak_path *, struct error *);

#endif
