/* values: what is in cells and variables of a transaction that is run for all states, and what operators make of it. */
#ifndef AUDIT_Z3_VALUES_PRIVATE_H
#define AUDIT_Z3_VALUES_PRIVATE_H

#include "audit/z3/symbolic_private.h"

static inline struct sym sym_null(void)
{
    return (struct sym){ .kind = DATUM_NULL, .null = TERM_TRUE };
}

static inline struct sym sym_of_truth(term truth)
{
    return (struct sym){ .kind = DATUM_BOOLEAN, .value = truth, .null = TERM_FALSE };
}

static inline struct sym sym_of_integer(term value)
{
    return (struct sym){ .kind = DATUM_INTEGER, .value = value, .null = TERM_FALSE };
}

/* As WHERE and IF ask. */
static inline term sym_is_true(struct sym a)
{
    return a.value;
}

static inline term sym_is_false(struct terms *t, struct sym a)
{
    return terms_and(t, terms_not(t, a.value), terms_not(t, a.null));
}

struct sym sym_of_datum(struct symbolic *, const struct datum *);
/* False: it is not known yet. */
bool sym_find_datum(const struct symbolic *, struct sym, struct datum *);
/* What H3 knows by now to be a constant is one. */
struct sym sym_now(const struct symbolic *, struct sym);
struct sym sym_merge(struct symbolic *, term condition, struct sym then, struct sym otherwise);
/* Whether they are not distinct. */
term sym_same(struct symbolic *, struct sym, struct sym);
struct sym sym_apply(struct symbolic *, const struct operator_choice *, const struct sym *arguments,
                     uint32_t count, uint32_t line);
/* Whether it is what an answer has, a text or null. */
term sym_is_answer(struct symbolic *, struct sym, struct text cell);
/* Elements: a variable for it. */
struct sym sym_element(struct symbolic *, struct sym);

#endif
