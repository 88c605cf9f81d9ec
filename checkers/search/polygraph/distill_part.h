/*
 * distill_part: reduces a distilled history to some of its actors.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_DISTILL_PART_H
#define CHECKERS_SEARCH_POLYGRAPH_DISTILL_PART_H

#include "checkers/search/polygraph/distill.h"

/* The actors that are marked, and the keys that matter to them. */
MUST_USE enum status distill_part(struct distilled *part, const struct distilled *whole,
                                  const uint8_t *keeps, struct arena *, struct error *);

#endif
