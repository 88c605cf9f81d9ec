#include "checkers/graph/anomaly.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/check_private.h"

enum status anomaly_add_cycle(struct check *check, const struct history *h, enum anomaly kind,
                              const struct edge *edges, size_t count, struct error *err)
{
    struct discovery d = { .kind = kind, .proven = kind, .txn_count = count };
    uint32_t *txns = NULL;
    enum status status;

    assert(count > 0);
    TRY(memory_resize((void **)&txns, count, sizeof *txns, err));
    for (size_t i = 0; i < count; i++) {
        assert(edges[i].to == edges[(i + 1) % count].from); /* it is a cycle */
        txns[i] = edges[i].from;
    }
    d.txns = txns;
    proof_tell_cycle(&d.why, h, edges, count);
    proof_cycle(&d.proof, h, edges, count);
    status = check_add(check, &d, err);
    free(txns);
    return status;
}

enum status anomaly_tell_cycle(void *context, const struct found_cycle *found, bool *goes_on,
                               struct error *err)
{
    const struct anomaly_teller *teller = context;

    *goes_on = !check_is_full(teller->check);
    return *goes_on ? anomaly_add_cycle(teller->check, teller->history, found->kind,
                                        found->edges.at, found->edges.count, err)
                    : STATUS_OK;
}
