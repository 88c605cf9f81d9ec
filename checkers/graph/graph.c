#include "checkers/graph/graph.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/check_private.h"

enum status graph_init(struct graph *g, size_t node_count, struct error *err)
{
    *g = (struct graph){ 0 };
    if (node_count >= UINT32_MAX - 2)
        return error_set(err, STATUS_OVER_LIMIT, "a graph of %zu nodes is too large", node_count);
    g->node_count = (uint32_t)node_count;
    return check_memory((void **)&g->start, node_count + 2, sizeof *g->start, 0, err);
}

void graph_close(struct graph *g)
{
    free(g->start);
    free(g->to);
    *g = (struct graph){ 0 };
}

enum status graph_lay_out(struct graph *g, struct error *err)
{
    if (g->edge_count >= UINT32_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "a graph of %llu edges is too large",
                         (unsigned long long)g->edge_count);
    /* start[n + 1] runs through the edges of n, and ends where those of n + 1 begin. */
    array_sum_prefixes(g->start, (size_t)g->node_count + 2);
    return memory_resize((void **)&g->to, g->edge_count, sizeof *g->to, err);
}

struct component_search {
    const struct graph *graph;
    uint32_t *number;    /* by node: from 1, in the order in which they were seen; 0: not yet */
    uint32_t *low;       /* by node: the least number that it is known to lead back to */
    uint32_t *next;      /* by node: the edge to look at next */
    uint32_t *component; /* by node, or COMPONENT_OPEN */
    uint32_t *path;      /* from the root to the node at hand */
    uint32_t *open;      /* all that were seen and have no component yet */
    uint32_t path_count, open_count, seen, count;
};

#define COMPONENT_OPEN UINT32_MAX

static void enter(struct component_search *s, uint32_t node)
{
    s->number[node] = s->low[node] = ++s->seen;
    s->next[node] = s->graph->start[node];
    s->path[s->path_count++] = node;
    s->open[s->open_count++] = node;
}

/* All its edges have been looked at. */
static void leave(struct component_search *s, uint32_t node)
{
    uint32_t last;

    s->path_count--;
    if (s->low[node] < s->number[node]) {
        uint32_t parent = s->path[s->path_count - 1];

        if (s->low[node] < s->low[parent])
            s->low[parent] = s->low[node];
        return;
    }
    do {
        last = s->open[--s->open_count];
        s->component[last] = s->count;
    } while (last != node);
    s->count++;
}

static void follow(struct component_search *s, uint32_t root)
{
    enter(s, root);
    while (s->path_count > 0) {
        uint32_t node = s->path[s->path_count - 1], to;

        if (s->next[node] == s->graph->start[node + 1]) {
            leave(s, node);
            continue;
        }
        to = s->graph->to[s->next[node]++];
        if (s->number[to] == 0)
            enter(s, to);
        else if (s->component[to] == COMPONENT_OPEN && s->number[to] < s->low[node])
            s->low[node] = s->number[to];
    }
}

static enum status open_search(struct component_search *s, struct error *err)
{
    size_t count = s->graph->node_count;

    TRY(check_memory((void **)&s->number, count, sizeof *s->number, 0, err));
    TRY(check_memory((void **)&s->component, count, sizeof *s->component, 0xff, err));
    TRY(memory_resize((void **)&s->low, count, sizeof *s->low, err));
    TRY(memory_resize((void **)&s->next, count, sizeof *s->next, err));
    TRY(memory_resize((void **)&s->path, count, sizeof *s->path, err));
    return memory_resize((void **)&s->open, count, sizeof *s->open, err);
}

enum status graph_find_components(const struct graph *g, struct components *components,
                                  struct error *err)
{
    struct component_search s = { .graph = g };
    enum status status = open_search(&s, err);

    assert(g->start[g->node_count] == g->edge_count); /* each edge that was counted was added */
    *components = (struct components){ 0 };
    for (uint32_t node = 0; node < g->node_count && status == STATUS_OK; node++)
        if (s.number[node] == 0)
            follow(&s, node);
    assert(status != STATUS_OK || s.count <= g->node_count);
    if (status == STATUS_OK)
        *components = (struct components){ s.component, s.count };
    else
        free(s.component);
    free(s.number);
    free(s.low);
    free(s.next);
    free(s.path);
    free(s.open);
    return status;
}

void graph_components_close(struct components *c)
{
    free(c->of_node);
    *c = (struct components){ 0 };
}
