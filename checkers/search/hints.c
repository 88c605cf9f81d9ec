#include "checkers/search/hints.h"

#include <stdlib.h>

#include "base/bisect.h"

struct hinted {
    struct place place;
    uint32_t actor;
};

static int compare_hinted(const void *a, const void *b)
{
    const struct hinted *x = a, *y = b;
    int order = history_compare_places(x->place, y->place);

    return order != 0 ? order : (x->actor > y->actor) - (x->actor < y->actor);
}

/* Those of whom nothing is said come last. */
static struct place place_of(const struct distilled *d, enum hint hint, uint32_t actor)
{
    const struct history *h = d->history;
    struct place place = { .parts = 1, .part = { INT64_MAX } };
    uint32_t txn = d->actor_txn[actor];

    if (hint == HINT_STORE && history_ts(h, txn).parts > 0)
        return history_ts(h, txn);
    if (hint == HINT_COMPLETION && h->txn_completed[txn] != TIME_ABSENT)
        place.part[0] = h->txn_completed[txn];
    return place;
}

static bool is_at_hand(const struct history *h, enum hint hint)
{
    switch (hint) {
    case HINT_STORE:
        return h->txn_ts != NULL;
    case HINT_COMPLETION:
        return h->txn_completed != NULL;
    default:
        return true;
    }
}

/* How many of the sorted have a place up to this one, but for itself. */
static uint32_t count_up_to(const struct hinted *sorted, uint32_t count, struct place place)
{
    uint32_t low;

    BISECT(low, 0, count, history_compare_places(sorted[low].place, place) <= 0);
    return low;
}

/* Where the store says what each transaction's snapshot was, that is what it saw. */
static enum status find_seen(const struct distilled *d, const struct hinted *sorted,
                             struct serial *serial, struct arena *arena, struct error *err)
{
    const struct history *h = d->history;

    TAKE(arena, serial->seen, d->actor_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++) {
        struct place snapshot = history_txn_snapshot(h, d->actor_txn[sorted[i].actor]);

        serial->seen[i] = snapshot.parts > 0 ? count_up_to(sorted, i, snapshot) : i;
    }
    return STATUS_OK;
}

static enum status order_by(const struct distilled *d, enum hint hint, struct arena *arena,
                            struct serial *serial, struct hinted **sorted, struct error *err)
{
    bool is_sorted = true;

    TAKE(arena, *sorted, d->actor_count, err);
    for (uint32_t actor = 0; actor < d->actor_count; actor++) {
        (*sorted)[actor] = (struct hinted){ place_of(d, hint, actor), actor };
        is_sorted = is_sorted &&
                    (actor == 0 || compare_hinted(&(*sorted)[actor - 1], &(*sorted)[actor]) < 0);
    }
    if (!is_sorted)
        qsort(*sorted, d->actor_count, sizeof **sorted, compare_hinted);
    *serial = (struct serial){ 0 };
    TAKE(arena, serial->actors, d->actor_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++)
        serial->actors[i] = (*sorted)[i].actor;
    return STATUS_OK;
}

enum status hints_order(const struct distilled *d, enum hint hint, struct arena *arena,
                        struct serial *serial, bool *at_hand, struct error *err)
{
    struct hinted *sorted;

    *at_hand = is_at_hand(d->history, hint);
    return *at_hand ? order_by(d, hint, arena, serial, &sorted, err) : STATUS_OK;
}

static enum status try_hint(const struct hints_question *q, enum hint hint, struct serial *serial,
                            bool *holds, struct error *err)
{
    struct hinted *sorted = NULL;

    TRY(order_by(q->d, hint, q->arena, serial, &sorted, err));
    if (q->is_snapshot && hint == HINT_STORE && q->d->history->txn_snapshot)
        TRY(find_seen(q->d, sorted, serial, q->arena, err));
    TRY(replay_serial(q->d, q->base, serial, q->arena, holds, err));
    return *holds && q->looks ? looks_replay(q->looks, serial, false, q->arena, holds, err)
                              : STATUS_OK;
}

enum status hints_try(const struct hints_question *q, struct serial *serial, bool *holds,
                      struct error *err)
{
    *holds = false;
    for (int hint = 0; hint < HINT_COUNT && !*holds; hint++) {
        size_t mark = q->arena->used;

        if (!is_at_hand(q->d->history, (enum hint)hint))
            continue;
        TRY(try_hint(q, (enum hint)hint, serial, holds, err));
        if (!*holds)
            arena_reset_to(q->arena, mark);
    }
    return STATUS_OK;
}
