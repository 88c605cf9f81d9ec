#include "checkers/interval/collection_private.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/interval/dependency_counts_private.h"
#include "checkers/interval/mechanisms/predicate_read.h"
#include "checkers/interval/settled_order_private.h"

#define COLLECTION_STEP 64 /* events between two collections, at the least */

/* The earliest time that somebody who is not judged, or still to come, may read as of. */
static void find_oldest(struct interval_model *m)
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

    if (*point == INTERVAL_NONE)
        return STATUS_OK;
    TRY(timeline_release(t, *point, &is_gone, err));
    if (is_gone)
        *point = INTERVAL_NONE;
    *all_gone &= is_gone;
    return STATUS_OK;
}

/* The view of a transaction, or its commit. */
static enum status release_instant(struct interval_model *m, const struct live_txn *live,
                                   uint32_t *point, uint32_t as, bool *all_gone, struct error *err)
{
    uint32_t released = *point;

    TRY(release_point(&m->timeline, point, all_gone, err));
    if (released != INTERVAL_NONE && *point == INTERVAL_NONE)
        settled_order_add(m, live, released, as, INTERVAL_NONE);
    return STATUS_OK;
}

typedef void keep_function(struct interval_model *, const struct live_txn *, struct key_version *);

/* Versions keep what was known of the instants that are about to go. */
static void keep_times(struct interval_model *m, const struct live_txn *live, struct key_version *v)
{
    (void)live;
    derivation_keep_ends(m, v);
    v->installed = version_installed(m, v);
    v->viewed = view_times(m, v->view, v->viewed);
}

static void keep_points(struct interval_model *m, const struct live_txn *live,
                        struct key_version *v)
{
    (void)m;
    v->point = live->point;
    v->view = live->view;
    v->certified = live->certified;
}

/* A version whose place another has taken has gone already. */
static bool is_of(const struct interval_model *m, const struct live_txn *live,
                  const struct txn_access *a)
{
    const struct key_version *v = &m->versions.at[a->version];

    return v->txn == m->live_first + (uint64_t)(live - m->live.at) && v->op == a->op;
}

static void for_each_version(struct interval_model *m, const struct live_txn *live,
                             keep_function *keep)
{
    for (uint32_t i = 0; i < live->access_count; i++) {
        const struct txn_access *a = &live->accesses[i];

        if (a->kind == TRACE_WRITE && a->version != INTERVAL_NONE && is_of(m, live, a))
            keep(m, live, &m->versions.at[a->version]);
    }
}

/* Views of statements, the first first: each leads to the next. */
static enum status release_statements(struct interval_model *m, struct live_txn *live,
                                      bool *all_gone, struct error *err)
{
    for (uint32_t i = 0, next; i < live->access_count; i = next) {
        uint32_t view = live->accesses[i].view, left = view;

        for (next = i + 1; next < live->access_count && live->accesses[next].view == view;)
            next++;
        TRY(release_point(&m->timeline, &left, all_gone, err));
        if (view != INTERVAL_NONE && left == INTERVAL_NONE)
            settled_order_add(m, live, view, live->accesses[i].op, live->accesses[i].key);
        while (i < next)
            live->accesses[i++].view = left;
    }
    return STATUS_OK;
}

static bool has_written(const struct live_txn *live, uint32_t key)
{
    for (uint32_t i = 0; i < live->access_count; i++)
        if (live->accesses[i].kind == TRACE_WRITE && live->accesses[i].key == key)
            return true;
    return false;
}

/* Of those who are known to commit behind a version, the one who wrote its key and did so first. */
static void keep_next(struct interval_model *m, const struct live_txn *live, struct key_version *v,
                      uint32_t key)
{
    const struct timeline *t = &m->timeline;
    int64_t first = TIMELINE_END;

    for (uint32_t o = timeline_point(t, live->point)->first_out; o != TIMELINE_NONE;
         o = t->orders.at[o].next_out) {
        const struct instant_point *to = timeline_point(t, t->orders.at[o].to);
        const struct live_txn *other = model_owner(m, to);

        if (other == live || other->point != t->orders.at[o].to || to->high > first ||
            !has_written(other, key))
            continue;
        first = to->high;
        v->before = number_before(m->live_first + (uint64_t)(other - m->live.at));
        derivation_keep_next(m, v, t->orders.at[o].step);
    }
}

static void keep_orders(struct interval_model *m, const struct live_txn *live)
{
    for (uint32_t i = 0; i < live->access_count && live->point != INTERVAL_NONE; i++) {
        const struct txn_access *a = &live->accesses[i];

        if (a->kind != TRACE_WRITE || a->version == INTERVAL_NONE || !a->is_last)
            continue;
        if (is_of(m, live, a))
            keep_next(m, live, &m->versions.at[a->version], a->key);
    }
}

static enum status release(struct interval_model *m, struct live_txn *live, struct error *err)
{
    bool all_gone = true;

    for_each_version(m, live, keep_times);
    keep_orders(m, live);
    if (live->has_statements)
        TRY(release_statements(m, live, &all_gone, err));
    if (m->profile.view == VIEW_TRANSACTION)
        TRY(release_instant(m, live, &live->view, DERIVATION_VIEW, &all_gone, err));
    TRY(release_point(&m->certifier, &live->certified, &all_gone, err));
    if (all_gone)
        TRY(release_instant(m, live, &live->point, DERIVATION_COMMIT, &all_gone, err));
    if (m->profile.view == VIEW_COMMIT)
        live->view = live->point;
    for_each_version(m, live, keep_points);
    live->is_gone = all_gone;
    return STATUS_OK;
}

/* The first of those who came, as many as have gone. */
static void drop_gone(struct interval_model *m)
{
    size_t gone = 0;

    while (gone < m->live.count && m->live.at[gone].is_gone) {
        predicate_read_close(m, &m->live.at[gone]);
        free(m->live.at[gone++].accesses);
    }
    memmove(m->live.at, m->live.at + gone, (m->live.count - gone) * sizeof *m->live.at);
    m->live.count -= gone;
    m->live_first += gone;
}

/* Those that nothing holds any more since others went. */
static enum status release_unheld(struct interval_model *m, struct timeline *t, struct error *err)
{
    while (t->unheld.count > 0) {
        const struct instant_point *p = timeline_point(t, t->unheld.at[--t->unheld.count]);

        if (p->is_live && model_may_go(m, model_owner(m, p)))
            TRY(release(m, model_owner(m, p), err));
    }
    return STATUS_OK;
}

enum status collection_pass(struct interval_model *m, struct error *err)
{
    find_oldest(m);
    TRY(dependency_counts_decide(m, false, err));
    for (size_t i = 0; i < m->live.count; i++) {
        if (model_may_go(m, &m->live.at[i]))
            TRY(release(m, &m->live.at[i], err));
        TRY(release_unheld(m, &m->timeline, err));
        TRY(release_unheld(m, &m->certifier, err));
    }
    drop_gone(m);
    m->until_collection = COLLECTION_STEP + m->live.count;
    return STATUS_OK;
}
