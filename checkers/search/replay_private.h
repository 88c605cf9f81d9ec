/*
 * replay: checks that an order explains every answer of the history, and sessions or real time.
 *
 * Plain, and without anything that the checker found out: each transaction in turn does its
 * operations on what those that it sees have left behind. Nothing is claimed to be
 * valid that has not gone through here.
 */
#ifndef CHECKERS_SEARCH_REPLAY_PRIVATE_H
#define CHECKERS_SEARCH_REPLAY_PRIVATE_H

#include "checkers/search/polygraph/fixed_order.h"

/* The actors in the order of their commits. */
struct serial {
    uint32_t *actors; /* as many as there are */
    uint32_t *seen;   /* beside them: how many of the order they see; NULL: all before */
    /*
     * Writers of a key may overlap, as at prefix: each puts what it wrote, or appended, on what
     * was there when it committed.
     */
    bool overlaps;
};

MUST_USE enum status replay_serial(const struct distilled *, const struct fixed_order *,
                                   const struct serial *, struct arena *, bool *holds,
                                   struct error *);

#endif
