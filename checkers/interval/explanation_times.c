/*
 * What times alone say of versions, and of when transactions had committed.
 */
#include "checkers/interval/explanation_private.h"

#include <stdlib.h>


/* --- What times alone say of versions -------------------------------------------------------- */

static int compare_pasts(const void *a, const void *b)
{
    const struct past *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

static enum status add_pasts(struct explanation *x, uint32_t txn, struct traces *traces,
                             struct error *err)
{
    struct trace trace;

    if (!x->counts[txn])
        return STATUS_OK;
    TRY(traces_make(traces, txn, &trace, err));
    x->commits[txn] = mirror_commit_times(x->m, &trace);
    if (x->committed_by && x->committed_by[txn] < x->commits[txn].high)
        x->commits[txn].high = x->committed_by[txn];
    for (uint32_t op = x->h->txn_op[txn]; op < x->h->txn_op[txn + 1]; op++) {
        struct past past = { x->h->op_key[op], x->commits[txn].high, x->commits[txn].low };

        if (x->flags[op] & OP_IS_LAST && x->m->profile.timing == TIMING_KEY)
            TRY(array_push(&x->pasts, past, err));
    }
    return STATUS_OK;
}

enum status explanation_find_times(struct explanation *x, struct error *err)
{
    struct traces traces = { .history = x->h };
    enum status status = STATUS_OK;

    TRY(check_memory((void **)&x->commits, x->h->txn_count, sizeof *x->commits, 0, err));
    for (uint32_t t = 0; t < x->h->txn_count && status == STATUS_OK; t++)
        status = add_pasts(x, t, &traces, err);
    traces_close(&traces);
    if (x->pasts.count > 0)
        qsort(x->pasts.at, x->pasts.count, sizeof *x->pasts.at, compare_pasts);
    for (size_t i = 1; i < x->pasts.count; i++)
        if (x->pasts.at[i].key == x->pasts.at[i - 1].key &&
            x->pasts.at[i].low < x->pasts.at[i - 1].low)
            x->pasts.at[i].low = x->pasts.at[i - 1].low;
    return status;
}

/* From when on the last of the versions can have been installed that were there by then. */
static int64_t past_before(const struct explanation *x, uint32_t key, int64_t time)
{
    size_t low = 0, high = x->pasts.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct past *p = &x->pasts.at[middle];

        if (p->key < key || (p->key == key && p->high < time))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && x->pasts.at[low - 1].key == key ? x->pasts.at[low - 1].low
                                                      : TIMELINE_BEGINNING;
}

int64_t explanation_start(const struct explanation *x, int64_t time)
{
    return time < TIMELINE_BEGINNING + x->m->clock_error ? TIMELINE_BEGINNING
                                                         : time - x->m->clock_error;
}

int64_t explanation_end(const struct explanation *x, uint32_t txn, uint32_t op)
{
    int64_t invoked, completed;

    trace_times(x->h, txn, explanation_head(x->h, op), &invoked, &completed);
    return completed == TIME_NEVER || completed > TIMELINE_END - x->m->clock_error
               ? TIMELINE_END
               : completed + x->m->clock_error;
}

bool explanation_times_allow(const struct explanation *x, uint32_t key, uint32_t txn, int64_t by)
{
    const struct profile *p = &x->m->profile;
    const struct key_now *now = &x->keys[key];
    int64_t past;

    if (now->writer != NONE && now->sent > by && !p->ignores_times &&
        (p->timing != TIMING_FULL || p->by_operations))
        return false;
    if (p->timing != TIMING_KEY)
        return true;
    past = past_before(x, key, explanation_start(x, x->h->txn_invoked[txn]));
    if (now->writer == NONE)
        return past == TIMELINE_BEGINNING;
    return past <= now->installed.high && now->installed.low <= by;
}

/* The writer had committed before the reader did. */
void explanation_note_commit(struct explanation *x, uint32_t writer, uint32_t reader)
{
    if (x->committed_by && writer != NONE && x->h->txn_status[writer] == TXN_UNKNOWN &&
        x->commits[reader].high < x->committed_by[writer])
        x->committed_by[writer] = x->commits[reader].high;
}
