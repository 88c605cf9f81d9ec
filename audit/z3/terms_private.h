/*
 * terms: integers and booleans that depend on what is not known yet, for the engine z3.
 *
 *     s = terms_choice(t, 0, 3)                       a state, 0 to 3
 *     v = terms_if(t, terms_at_least(t, s, 2), a, b)  the value of a cell in that state
 *     terms_assert(t, terms_equal(t, v, seventeen))   it was answered
 *
 * Equal terms are one, constants are computed at once, and each term knows between which numbers it is, so that
 * comparisons are decided where they can be. Only what is asserted, and what it is made of, is handed to Z3.
 * Terms are numbers; nothing is an error before terms_assert(), but `overflows` is set once a number needs more than
 * 64 bits: then the terms mean nothing.
 */
#ifndef AUDIT_Z3_TERMS_PRIVATE_H
#define AUDIT_Z3_TERMS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "smt/smt.h"

typedef uint32_t term;

#define TERM_FALSE ((term)0)
#define TERM_TRUE ((term)1)

enum term_kind {
    TERM_TRUTH,
    TERM_NUMBER,
    TERM_FREE,
    TERM_ADD,
    TERM_MULTIPLY,
    TERM_DIVIDE,
    TERM_AT_MOST,
    TERM_EQUAL,
    TERM_NOT,
    TERM_AND,
    TERM_OR,
    TERM_IF,
};

struct term_node {
    uint8_t kind;
    bool is_boolean;
    uint32_t leaves; /* of constants under nothing but TERM_IF; 0: there is something else */
    term of[3];      /* of a number its halves, of a truth itself, of what is free its own number */
    int64_t low, high; /* what it can be; both the same: a constant */
    uint32_t made;     /* its number in smt, plus one; 0: it has none */
    term known;        /* H3: the constant that it has to be, or itself */
};

struct terms {
    struct smt *smt;
    struct arena *arena; /* guarded */
    struct term_node *nodes;
    uint32_t count, room;
    uint32_t *slots; /* place in nodes plus one; 0: free */
    uint32_t slot_count;
    ARRAY(term) todo, found; /* found: those with `known`, in the order in which they were */
    bool overflows;
    uint64_t asserted;
};

/* The arena must be one of arena_guarded(). */
void terms_init(struct terms *, struct arena *, struct smt *);

static inline const struct term_node *terms_node(const struct terms *t, term a)
{
    return &t->nodes[a];
}

static inline bool terms_is_constant(const struct terms *t, term a)
{
    return t->nodes[a].low == t->nodes[a].high;
}

term terms_number(struct terms *, int64_t);
static inline term terms_truth(bool truth)
{
    return truth ? TERM_TRUE : TERM_FALSE;
}
/* Of the kind that the term is of. */
term terms_constant(struct terms *, term, int64_t);
/* 1 or 0. */
term terms_as_number(struct terms *, term truth);
/* What is free is known to be between these only once that is asserted: terms_assert_bounds(). */
term terms_choice(struct terms *, int64_t low, int64_t high);
term terms_free_truth(struct terms *);

term terms_add(struct terms *, term, term);
term terms_subtract(struct terms *, term, term);
term terms_multiply(struct terms *, term, term);
/* By a constant above 0; rounds towards zero. */
term terms_divide(struct terms *, term, int64_t);
term terms_at_most(struct terms *, term, term);
term terms_equal(struct terms *, term, term);
term terms_not(struct terms *, term);
term terms_and(struct terms *, term, term);
term terms_or(struct terms *, term, term);
term terms_if(struct terms *, term condition, term then, term otherwise);

static inline term terms_less(struct terms *t, term a, term b)
{
    return terms_not(t, terms_at_most(t, b, a));
}

static inline term terms_at_least(struct terms *t, term a, int64_t number)
{
    return terms_at_most(t, terms_number(t, number), a);
}

/* H3: a term that has to be a constant is it from now on. */
MUST_USE enum status terms_find(struct terms *, term, int64_t, struct error *);
/* Only the first so many are. */
void terms_forget_found(struct terms *, size_t count);
static inline term terms_now(const struct terms *t, term a)
{
    return t->nodes[a].known;
}

MUST_USE enum status terms_assert(struct terms *, term, struct error *);
/* Of an integer that is free, which it is told not to be beyond; of others nothing. */
MUST_USE enum status terms_assert_bounds(struct terms *, term, struct error *);
MUST_USE enum status terms_evaluate(struct terms *, term, int64_t *, struct error *);

#endif
