/*
 * commit_order: what must come before what, in every commit order: a set of edges that is kept closed, and without
 * cycles.
 *
 *     before   by transaction: a bit for each that must come before it
 *     after    the same the other way round
 *     past     by transaction: what came with it to whoever reads from it; legality.c says what
 *
 * Edges are added and taken back like a stack. A transaction that is appended comes with its edges, and has no edge
 * to others.
 */
#ifndef PREDICT_DIRECTOR_COMMIT_ORDER_PRIVATE_H
#define PREDICT_DIRECTOR_COMMIT_ORDER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* Bits that one row of `before` got, in one of its words. */
struct order_change {
    uint64_t bits;
    uint32_t txn, word;
};

struct commit_order {
    uint32_t room;  /* transactions that there are rows for: a multiple of 64 */
    uint32_t words; /* of a row */
    uint64_t *before, *after, *past;
    ARRAY(struct order_change) changes;
};

void commit_order_close(struct commit_order *);
/* Rows for so many transactions; all rows may move. */
MUST_USE enum status commit_order_reserve(struct commit_order *, uint32_t count, struct error *);

static inline uint64_t *order_row(uint64_t *rows, const struct commit_order *o, uint32_t txn)
{
    return rows + (size_t)txn * o->words;
}

static inline bool bits_have(const uint64_t *row, uint32_t bit)
{
    return row[bit / 64] >> bit % 64 & 1;
}

static inline void bits_add(uint64_t *row, uint32_t bit)
{
    row[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* `first` before `then`: which must not be before it already. */
MUST_USE enum status commit_order_add(struct commit_order *, uint32_t first, uint32_t then,
                                      struct error *);
static inline size_t commit_order_mark(const struct commit_order *o)
{
    return o->changes.count;
}
/* Takes back what was added since the mark; transactions that were appended since must be gone. */
void commit_order_go_back(struct commit_order *, size_t mark);

/* A transaction that comes after those whose bits are in its row of `before`, and after all that these come after. */
void commit_order_append(struct commit_order *, uint32_t txn);
/* The last one: its rows are empty again. */
void commit_order_remove(struct commit_order *, uint32_t txn);

#endif
