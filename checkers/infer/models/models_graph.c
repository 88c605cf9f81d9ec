/*
 * Makes the graph that a model judges, and finds out which of its nodes reach which.
 *
 * Who reaches whom is asked of 64 nodes at once: each has a bit, and the bits run
 * down the components, which are numbered so that edges lead from higher to lower
 * ones. A question leads nowhere unless it leads down, and the bits run only from its
 * higher end to its lower one, which mostly is not far.
 */
#include "checkers/infer/models/models_graph_private.h"

#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/graph/graph.h"
#include "checkers/infer/models/models_private.h"

/* --- Ties ------------------------------------------------------------------------ */

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

#define BITS 64

enum status models_picture_cycles(const struct picture *p, struct edge_list *list, struct error *err)
{
    size_t count = p->of.cycles->edge_count;
    struct components components = { 0 };
    enum status status = projection_find_components(&p->of, &components, err);

    list->at.count = 0;
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        if (projection_has(&p->of, i) && projection_is_cyclic(&p->of, &components, i))
            status = array_push(&list->at, i, err);
    graph_components_close(&components);
    return status;
}

/* --- Reaching --------------------------------------------------------------------- */

struct reaching {
    struct arcs *arcs;
    struct graph graph;
    struct components components;
    uint32_t *start;    /* by component, and one more: its nodes */
    uint32_t *by_group; /* nodes, by component */
    uint64_t *bits;     /* by component */
};

void models_arcs_close(struct arcs *a)
{
    array_close(&a->at);
    array_close(&a->questions);
}

static enum status lay_arcs(const struct arcs *a, struct graph *g, struct components *components,
                            struct error *err)
{
    TRY(graph_init(g, a->node_count, err));
    for (size_t i = 0; i < a->at.count; i++)
        graph_count(g, a->at.at[i].from);
    TRY(graph_lay_out(g, err));
    for (size_t i = 0; i < a->at.count; i++)
        graph_add(g, a->at.at[i].from, a->at.at[i].to);
    return graph_find_components(g, components, err);
}

enum status models_arcs_have_circle(const struct arcs *a, bool *have, struct error *err)
{
    struct graph g = { 0 };
    struct components components = { 0 };
    enum status status = lay_arcs(a, &g, &components, err);

    *have = false;
    for (size_t i = 0; i < a->at.count && status == STATUS_OK && !*have; i++)
        *have = components.of_node[a->at.at[i].from] == components.of_node[a->at.at[i].to];
    graph_close(&g);
    graph_components_close(&components);
    return status;
}

static enum status group_nodes(struct reaching *r, struct error *err)
{
    uint32_t nodes = r->arcs->node_count, groups = r->components.count;
    const uint32_t *of_node = r->components.of_node;

    TRY(check_memory((void **)&r->start, (size_t)groups + 2, sizeof *r->start, 0, err));
    TRY(memory_resize((void **)&r->by_group, nodes, sizeof *r->by_group, err));
    TRY(check_memory((void **)&r->bits, groups, sizeof *r->bits, 0, err));
    for (uint32_t n = 0; n < nodes; n++)
        r->start[of_node[n] + 2]++;
    array_sum_prefixes(r->start, groups + 2);
    for (uint32_t n = 0; n < nodes; n++)
        r->by_group[r->start[of_node[n] + 1]++] = n;
    return STATUS_OK;
}

/* Questions become questions of components, downwards; false: one of them has been answered. */
static bool sift_questions(struct reaching *r)
{
    const uint32_t *of_node = r->components.of_node;
    struct arcs *a = r->arcs;
    size_t kept = 0;

    for (size_t i = 0; i < a->questions.count; i++) {
        struct arc q = { of_node[a->questions.at[i].from], of_node[a->questions.at[i].to] };

        if (q.from == q.to)
            return false;
        if (q.from > q.to)
            a->questions.at[kept++] = q;
    }
    a->questions.count = kept;
    return true;
}

static int compare_falling(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;

    if (x->from != y->from)
        return x->from > y->from ? -1 : 1;
    return (x->to < y->to) - (x->to > y->to);
}

/* Runs the bits of one component on to those that it leads to, down to the lowest that counts. */
static void run_down(struct reaching *r, uint32_t group, uint32_t lowest, struct budget *budget)
{
    uint64_t bits = r->bits[group];

    if (!bits)
        return;
    for (uint32_t i = r->start[group]; i < r->start[group + 1]; i++) {
        uint32_t node = r->by_group[i];

        for (uint32_t e = r->graph.start[node]; e < r->graph.start[node + 1]; e++) {
            uint32_t next = r->components.of_node[r->graph.to[e]];

            if (next >= lowest)
                r->bits[next] |= bits;
        }
        (void)budget_take(budget, r->graph.start[node + 1] - r->graph.start[node]);
    }
}

/* Answers the questions from `first` on that 64 bits are enough for; returns the next. */
static size_t answer(struct reaching *r, size_t first, struct budget *budget, bool *yes)
{
    const struct arc *questions = r->arcs->questions.at;
    size_t end = first;
    unsigned used = 0;
    uint32_t lowest = UINT32_MAX;

    for (; end < r->arcs->questions.count; end++) {
        bool is_new = end == first || questions[end].from != questions[end - 1].from;

        if (is_new && used == BITS)
            break;
        if (is_new)
            r->bits[questions[end].from] |= UINT64_C(1) << used++;
        lowest = questions[end].to < lowest ? questions[end].to : lowest;
    }
    for (uint32_t group = questions[first].from + 1; group-- > lowest;)
        run_down(r, group, lowest, budget);
    (void)budget_take(budget, questions[first].from - lowest + 1);
    used = 0;
    for (size_t i = first; i < end; i++) {
        used += i > first && questions[i].from != questions[i - 1].from;
        *yes |= r->bits[questions[i].to] >> used & 1;
    }
    for (uint32_t group = lowest; group <= questions[first].from; group++)
        r->bits[group] = 0;
    return end;
}

static enum status reach(struct reaching *r, struct budget *budget, bool *yes, struct error *err)
{
    struct arcs *a = r->arcs;

    TRY(lay_arcs(a, &r->graph, &r->components, err));
    if (!sift_questions(r)) {
        *yes = true;
        return STATUS_OK;
    }
    TRY(group_nodes(r, err));
    if (a->questions.count > 1)
        qsort(a->questions.at, a->questions.count, sizeof *a->questions.at, compare_falling);
    for (size_t i = 0; i < a->questions.count && !*yes && !budget->is_spent;)
        i = answer(r, i, budget, yes);
    return STATUS_OK;
}

enum status models_arcs_reach(struct arcs *a, struct budget *budget, bool *yes, struct error *err)
{
    struct reaching r = { .arcs = a };
    enum status status;

    *yes = false;
    if (a->questions.count == 0)
        return STATUS_OK;
    status = reach(&r, budget, yes, err);
    graph_close(&r.graph);
    graph_components_close(&r.components);
    free(r.start);
    free(r.by_group);
    free(r.bits);
    return status;
}
