#include "audit/core_private.h"

#include <stdlib.h>

#include "base/bisect.h"

#define NEEDS_MAX 10000000

void core_close(struct core *core)
{
    array_close(&core->needs);
    array_close(&core->txns);
    free(core->is_in);
}

enum status core_note(struct core *core, uint32_t txn, uint32_t other, struct error *err)
{
    core->is_too_much |= core->needs.count == NEEDS_MAX;
    if (txn == other || core->is_too_much)
        return STATUS_OK;
    return array_push(&core->needs, ((struct core_need){ txn, other }), err);
}

static int compare_needs(const void *left, const void *right)
{
    const struct core_need *a = left, *b = right;

    return a->txn != b->txn ? (a->txn > b->txn) - (a->txn < b->txn)
                            : (a->other > b->other) - (a->other < b->other);
}

enum status core_begin(struct core *core, uint32_t txn_count, struct error *err)
{
    core->is_in = calloc((size_t)txn_count + 1, sizeof *core->is_in);
    if (!core->is_in)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a core");
    if (core->needs.count > 0)
        qsort(core->needs.at, core->needs.count, sizeof *core->needs.at, compare_needs);
    return STATUS_OK;
}

enum status core_add(struct core *core, uint32_t txn, struct error *err)
{
    if (core->is_in[txn])
        return STATUS_OK;
    core->is_in[txn] = true;
    return array_push(&core->txns, txn, err);
}

enum status core_end(struct core *core, struct error *err)
{
    for (size_t i = 0; i < core->txns.count; i++) {
        uint32_t txn = core->txns.at[i];
        size_t at;

        BISECT(at, 0, core->needs.count, core->needs.at[at].txn < txn);
        for (; at < core->needs.count && core->needs.at[at].txn == txn; at++)
            TRY(core_add(core, core->needs.at[at].other, err));
    }
    return STATUS_OK;
}
