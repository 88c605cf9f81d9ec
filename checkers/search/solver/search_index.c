#include "checkers/search/solver/search_index_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "checkers/check_private.h"
#include "checkers/graph/graph.h"

/* --- The first order ----------------------------------------------------------- */

/*
 * The first order of an index: who has few ancestors and many descendants along the
 * edges without guards comes early. An ancestor has strictly less of the one and more of
 * the other, so that these edges lead forward.
 *
 * Ancestors are counted a block of columns at a time, so that memory grows with the
 * nodes alone. Of many nodes a sample is counted; then ties can be, and are broken by
 * any order that fits.
 */

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
    graph_components_close(&components);
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

/* Fills the order: by the number of ancestors less that of descendants. */
static enum status search_index_guess_order(struct search_index *x, uint64_t seed, struct error *err)
{
    struct guess g = { 0 };
    enum status status = guess(&g, x, seed, err);

    guess_close(&g);
    return status;
}

/* A guard that stands twice counts once. */
static bool is_guarded(const struct search_edge *edge, int guard)
{
    return edge->guards[guard] != SEARCH_NONE && (guard == 0 || edge->guards[0] != edge->guards[1]);
}

static enum status index_guards(struct search_index *x, struct error *err)
{
    const struct search_problem *p = x->problem;
    size_t literal_count = 2 * (size_t)p->variable_count, total = 0;

    TRY(check_memory((void **)&x->guarded_start, literal_count + 2, sizeof *x->guarded_start, 0,
                     err));
    for (uint32_t e = 0; e < p->edge_count; e++)
        for (int g = 0; g < 2; g++)
            if (is_guarded(&p->edges[e], g)) {
                assert(p->edges[e].guards[g] < literal_count);
                x->guarded_start[p->edges[e].guards[g] + 2]++;
                total++;
            }
    array_sum_prefixes(x->guarded_start + 1, literal_count + 1);
    TRY(memory_resize((void **)&x->guarded, total + 1, sizeof *x->guarded, err));
    for (uint32_t e = 0; e < p->edge_count; e++)
        for (int g = 0; g < 2; g++)
            if (is_guarded(&p->edges[e], g))
                x->guarded[x->guarded_start[p->edges[e].guards[g] + 1]++] = e;
    return STATUS_OK;
}

static enum status sort_variables(struct search_index *x, struct error *err)
{
    const struct search_problem *p = x->problem;
    uint32_t word_count = p->clause_count > 0 ? p->clause_start[p->clause_count] : 0;

    TRY(check_memory((void **)&x->kinds, (size_t)p->variable_count + 1, sizeof *x->kinds,
                     VARIABLE_LAZY, err));
    TRY(memory_resize((void **)&x->firm, (size_t)p->variable_count + 1, sizeof *x->firm, err));
    for (uint32_t i = 0; i < word_count; i++)
        x->kinds[p->literals[i] / 2] = VARIABLE_FIRM;
    for (uint32_t i = 0; i < p->choice_count; i++)
        x->kinds[p->choices[i].variable] = VARIABLE_CHOICE;
    for (uint32_t v = 0; v < p->variable_count; v++)
        if (x->kinds[v] != VARIABLE_LAZY)
            x->firm[x->firm_count++] = v;
    return STATUS_OK;
}

static enum status index_reads(struct search_index *x, struct error *err)
{
    const struct search_problem *p = x->problem;

    TRY(memory_resize((void **)&x->read_start, (size_t)p->choice_count + 1, sizeof *x->read_start,
                      err));
    for (uint32_t i = 0; i < p->choice_count; i++)
        if (i == 0 || p->choices[i].read != p->choices[i - 1].read)
            x->read_start[x->read_count++] = i;
    x->read_start[x->read_count] = p->choice_count;
    return STATUS_OK;
}

enum status search_index_init(struct search_index *x, const struct search_problem *p, uint64_t seed,
                              struct error *err)
{
    *x = (struct search_index){ .problem = p };
    TRY(index_guards(x, err));
    TRY(sort_variables(x, err));
    TRY(index_reads(x, err));
    TRY(memory_resize((void **)&x->order, (size_t)p->node_count + 1, sizeof *x->order, err));
    if (!p->order)
        return search_index_guess_order(x, seed, err);
    for (uint32_t i = 0; i < p->node_count; i++)
        x->order[i] = p->order[i];
    return STATUS_OK;
}

void search_index_close(struct search_index *x)
{
    free(x->kinds);
    free(x->guarded_start);
    free(x->guarded);
    free(x->firm);
    free(x->read_start);
    free(x->order);
    *x = (struct search_index){ 0 };
}
