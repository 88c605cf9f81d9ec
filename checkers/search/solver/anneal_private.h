/*
 * anneal: searches for a total order in which few chains of a key overlap.
 *
 *     key x    |--A--|                     a chain: from its head to its last reader
 *                 |----B----|   . C        A and B overlap; C, unread, is a point
 *     places   0 1 2 3 4 5 6 7 8 9
 *
 * A move takes two nodes that stand the wrong way round, and puts the one right before the other,
 * or the other right behind the one, along with whom the edges without guards demand:
 * these always lead forward. It stays if it lowers the number of overlapping pairs (and
 * what reads with several possible sources cost), or with a chance that shrinks as it gets
 * colder (Kirkpatrick, Gelatt and Vecchi 1983). Where nothing is left, the order is a
 * model as far as chains and choices tell: others have the last word.
 */
#ifndef CHECKERS_SEARCH_SOLVER_ANNEAL_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_ANNEAL_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/random.h"
#include "checkers/search/solver/anneal_line_private.h"
#include "checkers/search/solver/anneal_reads_private.h"
#include "checkers/search/solver/search.h"
#include "checkers/search/solver/search_index_private.h"

#define ANNEAL_ODDS 64 /* a move that adds as many pairs is not made */

/*
 * Where a chain begins and ends: the labels of the first node of its head's writer and of the last
 * node of its tail's, then those of its head and of its last reader. Both must lie before
 * those of another for the chain to be before it.
 */
struct anneal_stretch {
    int64_t first, last, head, last_reader;
};

/* What lies next to a node in memory: a chain of which it is an end. */
struct anneal_touch {
    uint32_t chain;
    uint32_t rival_start, rival_count; /* those it may overlap, in rivals */
    bool is_point;                     /* it is where the node is, from beginning to end */
};

/* A chain that moved, where it was, and whether it overlaps another now. */
struct anneal_change {
    uint32_t chain;
    struct anneal_stretch was;
    bool overlaps;
};

struct anneal {
    const struct search_problem *problem;
    struct anneal_line line;
    struct anneal_reads reads; /* whose source is open */
    struct random random;

    struct anneal_stretch *stretches; /* by chain */
    uint32_t *rival_start, *rivals;   /* by chain: chains of undecided order */
    uint32_t *touch_start;            /* by node, in touches */
    struct anneal_touch *touches;

    uint64_t overlaps;        /* pairs */
    ARRAY(uint32_t) suspects; /* chains; of each pair that overlaps one is here */
    uint8_t *is_suspect;
    ARRAY(struct anneal_change) changes; /* of the move at hand */

    double temperature;
    uint64_t odds[ANNEAL_ODDS]; /* by pairs more: the chance, of 2^64 */
    uint64_t moves, cool_at, steps;
    uint64_t patience; /* how much slower it cools than at first */
};

MUST_USE enum status anneal_init(struct anneal *, const struct search_index *, uint64_t seed,
                                 struct error *);
void anneal_close(struct anneal *);

/* Begins anew there; the more patience, the slower it cools. */
void anneal_heat(struct anneal *, double temperature, uint64_t patience);

/* Until it costs so little, or it is as cold, or so many steps are done. */
struct anneal_goal {
    uint64_t cost, steps;
    double temperature;
};
MUST_USE enum status anneal_run(struct anneal *, const struct anneal_goal *, struct error *);

static inline uint64_t anneal_steps(const struct anneal *a)
{
    return a->steps + a->line.steps + a->reads.steps;
}

/* What is wrong with the order: 0 if nothing is. */
static inline uint64_t anneal_cost(const struct anneal *a)
{
    return a->overlaps + a->reads.cost;
}

#endif
