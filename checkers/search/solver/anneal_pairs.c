/*
 * Which chains may overlap: those between which a variable decides.
 *
 * A variable is not told whose order it stands for, but its edges lead to the heads of two
 * chains, those of the one polarity to one head and those of the other to the other:
 * what chains of a common key begin there is at stake. A pair too many does no harm, and
 * one too few is found by whoever learns clauses afterwards.
 */
#include "checkers/search/solver/anneal_pairs_private.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/checker_private.h"

/* Nodes to the chains that begin with them, in rising order. */
struct heads {
    uint32_t *start, *chains;
};

static void count_head(struct heads *heads, uint32_t node)
{
    if (node != SEARCH_NONE)
        heads->start[node + 2]++;
}

static void add_head(struct heads *heads, uint32_t node, uint32_t chain)
{
    if (node != SEARCH_NONE)
        heads->chains[heads->start[node + 1]++] = chain;
}

static enum status index_heads(const struct search_problem *p, struct heads *heads,
                               struct error *err)
{
    size_t n = p->node_count;

    TRY(check_memory((void **)&heads->start, n + 3, sizeof *heads->start, 0, err));
    for (uint32_t c = 0; c < p->chain_count; c++) {
        count_head(heads, p->chains[c].head);
        if (p->chains[c].first != p->chains[c].head)
            count_head(heads, p->chains[c].first);
    }
    for (size_t i = 1; i < n + 3; i++)
        heads->start[i] += heads->start[i - 1];
    TRY(memory_resize((void **)&heads->chains, (size_t)heads->start[n + 2] + 1,
                      sizeof *heads->chains, err));
    for (uint32_t c = 0; c < p->chain_count; c++) {
        add_head(heads, p->chains[c].head, c);
        if (p->chains[c].first != p->chains[c].head)
            add_head(heads, p->chains[c].first, c);
    }
    return STATUS_OK;
}

/* The node to which the literal's first edge leads. */
static uint32_t target_of(const struct search_index *x, uint32_t literal)
{
    uint32_t start = x->guarded_start[literal];

    return start < x->guarded_start[literal + 1] ? x->problem->edges[x->guarded[start]].to
                                                 : SEARCH_NONE;
}

static enum status add_pairs(const struct search_problem *p, const struct heads *heads,
                             uint32_t one, uint32_t other, struct anneal_pairs *pairs,
                             struct error *err)
{
    uint32_t i = heads->start[one], j = heads->start[other];

    while (i < heads->start[one + 1] && j < heads->start[other + 1]) {
        uint32_t a = heads->chains[i], b = heads->chains[j];

        if (p->chains[a].key < p->chains[b].key) {
            i++;
        } else if (p->chains[a].key > p->chains[b].key) {
            j++;
        } else {
            if (a != b)
                TRY(array_push(pairs, ((struct anneal_pair){ a, b }), err));
            i++;
            j++;
        }
    }
    return STATUS_OK;
}

static enum status find_pairs(const struct search_index *x, struct heads *heads,
                              struct anneal_pairs *pairs, struct error *err)
{
    TRY(index_heads(x->problem, heads, err));
    for (uint32_t v = 0; v < x->problem->variable_count; v++) {
        uint32_t one = target_of(x, search_literal(v, true));
        uint32_t other = target_of(x, search_literal(v, false));

        if (one != SEARCH_NONE && other != SEARCH_NONE)
            TRY(add_pairs(x->problem, heads, one, other, pairs, err));
    }
    return STATUS_OK;
}

enum status anneal_find_pairs(const struct search_index *x, struct anneal_pairs *pairs,
                              struct error *err)
{
    struct heads heads = { 0 };
    enum status status = find_pairs(x, &heads, pairs, err);

    free(heads.start);
    free(heads.chains);
    return status;
}
