#include "checkers/interval/read_view_private.h"

#include <assert.h>

#include "checkers/interval/derivation_private.h"

static bool may_hide(const struct interval_model *m, const struct read_view *read,
                     const struct key_version *v)
{
    return version_counts(v) && v->txn != read->txn && read_view_is_before(m, read, v);
}

const struct key_version *read_view_find_hiding(const struct interval_model *m,
                                                const struct read_view *read,
                                                struct read_view_before *before,
                                                const struct key_version *hidden)
{
    int64_t from = version_installed(m, hidden).low;

    if (!version_may_lead(m, hidden) ||
        (hidden->point != INTERVAL_NONE &&
         timeline_point(&m->timeline, hidden->point)->rank >= before->rank_max))
        return NULL;
    for (uint32_t i = 0; i < before->count; i++) {
        const struct key_version *v = &m->versions.at[before->versions[i]];

        if (v != hidden && version_precedes(m, hidden, v))
            return v;
    }
    while (before->next != INTERVAL_NONE) {
        uint32_t at = before->next;
        const struct key_version *v = &m->versions.at[at];

        before->next = v->older;
        if (may_hide(m, read, v)) {
            assert(before->count < INTERVAL_VERSIONS_LOOKED_AT);
            before->versions[before->count++] = at;
            if (v != hidden && version_precedes(m, hidden, v))
                return v;
        }
        if (version_older(m, v, from) == INTERVAL_NONE)
            break;
    }
    return NULL;
}

/* --- Versions before a view, by orders ------------------------------------------------- */

/* What the transaction of an instant leaves behind. False: there is no memory, or it is not all there. */
static bool link_versions(struct interval_model *m, uint32_t point)
{
    const struct live_txn *live = model_owner(m, timeline_point(&m->timeline, point));
    struct versions_before *b = &m->before;
    struct error ignored = { 0 };

    if (live->point != point || !live->has_writes)
        return true;
    for (uint32_t i = 0; i < live->access_count; i++) {
        const struct txn_access *a = &live->accesses[i];
        struct linked_version link;
        struct key_state *key;

        if (a->kind != TRACE_WRITE || !a->is_last)
            continue;
        if (a->version == INTERVAL_NONE)
            return false;
        key = &m->keys.at[a->key];
        link = (struct linked_version){ .version = a->version, .next = INTERVAL_NONE };
        if (key->before_date == b->date)
            link.next = key->before;
        if (array_push(&b->links, link, &ignored) != STATUS_OK)
            return false;
        key->before = (uint32_t)b->links.count - 1;
        key->before_date = b->date;
    }
    return true;
}

static bool link_all(struct interval_model *m, uint32_t point)
{
    const struct timeline *t = &m->timeline;
    struct versions_before *b = &m->before;
    uint32_t newest = timeline_point(t, point)->first_in;

    if (b->point_plus_1 != point + 1) {
        b->newest_order = TIMELINE_NONE;
        b->links.count = 0;
        b->date++;
    }
    b->point_plus_1 = 0;
    for (uint32_t o = newest; o != b->newest_order; o = t->orders.at[o].next_in)
        if (!link_versions(m, t->orders.at[o].from))
            return false;
    b->point_plus_1 = point + 1;
    b->newest_order = newest;
    return true;
}

/* Without times no order goes again, and nothing but an order says what was there. */
void read_view_before_gather(struct read_view_before *before, struct interval_model *m,
                             const struct read_view *read)
{
    const struct key_state *key = &m->keys.at[read->key];

    if (m->profile.timing != TIMING_NONE || read->point == INTERVAL_NONE ||
        before->next == INTERVAL_NONE || !link_all(m, read->point))
        return;
    before->next = INTERVAL_NONE;
    before->rank_max = 0;
    for (uint32_t i = key->before_date == m->before.date ? key->before : INTERVAL_NONE;
         i != INTERVAL_NONE; i = m->before.links.at[i].next) {
        uint32_t place = m->before.links.at[i].version;
        uint64_t rank = timeline_point(&m->timeline, m->versions.at[place].point)->rank;

        if (!may_hide(m, read, &m->versions.at[place]))
            continue;
        before->versions[before->count++] = place;
        if (rank > before->rank_max)
            before->rank_max = rank;
    }
    assert(before->count <= key->count);
}

static void confirm(struct interval_model *m, const struct read_view *read, struct key_version *v)
{
    int64_t by = read->live->commit.high;

    v->state = VERSION_COMMITTED;
    derivation_confirm(m, read, v);
    if (m->profile.timing != TIMING_NONE && v->installed.high > by)
        v->installed.high = by;
}

/* What else the transaction left behind was committed with it. */
void read_view_confirm(struct interval_model *m, const struct read_view *read,
                       struct key_version *v)
{
    int64_t by = read->live->commit.high;
    uint64_t txn = v->txn;
    struct live_txn *writer;

    confirm(m, read, v);
    if (!model_is_live(m, txn))
        return;
    writer = model_live(m, txn);
    for (uint32_t i = 0; i < writer->access_count; i++) {
        const struct txn_access *a = &writer->accesses[i];
        struct key_version *w;

        if (a->kind != TRACE_WRITE || a->version == INTERVAL_NONE)
            continue;
        w = &m->versions.at[a->version]; /* or another's, if it has gone */
        if (w->txn == txn && w->state == VERSION_PERHAPS)
            confirm(m, read, w);
    }
    if (m->profile.timing != TIMING_NONE && writer->commit.high > by)
        writer->commit.high = writer->at.high = by;
}
