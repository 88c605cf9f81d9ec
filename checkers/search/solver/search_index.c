#include "checkers/search/solver/search_index_private.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/checker_private.h"

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
    for (size_t l = 2; l < literal_count + 2; l++)
        x->guarded_start[l] += x->guarded_start[l - 1];
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
