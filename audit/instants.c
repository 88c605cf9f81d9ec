#include "audit/instants_private.h"

#include <stdlib.h>

#include "base/bisect.h"

/* A bound of the order: from this time on, so many of its first transactions. */
struct instant {
    int64_t at_ns;
    uint32_t place;
};

static int compare_instants(const void *left, const void *right)
{
    const struct instant *a = left, *b = right;

    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void note_completions(const struct plan *plan, const uint32_t *order, uint32_t count,
                             struct instant *at, uint32_t *at_count)
{
    uint32_t highest = 0;

    *at_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_txn *t = &plan->txns.at[order[i]];

        if (t->has_place && !t->is_unknown && t->logged->completed_ns != TIME_NEVER)
            at[(*at_count)++] = (struct instant){ t->logged->completed_ns, i + 1 };
    }
    qsort(at, *at_count, sizeof *at, compare_instants);
    for (uint32_t i = 0; i < *at_count; i++) {
        if (at[i].place > highest)
            highest = at[i].place;
        at[i].place = highest;
    }
}

static void note_invocations(const struct plan *plan, const uint32_t *order, uint32_t count,
                             struct instant *at, uint32_t *at_count)
{
    uint32_t lowest = count;

    *at_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_txn *t = &plan->txns.at[order[i]];

        if (t->has_place && t->logged->invoked_ns != TIME_NEVER)
            at[(*at_count)++] = (struct instant){ t->logged->invoked_ns, i };
    }
    qsort(at, *at_count, sizeof *at, compare_instants);
    for (uint32_t i = *at_count; i > 0; i--) {
        if (at[i - 1].place < lowest)
            lowest = at[i - 1].place;
        at[i - 1].place = lowest;
    }
}

static void find_least(struct instants *in, const struct plan *plan, const struct instant *at,
                       uint32_t at_count)
{
    for (uint32_t t = 0; t < plan->txns.count; t++) {
        int64_t invoked = plan->txns.at[t].logged->invoked_ns;
        uint32_t k = 0;

        if (invoked != TIME_NEVER)
            BISECT(k, 0, at_count, at[k].at_ns < invoked);
        in->least[t] = k > 0 ? at[k - 1].place : 0;
    }
}

static void find_most(struct instants *in, const struct plan *plan, const struct instant *at,
                      uint32_t at_count, bool last)
{
    for (uint32_t t = 0; t < plan->txns.count; t++) {
        const struct plan_txn *txn = &plan->txns.at[t];
        int64_t end = last ? txn->logged->completed_ns : txn->first_answer_ns;
        uint32_t k = at_count;

        if (end != TIME_NEVER && !txn->is_unknown)
            BISECT(k, 0, at_count, at[k].at_ns <= end);
        in->most[t] = k < at_count ? at[k].place : UINT32_MAX;
    }
}

enum status audit_instants_find(struct instants *in, const struct plan *plan, const uint32_t *order,
                          uint32_t count, bool last, struct error *err)
{
    struct instant *at = calloc((size_t)count + 1, sizeof *at);
    uint32_t at_count;

    *in = (struct instants){ .least = calloc(plan->txns.count + 1, sizeof *in->least),
                             .most = calloc(plan->txns.count + 1, sizeof *in->most) };
    if (!at || !in->least || !in->most) {
        free(at);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for times");
    }
    note_completions(plan, order, count, at, &at_count);
    find_least(in, plan, at, at_count);
    note_invocations(plan, order, count, at, &at_count);
    find_most(in, plan, at, at_count, last);
    for (uint32_t i = 0; i < count; i++)
        in->is_torn |= plan->txns.at[order[i]].has_place && in->least[order[i]] > i;
    free(at);
    return STATUS_OK;
}

void audit_instants_close(struct instants *in)
{
    free(in->least);
    free(in->most);
}
