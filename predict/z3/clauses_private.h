/*
 * clauses: clauses, and integers of which one is less than another, gathered before Z3 is asked.
 *
 *     uint32_t a = clauses_variable(&f), b = clauses_variable(&f);
 *
 *     clauses_add(&f, (uint32_t[]){ a, clauses_not(b) }, 2);
 *     clauses_less(&f, a, low, high);                                 if a, then low < high
 *
 * What is known already is one of two constants: clauses that hold are left out, and so are literals that do not. An
 * allocation that fails is remembered; all is there if clauses_status() says so.
 */
#ifndef PREDICT_Z3_CLAUSES_PRIVATE_H
#define PREDICT_Z3_CLAUSES_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"

/* As in smt/smt.h literal 2 v is variable v, and 2 v + 1 its opposite. */
#define CLAUSES_TRUE (UINT32_MAX - 1)
#define CLAUSES_FALSE UINT32_MAX

/* If the guard is true, low < high. */
struct clauses_less {
    uint32_t guard, low, high;
};

struct clauses {
    uint32_t variable_count, integer_count;
    ARRAY(uint32_t) literals; /* of all clauses */
    ARRAY(size_t) clause_end;
    ARRAY(struct clauses_less) lesses;
    ARRAY(uint32_t) gathered;
    enum status status;
    struct error error;
};

void clauses_close(struct clauses *);
MUST_USE enum status clauses_status(const struct clauses *, struct error *);

static inline uint32_t clauses_not(uint32_t literal)
{
    return literal ^ 1;
}

uint32_t clauses_variable(struct clauses *); /* returns its literal */
uint32_t clauses_integer(struct clauses *);
void clauses_add(struct clauses *, const uint32_t *literals, size_t count);
void clauses_less(struct clauses *, uint32_t guard, uint32_t low, uint32_t high);

/* All of the first together imply the last. */
void clauses_implies(struct clauses *, const uint32_t *premises, size_t count, uint32_t conclusion);

/* Literals are gathered one by one; some of them, or at most one of them, is true; then they are forgotten. */
void clauses_gather(struct clauses *, uint32_t literal);
void clauses_some_gathered(struct clauses *);
void clauses_at_most_one_gathered(struct clauses *);
void clauses_forget_gathered(struct clauses *);

/* Of clauses and comparisons. */
uint64_t clauses_literal_count(const struct clauses *);

#endif
