#include "checkers/search/decide_private.h"

#include <string.h>

#include "checkers/check_private.h"
#include "checkers/search/polygraph/saturate.h"
#include "checkers/search/refuter/refute.h"
#include "checkers/search/solver/smt_search.h"

void decide_close(struct answer_found *a)
{
    polygraph_close(&a->polygraph);
    steps_close(&a->steps);
}

/* --- Orders ----------------------------------------------------------------------- */

/* Actors by their commits; at snapshot, how many had committed where each began. */
static enum status take_order(const struct question *q, struct answer_found *a,
                              const uint32_t *nodes, struct error *err)
{
    const struct distilled *d = q->d;
    uint32_t count = 0, of_actors = d->actor_count * (q->is_snapshot ? 2 : 1), *begun = NULL;

    a->kind = ANSWER_ORDER;
    TAKE(q->arena, a->serial.actors, d->actor_count, err);
    if (q->is_snapshot) {
        TAKE(q->arena, a->serial.seen, d->actor_count, err);
        TAKE(q->arena, begun, d->actor_count, err);
    }
    for (uint32_t i = 0; i < a->polygraph.node_count; i++) {
        uint32_t node = nodes[i];

        if (node >= of_actors)
            continue;
        if (q->is_snapshot && node % 2 == 0) {
            begun[node / 2] = count;
            continue;
        }
        if (q->is_snapshot)
            a->serial.seen[count] = begun[node / 2];
        a->serial.actors[count++] = q->is_snapshot ? node / 2 : node;
    }
    return STATUS_OK;
}

/* --- Refutations ------------------------------------------------------------------ */

static enum status take_reasons(const struct question *q, struct answer_found *a,
                                const struct open_pairs *pairs, const struct search_proof *proof,
                                struct error *err)
{
    a->kind = ANSWER_NONE;
    if (!q->wants_proof)
        return STATUS_OK;
    TRY(steps_init(&a->steps, &a->polygraph, err));
    TRY(refute(&a->steps, &a->polygraph, pairs, proof, q->arena, err));
    a->has_proof = true;
    return STATUS_OK;
}

/* --- The search ------------------------------------------------------------------- */

static enum status ask_native(const struct question *q, const struct open_pairs *pairs,
                              struct search_result *result, struct error *err)
{
    struct search_options options = { .stop = q->options->stop,
                                      .threads = q->options->threads,
                                      .seed = q->options->seed,
                                      .steps_max = q->steps_max,
                                      .wants_proof = q->wants_proof };

    return search_solve(&pairs->problem, &options, result, err);
}

#define SMT_VARIABLES_MAX ((size_t)1 << 19) /* of two kilobytes each, once it has thought about them */

/* That there is no order Z3 says without evidence: that is for the other engine to find. */
static enum status ask(const struct question *q, struct answer_found *a,
                       const struct open_pairs *pairs, struct search_result *result,
                       struct error *err)
{
    struct smt_search_options options = { .encoding = SMT_PROPAGATOR,
                                          .rlimit = SMT_RLIMIT,
                                          .stop = q->options->stop };

    if (q->options->engine == ENGINE_NATIVE)
        return ask_native(q, pairs, result, err);
    if (pairs->variables.count > SMT_VARIABLES_MAX) {
        a->reason = "there are too many open orders for Z3";
        result->answer = SEARCH_UNDECIDED;
        return STATUS_OK;
    }
    TRY(smt_search_solve(&pairs->problem, &options, result, err));
    /* Of the two it does not always tell which. */
    if (result->answer == SEARCH_UNDECIDED)
        a->reason = "Z3 gave up, at its limit of steps or for lack of memory";
    if (result->answer != SEARCH_IMPOSSIBLE)
        return STATUS_OK;
    a->reason = "Z3 finds no order, but gives no proof that can be checked";
    search_result_close(result);
    return ask_native(q, pairs, result, err);
}

static enum status search(const struct question *q, struct answer_found *a,
                          const struct open_pairs *pairs, struct error *err)
{
    struct search_result result = { 0 };
    enum status status = ask(q, a, pairs, &result, err);

    if (status == STATUS_OK && result.answer == SEARCH_FOUND)
        status = take_order(q, a, result.order, err);
    else if (status == STATUS_OK && result.answer == SEARCH_IMPOSSIBLE &&
             (result.has_proof || !q->wants_proof))
        status = take_reasons(q, a, pairs, &result.proof, err);
    search_result_close(&result);
    return status;
}

static enum status open_and_search(const struct question *q, struct answer_found *a,
                                   struct error *err)
{
    struct open_pairs pairs;
    enum status status = pairs_init(&pairs, &a->polygraph, q->options, err);

    a->pair_count = pairs.variables.count;
    if (pairs.is_too_large)
        a->reason = "there are too many open orders to search";
    /* Of those that were not gathered to the end, none may only mean that none was met so far. */
    if (status == STATUS_OK && !pairs.is_too_large && !check_is_stopped(q->options))
        status = pairs.variables.count == 0 ? take_order(q, a, a->polygraph.reach.order, err)
                                            : search(q, a, &pairs, err);
    pairs_close(&pairs);
    return status;
}

static enum status conclude(const struct question *q, struct answer_found *a, struct error *err)
{
    TRY(polygraph_saturate(&a->polygraph, q->options, err));
    if (a->polygraph.is_refuted)
        return take_reasons(q, a, NULL, NULL, err);
    return check_is_stopped(q->options) ? STATUS_OK : open_and_search(q, a, err);
}

enum status decide(const struct question *q, struct answer_found *a, struct error *err)
{
    *a = (struct answer_found){ .kind = ANSWER_OPEN };
    TRY(fixed_order_init(&a->base, q->d, q->closing, q->arena, err));
    TRY(polygraph_init(&a->polygraph, q->d, &a->base, q->is_snapshot, q->arena, err));
    return conclude(q, a, err);
}

enum status decide_further(const struct question *q, struct answer_found *a, struct error *err)
{
    a->kind = ANSWER_OPEN;
    a->reason = NULL;
    a->pair_count = 0;
    TRY(polygraph_extend(&a->polygraph, err));
    return conclude(q, a, err);
}
