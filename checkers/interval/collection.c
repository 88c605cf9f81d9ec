/*
 * Letting go. A transaction that is over before anybody still to come can ask for it goes, its
 * instants first, as soon as nothing leads to them (Leopard, theorem 5):
 *
 *     T1 |--------|                      gone
 *     T2      |------|                   held by T3, which is ordered before it
 *     T3          |------------|         held: T4, which is not judged, began before its end
 *     T4                     |------
 *                            oldest
 *
 * What a version must know of an instant that goes, it keeps.
 */
#include <stdlib.h>
#include <string.h>

#include "checkers/interval/settled.h"

#define COLLECTION_STEP 64 /* events between two collections, at the least */

/* The earliest time that somebody who is not judged, or still to come, may read as of. */
static void find_oldest(struct mirror *m)
{
    m->oldest = m->profile.timing == TIMING_NONE ? TIMELINE_BEGINNING : m->judged_until;
    for (size_t i = 0; i < m->live.count && m->oldest > TIMELINE_BEGINNING; i++)
        if (!m->live.at[i].is_gone && (!m->live.at[i].is_judged || !m->live.at[i].is_installed) &&
            m->live.at[i].at.low < m->oldest)
            m->oldest = m->live.at[i].at.low;
}

static enum status release_point(struct timeline *t, uint32_t *point, bool *all_gone,
                                 struct error *err)
{
    bool is_gone;

    if (*point == MIRROR_NONE)
        return STATUS_OK;
    TRY(timeline_release(t, *point, &is_gone, err));
    if (is_gone)
        *point = MIRROR_NONE;
    *all_gone &= is_gone;
    return STATUS_OK;
}

/* The view of a transaction, or its commit. */
static enum status release_instant(struct mirror *m, const struct live *live, uint32_t *point,
                                   uint32_t as, bool *all_gone, struct error *err)
{
    uint32_t released = *point;

    TRY(release_point(&m->timeline, point, all_gone, err));
    if (released != MIRROR_NONE && *point == MIRROR_NONE)
        settled_add(m, live, released, as, MIRROR_NONE);
    return STATUS_OK;
}

typedef void keep_function(struct mirror *, const struct live *, struct version *);

/* Versions keep what was known of the instants that are about to go. */
static void keep_times(struct mirror *m, const struct live *live, struct version *v)
{
    (void)live;
    grounds_keep_ends(m, v);
    v->installed = version_installed(m, v);
    v->viewed = view_times(m, v->view, v->viewed);
}

static void keep_points(struct mirror *m, const struct live *live, struct version *v)
{
    (void)m;
    v->point = live->point;
    v->view = live->view;
    v->certified = live->certified;
}

/* A version whose place another has taken has gone already. */
static bool is_of(const struct mirror *m, const struct live *live, const struct access *a)
{
    const struct version *v = &m->versions.at[a->version];

    return v->txn == m->live_first + (uint64_t)(live - m->live.at) && v->op == a->op;
}

static void for_each_version(struct mirror *m, const struct live *live, keep_function *keep)
{
    for (uint32_t i = 0; i < live->access_count; i++) {
        const struct access *a = &live->accesses[i];

        if (a->kind == TRACE_WRITE && a->version != MIRROR_NONE && is_of(m, live, a))
            keep(m, live, &m->versions.at[a->version]);
    }
}

/* Views of statements, the first first: each leads to the next. */
static enum status release_statements(struct mirror *m, struct live *live, bool *all_gone,
                                      struct error *err)
{
    for (uint32_t i = 0, next; i < live->access_count; i = next) {
        uint32_t view = live->accesses[i].view, left = view;

        for (next = i + 1; next < live->access_count && live->accesses[next].view == view;)
            next++;
        TRY(release_point(&m->timeline, &left, all_gone, err));
        if (view != MIRROR_NONE && left == MIRROR_NONE)
            settled_add(m, live, view, live->accesses[i].op, live->accesses[i].key);
        while (i < next)
            live->accesses[i++].view = left;
    }
    return STATUS_OK;
}

