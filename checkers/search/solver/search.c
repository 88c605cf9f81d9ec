#include "checkers/search/solver/search.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/checker_private.h"
#include "checkers/search/solver/portfolio_private.h"
#include "checkers/search/solver/search_index_private.h"

static bool is_true(const struct search_result *r, uint32_t literal)
{
    return literal == SEARCH_NONE || r->values[literal / 2] == !(literal & 1);
}

/* A model is believed when it has been looked at, edge by edge and clause by clause. */
static void check_model(const struct search_problem *p, const struct search_result *r,
                        const uint32_t *place)
{
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (is_true(r, p->edges[e].guards[0]) && is_true(r, p->edges[e].guards[1]))
            assert(place[p->edges[e].from] < place[p->edges[e].to]);
    for (uint32_t c = 0; c < p->clause_count; c++) {
        bool holds = false;

        for (uint32_t i = p->clause_start[c]; i < p->clause_start[c + 1]; i++)
            holds |= is_true(r, p->literals[i]);
        assert(holds);
    }
}

static enum status check_result(const struct search_problem *p, const struct search_result *r,
                                struct error *err)
{
    uint32_t *place = NULL;

    if (r->answer != SEARCH_FOUND)
        return STATUS_OK;
    TRY(check_memory((void **)&place, (size_t)p->node_count + 1, sizeof *place, 0xff, err));
    for (uint32_t i = 0; i < p->node_count; i++) {
        assert(r->order[i] < p->node_count && place[r->order[i]] == SEARCH_NONE);
        place[r->order[i]] = i;
    }
    check_model(p, r, place);
    free(place);
    return STATUS_OK;
}

enum status search_solve(const struct search_problem *problem, const struct search_options *options,
                         struct search_result *result, struct error *err)
{
    struct search_index index;
    enum status status;

    *result = (struct search_result){ .answer = SEARCH_UNDECIDED };
    status = search_index_init(&index, problem, options->seed, err);
    if (status == STATUS_OK)
        status = portfolio_run(&index, options, result, err);
    if (status == STATUS_OK)
        status = check_result(problem, result, err);
    search_index_close(&index);
    return status;
}

void search_result_close(struct search_result *result)
{
    free(result->order);
    free(result->values);
    free(result->proof.steps);
    free(result->proof.words);
    *result = (struct search_result){ 0 };
}
