#include "checkers/blackbox/portfolio.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/blackbox/search_solver.h"
#include "checkers/checker_private.h"

enum status portfolio_run(const struct search_index *x, const struct search_options *options,
                          struct search_result *result, struct error *err)
{
    struct solver s;
    enum status status = solver_init(&s, x, options, err);
    struct solver_budget b = { options->steps_max ? options->steps_max : UINT64_MAX, UINT64_MAX, { options->stop } };
    uint32_t n = x->problem->node_count;

    if (status == STATUS_OK)
        status = solver_run(&s, &b, &result->answer, err);
    result->counts = s.counts;
    result->counts.steps = solver_steps(&s);
    if (status == STATUS_OK && result->answer == SEARCH_FOUND) {
        result->order = malloc((n + 1) * 4);
        result->values = malloc(x->problem->variable_count + 1);
        memcpy(result->order, s.topology.node_at, n * 4);
        solver_read_values(&s, result->values);
    }
    if (status == STATUS_OK && result->answer == SEARCH_IMPOSSIBLE && options->wants_proof && !s.log.has_given_up) {
        status = search_log_trim(&s.log, &result->proof, err);
        result->has_proof = true;
    }
    solver_close(&s);
    return status;
}
