#include "checkers/graph/projection.h"

static uint32_t tail_of(const struct projection *p, size_t edge)
{
    const struct edge *e = &p->cycles->edges[edge];
    uint32_t node = p->cycles->from[edge];

    if (p->moments == MOMENTS_NONE)
        return node;
    return 2 * node + (!edge_is_anti(e->kind) || e->from >= p->cycles->txn_count);
}

static uint32_t head_of(const struct projection *p, size_t edge)
{
    const struct edge *e = &p->cycles->edges[edge];
    uint32_t node = p->cycles->to[edge];

    if (p->moments == MOMENTS_NONE)
        return node;
    return 2 * node + (edge_is_anti(e->kind) || e->to >= p->cycles->txn_count ||
                       (e->kind == EDGE_WW && p->moments == MOMENTS_PREFIX));
}

static enum status make_graph(const struct projection *p, struct graph *g, struct error *err)
{
    const struct cycles *c = p->cycles;
    bool has_moments = p->moments != MOMENTS_NONE;

    TRY(graph_init(g, (size_t)c->node_count * (has_moments ? 2 : 1), err));
    for (size_t i = 0; i < c->edge_count; i++)
        if (projection_has(p, i))
            graph_count(g, tail_of(p, i));
    for (uint32_t n = 0; has_moments && n < c->node_count; n++)
        graph_count(g, 2 * n);
    TRY(graph_lay_out(g, err));
    for (size_t i = 0; i < c->edge_count; i++)
        if (projection_has(p, i))
            graph_add(g, tail_of(p, i), head_of(p, i));
    for (uint32_t n = 0; has_moments && n < c->node_count; n++)
        graph_add(g, 2 * n, 2 * n + 1);
    return STATUS_OK;
}

enum status projection_find_components(const struct projection *p, struct components *components,
                                       struct error *err)
{
    struct graph g = { 0 };
    enum status status = make_graph(p, &g, err);

    *components = (struct components){ 0 };
    if (status == STATUS_OK)
        status = graph_find_components(&g, components, err);
    graph_close(&g);
    return status;
}

bool projection_is_cyclic(const struct projection *p, const struct components *components,
                          size_t edge)
{
    return components->of_node[tail_of(p, edge)] == components->of_node[head_of(p, edge)];
}

enum status projection_has_cycle(const struct projection *p, bool *has, struct error *err)
{
    struct components components;

    *has = false;
    TRY(projection_find_components(p, &components, err));
    for (size_t i = 0; i < p->cycles->edge_count && !*has; i++)
        *has = projection_has(p, i) && projection_is_cyclic(p, &components, i);
    graph_components_close(&components);
    return STATUS_OK;
}
