/*
 * operator_evaluate: evaluates an operator or a function that was chosen by operator.h.
 *
 * What predicates are mostly made of is decided in one switch; everything else, and every error,
 * goes through a table of functions.
 */
#ifndef PROGRAMS_VALUES_OPERATOR_EVALUATE_H
#define PROGRAMS_VALUES_OPERATOR_EVALUATE_H

#include "base/text.h"
#include "programs/values/heap.h"
#include "programs/values/operator.h"

/* The result may be one of the arguments. Where it fails, the result is as it was. */
MUST_USE enum status operator_evaluate(const struct operator_choice *,
                                       const struct datum *arguments, struct datum *result,
                                       struct heap *, struct sql_error *);

/* The same where there are one or two arguments, wherever they are; one is given twice. */
MUST_USE enum status operator_evaluate_two(const struct operator_choice *, const struct datum *,
                                           const struct datum *, struct datum *result,
                                           struct heap *, struct sql_error *);

/* The first `characters` characters of a text, in bytes; less where it has not so many. */
size_t operator_clip(struct text, size_t characters);

#endif
