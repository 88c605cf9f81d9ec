/*
 * predicate_shape: makes the shape of a predicate from its bytes, and a condition from a shape or a
 * whole text, with PostgreSQL's parser.
 */
#ifndef PROGRAMS_MACHINE_PREDICATE_SHAPE_PRIVATE_H
#define PROGRAMS_MACHINE_PREDICATE_SHAPE_PRIVATE_H

#include "programs/machine/predicates_private.h"

/* False: the text is not to be cut, or has no numbers. */
bool predicate_lift(struct text, struct lifted *);
/* Marks are numbers, counted in the order in which they stand. */
MUST_USE enum status predicate_compile(struct predicates *, uint32_t table, struct text,
                                       bool has_marks, struct predicate_shape *, struct error *);

#endif
