#include "checkers/interval/timeline_private.h"

#include <assert.h>
#include <stdlib.h>

void timeline_close(struct timeline *t)
{
    array_close(&t->points);
    array_close(&t->orders);
    array_close(&t->free_points);
    array_close(&t->free_orders);
    map_close(&t->wide_orders);
    array_close(&t->in_focus);
    array_close(&t->unheld);
    array_close(&t->chain);
    array_close(&t->queue);
    array_close(&t->found);
    array_close(&t->moved);
    array_close(&t->ranks);
    array_close(&t->ends);
    array_close(&t->records);
}

static const struct point_ends as_at_first = { TIMELINE_NONE, TIMELINE_NONE };

static enum status forget_ends(struct timeline *t, uint32_t point, struct error *err)
{
    while (t->ends.count <= point)
        TRY(array_push(&t->ends, as_at_first, err));
    t->ends.at[point] = as_at_first;
    return STATUS_OK;
}

struct point_ends timeline_ends(const struct timeline *t, uint32_t point)
{
    return t->keeps_records ? t->ends.at[point] : as_at_first;
}

enum status timeline_add(struct timeline *t, struct time_window window, uint32_t owner,
                         bool is_view, uint32_t *point, struct error *err)
{
    struct instant_point new = { .low = window.low,
                                 .high = window.high,
                                 .rank = t->next_rank++,
                                 .low_by = TIMELINE_NONE,
                                 .high_by = TIMELINE_NONE,
                                 .first_out = TIMELINE_NONE,
                                 .first_in = TIMELINE_NONE,
                                 .owner = owner,
                                 .is_view = is_view,
                                 .is_live = true };

    assert(window.low <= window.high);
    if (t->free_points.count > 0) {
        *point = t->free_points.at[--t->free_points.count];
        t->points.at[*point] = new;
    } else {
        *point = (uint32_t)t->points.count;
        TRY(array_push(&t->points, new, err));
        TRY(array_push(&t->in_focus, (struct point_focus){ 0 }, err));
    }
    if (++t->live_count > t->live_max)
        t->live_max = t->live_count;
    return t->keeps_records ? forget_ends(t, *point, err) : STATUS_OK;
}

/* --- The point in focus -------------------------------------------------------------- */

static struct point_focus *focus_of(struct timeline *t, uint32_t point)
{
    struct point_focus *focus = &t->in_focus.at[point];

    if (focus->date != t->focus_date)
        *focus = (struct point_focus){ .date = t->focus_date };
    return focus;
}

/* An order is there from now on, or no longer. */
static void note_focus(struct timeline *t, const struct kept_order *o, bool is_there)
{
    if (o->to + 1 == t->focus_plus_1)
        focus_of(t, o->from)->before = is_there;
    else if (o->from + 1 == t->focus_plus_1)
        focus_of(t, o->to)->after = is_there;
}

/* --- Whether there is an order between two points ----------------------------------- */

