/*
 * The cycles that Adya's levels forbid, in a direct serialization graph.
 *
 *     read-uncommitted       ww                                   G0
 *     read-committed         ww wr                                G1c
 *     repeatable-read        ww wr, rw of items                   G2-item
 *     serializable           ww wr, rw of items and predicates    G2
 *     consistent-view        ww wr, and one rw                    G-single
 *     update-serializable    serializable, for those that write and any one that does not
 *
 * (Adya, "Weak consistency", 1999, chapters 3 and 4.) A forward-consistent view differs from a
 * consistent one by when transactions begin, of which clients know nothing: here they are the
 * same. Parallel snapshot isolation is a consistent view with session order beside ww and wr
 * (Cerone and Gotsman, "Analysing snapshot isolation", 2016).
 *
 * Session and strict levels add their own edges. Snapshot isolation is judged
 * by what the edges say of beginnings and commits: whoever depends on another,
 * or overwrites it, begins after it commits; whoever reads what another
 * overwrites begins before it commits; and nobody commits before he begins. If
 * these events can be put in an order, there is a run that has them in it.
 */
#include "tests/oracle/oracle_private.h"

_Static_assert(2 * ORACLE_TXNS_MAX <= 64, "a transaction has two events");

/* As bit(), of which a transaction has two. */
static uint64_t event(unsigned number)
{
    return UINT64_C(1) << number;
}

/* Takes away nodes without successors among those left, until none is left, or only cycles. */
static bool is_acyclic(const uint64_t *successors, unsigned count)
{
    uint64_t left = count == 64 ? UINT64_MAX : event(count) - 1;
    bool progress = true;

    while (progress) {
        progress = false;
        for (unsigned i = 0; i < count; i++)
            if ((left & event(i)) && !(successors[i] & left)) {
                left &= ~event(i);
                progress = true;
            }
    }
    return left == 0;
}

static bool has_cycle_of_events(const struct oracle_graph *g, unsigned txn_count)
{
    uint64_t events[2 * ORACLE_TXNS_MAX] = { 0 }; /* begin 2t, commit 2t + 1 */

    for (unsigned a = 0; a < txn_count; a++) {
        events[2 * a] |= event(2 * a + 1);
        for (unsigned b = 0; b < txn_count; b++) {
            if ((g->ww[a] | g->wr[a] | g->before[a]) & bit(b))
                events[2 * a + 1] |= event(2 * b);
            if ((g->item_rw[a] | g->predicate_rw[a]) & bit(b))
                events[2 * a] |= event(2 * b + 1);
        }
    }
    return !is_acyclic(events, 2 * txn_count);
}

/* A cycle of edges with just one anti-dependency. */
static bool has_single_cycle(const uint64_t *edges, const struct oracle_graph *g,
                             unsigned txn_count)
{
    uint64_t path[ORACLE_TXNS_MAX]; /* one edge or more */

    for (unsigned t = 0; t < txn_count; t++)
        path[t] = edges[t];
    for (unsigned via = 0; via < txn_count; via++)
        for (unsigned t = 0; t < txn_count; t++)
            if (path[t] & bit(via))
                path[t] |= path[via];
    for (unsigned a = 0; a < txn_count; a++)
        for (unsigned b = 0; b < txn_count; b++)
            if (((g->item_rw[a] | g->predicate_rw[a]) & bit(b)) && (path[b] & bit(a)))
                return true;
    return false;
}

/* A cycle among those that write and one that does not. */
static bool has_cycle_of_updates(const struct oracle_graph *g, unsigned txn_count)
{
    for (unsigned reader = 0; reader < txn_count; reader++) {
        uint32_t among = g->updates | bit(reader);
        uint64_t edges[ORACLE_TXNS_MAX];

        for (unsigned t = 0; t < txn_count; t++)
            edges[t] = among & bit(t)
                           ? among & (g->ww[t] | g->wr[t] | g->item_rw[t] | g->predicate_rw[t])
                           : 0;
        if (!is_acyclic(edges, txn_count))
            return true;
    }
    return false;
}

bool oracle_is_uncommitted(enum level level)
{
    return level == LEVEL_READ_UNCOMMITTED || level == LEVEL_SESSION_READ_UNCOMMITTED ||
           level == LEVEL_STRICT_READ_UNCOMMITTED;
}

bool oracle_allows_internal(enum level level)
{
    switch (level) {
    case LEVEL_READ_COMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
    case LEVEL_CURSOR_STABILITY:
    case LEVEL_MONOTONIC_VIEW:
    case LEVEL_CONSISTENT_VIEW:
    case LEVEL_FORWARD_CONSISTENT_VIEW:
    case LEVEL_UPDATE_SERIALIZABLE:
        return true;
    default:
        return false;
    }
}

static bool has_item_rw(enum level level)
{
    switch (level) {
    case LEVEL_REPEATABLE_READ:
    case LEVEL_SERIALIZABLE:
    case LEVEL_SESSION_SERIALIZABLE:
    case LEVEL_STRICT_SERIALIZABLE:
        return true;
    default:
        return false;
    }
}

bool oracle_graph_is_forbidden(const struct oracle_graph *g, unsigned txn_count, enum level level)
{
    uint64_t edges[ORACLE_TXNS_MAX];

    if (level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
        level == LEVEL_STRICT_SNAPSHOT)
        return has_cycle_of_events(g, txn_count);
    for (unsigned t = 0; t < txn_count; t++) {
        edges[t] = g->ww[t] | g->before[t];
        if (!oracle_is_uncommitted(level))
            edges[t] |= g->wr[t];
        if (has_item_rw(level))
            edges[t] |= g->item_rw[t];
        if (has_item_rw(level) && level != LEVEL_REPEATABLE_READ)
            edges[t] |= g->predicate_rw[t];
    }
    if (!is_acyclic(edges, txn_count))
        return true;
    if (level == LEVEL_CONSISTENT_VIEW || level == LEVEL_FORWARD_CONSISTENT_VIEW ||
        level == LEVEL_PARALLEL_SNAPSHOT)
        return has_single_cycle(edges, g, txn_count);
    return level == LEVEL_UPDATE_SERIALIZABLE && has_cycle_of_updates(g, txn_count);
}
