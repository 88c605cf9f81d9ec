#include "checkers/interval/dependency_counts_private.h"

/* Before anything was deduced. A version keeps its own until nobody overlaps with it any more. */
static struct time_window told_view(const struct interval_model *m, const struct read_view *read)
{
    if (read->access->view != INTERVAL_NONE)
        return read->access->at;
    if (m->profile.view == VIEW_COMMIT)
        return read->live->commit;
    return (struct time_window){ read->live->at.low, read->live->view_high };
}

static bool overlap(struct time_window a, struct time_window b)
{
    return a.low <= b.high && b.low <= a.high;
}

/*
 * The next newer version that counts, or INTERVAL_NONE; `last` is the newest of all that do. What was
 * there when the view was taken and was not read is no later one, whatever its times.
 */
static uint32_t find_next(const struct interval_model *m, const struct read_view *read,
                          uint32_t version, uint32_t *last)
{
    uint32_t next = INTERVAL_NONE;

    *last = INTERVAL_NONE;
    for (uint32_t at = m->keys.at[read->key].newest; at != version; at = m->versions.at[at].older) {
        const struct key_version *v = &m->versions.at[at];

        if (!version_counts(v))
            continue;
        if (*last == INTERVAL_NONE)
            *last = at;
        if (!read_view_is_before(m, read, v))
            next = at;
    }
    if (*last == INTERVAL_NONE)
        *last = version;
    return next;
}

static enum status add_overlapping(struct interval_model *m, enum dependency_kind kind,
                                   uint64_t from, uint32_t access, uint64_t to, struct error *err)
{
    struct overlapping_dependency new = { from, to, access, (uint8_t)kind };

    m->counts.dependencies[kind].overlapping++;
    /* Who is known to have committed only because it was read may have been let go by then. */
    if (!model_is_live(m, from) || !model_is_live(m, to))
        return STATUS_OK;
    return array_push(&m->undecided, new, err);
}

static enum status add_missed(struct interval_model *m, const struct read_view *read,
                              uint32_t access, uint32_t version, struct time_window view,
                              struct error *err)
{
    uint32_t last, next = find_next(m, read, version, &last);
    const struct key_version *w;

    if (next == INTERVAL_NONE) {
        m->versions.at[last].reads++;
        return STATUS_OK;
    }
    w = &m->versions.at[next];
    m->counts.dependencies[DEPENDENCY_RW].all++;
    return overlap(view, w->installed)
               ? add_overlapping(m, DEPENDENCY_RW, read->txn, access, w->txn, err)
               : STATUS_OK;
}

enum status dependency_of_read(struct interval_model *m, const struct read_view *read,
                               uint32_t access, uint32_t version, struct error *err)
{
    const struct key_version *v = &m->versions.at[version];
    struct time_window view;

    if (m->profile.timing != TIMING_FULL)
        return STATUS_OK;
    view = told_view(m, read);
    if (v->state != VERSION_OF_BEGINNING) {
        struct dependency_counts *counts = &m->counts.dependencies[DEPENDENCY_WR];
        bool overlaps = overlap(v->installed, view);

        counts->all++;
        counts->overlapping += overlaps;
        counts->deduced += overlaps;
    }
    return read->access->is_updated ? STATUS_OK : add_missed(m, read, access, version, view, err);
}

void dependency_of_unclear_read(struct interval_model *m, const struct read_view *read)
{
    if (m->profile.timing != TIMING_FULL)
        return;
    for (int kind = DEPENDENCY_WR; kind <= DEPENDENCY_RW; kind++) {
        bool is_counted = kind == DEPENDENCY_WR || !read->access->is_updated;

        m->counts.dependencies[kind].all += is_counted;
        m->counts.dependencies[kind].overlapping += is_counted;
    }
}

enum status dependency_of_write(struct interval_model *m, uint32_t version, struct error *err)
{
    const struct key_version *w = &m->versions.at[version];
    uint32_t before = w->older;
    struct key_version *v;

    while (before != INTERVAL_NONE && !version_counts(&m->versions.at[before]))
        before = m->versions.at[before].older;
    if (before == INTERVAL_NONE || m->profile.timing != TIMING_FULL)
        return STATUS_OK;
    v = &m->versions.at[before];
    m->counts.dependencies[DEPENDENCY_RW].all += v->reads;
    v->reads = 0;
    if (v->state == VERSION_OF_BEGINNING)
        return STATUS_OK;
    m->counts.dependencies[DEPENDENCY_WW].all++;
    return overlap(v->installed, w->installed)
               ? add_overlapping(m, DEPENDENCY_WW, v->txn, INTERVAL_NONE, w->txn, err)
               : STATUS_OK;
}

/* --- Deciding --------------------------------------------------------------------------------- */

static uint32_t point_of(const struct live_txn *live, uint32_t access)
{
    if (access == INTERVAL_NONE)
        return live->point;
    return live->accesses[access].view == INTERVAL_NONE ? live->view : live->accesses[access].view;
}

static enum status decide(struct interval_model *m, const struct overlapping_dependency *d,
                          struct error *err)
{
    uint32_t from = point_of(model_live(m, d->from), d->access);
    uint32_t to = model_live(m, d->to)->point;
    bool is_known;

    TRY(timeline_implies(&m->timeline, from, to, &is_known, err));
    if (!is_known)
        TRY(timeline_implies(&m->timeline, to, from, &is_known, err));
    m->counts.dependencies[d->kind].deduced += is_known;
    return STATUS_OK;
}

enum status dependency_counts_decide(struct interval_model *m, bool decides_all, struct error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->undecided.count; i++) {
        struct overlapping_dependency d = m->undecided.at[i];

        if (decides_all || model_may_go(m, model_live(m, d.from)) ||
            model_may_go(m, model_live(m, d.to)))
            TRY(decide(m, &d, err));
        else
            m->undecided.at[kept++] = d;
    }
    m->undecided.count = kept;
    return STATUS_OK;
}