static uint64_t ends_of(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

static enum status enter_wide(struct timeline *t, uint32_t order, struct error *err)
{
    const struct kept_order *o = &t->orders.at[order];
    size_t place;

    TRY(map_add(&t->wide_orders, ends_of(o->from, o->to), order, &place, err));
    t->wide_orders.values.at[place] = order;
    t->wide_count++;
    return STATUS_OK;
}

/* A point that has just become wide enters all its orders, one that was wide the new one. */
static enum status note_order(struct timeline *t, uint32_t order, struct error *err)
{
    struct instant_point *from = &t->points.at[t->orders.at[order].from];

    note_focus(t, &t->orders.at[order], true);
    if (from->is_wide)
        return enter_wide(t, order, err);
    if (++from->out_count <= TIMELINE_WIDE)
        return STATUS_OK;
    from->is_wide = true;
    for (uint32_t o = from->first_out; o != TIMELINE_NONE; o = t->orders.at[o].next_out)
        TRY(enter_wide(t, o, err));
    return STATUS_OK;
}

/* Free orders stay in the table; it is made anew when they are most of it. */
static enum status free_order(struct timeline *t, uint32_t order, struct error *err)
{
    struct kept_order *o = &t->orders.at[order];
    struct instant_point *from = &t->points.at[o->from];

    note_focus(t, o, false);
    from->out_count -= from->is_wide ? 0 : 1;
    t->wide_count -= from->is_wide ? 1 : 0;
    o->from = TIMELINE_NONE;
    TRY(array_push(&t->free_orders, order, err));
    if (t->wide_orders.keys.count <= 2 * t->wide_count + 1024)
        return STATUS_OK;
    map_clear(&t->wide_orders);
    t->wide_count = 0;
    for (uint32_t i = 0; i < t->orders.count; i++)
        if (t->orders.at[i].from != TIMELINE_NONE && t->points.at[t->orders.at[i].from].is_wide)
            TRY(enter_wide(t, i, err));
    return STATUS_OK;
}

/* TIMELINE_NONE: there is none. */
static uint32_t find_order(const struct timeline *t, uint32_t from, uint32_t to)
{
    const struct instant_point *p = timeline_point(t, from);
    uint32_t out = p->first_out;
    uint64_t found;

    if (!(p->out_bits & timeline_bit(to)))
        return TIMELINE_NONE;
    if (p->is_wide) {
        if (!map_find(&t->wide_orders, ends_of(from, to), &found) ||
            t->orders.at[found].from != from || t->orders.at[found].to != to)
            return TIMELINE_NONE;
        return (uint32_t)found;
    }
    while (out != TIMELINE_NONE && t->orders.at[out].to != to)
        out = t->orders.at[out].next_out;
    return out;
}

void timeline_focus(struct timeline *t, uint32_t point)
{
    const struct instant_point *p = timeline_point(t, point);

    if (t->focus_plus_1 == point + 1)
        return;
    t->focus_plus_1 = point + 1;
    t->focus_date++;
    for (uint32_t o = p->first_in; o != TIMELINE_NONE; o = t->orders.at[o].next_in)
        note_focus(t, &t->orders.at[o], true);
    for (uint32_t o = p->first_out; o != TIMELINE_NONE; o = t->orders.at[o].next_out)
        note_focus(t, &t->orders.at[o], true);
}

static bool has_order(const struct timeline *t, uint32_t from, uint32_t to)
{
    uint32_t other = to + 1 == t->focus_plus_1 ? from : to;
    const struct point_focus *focus;

    if (to + 1 != t->focus_plus_1 && from + 1 != t->focus_plus_1)
        return find_order(t, from, to) != TIMELINE_NONE;
    focus = &t->in_focus.at[other];
    return focus->date == t->focus_date && (other == from ? focus->before : focus->after);
}

uint32_t timeline_step(const struct timeline *t, uint32_t from, uint32_t to)
{
    uint32_t order = find_order(t, from, to);

    return order == TIMELINE_NONE ? TIMELINE_NONE : t->orders.at[order].step;
}

bool timeline_knows(const struct timeline *t, uint32_t from, uint32_t to)
{
    const struct instant_point *p = timeline_point(t, from), *q = timeline_point(t, to);

    if (p->high < q->low)
        return true;
    if (p->rank > q->rank)
        return false;
    return has_order(t, from, to);
}

/* --- Contradictions --------------------------------------------------------------- */

/* A circle: the new order, and the path of the last search from its end to its beginning. */
static enum status tell_circle(struct timeline *t, const struct kept_order *new, struct error *err)
{
    size_t low = 1, high;

    t->chain.count = 0;
    t->chain_is_circle = true;
    TRY(array_push(&t->chain, *new, err));
    for (uint32_t at = new->from; at != new->to;) {
        const struct kept_order *by = &t->orders.at[t->points.at[at].seen_by];

        TRY(array_push(&t->chain, *by, err));
        at = by->from;
    }
    for (high = t->chain.count; low + 1 < high; low++) {
        struct kept_order held = t->chain.at[low];

        t->chain.at[low] = t->chain.at[--high];
        t->chain.at[high] = held;
    }
    return STATUS_OK;
}

/* An empty window: the orders that moved its low end, from their origin, then its high end. */
static enum status tell_empty(struct timeline *t, uint32_t point, struct error *err)
{
    size_t count;

    t->chain.count = 0;
    t->chain_is_circle = false;
    for (uint32_t at = point; t->points.at[at].low_by != TIMELINE_NONE;) {
        const struct kept_order *by = &t->orders.at[t->points.at[at].low_by];

        TRY(array_push(&t->chain, *by, err));
        at = by->from;
    }
    count = t->chain.count;
    for (size_t i = 0; i < count / 2; i++) {
        struct kept_order held = t->chain.at[i];

        t->chain.at[i] = t->chain.at[count - 1 - i];
        t->chain.at[count - 1 - i] = held;
    }
    for (uint32_t at = point; t->points.at[at].high_by != TIMELINE_NONE;) {
        const struct kept_order *by = &t->orders.at[t->points.at[at].high_by];

        TRY(array_push(&t->chain, *by, err));
        at = by->to;
    }
    return STATUS_OK;
}

/* --- Windows ---------------------------------------------------------------------- */

static enum status remember(struct timeline *t, uint32_t point, struct error *err)
{
    const struct instant_point *p = &t->points.at[point];

    return array_push(&t->moved,
                      ((struct moved_end){ .point = point,
                                           .low = p->low,
                                           .high = p->high,
                                           .low_by = p->low_by,
                                           .high_by = p->high_by,
                                           .ends = timeline_ends(t, point) }),
                      err);
}

static void move_back(struct timeline *t)
{
    while (t->moved.count > 0) {
        const struct moved_end *m = &t->moved.at[--t->moved.count];
        struct instant_point *p = &t->points.at[m->point];

        p->low = m->low;
        p->high = m->high;
        p->low_by = m->low_by;
        p->high_by = m->high_by;
        if (t->keeps_records)
            t->ends.at[m->point] = m->ends;
    }
}

/* Where the end of a window comes from now. */
static enum status record(struct timeline *t, const struct kept_order *o, bool forward,
                          struct error *err)
{
    struct point_ends source = t->ends.at[forward ? o->from : o->to];
    struct end_record new = { o->step, forward ? source.low : source.high };

    *(forward ? &t->ends.at[o->to].low : &t->ends.at[o->from].high) = (uint32_t)t->records.count;
    return array_push(&t->records, new, err);
}

/* The low end of who comes after, or the high end of who comes before. */
static enum status narrow(struct timeline *t, uint32_t order, bool forward, bool *is_empty,
                          struct error *err)
{
    const struct kept_order *o = &t->orders.at[order];
    uint32_t at = forward ? o->to : o->from;
    struct instant_point *p = &t->points.at[at];
    int64_t end = forward ? t->points.at[o->from].low : t->points.at[o->to].high;

    if (forward ? p->low >= end : p->high <= end)
        return STATUS_OK;
    TRY(remember(t, at, err));
    if (forward) {
        p->low = end;
        p->low_by = order;
    } else {
        p->high = end;
        p->high_by = order;
    }
    if (t->keeps_records)
        TRY(record(t, o, forward, err));
    if (p->low > p->high) {
        *is_empty = true;
        return tell_empty(t, at, err);
    }
    return array_push(&t->queue, at, err);
}

static enum status narrow_all(struct timeline *t, uint32_t order, bool forward, bool *is_empty,
                              struct error *err)
{
    t->queue.count = 0;
    TRY(narrow(t, order, forward, is_empty, err));
    while (t->queue.count > 0 && !*is_empty) {
        const struct instant_point *p = &t->points.at[t->queue.at[--t->queue.count]];
        uint32_t next = forward ? p->first_out : p->first_in;

        for (; next != TIMELINE_NONE && !*is_empty;
             next = forward ? t->orders.at[next].next_out : t->orders.at[next].next_in)
            TRY(narrow(t, next, forward, is_empty, err));
    }
    return STATUS_OK;
}

/* --- Ranks ------------------------------------------------------------------------ */

/* Whatever is reached from `from` within the ranks up to that of `to`, along or against orders. */
static enum status search(struct timeline *t, uint32_t from, uint32_t to, bool forward,
                          bool *is_found, struct error *err)
{
    uint64_t limit = t->points.at[to].rank;
    uint32_t date = ++t->search;

    t->queue.count = 0;
    t->points.at[from].seen = date;
    TRY(array_push(&t->queue, from, err));
    for (size_t i = 0; i < t->queue.count; i++) {
        const struct instant_point *p = &t->points.at[t->queue.at[i]];
        uint32_t o = forward ? p->first_out : p->first_in;

        for (; o != TIMELINE_NONE;
             o = forward ? t->orders.at[o].next_out : t->orders.at[o].next_in) {
            uint32_t next = forward ? t->orders.at[o].to : t->orders.at[o].from;
            struct instant_point *q = &t->points.at[next];

            if (q->seen == date || (forward ? q->rank > limit : q->rank < limit))
                continue;
            q->seen = date;
            q->seen_by = o;
            TRY(array_push(&t->queue, next, err));
            if (next == to) {
                *is_found = true;
                return STATUS_OK;
            }
        }
    }
    return STATUS_OK;
}

enum status timeline_implies(struct timeline *t, uint32_t from, uint32_t to, bool *implied,
                             struct error *err)
{
    *implied = timeline_knows(t, from, to);
    if (*implied || t->points.at[from].rank > t->points.at[to].rank)
        return STATUS_OK;
    return search(t, from, to, true, implied, err);
}

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked_point *x = a, *y = b;

    return (x->rank > y->rank) - (x->rank < y->rank);
}

