/*
 * The search. What counts of a path so far is where it ends, and whether it has
 * had an anti-dependency: under ANTI_ONE at all, under ANTI_APART as its last edge.
 *
 *     state = 2 * node + had
 *
 * A class looks at some kinds of edges only, so that the component falls apart again,
 * and most of it mostly goes away: what is left is searched. Edges to and between
 * waypoints cost nothing but the first: a path through time is one step,
 * however long it is, and so is one through hubs.
 */
#include <stdlib.h>

#include "checkers/checker_private.h"
#include "checkers/graph/cycles_private.h"
#include "checkers/graph/graph.h"

#define STEPS_MAX 20000000 /* edges looked at for one class of one component */
#define NO_STATE UINT32_MAX
#define NO_NODE UINT32_MAX

/* An edge where it begins. */
struct way {
    uint32_t edge, to;
};

struct path_search {
    const struct cycles *cycles;
    const struct cycle_class *class;
    uint32_t *node_of; /* by place in the cycles' nodes: counted within the component */
    uint32_t node_count;
    uint32_t *edges; /* that are of some cycle, if only their kinds counted; rising */
    size_t edge_count;
    uint32_t *start; /* by node, and two more while they are laid */
    struct way *ways;
    uint32_t *round;         /* by state: in which search it was seen last */
    uint32_t *parent;        /* by state: the one before it */
    uint32_t *by;            /* by state: the edge that led to it */
    uint32_t *queue, *ahead; /* states at this distance, and at the next */
    uint32_t queue_count, ahead_count, rounds;
    uint64_t steps;
};

/* --- What is searched ------------------------------------------------------------- */

static uint32_t tail_of(const struct path_search *s, uint32_t edge)
{
    return s->node_of[s->cycles->from[edge]];
}

static uint32_t head_of(const struct path_search *s, uint32_t edge)
{
    return s->node_of[s->cycles->to[edge]];
}

static void number_node(struct path_search *s, uint32_t place)
{
    if (s->node_of[place] == NO_NODE)
        s->node_of[place] = s->node_count++;
}

static enum status take_edges(struct path_search *s, const struct component *component,
                              struct error *err)
{
    const struct cycles *c = s->cycles;

    s->node_of = component->scratch;
    TRY(memory_resize((void **)&s->edges, component->edge_count, sizeof *s->edges, err));
    for (size_t i = 0; i < component->edge_count; i++) {
        uint32_t edge = component->edges[i];

        if (!cycle_class_has(s->class, &c->edges[edge]))
            continue;
        number_node(s, c->from[edge]);
        number_node(s, c->to[edge]);
        s->edges[s->edge_count++] = edge;
    }
    return STATUS_OK;
}

static enum status fill(const struct path_search *s, struct graph *g, struct error *err)
{
    TRY(graph_init(g, s->node_count, err));
    for (size_t i = 0; i < s->edge_count; i++)
        graph_count(g, tail_of(s, s->edges[i]));
    TRY(graph_lay_out(g, err));
    for (size_t i = 0; i < s->edge_count; i++)
        graph_add(g, tail_of(s, s->edges[i]), head_of(s, s->edges[i]));
    return STATUS_OK;
}

/* Edges between the parts into which the component falls are of no cycle. */
static enum status drop_edges(struct path_search *s, struct error *err)
{
    struct components parts = { 0 };
    struct graph g = { 0 };
    enum status status = fill(s, &g, err);
    size_t count = 0;

    if (status == STATUS_OK)
        status = graph_find_components(&g, &parts, err);
    for (size_t i = 0; i < s->edge_count && status == STATUS_OK; i++)
        if (parts.of_node[tail_of(s, s->edges[i])] == parts.of_node[head_of(s, s->edges[i])])
            s->edges[count++] = s->edges[i];
    s->edge_count = count;
    components_close(&parts);
    graph_close(&g);
    return status;
}

