#include "checkers/search/polygraph/fixed_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_heap.h"

static bool is_unknown(const struct distilled *d, uint32_t actor)
{
    return d->history->txn_status[d->actor_txn[actor]] == TXN_UNKNOWN;
}

/* --- Sessions --------------------------------------------------------------------- */

static enum status follow_sessions(struct fixed_order *b, const struct distilled *d, struct arena *arena,
                                   struct error *err)
{
    const struct history *h = d->history;
    uint32_t *last, *slot_of; /* by session */

    TAKE(arena, last, h->session_count, err);
    TAKE(arena, slot_of, h->session_count, err);
    memset(last, 0xff, h->session_count * sizeof *last);
    memset(slot_of, 0xff, h->session_count * sizeof *slot_of);
    for (uint32_t actor = 0; actor < d->actor_count; actor++) {
        uint32_t session = h->txn_session[d->actor_txn[actor]];

        if (d->is_halved && actor % 2 == 1) {
            b->before[actor] = actor - 1;
            b->slot[actor] = b->slot[actor - 1];
            b->place[actor] = b->place[actor - 1] + 1;
            last[session] = is_unknown(d, actor) ? last[session] : actor;
            continue;
        }
        b->before[actor] = last[session];
        if (is_unknown(d, actor)) {
            b->slot[actor] = b->slot_count++;
            b->place[actor] = 1;
            continue;
        }
        if (slot_of[session] == NOBODY)
            slot_of[session] = b->slot_count++;
        b->slot[actor] = slot_of[session];
        b->place[actor] = last[session] == NOBODY ? 1 : b->place[last[session]] + 1;
        last[session] = actor;
    }
    return STATUS_OK;
}

/* --- Real time -------------------------------------------------------------------- */

struct actor_moment {
    int64_t time;
    uint32_t actor;
};

static int compare_moments(const void *a, const void *b)
{
    const struct actor_moment *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->actor > y->actor) - (x->actor < y->actor);
}

/* When nobody can say that it was over, it never was. */
static int64_t end_of(const struct distilled *d, uint32_t actor)
{
    int64_t end = d->history->txn_completed[d->actor_txn[actor]];

    return is_unknown(d, actor) || end == TIME_ABSENT ? TIME_NEVER : end;
}

/* Slots by when the last of them is over, the earliest on top. */
struct lodgings {
    struct actor_moment *heap; /* the actor is a slot */
    uint32_t count;
};

#define IS_BEFORE(a, b) (compare_moments(&(a), &(b)) < 0)
#define PUT(place, moment) (l->heap[place] = (moment))

/* In the place of the earliest. */
static void replace_lodging(struct lodgings *l, struct actor_moment moment)
{
    BINARY_HEAP_DOWN(l->heap, l->count, 0, moment, IS_BEFORE, PUT);
}

static void add_lodging(struct lodgings *l, struct actor_moment moment)
{
    uint32_t last = l->count++;

    BINARY_HEAP_UP(l->heap, last, moment, IS_BEFORE, PUT);
}

#undef PUT

/* In the order in which they began. */
static enum status let_slots(struct fixed_order *b, const struct distilled *d, const struct actor_moment *begins,
                             struct arena *arena, struct error *err)
{
    struct lodgings l = { 0 };
    uint32_t *taken; /* by slot: how many places */

    TAKE(arena, l.heap, d->actor_count, err);
    TAKE(arena, taken, d->actor_count, err);
    for (uint32_t i = 0; i < d->actor_count; i++) {
        uint32_t actor = begins[i].actor;
        int64_t end = end_of(d, actor);

        if (l.count > 0 && l.heap[0].time < begins[i].time) {
            b->slot[actor] = l.heap[0].actor;
            replace_lodging(&l, (struct actor_moment){ end, l.heap[0].actor });
        } else {
            b->slot[actor] = b->slot_count++;
            add_lodging(&l, (struct actor_moment){ end, b->slot[actor] });
        }
        b->place[actor] = ++taken[b->slot[actor]];
    }
    return STATUS_OK;
}

static void raise_barriers(struct fixed_order *b, const struct distilled *d, const struct actor_moment *begins,
                           const struct actor_moment *ends)
{
    uint32_t over = 0, raised = 0; /* how many are over; and were when the last barrier was made */

    for (uint32_t i = 0; i < d->actor_count; i++) {
        while (over < d->actor_count && ends[over].time < begins[i].time)
            over++;
        if (over > raised) {
            for (; raised < over; raised++)
                b->barrier_after[ends[raised].actor] = b->barrier_count;
            b->barrier_count++;
        }
        b->barrier_before[begins[i].actor] = b->barrier_count - 1; /* or NOBODY */
    }
}

static enum status follow_time(struct fixed_order *b, const struct distilled *d, struct arena *arena,
                               struct error *err)
{
    struct actor_moment *begins, *ends;

    TAKE(arena, begins, d->actor_count, err);
    TAKE(arena, ends, d->actor_count, err);
    for (uint32_t actor = 0; actor < d->actor_count; actor++) {
        /* An absent time is the least of all: nothing had completed by then. */
        begins[actor] = (struct actor_moment){ d->history->txn_invoked[d->actor_txn[actor]], actor };
        ends[actor] = (struct actor_moment){ end_of(d, actor), actor };
    }
    qsort(begins, d->actor_count, sizeof *begins, compare_moments);
    qsort(ends, d->actor_count, sizeof *ends, compare_moments);
    TRY(let_slots(b, d, begins, arena, err));
    raise_barriers(b, d, begins, ends);
    return STATUS_OK;
}

/* --- Both ------------------------------------------------------------------------- */

enum status fixed_order_init(struct fixed_order *b, const struct distilled *d, enum cycle_closing closing,
                             struct arena *arena, struct error *err)
{
    size_t bytes = d->actor_count * sizeof(uint32_t);

    *b = (struct fixed_order){ .closing = closing };
    TAKE(arena, b->slot, d->actor_count, err);
    TAKE(arena, b->place, d->actor_count, err);
    TAKE(arena, b->before, d->actor_count, err);
    TAKE(arena, b->barrier_after, d->actor_count, err);
    TAKE(arena, b->barrier_before, d->actor_count, err);
    memset(b->before, 0xff, bytes);
    memset(b->barrier_after, 0xff, bytes);
    memset(b->barrier_before, 0xff, bytes);
    if (closing == CLOSING_SESSION)
        return follow_sessions(b, d, arena, err);
    if (closing == CLOSING_TIME && d->history->txn_invoked && d->history->txn_completed)
        return follow_time(b, d, arena, err);
    return STATUS_OK;
}