static enum status take_found(struct timeline *t, struct error *err)
{
    for (size_t i = 0; i < t->queue.count; i++) {
        uint32_t at = t->queue.at[i];
        struct ranked_point found = { t->points.at[at].rank, at };

        TRY(array_push(&t->found, found, err));
    }
    return STATUS_OK;
}

/*
 * All that comes before `from` goes before all that comes after `to`, in the ranks that they have
 * between them: the lowest go to the former, and each part keeps its own order.
 */
static enum status rank_again(struct timeline *t, size_t ahead_count, struct error *err)
{
    size_t count = t->found.count, behind_count = count - ahead_count;
    struct ranked_point *ahead = t->found.at, *behind = ahead + ahead_count;

    qsort(ahead, ahead_count, sizeof *ahead, compare_ranks);
    qsort(behind, behind_count, sizeof *behind, compare_ranks);
    t->ranks.count = 0;
    TRY(array_reserve(&t->ranks, count, err));
    for (size_t a = 0, b = 0; a + b < count;) {
        bool takes_ahead = b == behind_count || (a < ahead_count && ahead[a].rank < behind[b].rank);

        t->ranks.at[t->ranks.count++] = takes_ahead ? ahead[a++].rank : behind[b++].rank;
    }
    for (size_t i = 0; i < behind_count; i++)
        t->points.at[behind[i].point].rank = t->ranks.at[i];
    for (size_t i = 0; i < ahead_count; i++)
        t->points.at[ahead[i].point].rank = t->ranks.at[behind_count + i];
    return STATUS_OK;
}

