/*
 * chains_private: transactions one behind the other by session order and reads, and the writers of
 * each key chain after chain.
 *
 *     sessions   A: T1 T3    B: T2    C: T4, who read from T2        chains   T1 T3    T2 T4
 *
 * A session is never in two chains.
 */
#ifndef CHECKERS_WEAK_CHAINS_PRIVATE_H
#define CHECKERS_WEAK_CHAINS_PRIVATE_H

#include "checkers/weak/weak_private.h"

/* A writer of a key: beside `writer`. */
struct weak_seat {
    uint32_t chain, place;
};

struct weak_chains {
    struct weak *w;
    uint32_t count;
    uint32_t *chain, *place; /* by transaction; places from 1 */
    uint32_t *last;          /* by chain, while they are made */
    uint32_t *key_start;     /* by key, and one more: its writers, by chain and place */
    uint32_t *writer;
    struct weak_seat *seats;
};

/* w->base has been found, and is an order. Closed by weak_chains_close(), also after a failure. */
MUST_USE enum status weak_chains_init(struct weak_chains *, struct weak *, struct error *);
void weak_chains_close(struct weak_chains *);

#endif
