/*
 * The cycles that Adya's levels forbid, in a direct serialization graph.
 *
 *     read-uncommitted   ww                                   G0
 *     read-committed     ww wr                                G1c
 *     repeatable-read    ww wr, rw of items                   G2-item
 *     serializable       ww wr, rw of items and predicates    G2
 *
 * Session and strict levels add their own edges. Snapshot isolation is judged
 * by what the edges say of beginnings and commits: whoever depends on another,
 * or overwrites it, begins after it commits; whoever reads what another
 * overwrites begins before it commits; and nobody commits before he begins. If
 * these events can be put in an order, there is a run that has them in it.
 */
#include "tests/oracle/oracle_private.h"

/* Takes away nodes without successors among those left, until none is left, or only cycles. */
static bool is_acyclic(const uint32_t *successors, unsigned count)
{
    uint32_t left = count == 32 ? UINT32_MAX : bit(count) - 1;
    bool progress = true;

    while (progress) {
        progress = false;
        for (unsigned i = 0; i < count; i++)
            if ((left & bit(i)) && !(successors[i] & left)) {
                left &= ~bit(i);
                progress = true;
            }
    }
    return left == 0;
}

static bool has_cycle_of_events(const struct oracle_graph *g, unsigned txn_count)
{
    uint32_t events[2 * ORACLE_TXNS_MAX] = { 0 }; /* begin 2t, commit 2t + 1 */

    for (unsigned a = 0; a < txn_count; a++) {
        events[2 * a] |= bit(2 * a + 1);
        for (unsigned b = 0; b < txn_count; b++) {
            if ((g->ww[a] | g->wr[a] | g->before[a]) & bit(b))
                events[2 * a + 1] |= bit(2 * b);
            if ((g->item_rw[a] | g->predicate_rw[a]) & bit(b))
                events[2 * a] |= bit(2 * b + 1);
        }
    }
    return !is_acyclic(events, 2 * txn_count);
}

bool oracle_graph_is_forbidden(const struct oracle_graph *g, unsigned txn_count, enum level level)
{
    uint32_t edges[ORACLE_TXNS_MAX];

    if (level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
        level == LEVEL_STRICT_SNAPSHOT)
        return has_cycle_of_events(g, txn_count);
    for (unsigned t = 0; t < txn_count; t++) {
        edges[t] = g->ww[t];
        if (level != LEVEL_READ_UNCOMMITTED)
            edges[t] |= g->wr[t];
        if (level != LEVEL_READ_UNCOMMITTED && level != LEVEL_READ_COMMITTED)
            edges[t] |= g->item_rw[t];
        if (level == LEVEL_SERIALIZABLE || level == LEVEL_SESSION_SERIALIZABLE ||
            level == LEVEL_STRICT_SERIALIZABLE)
            edges[t] |= g->predicate_rw[t] | g->before[t];
    }
    return !is_acyclic(edges, txn_count);
}