/* Makes ranks rise along an order that is about to be laid, unless it closes a circle. */
static enum status make_way(struct timeline *t, uint32_t from, uint32_t to, bool *is_circle,
                            struct error *err)
{
    size_t ahead_count;

    if (t->points.at[from].rank < t->points.at[to].rank)
        return STATUS_OK;
    TRY(search(t, to, from, true, is_circle, err));
    if (*is_circle)
        return STATUS_OK;
    t->found.count = 0;
    TRY(take_found(t, err));
    ahead_count = t->found.count;
    TRY(search(t, from, to, false, is_circle, err));
    TRY(take_found(t, err));
    return rank_again(t, ahead_count, err);
}

/* --- Laying and taking away -------------------------------------------------------- */

static enum status link_order(struct timeline *t, struct kept_order new, uint32_t *order,
                              struct error *err)
{
    struct instant_point *from = &t->points.at[new.from], *to = &t->points.at[new.to];

    new.next_out = from->first_out;
    new.next_in = to->first_in;
    new.last_in = TIMELINE_NONE;
    if (t->free_orders.count > 0) {
        *order = t->free_orders.at[--t->free_orders.count];
        t->orders.at[*order] = new;
    } else {
        *order = (uint32_t)t->orders.count;
        TRY(array_push(&t->orders, new, err));
    }
    if (new.next_in != TIMELINE_NONE)
        t->orders.at[new.next_in].last_in = *order;
    from->first_out = to->first_in = *order;
    from->out_bits |= timeline_bit(new.to);
    return note_order(t, *order, err);
}

