#include "checkers/graph/contradiction.h"

#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"

static enum status tell(const struct history *h, uint32_t key, uint32_t first, uint32_t second,
                        struct check *check, struct error *err)
{
    uint32_t txns[2] = { history_txn_of(h, first), history_txn_of(h, second) };
    struct discovery d = { .kind = ANOMALY_CYCLIC_VERSIONS,
                           .proven = ANOMALY_CYCLIC_VERSIONS,
                           .txns = txns,
                           .txn_count = 2 };

    if (check_is_full(check))
        return STATUS_OK;
    tell_print(&d.why, h,
               "the version order of %K has %T before %T, whose ts is smaller: the store "
               "contradicts itself", key, txns[0], txns[1]);
    proof_writes(&d.proof, h, key, first, second);
    return check_add(check, &d, err);
}

/* `position` is by operation that writes: that of its transaction, or HISTORY_NONE. */
static enum status find_in_order(const struct history *h, size_t order, const uint32_t *position,
                                 struct check *check, struct error *err)
{
    uint32_t last = HISTORY_NONE;

    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        uint32_t version = h->order_version[i];

        if (position[version] == HISTORY_NONE)
            continue;
        if (last != HISTORY_NONE && position[version] < position[last])
            return tell(h, h->order_key[order], last, version, check, err);
        last = version;
    }
    return STATUS_OK;
}

enum status contradiction_find(const struct places *places, struct check *check,
                               struct error *err)
{
    const struct history *h = places->history;
    enum status status = STATUS_OK;
    uint32_t *position = NULL;

    if (h->order_version_count == 0 || places->sequence_count == 0)
        return STATUS_OK;
    TRY(memory_resize((void **)&position, h->op_count, sizeof *position, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            position[op] = places->position[t];
    for (size_t i = 0; i < h->order_count && status == STATUS_OK; i++)
        status = find_in_order(h, i, position, check, err);
    free(position);
    return status;
}
