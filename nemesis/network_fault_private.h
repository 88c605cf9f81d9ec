/*
 * network_fault: partitions, clogs and bursts of faulty messages.
 *
 * A partition cuts directed links, by shape:
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
#ifndef NEMESIS_NETWORK_FAULT_PRIVATE_H
#define NEMESIS_NETWORK_FAULT_PRIVATE_H

#include "nemesis/nemesis.h"

bool network_fault_cut(struct nemesis *, struct world *);
void network_fault_mend(struct nemesis *, struct world *);

/*
 * Fills cuts[from * node_count + to]; `order` is a permutation of the nodes. So
 * many at its start are on the first side, where the shape has one of any
 * size; 0: as many as usual.
 */
void network_fault_fill(enum nemesis_shape, const uint32_t *order, uint32_t first_side,
                    uint32_t node_count, bool *cuts);

/*
 * A clog makes messages wait, on drawn links, or whatever a node sends or receives.
 *
 * Nothing is lost: what waited arrives when the clog ends. It ends by itself.
 */
bool network_fault_clog(struct nemesis *, struct world *);
void network_fault_unclog(struct nemesis *, struct world *);

/*
 * In a burst links lose, delay, duplicate or reorder more than the network's options say, and on
 * top of them: all links between nodes and with clients, or all links of the victims, or drawn
 * links from one node to another. Whether it hit a message shows at the release only.
 */
bool network_fault_burst(struct nemesis *, struct world *);
void network_fault_end_burst(struct nemesis *, struct world *);
bool network_fault_was_felt(struct nemesis *, struct world *);

#endif