static void unlink_in(struct timeline *t, uint32_t order)
{
    const struct kept_order *o = &t->orders.at[order];

    if (o->last_in == TIMELINE_NONE)
        t->points.at[o->to].first_in = o->next_in;
    else
        t->orders.at[o->last_in].next_in = o->next_in;
    if (o->next_in != TIMELINE_NONE)
        t->orders.at[o->next_in].last_in = o->last_in;
}

/* The last order that was laid from a point goes again. */
static enum status unlink_last(struct timeline *t, uint32_t order, struct error *err)
{
    t->points.at[t->orders.at[order].from].first_out = t->orders.at[order].next_out;
    unlink_in(t, order);
    return free_order(t, order, err);
}

enum status timeline_order(struct timeline *t, struct instant_order laid, bool *holds,
                           struct error *err)
{
    uint32_t from = laid.from, to = laid.to;
    struct kept_order new = {
        .from = from, .to = to, .key = laid.key, .step = t->step, .reason = (uint8_t)laid.reason
    };
    bool is_circle = from == to, is_empty = false;
    uint32_t order;

    assert(t->points.at[from].is_live && t->points.at[to].is_live);
    *holds = true;
    if (!is_circle && timeline_knows(t, from, to))
        return STATUS_OK;
    if (!is_circle)
        TRY(make_way(t, from, to, &is_circle, err));
    if (is_circle) {
        *holds = false;
        return tell_circle(t, &new, err);
    }
    TRY(link_order(t, new, &order, err));
    t->moved.count = 0;
    TRY(narrow_all(t, order, true, &is_empty, err));
    if (!is_empty)
        TRY(narrow_all(t, order, false, &is_empty, err));
    if (!is_empty)
        return STATUS_OK;
    *holds = false;
    move_back(t);
    return unlink_last(t, order, err);
}

enum status timeline_release(struct timeline *t, uint32_t point, bool *is_gone, struct error *err)
{
    struct instant_point *p = &t->points.at[point];

    assert(p->is_live);
    *is_gone = p->first_in == TIMELINE_NONE;
    if (!*is_gone)
        return STATUS_OK;
    for (uint32_t o = p->first_out, next; o != TIMELINE_NONE; o = next) {
        struct instant_point *to = &t->points.at[t->orders.at[o].to];

        next = t->orders.at[o].next_out;
        unlink_in(t, o);
        if (to->low_by == o)
            to->low_by = TIMELINE_NONE;
        if (to->first_in == TIMELINE_NONE)
            TRY(array_push(&t->unheld, t->orders.at[o].to, err));
        TRY(free_order(t, o, err));
    }
    if (point + 1 == t->focus_plus_1)
        t->focus_plus_1 = 0;
    p->is_live = false;
    t->live_count--;
    return array_push(&t->free_points, point, err);
}
