/*
 * formula: the predictions that a level allows, as clauses and edges of a search (checkers/search/solver/search.h).
 *
 *     full(t), boundary(t)     t is full; t is the boundary transaction of its session
 *     reaches(r)               strict: the cut is at the read r, or behind it
 *     comes(r, w)              the read is included, and reads from w
 *     from(t, w)               some read of t that is included reads from w
 *     written(t, k)            t's write of k is included
 *     edge literals            c commits before w; at prefix and snapshot also: t begins before c commits
 *
 * Of a prediction everything else follows from full, boundary, cuts and comes. A literal that is known from the
 * outset is LITERAL_TRUE or LITERAL_FALSE; clauses are made without these.
 */
#ifndef PREDICT_FORMULA_PRIVATE_H
#define PREDICT_FORMULA_PRIVATE_H

#include "base/array.h"
#include "base/map.h"
#include "checkers/search/solver/search.h"
#include "predict/normal_form_private.h"

#define LITERAL_TRUE (UINT32_MAX - 1)
#define LITERAL_FALSE (UINT32_MAX - 2)

struct formula {
    const struct normal_form *n;
    struct arena *arena;
    uint32_t variable_count;
    bool is_impossible; /* a clause without a literal */
    ARRAY(uint8_t) phases;
    ARRAY(uint32_t) literals;
    ARRAY(uint32_t) clause_start;
    ARRAY(struct search_edge) edges;
    uint32_t *full, *boundary; /* by transaction */
    uint32_t *reaches;         /* by read, and one more for the end of each transaction */
    uint32_t *cut;             /* by read */
    uint32_t *choice;          /* by candidate: a boundary transaction's read comes from it */
    uint32_t *comes;           /* by candidate */
    uint32_t *written;         /* by place in the writes */
    /*
     * Each transaction is a node of orders, but the variants of a session are one together, since one of them stands
     * there at most. By key: the nodes that write it, each with the literal that it does.
     */
    uint32_t node_count;
    uint32_t *node;        /* by transaction */
    uint32_t *takes_part;  /* by node: it is full, or the boundary */
    uint32_t *write_start; /* by key, and one more */
    struct writing_node {
        uint32_t node, written;
    } * writes;
    struct map from;   /* reader and writer: the literal; those of a reader stand together */
    size_t sees_start; /* where those of the transaction at hand begin */
    struct map commits_before; /* two transactions: the literal of the edge */
    struct map begins_before;
    ARRAY(uint32_t) clause; /* that is being made */
};

static inline uint32_t literal_not(uint32_t literal)
{
    if (literal == LITERAL_TRUE)
        return LITERAL_FALSE;
    return literal == LITERAL_FALSE ? LITERAL_TRUE : literal ^ 1;
}

/* Closed by formula_close(), also after a failure. */
MUST_USE enum status formula_init(struct formula *, const struct normal_form *, struct arena *,
                                  struct error *);
void formula_close(struct formula *);

/* A new variable's positive literal; what is tried first. */
MUST_USE enum status formula_variable(struct formula *, bool phase, uint32_t *literal,
                                      struct error *);
MUST_USE enum status formula_add(struct formula *, const uint32_t *literals, size_t count,
                                 struct error *);
#define FORMULA_ADD(f, err, ...)                                                                   \
    TRY(formula_add((f), (const uint32_t[]){ __VA_ARGS__ },                                        \
                    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), (err)))

#endif
