/*
 * search_fixture: problems for the search, a checker of its proofs, and an oracle.
 *
 * The oracle tries every truth of every variable; the checker of proofs believes a step
 * only if it follows as search.h says. Neither shares code with the search.
 */
#ifndef TESTS_CHECKERS_SEARCH_SEARCH_FIXTURE_H
#define TESTS_CHECKERS_SEARCH_SEARCH_FIXTURE_H

#include <stdbool.h>

#include "base/array.h"
#include "base/random.h"
#include "checkers/search/solver/search.h"

struct puzzle {
    uint32_t node_count, variable_count;
    ARRAY(struct search_edge) edges;
    ARRAY(uint32_t) literals;
    ARRAY(uint32_t) starts;
    ARRAY(struct search_chain) chains;
    ARRAY(struct search_reader) readers;
    ARRAY(struct search_choice) choices;
    uint8_t *phases; /* NULL: no hint */
    uint32_t *order;
};

void puzzle_close(struct puzzle *);
void puzzle_edge(struct puzzle *, uint32_t from, uint32_t to, uint32_t guard, uint32_t other);
void puzzle_clause(struct puzzle *, const uint32_t *literals, uint32_t count);
struct search_problem puzzle_problem(const struct puzzle *);

/* A few nodes, variables, edges and clauses, without a meaning. */
void puzzle_draw(struct puzzle *, struct random *);

/*
 * Transactions that read and write keys: a few transactions, whose reads may have several
 * possible sources. `slip` of 100 reads see some version instead of the one they ought to.
 */
struct puzzle_shape {
    uint32_t txn_count, key_count, op_count;
    uint32_t write_percent, slip_percent, value_count; /* few values: reads have several sources */
};
void puzzle_draw_history(struct puzzle *, const struct puzzle_shape *, struct random *);

/* By trying everything. */
bool oracle_can_solve(const struct search_problem *);

/* NULL, or what is wrong with it. */
const char *proof_flaw(const struct search_problem *, const struct search_proof *);

#endif