/* start[n + 1] runs through the ways from n, and ends where those from n + 1 begin. */
static enum status lay_ways(struct path_search *s, struct error *err)
{
    TRY(check_memory((void **)&s->start, (size_t)s->node_count + 2, sizeof *s->start, 0, err));
    TRY(memory_resize((void **)&s->ways, s->edge_count, sizeof *s->ways, err));
    for (size_t i = 0; i < s->edge_count; i++)
        s->start[tail_of(s, s->edges[i]) + 2]++;
    for (uint32_t n = 1; n < s->node_count + 2; n++)
        s->start[n] += s->start[n - 1];
    for (size_t i = 0; i < s->edge_count; i++)
        s->ways[s->start[tail_of(s, s->edges[i]) + 1]++] =
            (struct way){ s->edges[i], head_of(s, s->edges[i]) };
    return STATUS_OK;
}

static enum status open_states(struct path_search *s, struct error *err)
{
    size_t states = 2 * (size_t)s->node_count;

    TRY(check_memory((void **)&s->round, states, sizeof *s->round, 0, err));
    TRY(memory_resize((void **)&s->parent, states, sizeof *s->parent, err));
    TRY(memory_resize((void **)&s->by, states, sizeof *s->by, err));
    TRY(memory_resize((void **)&s->queue, states, sizeof *s->queue, err));
    return memory_resize((void **)&s->ahead, states, sizeof *s->ahead, err);
}

/* There may be many components: what is cleared of the scratch is no more than they have. */
static void close_search(struct path_search *s, const struct component *component)
{
    for (size_t i = 0; i < component->edge_count; i++) {
        component->scratch[s->cycles->from[component->edges[i]]] = NO_NODE;
        component->scratch[s->cycles->to[component->edges[i]]] = NO_NODE;
    }
    free(s->edges);
    free(s->start);
    free(s->ways);
    free(s->round);
    free(s->parent);
    free(s->by);
    free(s->queue);
    free(s->ahead);
}

/* --- Searching -------------------------------------------------------------------- */

static bool is_free(const struct cycles *c, uint32_t edge)
{
    return c->edges[edge].from >= c->txn_count;
}

/* The state behind an edge, or NO_STATE: the rule forbids it. */
static uint32_t step(const struct path_search *s, uint32_t state, uint32_t edge, uint32_t to)
{
    bool is_anti = edge_is_anti(s->cycles->edges[edge].kind);
    uint32_t had = state & 1;

    /* Behind a waypoint an edge goes on that has been counted. */
    if (is_free(s->cycles, edge))
        return 2 * to + had;
    switch (s->class->rule) {
    case ANTI_NONE:
    case ANTI_ANY:
        had = 0;
        break;
    case ANTI_ONE:
        if (is_anti && had)
            return NO_STATE;
        had |= is_anti;
        break;
    case ANTI_APART:
        if (is_anti && had)
            return NO_STATE;
        had = is_anti;
        break;
    }
    return 2 * to + had;
}

static void reach(struct path_search *s, uint32_t state, uint32_t parent, uint32_t edge)
{
    if (s->round[state] == s->rounds)
        return;
    s->round[state] = s->rounds;
    s->parent[state] = parent;
    s->by[state] = edge;
    if (is_free(s->cycles, edge))
        s->queue[s->queue_count++] = state;
    else
        s->ahead[s->ahead_count++] = state;
}

static void expand(struct path_search *s, uint32_t state)
{
    uint32_t node = state / 2;

    for (uint32_t i = s->start[node]; i < s->start[node + 1]; i++) {
        const struct way *way = &s->ways[i];
        uint32_t next = step(s, state, way->edge, way->to);

        s->steps++;
        if (next != NO_STATE)
            reach(s, next, state, way->edge);
    }
}

/* Whether a path that came to this state closes the cycle that began with the edge. */
static bool closes(const struct path_search *s, uint32_t first, uint32_t state)
{
    return state / 2 == tail_of(s, first) && !(s->class->rule == ANTI_APART && (state & 1) &&
                                               edge_is_anti(s->cycles->edges[first].kind));
}

