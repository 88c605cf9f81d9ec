/*
 * smt: the only interface to Z3: booleans, clauses, differences of integers, terms of integers, and a propagator. Z3
 * is loaded when it is first asked for, which fails where it is not installed. Where an allocation fails it may end
 * the process, so all of this is for a process apart (smt/apart.h), which frees it with its end; only smt_probe()
 * sees to that itself.
 *
 *     struct smt *smt;
 *
 *     TRY(smt_open(&smt, SMT_DIFFERENCES, &options, err));
 *     TRY(smt_add_variables(smt, 3, err));
 *     TRY(smt_add_clause(smt, literals, 2, err));         literal 2 v is "v", 2 v + 1 "not v"
 *     TRY(smt_check(smt, &answer, err));
 *     TRY(smt_read_values(smt, values, err));             after SMT_HOLDS
 *
 * Effort is counted in Z3's own steps and never in seconds, so that the same questions get the same
 * answers. Z3's default error handler ends the process: here an error is a status. That something
 * is impossible comes without a proof.
 */
#ifndef SMT_SMT_H
#define SMT_SMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum smt_logic {
    SMT_DIFFERENCES, /* booleans, and integers that are compared */
    SMT_BOOLEANS,    /* booleans alone, and maybe a propagator */
    SMT_TERMS,       /* terms of booleans and of integers, asserted and taken back in scopes */
    SMT_QUANTIFIED,  /* all of these, and terms that speak of all integers */
};

struct smt_options {
    unsigned rlimit; /* Z3's steps; 0: no limit */
    unsigned seed;
};

struct smt;

/* Whether Z3 can be loaded, or why not. */
MUST_USE enum status smt_probe(struct error *);

MUST_USE enum status smt_open(struct smt **, enum smt_logic, const struct smt_options *,
                              struct error *);

/* Booleans 0 to count - 1. Once. */
MUST_USE enum status smt_add_variables(struct smt *, uint32_t count, struct error *);
/* Integers 0 to count - 1. Once. */
MUST_USE enum status smt_add_integers(struct smt *, uint32_t count, struct error *);
/* One of the literals is true; of none: nothing holds. */
MUST_USE enum status smt_add_clause(struct smt *, const uint32_t *literals, size_t count,
                                    struct error *);
/* If all guards, literals, are true, the integer `low` is less than `high`. At most two guards. */
MUST_USE enum status smt_add_less(struct smt *, const uint32_t *guards, size_t guard_count,
                                  uint32_t low, uint32_t high, struct error *);

/* --- Terms --- */

/* Terms are numbered from 0 and stay until the end, also those that were made in a scope that is closed. */
enum smt_operation {
    SMT_ADD,      /* of two integers */
    SMT_MULTIPLY, /* likewise */
    SMT_DIVIDE,   /* by a constant above 0; rounds down */
    SMT_AT_MOST,  /* of two integers */
    SMT_EQUAL,    /* of two of one kind */
    SMT_NOT,
    SMT_AND, /* of two */
    SMT_OR,  /* of two */
    SMT_IF,  /* a boolean, and two of one kind */
};

MUST_USE enum status smt_make_constant(struct smt *, int64_t, uint32_t *term, struct error *);
MUST_USE enum status smt_make_truth(struct smt *, bool, uint32_t *term, struct error *);
/* Of one of the variables that were added: as in clauses. */
MUST_USE enum status smt_make_literal(struct smt *, uint32_t literal, uint32_t *term, struct error *);
/* What is to be found. */
MUST_USE enum status smt_make_free(struct smt *, bool is_boolean, uint32_t *term, struct error *);
/* As many operands as the operation has. */
MUST_USE enum status smt_make_term(struct smt *, enum smt_operation, const uint32_t *operands, uint32_t *term,
                                   struct error *);
/* One of these booleans is true; of none: nothing holds. */
MUST_USE enum status smt_make_any(struct smt *, const uint32_t *terms, size_t count, uint32_t *term, struct error *);
/*
 * The boolean is true whatever the integers are that smt_make_free() made as these terms, at least one. These must be in
 * no other term that is asserted.
 */
MUST_USE enum status smt_make_for_all(struct smt *, const uint32_t *bound, size_t count, uint32_t body, uint32_t *term,
                                      struct error *);
MUST_USE enum status smt_assert(struct smt *, uint32_t term, struct error *);
MUST_USE enum status smt_push(struct smt *, struct error *);
/* What was asserted in the last so many scopes is taken back. */
MUST_USE enum status smt_pop(struct smt *, unsigned scopes, struct error *);
/* In the model of the last check, which said SMT_HOLDS and behind which nothing was asserted: of a boolean 0 or 1. */
MUST_USE enum status smt_evaluate(struct smt *, uint32_t term, int64_t *value, struct error *);

/*
 * Watches which variables are given a truth. `fixed` may call smt_refuse(); what was fixed since a
 * push is taken back by the pop that belongs to it. The propagator stays where it is.
 */
struct smt_propagator {
    void (*push)(void *context);
    void (*pop)(void *context, unsigned count);
    void (*fixed)(void *context, struct smt *, uint32_t variable, bool truth);
    void *context;
};

/* Of all variables, which have been added. */
MUST_USE enum status smt_watch(struct smt *, const struct smt_propagator *, struct error *);
/* Within `fixed`: the truths that these variables have now cannot be together. */
void smt_refuse(struct smt *, const uint32_t *variables, size_t count);

enum smt_answer { SMT_HOLDS, SMT_IMPOSSIBLE, SMT_UNDECIDED };

MUST_USE enum status smt_check(struct smt *, enum smt_answer *, struct error *);
/* The truth of each variable in the model that was found. */
MUST_USE enum status smt_read_values(struct smt *, uint8_t *values, struct error *);

#endif
