#include "verify/instants/known_private.h"

#include <assert.h>

#include "verify/instants/instants.h"
#include "verify/verify_private.h"
#include "verify/witness/workings.h"

static void close_graph(struct known_graph *g)
{
    array_close(&g->nodes);
    array_close(&g->edges);
    map_close(&g->node_of);
    map_close(&g->edge_of);
    array_close(&g->queue);
}

void known_close(struct known *k)
{
    close_graph(&k->points);
    close_graph(&k->txns);
    map_close(&k->sources);
    map_close(&k->commits);
}

/* --- Graphs ------------------------------------------------------------------ */

static enum status find_node(struct known_graph *g, uint64_t number, struct window window,
                             uint32_t *node, struct error *err)
{
    struct known_node new = { window, number, NO_EDGE, NO_EDGE, false };
    size_t place;

    TRY(map_add(&g->node_of, number, g->nodes.count, &place, err));
    *node = (uint32_t)place;
    return place < g->nodes.count ? STATUS_OK : array_push(&g->nodes, new, err);
}

static uint64_t edge_number(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

static bool has_edge(const struct known_graph *g, uint64_t from, uint64_t to, uint32_t *edge)
{
    uint64_t a, b, found;

    if (!map_find(&g->node_of, from, &a) || !map_find(&g->node_of, to, &b) ||
        !map_find(&g->edge_of, edge_number((uint32_t)a, (uint32_t)b), &found))
        return false;
    *edge = (uint32_t)found;
    return true;
}

/* Another one between the same two is none. */
static enum status add_edge(struct known_graph *g, uint32_t from, uint32_t to, bool is_anti,
                            struct error *err)
{
    struct known_edge new = { from, to, g->nodes.at[from].first_out, g->nodes.at[to].first_in,
                              is_anti };
    uint32_t number = (uint32_t)g->edges.count;
    size_t place;

    TRY(map_add(&g->edge_of, edge_number(from, to), number, &place, err));
    if (place < number) {
        g->edges.at[place].is_anti |= is_anti;
        return STATUS_OK;
    }
    TRY(array_push(&g->edges, new, err));
    g->nodes.at[from].first_out = g->nodes.at[to].first_in = number;
    return STATUS_OK;
}

/* --- Windows ----------------------------------------------------------------- */

/* Moves an end of the window behind the edge, or of the one before it; others follow. */
static enum status narrow(struct known_graph *g, const struct known_edge *e, bool forward,
                          struct error *err)
{
    uint32_t at = forward ? e->to : e->from;
    struct known_node *node = &g->nodes.at[at];

    if (forward) {
        int64_t low = g->nodes.at[e->from].window.low;

        if (node->window.low >= low)
            return STATUS_OK;
        node->window.low = low;
    } else {
        int64_t high = g->nodes.at[e->to].window.high;

        if (node->window.high <= high)
            return STATUS_OK;
        node->window.high = high;
    }
    g->has_empty_window |= node->window.low > node->window.high;
    if (node->is_queued)
        return STATUS_OK;
    node->is_queued = true;
    return array_push(&g->queue, at, err);
}

/* From a node whose window has been narrowed. */
static enum status narrow_from(struct known *k, struct known_graph *g, uint32_t at, bool forward,
                               struct error *err)
{
    uint32_t next = forward ? g->nodes.at[at].first_out : g->nodes.at[at].first_in;

    while (next != NO_EDGE) {
        const struct known_edge *e = &g->edges.at[next];

        TRY(verify_spend(k->v, 1, err));
        TRY(narrow(g, e, forward, err));
        next = forward ? e->next_out : e->next_in;
    }
    return STATUS_OK;
}

static enum status narrow_all(struct known *k, struct known_graph *g, uint32_t edge, bool forward,
                              struct error *err)
{
    g->queue.count = 0;
    TRY(narrow(g, &g->edges.at[edge], forward, err));
    for (size_t i = 0; i < g->queue.count; i++) {
        uint32_t at = g->queue.at[i];

        g->nodes.at[at].is_queued = false;
        TRY(narrow_from(k, g, at, forward, err));
    }
    /* No step is left that could narrow a window. */
    assert(!g->nodes.at[g->edges.at[edge].to].is_queued);
    return STATUS_OK;
}

/* --- Instants ---------------------------------------------------------------- */

struct window known_window(const struct known *k, uint64_t point)
{
    uint64_t node;

    if (map_find(&k->points.node_of, point, &node))
        return k->points.nodes.at[node].window;
    return instants_first_window(k->v, point);
}

bool known_before(const struct known *k, uint64_t from, uint64_t to)
{
    uint32_t edge;

    if (has_edge(&k->points, from, to, &edge))
        return true;
    return k->v->instants->w->timing == TIMED_FULL &&
           known_window(k, from).high < known_window(k, to).low;
}

enum status known_lay(struct known *k, uint64_t from, uint64_t to, struct error *err)
{
    struct known_graph *g = &k->points;
    uint32_t a = 0, b = 0, count;

    TRY(find_node(g, from, known_window(k, from), &a, err));
    TRY(find_node(g, to, known_window(k, to), &b, err));
    count = (uint32_t)g->edges.count;
    TRY(add_edge(g, a, b, false, err));
    if (g->edges.count == count || k->v->instants->w->timing != TIMED_FULL)
        return STATUS_OK;
    TRY(narrow_all(k, g, count, true, err));
    return narrow_all(k, g, count, false, err);
}

/* --- Transactions ------------------------------------------------------------ */

enum status known_depend(struct known *k, uint32_t from, uint32_t to, bool is_anti,
                         struct error *err)
{
    const struct window *times = k->v->instants->times;
    uint32_t a = 0, b = 0;

    TRY(find_node(&k->txns, from, times[from], &a, err));
    TRY(find_node(&k->txns, to, times[to], &b, err));
    return add_edge(&k->txns, a, b, is_anti, err);
}

bool known_missed(const struct known *k, uint32_t from, uint32_t to)
{
    uint32_t edge;

    return has_edge(&k->txns, from, to, &edge) && k->txns.edges.at[edge].is_anti;
}

bool known_commits(const struct known *k, uint32_t txn)
{
    uint64_t by;

    return k->v->h->txn_status[txn] == TXN_OK || map_find(&k->commits, txn, &by);
}

int64_t known_committed_by(const struct known *k, uint32_t txn)
{
    uint64_t by;

    return map_find(&k->commits, txn, &by) ? (int64_t)by : INT64_MAX;
}

enum status known_commit_by(struct known *k, uint32_t txn, int64_t by, struct error *err)
{
    size_t place;

    TRY(map_add(&k->commits, txn, (uint64_t)by, &place, err));
    if (by < (int64_t)k->commits.values.at[place])
        k->commits.values.at[place] = (uint64_t)by;
    return STATUS_OK;
}

enum status known_confirm(struct known *k, uint32_t txn, uint32_t reader, struct error *err)
{
    return k->v->h->txn_status[txn] == TXN_OK
               ? STATUS_OK
               : known_commit_by(k, txn, k->v->instants->commit[reader].high, err);
}

/* --- What was seen ----------------------------------------------------------- */

static uint64_t source_name(uint32_t op, uint32_t key)
{
    return (uint64_t)op << 32 | key;
}

bool known_source(const struct known *k, uint32_t op, uint32_t key, uint32_t *version)
{
    uint64_t found;

    if (!map_find(&k->sources, source_name(op, key), &found))
        return false;
    *version = (uint32_t)found;
    return true;
}

enum status known_see(struct known *k, uint32_t op, uint32_t key, uint32_t version,
                      struct error *err)
{
    size_t place;

    return map_add(&k->sources, source_name(op, key), version, &place, err);
}

/* --- Contradictions ---------------------------------------------------------- */

/* Takes away what nothing leads to, until nothing is left, or all that is left is led to. */
static enum status find_circle(struct known *k, struct known_graph *g, bool *is_circle,
                               struct error *err)
{
    ARRAY(uint32_t) in = { 0 };
    enum status status = STATUS_OK;

    g->queue.count = 0;
    for (size_t i = 0; i < g->nodes.count && status == STATUS_OK; i++)
        status = array_push(&in, 0, err);
    for (size_t i = 0; i < g->edges.count && status == STATUS_OK; i++)
        in.at[g->edges.at[i].to]++;
    for (uint32_t i = 0; i < g->nodes.count && status == STATUS_OK; i++)
        if (in.at[i] == 0)
            status = array_push(&g->queue, i, err);
    for (size_t i = 0; i < g->queue.count && status == STATUS_OK; i++) {
        uint32_t e = g->nodes.at[g->queue.at[i]].first_out;

        for (; e != NO_EDGE && status == STATUS_OK; e = g->edges.at[e].next_out)
            if (--in.at[g->edges.at[e].to] == 0)
                status = array_push(&g->queue, g->edges.at[e].to, err);
    }
    *is_circle |= g->queue.count < g->nodes.count;
    array_close(&in);
    return status == STATUS_OK ? verify_spend(k->v, g->edges.count, err) : status;
}

enum status known_find_circle(struct known *k, bool *is_circle, struct error *err)
{
    *is_circle = false;
    TRY(find_circle(k, &k->points, is_circle, err));
    return workings_certify(k->v->instants->w) ? find_circle(k, &k->txns, is_circle, err)
                                               : STATUS_OK;
}

/*
 * Timestamps lie within the times of their transactions, and rise along dependencies: nobody
 * depends, over whomever, on one that began behind its end.
 */
static enum status order_timestamps(struct known *k, struct error *err)
{
    struct known_graph *g = &k->txns;

    for (size_t i = 0; i < g->nodes.count; i++) {
        struct known_node *node = &g->nodes.at[i];
        int64_t by = known_committed_by(k, (uint32_t)node->number);

        if (by < node->window.high)
            node->window.high = by;
    }
    for (uint32_t i = 0; i < g->edges.count; i++)
        TRY(narrow_all(k, g, i, true, err));
    for (size_t i = 0; i < g->nodes.count; i++)
        g->has_empty_window |= g->nodes.at[i].window.low > g->nodes.at[i].window.high;
    return STATUS_OK;
}

enum status known_find_gap(struct known *k, bool *is_gap, struct error *err)
{
    const struct workings *w = k->v->instants->w;

    if (w->certifier == CERTIFIES_TIMESTAMPS && w->timing == TIMED_FULL)
        TRY(order_timestamps(k, err));
    *is_gap = k->points.has_empty_window || k->txns.has_empty_window;
    return STATUS_OK;
}
