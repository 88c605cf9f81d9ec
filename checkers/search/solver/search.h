/*
 * search: an order in which all demanded edges lead forward, or a proof that there is none.
 *
 * A problem is a graph of nodes and edges, and boolean variables with clauses over
 * them. An edge is there when all its guards are true; one without a guard always is.
 * The answer is a truth for each variable that satisfies the clauses, and a total order
 * of the nodes in which every edge that is there leads forward; or, that none exists,
 * with a proof of steps that each can be checked on their own.
 *
 *     reader of A's tail --[A before B]--> head of B      guards: the variable itself
 *     reader of B's tail --[not it]------> head of A      and its negation
 *
 * Everything is a number: nodes, variables (of which 2 v is the literal "v", 2 v + 1
 * "not v"), clauses, edges. The edges without guards must be acyclic. What is beside
 * that (chains, choices, order, phases) are hints: they change how soon the answer is
 * found, never which one it is.
 *
 * Threads race on the same problem; the first answer ends the race. With one thread
 * the answer, model and proof are a function of problem and options.
 */
#ifndef CHECKERS_SEARCH_SOLVER_SEARCH_H
#define CHECKERS_SEARCH_SOLVER_SEARCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"

#define SEARCH_NONE UINT32_MAX /* no guard; no node */

static inline uint32_t search_literal(uint32_t variable, bool truth)
{
    return 2 * variable + !truth;
}

struct search_edge {
    uint32_t from, to;
    uint32_t guards[2]; /* literals or SEARCH_NONE, which is true */
};

/*
 * Hint: versions of a key that one transaction after the other made from each other,
 * with those who read the last of them. Chains of one key may not overlap:
 * A before B iff last of A < first of B and each reader of A < head of B
 * (serializable: first = head; snapshot: first is the snapshot of the head's writer,
 * head its commit, last the commit of the tail's writer, a reader a snapshot).
 * Any node may be SEARCH_NONE: nothing to compare. Chains stand key by key.
 */
struct search_chain {
    uint32_t key;
    uint32_t first, head, last;
    uint32_t reader_start, reader_end; /* in search_problem.readers */
};

struct search_reader {
    uint32_t node;
    uint32_t guard; /* reads it if this literal is true; SEARCH_NONE: certainly */
};

/*
 * Hint: a read may have several sources, and the variable says that it is this one. The
 * candidates of one read stand together. That at least one holds and no two do is for
 * the clauses to say.
 */
struct search_choice {
    uint32_t read; /* any number that the candidates of a read share */
    uint32_t variable;
    uint32_t reader, writer; /* nodes; writer SEARCH_NONE: the initial version */
};

struct search_problem {
    uint32_t node_count, variable_count;
    const struct search_edge *edges;
    uint32_t edge_count;
    /* Clause c is literals[clause_start[c]] up to clause_start[c + 1]; NULL if there is none. */
    const uint32_t *literals;
    const uint32_t *clause_start;
    uint32_t clause_count;
    /* Hints; each may be NULL or empty. */
    /* The nodes, in an order that fits the edges without guards. One that is far from any model
     * is worse than none: then it is guessed. */
    const uint32_t *order;
    const uint8_t *phases; /* by variable: what to try first where the order has no opinion */
    const struct search_chain *chains;
    uint32_t chain_count;
    const struct search_reader *readers;
    const struct search_choice *choices;
    uint32_t choice_count;
};

struct search_options {
    const atomic_bool *stop; /* may be NULL; once it is true the answer comes soon */
    unsigned threads;        /* at the most; 0: one */
    uint64_t seed;
    uint64_t steps_max; /* of each engine of the portfolio; 0: no limit. A core makes 50 to 200
                           million a second */
    bool wants_proof;
};

enum search_answer { SEARCH_FOUND, SEARCH_IMPOSSIBLE, SEARCH_UNDECIDED };

/*
 * A clause that follows. Assume that its literals are all false, and take the clauses
 * in `by` in turn, which are numbered so: those of the problem first, then the steps.
 * In each, all literals but one are false, and so the last is true; or all are, which is
 * the contradiction (and stands last). If there is none, the edges of the cycle are all
 * there, each beginning where the one before ends: that is the contradiction.
 */
struct search_step {
    uint32_t literals, literal_count; /* in search_proof.words */
    uint32_t by, by_count;
    uint32_t cycle, cycle_count; /* numbers of edges */
};

/* Every step is used by a later one; the last has no literal. */
struct search_proof {
    struct search_step *steps;
    uint32_t step_count;
    uint32_t *words;
};

struct search_counts {
    uint64_t steps, decisions, conflicts, restarts, moves;
};

struct search_result {
    enum search_answer answer;
    uint32_t *order; /* found: the nodes in order */
    uint8_t *values; /* found: the truth of each variable */
    /* Impossible and wanted: never empty, unless it outgrew its memory (has_proof is false). */
    struct search_proof proof;
    bool has_proof;
    struct search_counts counts; /* of all threads together */
};

/* The result must be closed, whatever the status. */
MUST_USE enum status search_solve(const struct search_problem *, const struct search_options *,
                                  struct search_result *, struct error *);
void search_result_close(struct search_result *);

#endif
