#include "programs/workloads/builtin_tally.h"

#include <assert.h>
#include <stdlib.h>

#include "programs/workloads/builtin_listed_private.h"
#include "programs/workloads/builtin_private.h"

void builtin_tally_init(struct builtin_tally *tally, const struct builtin *builtin)
{
    *tally = (struct builtin_tally){ .builtin = builtin };
}

void builtin_tally_close(struct builtin_tally *tally)
{
    array_close(&tally->acknowledged);
    array_close(&tally->unknown);
}

enum status builtin_tally_add(struct builtin_tally *tally, const struct builtin_txn *txn,
                              enum txn_status outcome, struct error *err)
{
    const struct builtin_behaviour *behaviour = tally->builtin->workload->behaviour;

    assert(txn->builtin == tally->builtin);
    if (!behaviour->tally || outcome == TXN_ABORT)
        return STATUS_OK;
    return (txn->listed ? builtin_listed_tally : behaviour->tally)(tally, txn, outcome == TXN_OK,
                                                                   err);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void builtin_tally_sort(struct builtin_tally *tally)
{
    if (tally->acknowledged.count > 0)
        qsort(tally->acknowledged.at, tally->acknowledged.count, sizeof *tally->acknowledged.at,
              compare_keys);
    if (tally->unknown.count > 0)
        qsort(tally->unknown.at, tally->unknown.count, sizeof *tally->unknown.at, compare_keys);
}

bool builtin_tally_holds(struct builtin_tally *tally, const struct builtin_row *rows,
                         uint64_t count, struct buffer *sentence)
{
    const struct builtin_behaviour *behaviour = tally->builtin->workload->behaviour;

    return !behaviour->holds || behaviour->holds(tally, rows, count, sentence);
}
