/*
 * partition: which directed links are cut, by shape.
 *
 *     halves, random-halves   a b | c d e       each side hears only itself
 *     isolate-one             a | b c d e
 *     bridge                  a b - x - d e     x hears both sides, they only it
 *     one-way                 a b > c d e       one side is not heard by the other
 *     majorities-ring         in a drawn ring, each node hears the majority
 *                             around it: windows of 3 of 5, no two the same
 *
 * With an even majority the window reaches one further back than ahead, so
 * some links carry one way only; with an odd one all are cut both ways.
 */
#ifndef NEMESIS_PARTITION_H
#define NEMESIS_PARTITION_H

#include "nemesis/nemesis.h"

bool partition_strike(struct nemesis *, struct world *);
void partition_release(struct nemesis *, struct world *);

/* Fills cuts[from * node_count + to]; `order` is a permutation of the nodes. */
void partition_fill(enum nemesis_shape, const uint32_t *order, uint32_t node_count, bool *cuts);

#endif
