/*
 * solver: clause learning over an order of nodes, one engine of the portfolio.
 *
 * Decide a variable, propagate: clauses make further literals true, and edges whose
 * guards are all true enter the order. A cycle is a conflict as a false clause is; its
 * explanation is the guards on it. From a conflict a clause is learnt (first unique
 * implication point), which names what it follows from (search_log).
 *
 * Variables in no clause are decided only if they took part in a conflict or if the
 * order, as it happens to stand, satisfies neither polarity: most never are.
 *
 * The engine can be stopped after any number of steps and goes on where it was.
 */
#ifndef CHECKERS_SEARCH_SOLVER_SOLVER_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_SOLVER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "checkers/search/solver/search.h"
#include "checkers/search/solver/search_index_private.h"
#include "checkers/search/solver/search_log_private.h"
#include "checkers/search/solver/topology_private.h"

#define NO_CLAUSE UINT32_MAX

/*
 * Clauses lie one behind the other in words: a head, then the literals. The first two
 * literals are watched. A clause is known by where its head begins.
 */
struct clause_head {
    uint32_t size;
    uint32_t number; /* in proofs: of the problem, then of the steps */
    uint32_t is_learnt : 1, is_doomed : 1, spread : 30; /* spread: how many levels it joined */
    float activity;
};
#define HEAD_WORDS 4

struct watch {
    uint32_t clause;
    uint32_t blocker; /* a literal of it: if true, there is nothing to do */
};

struct decision_level {
    uint32_t trail, inserted; /* how many there were when it began */
    uint32_t firm, read;      /* nothing is open before these */
};

struct solver {
    const struct search_index *index;
    const struct search_options *options;
    struct topology topology;
    struct search_log log;
    bool is_logging;

    /* The assignment. */
    int8_t *value;                          /* by literal: 1 true, -1 false, 0 open */
    uint32_t *level_of, *reason, *since;    /* by variable; since: place in the trail */
    uint32_t *unit;                         /* by variable: at level 0, the clause's number */
    uint8_t *phase;                         /* by variable: what it was last */
    uint32_t *trail;                        /* literals */
    uint32_t trail_count, visited, ordered; /* of the trail: clauses; edges are seen to */
    uint32_t logged;                        /* of the trail's level 0 */
    uint32_t *inserted;                     /* edges, in the order in which they came */
    uint32_t inserted_count;
    struct decision_level *levels; /* level 0 is not among them */
    uint32_t level_count;
    uint32_t firm_next, read_next, lazy_next; /* where to look for something to decide */

    /* Clauses. */
    ARRAY(uint32_t) words;
    ARRAY(uint32_t) learnts;
    ARRAY(struct watch) * watches; /* by literal: of clauses to visit when it becomes false */
    uint32_t learnt_max;
    float clause_bump;

    /* Activity; the heap holds variables that have been in a conflict, or are to be decided. */
    double *activity;
    double bump;
    uint32_t *heap, *heap_place;
    uint32_t heap_count;

    /* The conflict: a clause or a cycle. */
    uint32_t conflict;
    uint32_t *cycle;
    uint32_t cycle_count;
    ARRAY(uint32_t) learnt;
    ARRAY(uint32_t) causes;  /* variables whose reasons were used */
    ARRAY(uint32_t) numbers; /* scratch: of clauses */
    ARRAY(uint32_t) stack;
    uint8_t *seen; /* by variable */
    ARRAY(uint32_t) touched;
    uint32_t *level_mark; /* by level */
    uint32_t level_stamp;

    uint32_t *home; /* order to return to at each restart, or NULL */
    uint64_t steps, restart_at, conflict_limit;
    struct search_counts counts;
    bool is_impossible;
};

MUST_USE enum status solver_init(struct solver *, const struct search_index *,
                                 const struct search_options *, struct error *);
void solver_close(struct solver *);

struct solver_budget {
    uint64_t steps, conflicts; /* from now on */
    const atomic_bool *stops[2];
};

/* SEARCH_UNDECIDED: the budget is used up, or somebody wants it to stop. */
MUST_USE enum status solver_run(struct solver *, const struct solver_budget *, enum search_answer *,
                                struct error *);

/* From the next restart, which is at once, on. It must fit the edges without guards. */
MUST_USE enum status solver_set_home(struct solver *, const uint32_t *order, struct error *);

/* All that was spent, in steps. */
uint64_t solver_steps(const struct solver *);

/* After SEARCH_FOUND: the truth of each variable. */
void solver_read_values(const struct solver *, uint8_t *values);

/* --- Between the files of the engine ---------------------------------------------- */

static inline struct clause_head *clause_head(const struct solver *s, uint32_t clause)
{
    return (struct clause_head *)(void *)(s->words.at + clause);
}

static inline uint32_t *clause_literals(const struct solver *s, uint32_t clause)
{
    return s->words.at + clause + HEAD_WORDS;
}

void solver_assign(struct solver *, uint32_t literal, uint32_t reason);
static inline bool solver_has_conflict(const struct solver *s)
{
    return s->conflict != NO_CLAUSE || s->cycle_count > 0;
}
void solver_go_back(struct solver *, uint32_t level);

MUST_USE enum status solver_add_clause(struct solver *, const uint32_t *literals, uint32_t count,
                                       uint32_t number, uint32_t *clause, struct error *);

void solver_bump(struct solver *, uint32_t variable);

#endif
