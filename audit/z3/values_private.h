/* values: values of a transaction that is run for all states: data, and terms of what is not known yet. */
#ifndef AUDIT_Z3_VALUES_PRIVATE_H
#define AUDIT_Z3_VALUES_PRIVATE_H

#include "audit/z3/symbolic_private.h"

struct sym sym_of_datum(struct datum);
struct sym sym_of_truth(struct symbolic *, term);
struct sym sym_of_integer(struct symbolic *, term);
/* A term of which H3 knows by now that it is a constant. */
struct sym sym_now(struct symbolic *, const struct sym *);
struct sym sym_merge(struct symbolic *, term condition, const struct sym *then,
                     const struct sym *otherwise);
term sym_is_null(const struct sym *);
/* As WHERE and IF ask. */
term sym_is_true(const struct sym *);
/* Whether they are not distinct. */
term sym_same(struct symbolic *, const struct sym *, const struct sym *);
struct sym sym_apply(struct symbolic *, const struct operator_choice *, const struct sym *,
                     uint32_t count, uint32_t line);
/* Whether it is what an answer has, a text or null. */
term sym_is_answer(struct symbolic *, const struct sym *, struct text cell);
/* Elements: a variable for it. */
struct sym sym_element(struct symbolic *, const struct sym *);

#endif
