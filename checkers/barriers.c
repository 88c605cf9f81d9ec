#include "checkers/barriers.h"

#include <stdlib.h>

#include "checkers/checker_private.h"

/* Something that a client did. At one time beginnings come first: equal times order nothing. */
struct moment {
    int64_t time;
    uint32_t txn;
    bool is_completion;
};

static int compare_moments(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->is_completion != y->is_completion)
        return x->is_completion ? 1 : -1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

static size_t gather(const struct places *places, struct moment *moments)
{
    const struct history *h = places->history;
    size_t count = 0;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (!places_is_in(places, t))
            continue;
        if (h->txn_invoked[t] != TIME_ABSENT)
            moments[count++] = (struct moment){ h->txn_invoked[t], t, false };
        if (h->txn_status[t] == TXN_OK && h->txn_completed[t] != TIME_ABSENT &&
            h->txn_completed[t] != TIME_NEVER)
            moments[count++] = (struct moment){ h->txn_completed[t], t, true };
    }
    return count;
}

/* A barrier stands between completions and the next beginning. */
static void set_up(struct barriers *b, const struct moment *moments, size_t count)
{
    bool is_due = false;

    for (size_t i = 0; i < count; i++) {
        if (moments[i].is_completion) {
            b->after[moments[i].txn] = b->count;
            is_due = true;
            continue;
        }
        b->count += is_due;
        is_due = false;
        if (b->count > 0)
            b->before[moments[i].txn] = b->count - 1;
    }
}

enum status barriers_init(struct barriers *b, const struct places *places, struct error *err)
{
    const struct history *h = places->history;
    struct moment *moments = NULL;
    size_t count;

    *b = (struct barriers){ 0 };
    TRY(check_memory((void **)&b->after, h->txn_count, sizeof *b->after, 0xff, err));
    TRY(check_memory((void **)&b->before, h->txn_count, sizeof *b->before, 0xff, err));
    if (!h->txn_invoked || !h->txn_completed)
        return STATUS_OK;
    TRY(memory_resize((void **)&moments, 2 * h->txn_count, sizeof *moments, err));
    count = gather(places, moments);
    if (count > 1)
        qsort(moments, count, sizeof *moments, compare_moments);
    set_up(b, moments, count);
    free(moments);
    /* Those that completed when nothing began any more. */
    for (size_t t = 0; t < h->txn_count; t++)
        if (b->after[t] == b->count)
            b->after[t] = BARRIER_NONE;
    return STATUS_OK;
}

void barriers_close(struct barriers *b)
{
    free(b->after);
    free(b->before);
    *b = (struct barriers){ 0 };
}
