/*
 * polygraph_private: functions that add facts to a polygraph.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_POLYGRAPH_PRIVATE_H
#define CHECKERS_SEARCH_POLYGRAPH_POLYGRAPH_PRIVATE_H

#include "checkers/search/polygraph/polygraph.h"

/* The reader's transaction was there before the version's, since its source was. */
MUST_USE enum status polygraph_overtake(struct polygraph *, uint32_t read, uint32_t version,
                                        struct error *);

/* The lanes whose chains may have an order with a chain. */
struct open_lanes {
    const uint32_t *starts; /* by key, and one more */
    const struct lane *lanes;
    const uint32_t *places; /* of heads */
    const uint32_t *chains; /* by place in a lane; NULL: the place is the chain's number */
};

/* Among plain chains no order matters, at serializable levels: then they are the firm ones. */
static inline struct open_lanes polygraph_lanes(const struct polygraph *p, uint32_t b)
{
    bool firm_only = !p->is_snapshot && p->is_plain[b];

    return firm_only ? (struct open_lanes){ p->firm_start, p->firm_lanes, p->firm_place, p->firm }
                     : (struct open_lanes){ p->lane_start, p->lanes, p->head_place, NULL };
}

static inline uint32_t open_lanes_chain(const struct open_lanes *open, uint32_t place)
{
    return open->chains ? open->chains[place] : place;
}

/* How many chains of a lane, with these places of their heads, must come before chain b. */
uint32_t polygraph_count_before(const struct polygraph *, const struct lane *,
                                const uint32_t *places, uint32_t b);

/* Whether chain b before chain a would close a cycle: as far as reach knows. */
bool polygraph_forces(const struct polygraph *, uint32_t a, uint32_t b);

#endif
