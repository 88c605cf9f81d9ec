/*
 * refute_private: paths through facts, and the steps that are written of them.
 */
#ifndef CHECKERS_SEARCH_REFUTER_REFUTE_PRIVATE_H
#define CHECKERS_SEARCH_REFUTER_REFUTE_PRIVATE_H

#include "checkers/search/refuter/refute.h"

/* A path of facts, in the pool. */
struct path {
    uint32_t start, count;
};

struct refuter {
    struct steps *s;
    const struct polygraph *p;
    const struct distilled *d;
    struct arena *arena;
    uint32_t *start, *leading;   /* by node: the facts that lead from it, rising */
    ARRAY(uint32_t) pool;        /* facts */
    struct path *why, *why_else; /* by fact that is needed */
    uint8_t *is_needed;          /* by fact */
    uint32_t *step_of;           /* by fact */
    uint32_t *gone_fact;         /* by candidate */
    uint32_t *source_step;       /* by read */
    /* A walk. */
    uint32_t *came_by;          /* by node: the fact that led there */
    uint32_t *visited, *wanted; /* by node: in which walk */
    uint32_t *queue;
    uint32_t walk;
};

/* --- Paths ------------------------------------------------------------------------ */

/* Which nodes the next walk is to reach. */
void refute_want(struct refuter *, uint32_t node);
/* A shortest path through the facts before `limit` to a wanted node; false: there is none. */
MUST_USE enum status refute_walk(struct refuter *, uint32_t from, uint32_t limit, struct path *,
                                 bool *found, struct error *);
void refute_need(struct refuter *, struct path);
void refute_need_source(struct refuter *, uint32_t read);
void refute_need_some(struct refuter *, uint32_t some);

static inline uint32_t path_end(const struct refuter *r, struct path path)
{
    return r->p->facts.at[r->pool.at[path.start + path.count - 1]].to;
}

/* --- Into the draft --------------------------------------------------------------- */

/* Uses what makes a path known; its points are its nodes but the last. */
void refute_use_path(struct refuter *, struct path);
/* That a value came from one of these rows; and what is known not to have it. */
void refute_use_some(struct refuter *, uint32_t some);
/* That the read came from where it is known to. */
void refute_use_source(struct refuter *, uint32_t read);
/*
 * That c of the other is before b of the source cannot be: c of the source leads along the path to
 * b of the other.
 */
void refute_use_overtaking(struct refuter *, uint32_t source, uint32_t other, struct path);
/* At snapshot: c of x before b of y means b of x before c of y. */
void refute_use_lemma(struct refuter *, uint32_t x, uint32_t y);
/*
 * Given b of `head` before c of `tail`: `head` is before the first of tail's chain as it was
 * with the facts before `limit`. Returns that; NOBODY: it cannot be.
 */
uint32_t refute_use_back(struct refuter *, uint32_t tail, uint32_t head, uint32_t limit);
/* Then: all of head's chain, of which the last is returned. `full`: also what readers need. */
uint32_t refute_use_forth(struct refuter *, uint32_t head, uint32_t before, uint32_t limit,
                          bool full);
/* The read that links a version to the one before it in its chain, before `limit`; or NOBODY. */
uint32_t refute_link(const struct refuter *, uint32_t version, uint32_t limit);
void refute_use_overwrites(struct refuter *, uint32_t read, uint32_t version, uint32_t other);

#endif
