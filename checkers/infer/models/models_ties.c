#include "checkers/infer/models/models_ties_private.h"

#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/graph/graph.h"
#include "checkers/infer/models/models_graph_private.h"

static enum status index_edges(const struct ties *t, const uint32_t *node_of_edge, uint32_t **start,
                               uint32_t **edges, struct error *err)
{
    uint32_t nodes = t->cycles->node_count;
    size_t count = t->edges.at.count;

    TRY(check_memory((void **)start, (size_t)nodes + 2, sizeof **start, 0, err));
    TRY(memory_resize((void **)edges, count, sizeof **edges, err));
    for (size_t i = 0; i < count; i++)
        (*start)[node_of_edge[t->edges.at.at[i]] + 2]++;
    for (uint32_t n = 1; n < nodes + 2; n++)
        (*start)[n] += (*start)[n - 1];
    /* start[n + 1] runs through the edges of n, and ends where those of n + 1 begin. */
    for (size_t i = 0; i < count; i++)
        (*edges)[(*start)[node_of_edge[t->edges.at.at[i]] + 1]++] = t->edges.at.at[i];
    return STATUS_OK;
}

static enum status rank_nodes(struct ties *t, struct graph *g, struct error *err)
{
    const struct cycles *c = t->cycles;
    struct components components;
    const uint32_t *edges = t->edges.at.at;

    TRY(graph_init(g, c->node_count, err));
    for (size_t i = 0; i < t->edges.at.count; i++)
        if (!ties_is_anti(t, edges[i]))
            graph_count(g, c->from[edges[i]]);
    TRY(graph_lay_out(g, err));
    for (size_t i = 0; i < t->edges.at.count; i++)
        if (!ties_is_anti(t, edges[i]))
            graph_add(g, c->from[edges[i]], c->to[edges[i]]);
    TRY(graph_find_components(g, &components, err));
    t->rank = components.of_node; /* taken over */
    for (size_t i = 0; i < t->edges.at.count && !t->has_circle; i++)
        t->has_circle =
            !ties_is_anti(t, edges[i]) && t->rank[c->from[edges[i]]] == t->rank[c->to[edges[i]]];
    return STATUS_OK;
}

/* Edges that lead to each node, and what is found of them. */
struct incoming {
    const struct history *history;
    const struct cycles *cycles;
    uint32_t *start, *in; /* by node, and one more: edges */
    uint32_t *first;      /* by key: the first write of the reader at hand, plus one; else 0 */
    bool *is_behind;      /* by edge */
};

static void mark_behind(const struct incoming *of, uint32_t node)
{
    const struct history *h = of->history;
    const uint32_t *in = of->in + of->start[node];
    uint32_t txn = of->cycles->nodes[node], count = of->start[node + 1] - of->start[node];
    uint32_t *first = of->first;

    for (uint32_t op = h->txn_op[txn + 1]; op-- > h->txn_op[txn];)
        if (history_makes_version(h, op))
            first[h->op_key[op]] = op + 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct edge *e = &of->cycles->edges[in[i]];

        of->is_behind[in[i]] = e->kind == EDGE_WR && first[e->key] > h->txn_op[txn] &&
                               first[e->key] <= e->op;
    }
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op))
            first[h->op_key[op]] = 0;
}

enum status models_find_behind(const struct history *h, const struct cycles *c, bool **is_behind,
                               struct error *err)
{
    uint32_t *start = NULL, *in = NULL, *first = NULL;
    enum status status;

    TRY(check_memory((void **)is_behind, c->edge_count, sizeof **is_behind, 0, err));
    status = check_memory((void **)&start, (size_t)c->node_count + 2, sizeof *start, 0, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&in, c->edge_count, sizeof *in, err);
    if (status == STATUS_OK)
        status = check_memory((void **)&first, h->key_count, sizeof *first, 0, err);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < c->edge_count; i++)
            start[c->to[i] + 2]++;
        array_sum_prefixes(start, c->node_count + 2);
        for (uint32_t i = 0; i < c->edge_count; i++)
            in[start[c->to[i] + 1]++] = i;
        for (uint32_t n = 0; n < c->node_count && c->nodes[n] < c->txn_count; n++)
            mark_behind(&(struct incoming){ h, c, start, in, first, *is_behind }, n);
    }
    free(start);
    free(in);
    free(first);
    return status;
}

enum status models_ties_init(struct ties *t, const struct picture *p, struct error *err)
{
    struct graph g = { 0 };
    enum status status;

    *t = (struct ties){ .picture = p, .cycles = p->models->cycles };
    TRY(models_picture_cycles(p, &t->edges, err));
    if (t->edges.at.count == 0)
        return STATUS_OK;
    TRY(index_edges(t, t->cycles->from, &t->out_start, &t->out, err));
    TRY(index_edges(t, t->cycles->to, &t->in_start, &t->in, err));
    status = rank_nodes(t, &g, err);
    graph_close(&g);
    return status;
}

void models_ties_close(struct ties *t)
{
    array_close(&t->edges.at);
    free(t->out_start);
    free(t->out);
    free(t->in_start);
    free(t->in);
    free(t->rank);
    *t = (struct ties){ 0 };
}