/* From the edge back to where it comes from, in at most so many steps; the last state. */
static uint32_t search_from(struct path_search *s, uint32_t first, uint32_t depth_max)
{
    uint32_t begin = step(s, 0, first, head_of(s, first));

    s->rounds++;
    s->queue_count = 0;
    s->ahead_count = 0;
    s->round[begin] = s->rounds;
    s->parent[begin] = NO_STATE;
    s->by[begin] = first;
    s->queue[s->queue_count++] = begin;
    for (uint32_t depth = 0; depth <= depth_max && s->queue_count > 0; depth++) {
        uint32_t *swap = s->queue;

        for (uint32_t i = 0; i < s->queue_count; i++) {
            if (closes(s, first, s->queue[i]))
                return s->queue[i];
            expand(s, s->queue[i]);
        }
        s->queue = s->ahead;
        s->queue_count = s->ahead_count;
        s->ahead = swap;
        s->ahead_count = 0;
    }
    return NO_STATE;
}

/* The part of an edge before the one that is known. */
static void join(struct edge *known, const struct edge *before)
{
    uint32_t to = known->to, other = known->other;
    uint8_t by = known->by;

    *known = *before;
    known->to = to;
    known->other = other;
    known->by = before->by ? before->by : by;
}

/* The edges that led to the state, waypoints passed over. */
static enum status take_path(const struct path_search *s, uint32_t state, struct found_cycle *found,
                             struct error *err)
{
    const struct cycles *c = s->cycles;
    size_t half;

    found->edges.count = 0;
    /* From the last to the first: a way through waypoints is one edge, from behind. */
    for (uint32_t at = state; at != NO_STATE; at = s->parent[at]) {
        const struct edge *edge = &c->edges[s->by[at]];
        size_t count = found->edges.count;

        if (edge->to >= c->txn_count && count > 0)
            join(&found->edges.at[count - 1], edge);
        else
            TRY(array_push(&found->edges, *edge, err));
    }
    half = found->edges.count / 2;
    for (size_t i = 0; i < half; i++) {
        struct edge *a = &found->edges.at[i], *b = &found->edges.at[found->edges.count - 1 - i];
        struct edge swap = *a;

        *a = *b;
        *b = swap;
    }
    return STATUS_OK;
}

static enum status search_all(struct path_search *s, struct found_cycle *found, struct error *err)
{
    const struct cycles *c = s->cycles;

    for (size_t i = 0; i < s->edge_count && s->steps < STEPS_MAX; i++) {
        uint32_t edge = s->edges[i], last;
        size_t best = found->edges.count;

        if (!cycle_class_starts(s->class, &c->edges[edge]) || c->edges[edge].from >= c->txn_count)
            continue;
        if (best == 1 || (best == 2 && c->edges[edge].from != c->edges[edge].to))
            continue; /* no shorter one can begin here */
        last = search_from(s, edge, best == 0 ? UINT32_MAX - 1 : (uint32_t)best - 2);
        if (last != NO_STATE)
            TRY(take_path(s, last, found, err));
    }
    return STATUS_OK;
}

static enum status search(struct path_search *s, const struct component *component,
                          struct found_cycle *found, struct error *err)
{
    TRY(take_edges(s, component, err));
    TRY(drop_edges(s, err));
    if (s->edge_count == 0)
        return STATUS_OK;
    TRY(lay_ways(s, err));
    TRY(open_states(s, err));
    return search_all(s, found, err);
}

enum status cycles_search(const struct cycles *c, const struct component *component,
                          const struct cycle_class *class, struct found_cycle *found,
                          struct error *err)
{
    struct path_search s = { .cycles = c, .class = class };
    enum status status = search(&s, component, found, err);

    close_search(&s, component);
    return status;
}
