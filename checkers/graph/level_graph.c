#include "checkers/graph/level_graph.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/proof/witness.h"
#include "history/level.h"

void level_graph_close(struct level_graph *g)
{
    graph_close(&g->graph);
    array_close(&g->kept);
    graph_components_close(&g->components);
}

enum status level_graph_init(struct level_graph *g, uint32_t txns, uint32_t waypoints,
                             struct error *err)
{
    size_t nodes = (size_t)txns * (g->has_moments ? 2 : 1);

    level_graph_close(g);
    g->has_loop = g->leads_back = false;
    if (nodes >= UINT32_MAX / 2)
        return error_set(err, STATUS_OVER_LIMIT, "a graph of %zu nodes is too large", nodes);
    g->txn_nodes = (uint32_t)nodes;
    return graph_init(&g->graph, nodes + waypoints, err);
}

enum status level_graph_begin(struct level_graph *g, enum level_graph_work work, struct error *err)
{
    g->work = work;
    return work == LEVEL_GRAPH_LAYS ? graph_lay_out(&g->graph, err) : STATUS_OK;
}

enum status level_graph_keep_edge(struct level_graph *g, const struct edge *e, uint32_t from,
                                  uint32_t to, struct error *err)
{
    uint32_t txn_count = (uint32_t)g->history->txn_count;

    if (g->components.of_node[from] != g->components.of_node[to] || g->is_too_large ||
        (e->from < txn_count && e->from >= g->txn_end) ||
        (e->to < txn_count && e->to >= g->txn_end))
        return STATUS_OK;
    g->is_too_large = g->kept.count == g->kept_max;
    return g->is_too_large ? STATUS_OK : array_push(&g->kept, *e, err);
}

/* --- Edges of no data --------------------------------------------------------------- */

enum status level_graph_hear_sessions(struct level_graph *g, struct error *err)
{
    const struct history *h = g->history;
    uint32_t *last = NULL; /* by session */
    enum status status = STATUS_OK;

    if (!level_graph_hears(g, EDGE_PROCESS))
        return STATUS_OK;
    TRY(check_memory((void **)&last, h->session_count, sizeof *last, 0xff, err));
    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++) {
        uint32_t *before = &last[h->txn_session[t]];
        struct edge edge = { .kind = EDGE_PROCESS, .from = *before, .to = t };

        if (!places_is_in(g->places, t))
            continue;
        if (*before != HISTORY_NONE)
            status = level_graph_hear(g, &edge, err);
        if (h->txn_status[t] == TXN_OK)
            *before = t;
    }
    free(last);
    return status;
}

static enum status hear_time(struct level_graph *g, uint32_t from, uint32_t to, struct error *err)
{
    struct edge edge = { .kind = EDGE_REALTIME, .from = from, .to = to };

    return level_graph_hear(g, &edge, err);
}

enum status level_graph_hear_times(struct level_graph *g, const struct barriers *b,
                                   struct error *err)
{
    uint32_t txn_count = (uint32_t)g->history->txn_count;

    if (!level_graph_hears(g, EDGE_REALTIME))
        return STATUS_OK;
    for (uint32_t t = 0; t < txn_count && b->count > 0; t++) {
        if (b->after[t] != BARRIER_NONE)
            TRY(hear_time(g, t, txn_count + b->after[t], err));
        if (b->before[t] != BARRIER_NONE)
            TRY(hear_time(g, txn_count + b->before[t], t, err));
    }
    for (uint32_t i = 1; i < b->count; i++)
        TRY(hear_time(g, txn_count + i - 1, txn_count + i, err));
    return STATUS_OK;
}

void level_graph_hear_moments(struct level_graph *g)
{
    for (uint32_t n = 0; g->has_moments && g->work != LEVEL_GRAPH_KEEPS && n < g->txn_nodes; n += 2) {
        if (g->work == LEVEL_GRAPH_COUNTS)
            graph_count(&g->graph, n);
        else
            graph_add(&g->graph, n, n + 1);
    }
}

/* --- What follows ------------------------------------------------------------------- */

enum status level_graph_find_components(struct level_graph *g, struct error *err)
{
    return graph_find_components(&g->graph, &g->components, err);
}

bool level_graph_has_cycle(const struct level_graph *g)
{
    return g->components.count < g->graph.node_count || g->has_loop;
}

enum status level_graph_sort(const struct level_graph *g, uint32_t **sorted, struct error *err)
{
    uint32_t node_count = g->graph.node_count, count = g->components.count, *start = NULL;
    enum status status = check_memory((void **)&start, (size_t)count + 1, sizeof *start, 0, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)sorted, node_count, sizeof **sorted, err);
    if (status == STATUS_OK) {
        for (uint32_t n = 0; n < node_count; n++)
            start[count - g->components.of_node[n]]++;
        array_sum_prefixes(start, count + 1);
        for (uint32_t n = 0; n < node_count; n++)
            (*sorted)[start[count - 1 - g->components.of_node[n]]++] = n;
    }
    free(start);
    return status;
}

enum status level_graph_tell_order(const struct level_graph *g, const uint32_t *sorted,
                                   struct check *check, struct error *err)
{
    uint32_t count = 0, *order = NULL, *seen = NULL, *begun = NULL; /* begun: by node order */
    enum status status = memory_resize((void **)&order, g->txn_nodes, sizeof *order, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&seen, g->txn_nodes, sizeof *seen, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&begun, g->txn_nodes, sizeof *begun, err);
    for (uint32_t i = 0; i < g->graph.node_count && status == STATUS_OK; i++) {
        uint32_t place = g->has_moments ? sorted[i] / 2 : sorted[i];
        bool is_beginning = g->has_moments && sorted[i] % 2 == 0;
        uint32_t txn;

        if (sorted[i] >= g->txn_nodes)
            continue;
        txn = g->ranked ? g->ranked[place] : place;
        if (!places_is_in(g->places, txn))
            continue;
        if (is_beginning || !g->has_moments)
            begun[place] = count;
        if (is_beginning)
            continue;
        seen[count] = begun[place];
        order[count++] = txn;
    }
    assert(status != STATUS_OK || count == g->places->in_count);
    if (status == STATUS_OK)
        witness_order(check, g->history, order, count);
    if (status == STATUS_OK && (g->has_moments || level_is_snapshot(check->level)))
        witness_snapshots(check, seen, count);
    free(order);
    free(seen);
    free(begun);
    return status;
}

void level_graph_keep(struct level_graph *g, uint32_t txn_end)
{
    assert(g->components.of_node);
    g->work = LEVEL_GRAPH_KEEPS;
    g->txn_end = txn_end;
    g->kept.count = 0;
    g->is_too_large = false;
}

enum status level_graph_take_cycles(struct level_graph *g, const struct check_options *options,
                                    struct cycles *cycles, struct error *err)
{
    struct edge *edges = g->kept.at;
    size_t count = g->kept.count;

    g->kept.at = NULL;
    g->kept.count = g->kept.room = 0;
    TRY(cycles_init(cycles, (uint32_t)g->history->txn_count, edges, count, err));
    cycles->options = options;
    return STATUS_OK;
}
