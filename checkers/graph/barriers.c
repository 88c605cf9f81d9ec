#include "checkers/graph/barriers.h"

#include <stdlib.h>

#include "base/sort.h"
#include "checkers/check_private.h"

static bool has_begun(const struct history *h, uint32_t txn)
{
    return h->txn_invoked[txn] != TIME_ABSENT;
}

static bool has_completed(const struct history *h, uint32_t txn)
{
    return h->txn_status[txn] == TXN_OK && h->txn_completed[txn] != TIME_ABSENT &&
           h->txn_completed[txn] != TIME_NEVER;
}

static int64_t find_first(const struct places *places)
{
    const struct history *h = places->history;
    int64_t first = INT64_MAX;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (!places_is_in(places, t))
            continue;
        if (has_begun(h, t) && h->txn_invoked[t] < first)
            first = h->txn_invoked[t];
        if (has_completed(h, t) && h->txn_completed[t] < first)
            first = h->txn_completed[t];
    }
    return first;
}

/*
 * What clients did, as far from the first of all; completions are marked. Beginnings come first:
 * at equal times they stay so, as equal times order nothing.
 */
static size_t gather(const struct places *places, struct sort_item *moments)
{
    const struct history *h = places->history;
    uint64_t first = (uint64_t)find_first(places);
    size_t count = 0;

    for (uint32_t t = 0; t < h->txn_count; t++)
        if (places_is_in(places, t) && has_begun(h, t))
            moments[count++] = (struct sort_item){ (uint64_t)h->txn_invoked[t] - first, t, false };
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (places_is_in(places, t) && has_completed(h, t))
            moments[count++] = (struct sort_item){ (uint64_t)h->txn_completed[t] - first, t, true };
    return count;
}

/* A barrier stands between completions and the next beginning. */
static void set_up(struct barriers *b, const struct sort_item *moments, size_t count)
{
    bool is_due = false;

    for (size_t i = 0; i < count; i++) {
        if (moments[i].is_marked) {
            b->after[moments[i].number] = b->count;
            is_due = true;
            continue;
        }
        b->count += is_due;
        is_due = false;
        if (b->count > 0)
            b->before[moments[i].number] = b->count - 1;
    }
}

enum status barriers_init(struct barriers *b, const struct places *places, struct error *err)
{
    const struct history *h = places->history;
    struct sort_item *moments = NULL;
    size_t count;

    *b = (struct barriers){ 0 };
    TRY(check_memory((void **)&b->after, h->txn_count, sizeof *b->after, 0xff, err));
    TRY(check_memory((void **)&b->before, h->txn_count, sizeof *b->before, 0xff, err));
    if (!h->txn_invoked || !h->txn_completed)
        return STATUS_OK;
    TRY(memory_resize((void **)&moments, 4 * h->txn_count, sizeof *moments, err));
    count = gather(places, moments);
    set_up(b, sort_by_distance(moments, count), count);
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
