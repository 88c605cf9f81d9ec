/*
 * The search. What counts of a path so far is where it ends, and whether it has
 * had an anti-dependency: under ANTI_ONE at all, under ANTI_APART as its last edge.
 *
 *     state = 2 * node + had
 *
 * Edges to and between barriers of time cost nothing but the first: a path through
 * time is one step, however long it is.
 */
#include <stdlib.h>

#include "checkers/checker_private.h"
#include "checkers/cycles_private.h"

#define STEPS_MAX 20000000 /* edges looked at for one class of one component */
#define NO_STATE UINT32_MAX

struct path_search {
    const struct cycles *cycles;
    const uint32_t *component;
    uint32_t which;
    const struct cycle_class *class;
    uint32_t *round;         /* by state: in which search it was seen last */
    uint32_t *parent;        /* by state: the one before it */
    uint32_t *by;            /* by state: the edge that led to it */
    uint32_t *queue, *ahead; /* states at this distance, and at the next */
    uint32_t queue_count, ahead_count, rounds;
    uint64_t steps;
};

static bool is_free(const struct cycles *c, uint32_t edge)
{
    return c->edges[edge].kind == EDGE_REALTIME && c->edges[edge].from >= c->txn_count;
}

/* The state behind an edge, or NO_STATE: the rule forbids it. */
static uint32_t step(const struct path_search *s, uint32_t state, uint32_t edge)
{
    const struct cycles *c = s->cycles;
    bool is_anti = edge_is_anti(c->edges[edge].kind);
    uint32_t had = state & 1;

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
    return 2 * c->to[edge] + had;
}

static bool may_take(const struct path_search *s, uint32_t edge)
{
    const struct cycles *c = s->cycles;

    return (s->class->kinds >> c->edges[edge].kind & 1) &&
           s->component[c->from[edge]] == s->which && s->component[c->to[edge]] == s->which;
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
    const struct cycles *c = s->cycles;
    uint32_t node = state / 2;

    for (uint32_t i = c->start[node]; i < c->start[node + 1]; i++) {
        uint32_t edge = c->by_from[i], next;

        s->steps++;
        if (!may_take(s, edge))
            continue;
        next = step(s, state, edge);
        if (next != NO_STATE)
            reach(s, next, state, edge);
    }
}

/* Whether a path that came to this state closes the cycle that began with the edge. */
static bool closes(const struct path_search *s, uint32_t first, uint32_t state)
{
    return state / 2 == s->cycles->from[first] && !(s->class->rule == ANTI_APART && (state & 1) &&
                                                    edge_is_anti(s->cycles->edges[first].kind));
}

/* From the edge back to where it comes from, in at most so many steps; the last state. */
static uint32_t search_from(struct path_search *s, uint32_t first, uint32_t depth_max)
{
    uint32_t begin = step(s, 0, first);

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

/* The edges that led to the state, barriers passed over. */
static enum status take_path(const struct path_search *s, uint32_t state, struct found_cycle *found,
                             struct error *err)
{
    const struct cycles *c = s->cycles;
    size_t half;

    found->edges.count = 0;
    /* From the last to the first: a way through time is one edge, from behind. */
    for (uint32_t at = state; at != NO_STATE; at = s->parent[at]) {
        const struct edge *edge = &c->edges[s->by[at]];
        size_t count = found->edges.count;

        if (edge->to >= c->txn_count && count > 0)
            found->edges.at[count - 1].from = edge->from;
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

    for (uint32_t edge = 0; edge < c->edge_count && s->steps < STEPS_MAX; edge++) {
        size_t best = found->edges.count;
        uint32_t last;

        if (!(s->class->starts >> c->edges[edge].kind & 1) || !may_take(s, edge) ||
            c->edges[edge].from >= c->txn_count)
            continue;
        if (best == 1 || (best == 2 && c->edges[edge].from != c->edges[edge].to))
            continue; /* no shorter one can begin here */
        last = search_from(s, edge, best == 0 ? UINT32_MAX - 1 : (uint32_t)best - 2);
        if (last != NO_STATE)
            TRY(take_path(s, last, found, err));
    }
    return STATUS_OK;
}

enum status cycles_search(const struct cycles *c, const uint32_t *component, uint32_t which,
                          const struct cycle_class *class, struct found_cycle *found,
                          struct error *err)
{
    struct path_search s = { .cycles = c, .component = component, .which = which, .class = class };
    size_t states = 2 * (size_t)c->node_count;
    enum status status = check_memory((void **)&s.round, states, sizeof *s.round, 0, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&s.parent, states, sizeof *s.parent, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&s.by, states, sizeof *s.by, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&s.queue, states, sizeof *s.queue, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&s.ahead, states, sizeof *s.ahead, err);
    if (status == STATUS_OK)
        status = search_all(&s, found, err);
    free(s.round);
    free(s.parent);
    free(s.by);
    free(s.queue);
    free(s.ahead);
    return status;
}
