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
 * The leaders of all shards, or listed victims, are the first side of random
 * halves, one-way and isolate-one; one leader stands on the first side with
 * drawn others. Of a bridge the first victim is the node between.
 *
 * With an even majority the window reaches one further back than ahead, so
 * some links carry one way only; with an odd one all are cut both ways.
 */
#ifndef NEMESIS_PARTITION_PRIVATE_H
#define NEMESIS_PARTITION_PRIVATE_H

#include "nemesis/nemesis.h"

bool partition_strike(struct nemesis *, struct world *);
void partition_release(struct nemesis *, struct world *);

/*
 * Fills cuts[from * node_count + to]; `order` is a permutation of the nodes. So
 * many at its start are on the first side, where the shape has one of any
 * size; 0: as many as usual.
 */
void partition_fill(enum nemesis_shape, const uint32_t *order, uint32_t first_side,
                    uint32_t node_count, bool *cuts);

#endif
