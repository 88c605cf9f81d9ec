/*
 * anneal_line: nodes on a line, on which a few can be moved without touching the rest.
 *
 *     ... p [10] - q [17] - r [40] ...      r moves between p and q: r [13]
 *
 * Every node has a label, which rises along the line, with room between them; where that
 * is used up all labels are made anew. The edges without guards lead forward, always.
 *
 * Compared with topology, which has both who leads to a node and whom the other
 * leads to trade places, here only one of the two groups moves: for annealing that is
 * half the disturbance.
 */
#ifndef CHECKERS_SEARCH_SOLVER_ANNEAL_LINE_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_ANNEAL_LINE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "checkers/search/solver/search.h"

/* The edges without guards, one way. */
struct line_rows {
    uint32_t *start, *node;
};

struct anneal_line {
    uint32_t node_count;
    int64_t *label;            /* by node, positive */
    uint32_t *next, *previous; /* by node; node_count stands before the first and after the last */
    struct line_rows out, in;
    uint32_t *mark, stamp;
    uint64_t steps;
    /* Who is about to move, in order, and where they were. */
    uint32_t *movers, mover_count;
    int64_t *old_label;
    uint32_t *old_previous;
};

MUST_USE enum status anneal_line_init(struct anneal_line *, const struct search_problem *, const uint32_t *order,
                                      struct error *);
void anneal_line_close(struct anneal_line *);

/*
 * Fills `movers` with `from` and those between that lead to it (backwards), or with `to` and those
 * between that it leads to. False: `to` leads to `from`, or they are more than the limit.
 */
bool anneal_line_find_movers(struct anneal_line *, uint32_t from, uint32_t to, bool backwards, uint32_t limit);

/* Whether there is room for them on the other side; else anneal_line_relabel() makes it. */
bool anneal_line_has_room(const struct anneal_line *, uint32_t from, uint32_t to, bool backwards);
void anneal_line_relabel(struct anneal_line *);

/* Puts them right before `to` (backwards), or right behind `from`. */
void anneal_line_move(struct anneal_line *, uint32_t from, uint32_t to, bool backwards);
void anneal_line_take_back(struct anneal_line *);

/* Fills an order with the nodes as they stand. */
void anneal_line_read(const struct anneal_line *, uint32_t *order);

#endif
