/*
 * victims: which nodes a nemesis strikes.
 *
 * Drawn from the nemesis's stream. A node that the fault had no effect on, as
 * it was down already, is not held, and is left alone at the release.
 */
#ifndef NEMESIS_VICTIMS_H
#define NEMESIS_VICTIMS_H

#include <stdint.h>

#include "nemesis/nemesis.h"

/* Puts all nodes into nemesis->order, as drawn. */
void victims_draw_order(struct nemesis *);
/* How many the shape (of kind crash or pause) strikes this time. */
uint32_t victims_draw_count(struct nemesis *);
/* The nemesis holds the node from now on. */
void victims_add(struct nemesis *, uint32_t node, int64_t undo);

#endif
