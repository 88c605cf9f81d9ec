/*
 * victims: which nodes a nemesis strikes.
 *
 * Drawn from the nemesis's stream. A node that the fault had no effect on, as
 * it was down already, is not held, and is left alone at the release.
 */
#ifndef NEMESIS_VICTIMS_PRIVATE_H
#define NEMESIS_VICTIMS_PRIVATE_H

#include <stdint.h>

#include "nemesis/nemesis.h"

/*
 * Puts all nodes into nemesis->order as drawn, those to strike first. Returns
 * how many these are: none where a leader is to be struck and nobody leads,
 * and where the shape is a partition's own, one.
 */
uint32_t victims_draw(struct nemesis *);
/* Whether the strike at hand is at links, and not at nodes. */
bool victims_are_links(const struct nemesis *);
/* Whom it means, if nothing was said the shape's own. */
enum nemesis_victims victims_meant(const struct nemesis *);
/* The nemesis holds the node from now on. */
void victims_add(struct nemesis *, uint32_t node, int64_t undo);
bool victims_hold(const struct nemesis *, uint32_t node);

/* Marks the links of a strike that is listed. */
void victims_take_links(struct nemesis *);
/* Marks drawn links, each from one node to another, in nemesis->cuts; as many as nodes at most. */
void victims_draw_pairs(struct nemesis *);

#endif
