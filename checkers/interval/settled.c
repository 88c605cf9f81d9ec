#include "checkers/interval/settled.h"

#include <stdlib.h>

#include "checkers/checker_private.h"

void settled_add(struct mirror *m, const struct live *live, uint32_t point, uint32_t op,
                 uint32_t key)
{
    struct settled_instant instant = { .low = timeline_point(&m->timeline, point)->low,
                                       .number = live->number,
                                       .op = op,
                                       .key = key };
    struct error ignored = { 0 };

    if (!m->grounds)
        return;
    instant.serial = m->grounds->settled.count;
    m->grounds->is_broken |= array_push(&m->grounds->settled, instant, &ignored) != STATUS_OK;
}

/* Instants that have not gone, by point; `likely`: when they were, if orders allow that. */
struct unsettled {
    int64_t likely;
    const struct live *live;
    uint32_t op, key, held_by; /* held_by: orders into it */
};

static void add_unsettled(const struct mirror *m, struct unsettled *all, const struct live *live,
                          uint32_t point, int64_t likely, uint32_t op, uint32_t key)
{
    const struct timeline *t = &m->timeline;

    if (point == MIRROR_NONE)
        return;
    all[point] = (struct unsettled){ .likely = likely, .live = live, .op = op, .key = key };
    for (uint32_t o = timeline_point(t, point)->first_in; o != TIMELINE_NONE;
         o = t->orders.at[o].next_in)
        all[point].held_by++;
}

static int64_t middle(struct times times)
{
    return times.low + (int64_t)(((uint64_t)times.high - (uint64_t)times.low) / 2);
}

/* With snapshots a commit's place is often given long before the client hears of it. */
static int64_t likely_commit(const struct mirror *m, const struct live *live)
{
    return m->profile.view == VIEW_TRANSACTION && live->commit.high != TIMELINE_END
               ? middle(live->commit)
               : live->commit.high;
}

static void find_unsettled(const struct mirror *m, struct unsettled *all)
{
    for (size_t i = 0; i < m->live.count; i++) {
        const struct live *live = &m->live.at[i];
        uint32_t last = MIRROR_NONE;

        for (uint32_t k = 0; live->has_statements && k < live->access_count; k++) {
            const struct access *a = &live->accesses[k];

            if (a->view != last)
                add_unsettled(m, all, live, a->view, middle(a->at), a->op, a->key);
            last = a->view;
        }
        if (m->profile.view == VIEW_TRANSACTION)
            add_unsettled(m, all, live, live->view, live->at.low, GROUND_VIEW, MIRROR_NONE);
        add_unsettled(m, all, live, live->point, likely_commit(m, live), GROUND_COMMIT,
                      MIRROR_NONE);
    }
}

/* One after the other, the likeliest of those that nothing unsettled leads to. */
static enum status settle_in_turn(struct mirror *m, struct unsettled *all,
                                  struct agenda *free_points, struct error *err)
{
    const struct timeline *t = &m->timeline;

    for (uint32_t p = 0; p < t->points.count; p++)
        if (all[p].live && all[p].held_by == 0)
            TRY(agenda_push(free_points, (struct mirror_event){ all[p].likely, p, false }, err));
    while (free_points->count > 0) {
        uint32_t point = (uint32_t)agenda_pop(free_points).txn;

        settled_add(m, all[point].live, point, all[point].op, all[point].key);
        for (uint32_t o = timeline_point(t, point)->first_out; o != TIMELINE_NONE;
             o = t->orders.at[o].next_out) {
            uint32_t to = t->orders.at[o].to;

            if (--all[to].held_by == 0)
                TRY(agenda_push(free_points, (struct mirror_event){ all[to].likely, to, false },
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

enum status settled_finish(struct mirror *m, struct error *err)
{
    struct grounds *g = m->grounds;
    struct unsettled *all = NULL;
    struct agenda free_points = { 0 };
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
