/*
 * tell: adds findings for faults of single reads, and for smallest cycles.
 */
#ifndef CHECKERS_WEAK_TELL_PRIVATE_H
#define CHECKERS_WEAK_TELL_PRIVATE_H

#include "checkers/weak/weak_private.h"

/*
 * Tells a smallest cycle of each component, and each edge to the initial transaction. Those who
 * take part in what is told are marked in `told`, and no component with such is told.
 */
MUST_USE enum status weak_tell_cycles(struct weak *, const struct weak_axiom *,
                                      const struct weak_judgement *, uint8_t *told, struct error *);
MUST_USE enum status weak_tell_faults(struct weak *, struct error *);

#endif