static bool has_written(const struct live *live, uint32_t key)
{
    for (uint32_t i = 0; i < live->access_count; i++)
        if (live->accesses[i].kind == TRACE_WRITE && live->accesses[i].key == key)
            return true;
    return false;
}

/* Of those who are known to commit behind a version, the one who wrote its key and did so first. */
static void keep_next(struct mirror *m, const struct live *live, struct version *v, uint32_t key)
{
    const struct timeline *t = &m->timeline;
    int64_t first = TIMELINE_END;

    for (uint32_t o = timeline_point(t, live->point)->first_out; o != TIMELINE_NONE;
         o = t->orders.at[o].next_out) {
        const struct point *to = timeline_point(t, t->orders.at[o].to);
        const struct live *other = mirror_owner(m, to);

        if (other == live || other->point != t->orders.at[o].to || to->high > first ||
            !has_written(other, key))
            continue;
        first = to->high;
        v->before = number_before(m->live_first + (uint64_t)(other - m->live.at));
        grounds_keep_next(m, v, t->orders.at[o].step);
    }
}

static void keep_orders(struct mirror *m, const struct live *live)
{
    for (uint32_t i = 0; i < live->access_count && live->point != MIRROR_NONE; i++) {
        const struct access *a = &live->accesses[i];

        if (a->kind != TRACE_WRITE || a->version == MIRROR_NONE || !a->is_last)
            continue;
        if (is_of(m, live, a))
            keep_next(m, live, &m->versions.at[a->version], a->key);
    }
}

static enum status release(struct mirror *m, struct live *live, struct error *err)
{
    bool all_gone = true;

    for_each_version(m, live, keep_times);
    keep_orders(m, live);
    if (live->has_statements)
        TRY(release_statements(m, live, &all_gone, err));
    if (m->profile.view == VIEW_TRANSACTION)
        TRY(release_instant(m, live, &live->view, GROUND_VIEW, &all_gone, err));
    TRY(release_point(&m->certifier, &live->certified, &all_gone, err));
    if (all_gone)
        TRY(release_instant(m, live, &live->point, GROUND_COMMIT, &all_gone, err));
    if (m->profile.view == VIEW_COMMIT)
        live->view = live->point;
    for_each_version(m, live, keep_points);
    live->is_gone = all_gone;
    return STATUS_OK;
}

/* The first of those who came, as many as have gone. */
static void drop_gone(struct mirror *m)
{
    size_t gone = 0;

    while (gone < m->live.count && m->live.at[gone].is_gone) {
        seek_close(m, &m->live.at[gone]);
        free(m->live.at[gone++].accesses);
    }
    memmove(m->live.at, m->live.at + gone, (m->live.count - gone) * sizeof *m->live.at);
    m->live.count -= gone;
    m->live_first += gone;
}

/* Those that nothing holds any more since others went. */
static enum status release_unheld(struct mirror *m, struct timeline *t, struct error *err)
{
    while (t->unheld.count > 0) {
        const struct point *p = timeline_point(t, t->unheld.at[--t->unheld.count]);

        if (p->is_live && mirror_may_go(m, mirror_owner(m, p)))
            TRY(release(m, mirror_owner(m, p), err));
    }
    return STATUS_OK;
}

enum status mirror_collect(struct mirror *m, struct error *err)
{
    find_oldest(m);
    TRY(dependencies_decide(m, false, err));
    for (size_t i = 0; i < m->live.count; i++) {
        if (mirror_may_go(m, &m->live.at[i]))
            TRY(release(m, &m->live.at[i], err));
        TRY(release_unheld(m, &m->timeline, err));
        TRY(release_unheld(m, &m->certifier, err));
    }
    drop_gone(m);
    m->until_collection = COLLECTION_STEP + m->live.count;
    return STATUS_OK;
}
