/*
 * The first order of an index: who has few ancestors and many descendants along the
 * edges without guards comes early. An ancestor has strictly less of the one and more of
 * the other, so that these edges lead forward.
 *
 * Ancestors are counted a block of columns at a time, so that memory grows with the
 * nodes alone. Of many nodes a sample is counted; then ties can be, and are broken by
 * any order that fits.
 */
#include "checkers/search/solver/search_index_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker_private.h"
#include "checkers/graph/graph.h"

#define SAMPLE_MAX 12288 /* nodes that are counted as ancestors and descendants */
#define WORDS 8          /* 64 columns each, that are counted at once */

struct guess {
    struct graph graph;
    uint32_t *topological; /* the nodes in some order that fits */
    uint32_t *sample;      /* all nodes, or a random part */
    uint32_t sample_count;
    int64_t *score; /* by node */
    uint64_t (*columns)[WORDS];
    uint32_t *rank; /* by node, in the topological order */
};

static void guess_close(struct guess *g)
{
    graph_close(&g->graph);
    free(g->topological);
    free(g->sample);
    free(g->score);
    free(g->columns);
    free(g->rank);
}

static bool is_known(const struct search_edge *edge)
{
    return edge->guards[0] == SEARCH_NONE && edge->guards[1] == SEARCH_NONE;
}

static enum status make_graph(struct guess *g, const struct search_problem *p, struct error *err)
{
    struct components components = { 0 };
    enum status status;

    TRY(graph_init(&g->graph, p->node_count, err));
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (is_known(&p->edges[e]))
            graph_count(&g->graph, p->edges[e].from);
    TRY(graph_lay_out(&g->graph, err));
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (is_known(&p->edges[e]))
            graph_add(&g->graph, p->edges[e].from, p->edges[e].to);
    status = graph_find_components(&g->graph, &components, err);
    if (status == STATUS_OK) {
        assert(components.count == p->node_count);
        for (uint32_t n = 0; n < p->node_count; n++) {
            g->rank[n] = p->node_count - 1 - components.of_node[n];
            g->topological[g->rank[n]] = n;
        }
    }
    components_close(&components);
    return status;
}

static void draw_sample(struct guess *g, uint32_t node_count, uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);
    struct random random;

    for (uint32_t n = 0; n < node_count; n++)
        g->sample[n] = n;
    g->sample_count = node_count;
    if (node_count <= SAMPLE_MAX)
        return;
    g->sample_count = SAMPLE_MAX;
    random_init(&random, &key);
    random_shuffle(&random, g->sample, node_count);
}

static unsigned bits_of(const uint64_t *words)
{
    unsigned count = 0;

    for (int w = 0; w < WORDS; w++)
        count += (unsigned)__builtin_popcountll(words[w]);
    return count;
}

static inline void unite(uint64_t *into, const uint64_t *other)
{
    for (int w = 0; w < WORDS; w++)
        into[w] |= other[w];
}

static void set_columns(struct guess *g, uint32_t node_count, uint32_t from, uint32_t to)
{
    memset(g->columns, 0, node_count * sizeof *g->columns);
    for (uint32_t i = from; i < to; i++)
        g->columns[g->sample[i]][(i - from) / 64] |= UINT64_C(1) << (i - from) % 64;
}

/* Adds how many of the sample from `from` to `to` lead to each node, less those it leads to. */
static void count_block(struct guess *g, uint32_t node_count, uint32_t from, uint32_t to)
{
    set_columns(g, node_count, from, to);
    for (uint32_t i = 0; i < node_count; i++) {
        uint32_t node = g->topological[i];

        for (uint32_t e = g->graph.start[node]; e < g->graph.start[node + 1]; e++)
            unite(g->columns[g->graph.to[e]], g->columns[node]);
        g->score[node] += bits_of(g->columns[node]);
    }
    set_columns(g, node_count, from, to);
    for (uint32_t i = node_count; i-- > 0;) {
        uint32_t node = g->topological[i];

        for (uint32_t e = g->graph.start[node]; e < g->graph.start[node + 1]; e++)
            unite(g->columns[node], g->columns[g->graph.to[e]]);
        g->score[node] -= bits_of(g->columns[node]);
    }
}

struct ranked {
    int64_t score;
    uint32_t rank, node;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static enum status sort_by_score(const struct guess *g, uint32_t node_count, uint32_t *order,
                                 struct error *err)
{
    struct ranked *ranked = NULL;

    TRY(memory_resize((void **)&ranked, (size_t)node_count + 1, sizeof *ranked, err));
    for (uint32_t n = 0; n < node_count; n++)
        ranked[n] = (struct ranked){ g->score[n], g->rank[n], n };
    qsort(ranked, node_count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < node_count; i++)
        order[i] = ranked[i].node;
    free(ranked);
    return STATUS_OK;
}

static enum status guess(struct guess *g, struct search_index *x, uint64_t seed, struct error *err)
{
    uint32_t n = x->problem->node_count;

    TRY(memory_resize((void **)&g->topological, (size_t)n + 1, sizeof *g->topological, err));
    TRY(memory_resize((void **)&g->rank, (size_t)n + 1, sizeof *g->rank, err));
    TRY(memory_resize((void **)&g->sample, (size_t)n + 1, sizeof *g->sample, err));
    TRY(check_memory((void **)&g->score, (size_t)n + 1, sizeof *g->score, 0, err));
    TRY(memory_resize((void **)&g->columns, (size_t)n + 1, sizeof *g->columns, err));
    TRY(make_graph(g, x->problem, err));
    draw_sample(g, n, seed);
    for (uint32_t from = 0; from < g->sample_count; from += 64 * WORDS) {
        uint32_t left = g->sample_count - from;

        count_block(g, n, from, from + (left < 64 * WORDS ? left : 64 * WORDS));
    }
    return sort_by_score(g, n, x->order, err);
}

enum status search_index_guess_order(struct search_index *x, uint64_t seed, struct error *err)
{
    struct guess g = { 0 };
    enum status status = guess(&g, x, seed, err);

    guess_close(&g);
    return status;
}
