#include "checkers/interval/settled_order_private.h"

#include <stdlib.h>

#include "checkers/check_private.h"

void settled_order_add(struct interval_model *m, const struct live_txn *live, uint32_t point,
                       uint32_t op, uint32_t key)
{
    struct settled_instant instant = { .number = live->number, .op = op, .key = key };
    struct error ignored = { 0 };

    if (!m->derivation)
        return;
    instant.low = timeline_point(&m->timeline, point)->low;
    instant.serial = m->derivation->settled.count;
    m->derivation->is_broken |= array_push(&m->derivation->settled, instant, &ignored) != STATUS_OK;
}

/* Instants that have not gone, by point; `likely`: when they were, if orders allow that. */
struct unsettled {
    int64_t likely;
    const struct live_txn *live;
    uint32_t op, key, held_by; /* held_by: orders into it */
};

static void add_unsettled(const struct interval_model *m, struct unsettled *all, uint32_t point,
                          struct unsettled new)
{
    const struct timeline *t = &m->timeline;

    if (point == INTERVAL_NONE)
        return;
    all[point] = new;
    for (uint32_t o = timeline_point(t, point)->first_in; o != TIMELINE_NONE;
         o = t->orders.at[o].next_in)
        all[point].held_by++;
}

static int64_t middle(struct time_window times)
{
    return times.low + (int64_t)(((uint64_t)times.high - (uint64_t)times.low) / 2);
}

/* With snapshots a commit's place is often given long before the client hears of it. */
static int64_t likely_commit(const struct interval_model *m, const struct live_txn *live)
{
    return m->profile.view == VIEW_TRANSACTION && live->commit.high != TIMELINE_END
               ? middle(live->commit)
               : live->commit.high;
}

static void find_unsettled(const struct interval_model *m, struct unsettled *all)
{
    for (size_t i = 0; i < m->live.count; i++) {
        const struct live_txn *live = &m->live.at[i];
        uint32_t last = INTERVAL_NONE;

        for (uint32_t k = 0; live->has_statements && k < live->access_count; k++) {
            const struct txn_access *a = &live->accesses[k];

            if (a->view != last)
                add_unsettled(
                    m, all, a->view,
                    (struct unsettled){
                        .likely = middle(a->at), .live = live, .op = a->op, .key = a->key });
            last = a->view;
        }
        if (m->profile.view == VIEW_TRANSACTION)
            add_unsettled(m, all, live->view,
                          (struct unsettled){ .likely = live->at.low,
                                              .live = live,
                                              .op = DERIVATION_VIEW,
                                              .key = INTERVAL_NONE });
        add_unsettled(m, all, live->point,
                      (struct unsettled){ .likely = likely_commit(m, live),
                                          .live = live,
                                          .op = DERIVATION_COMMIT,
                                          .key = INTERVAL_NONE });
    }
}

/* One after the other, the likeliest of those that nothing unsettled leads to. */
static enum status settle_in_turn(struct interval_model *m, struct unsettled *all,
                                  struct event_heap *free_points, struct error *err)
{
    const struct timeline *t = &m->timeline;

    for (uint32_t p = 0; p < t->points.count; p++)
        if (all[p].live && all[p].held_by == 0)
            TRY(event_heap_push(free_points, (struct timed_event){ all[p].likely, p, false }, err));
    while (free_points->count > 0) {
        uint32_t point = (uint32_t)event_heap_pop(free_points).txn;

        settled_order_add(m, all[point].live, point, all[point].op, all[point].key);
        for (uint32_t o = timeline_point(t, point)->first_out; o != TIMELINE_NONE;
             o = t->orders.at[o].next_out) {
            uint32_t to = t->orders.at[o].to;

            if (--all[to].held_by == 0)
                TRY(event_heap_push(free_points, (struct timed_event){ all[to].likely, to, false },
                                    err));
        }
    }
    return STATUS_OK;
}

static int compare_instants(const void *a, const void *b)
{
    const struct settled_instant *x = a, *y = b;

    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

enum status settled_order_finish(struct interval_model *m, struct error *err)
{
    struct derivation *g = m->derivation;
    struct unsettled *all = NULL;
    struct event_heap free_points = { 0 };
    enum status status;

    TRY(check_memory((void **)&all, m->timeline.points.count, sizeof *all, 0, err));
    find_unsettled(m, all);
    status = settle_in_turn(m, all, &free_points, err);
    array_close(&free_points);
    free(all);
    if (g->settled.count > 0)
        qsort(g->settled.at, g->settled.count, sizeof *g->settled.at, compare_instants);
    return status;
}
