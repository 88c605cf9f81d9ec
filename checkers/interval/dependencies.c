/*
 * How many dependencies the times of clients leave open, and how many of these the mirror
 * comes to know (Leopard, sections IV-B and VI-D); mirror.h says what is counted.
 *
 *     ww   w1 commits |----|                      wr   w1 commits |----|
 *             w2 commits |----|                        reader's view |----|
 *
 *     rw   reader's view |----|
 *              w2 commits |----|
 *
 * What overlaps waits until one of the two is about to be let go: nothing is deduced of them any
 * more then. A read that is judged before the next version is there cannot overlap with it.
 */
#include "checkers/interval/look.h"

/* Before anything was deduced. A version keeps its own until nobody overlaps with it any more. */
static struct times told_view(const struct mirror *m, const struct look *look)
{
    if (look->access->view != MIRROR_NONE)
        return look->access->at;
    if (m->profile.view == VIEW_COMMIT)
        return look->live->commit;
    return (struct times){ look->live->at.low, look->live->view_high };
}

static bool overlap(struct times a, struct times b)
{
    return a.low <= b.high && b.low <= a.high;
}

/*
 * The next newer version that counts, or MIRROR_NONE; `last` is the newest of all that do. What was
 * there when the view was taken and was not read is no later one, whatever its times.
 */
static uint32_t find_next(const struct mirror *m, const struct look *look, uint32_t version,
                          uint32_t *last)
{
    uint32_t next = MIRROR_NONE;

    *last = MIRROR_NONE;
    for (uint32_t at = m->keys.at[look->key].newest; at != version; at = m->versions.at[at].older) {
        const struct version *v = &m->versions.at[at];

        if (!version_counts(v))
            continue;
        if (*last == MIRROR_NONE)
            *last = at;
        if (!look_is_before(m, look, v))
            next = at;
    }
    if (*last == MIRROR_NONE)
        *last = version;
    return next;
}

static enum status add_overlapping(struct mirror *m, enum dependency_kind kind, uint64_t from,
                                   uint32_t access, uint64_t to, struct error *err)
{
    struct dependency new = { from, to, access, (uint8_t)kind };

    m->counts.dependencies[kind].overlapping++;
    /* Who is known to have committed only because it was read may have been let go by then. */
    if (!mirror_is_live(m, from) || !mirror_is_live(m, to))
        return STATUS_OK;
    return array_push(&m->undecided, new, err);
}

static enum status add_missed(struct mirror *m, const struct look *look, uint32_t access,
                              uint32_t version, struct times view, struct error *err)
{
    uint32_t last, next = find_next(m, look, version, &last);
    const struct version *w;

    if (next == MIRROR_NONE) {
        m->versions.at[last].reads++;
        return STATUS_OK;
    }
    w = &m->versions.at[next];
    m->counts.dependencies[DEPENDENCY_RW].all++;
    return overlap(view, w->installed)
               ? add_overlapping(m, DEPENDENCY_RW, look->txn, access, w->txn, err)
               : STATUS_OK;
}

enum status dependency_of_read(struct mirror *m, const struct look *look, uint32_t access,
                               uint32_t version, struct error *err)
{
    const struct version *v = &m->versions.at[version];
    struct times view;

    if (m->profile.timing != TIMING_FULL)
        return STATUS_OK;
    view = told_view(m, look);
    if (v->state != VERSION_OF_BEGINNING) {
        struct dependency_counts *counts = &m->counts.dependencies[DEPENDENCY_WR];
        bool overlaps = overlap(v->installed, view);

        counts->all++;
        counts->overlapping += overlaps;
        counts->deduced += overlaps;
    }
    return look->access->is_updated ? STATUS_OK : add_missed(m, look, access, version, view, err);
}

void dependency_of_unclear_read(struct mirror *m, const struct look *look)
{
    if (m->profile.timing != TIMING_FULL)
        return;
    for (int kind = DEPENDENCY_WR; kind <= DEPENDENCY_RW; kind++) {
        bool is_counted = kind == DEPENDENCY_WR || !look->access->is_updated;

        m->counts.dependencies[kind].all += is_counted;
        m->counts.dependencies[kind].overlapping += is_counted;
    }
}

enum status dependency_of_write(struct mirror *m, uint32_t version, struct error *err)
{
    const struct version *w = &m->versions.at[version];
    uint32_t before = w->older;
    struct version *v;

    while (before != MIRROR_NONE && !version_counts(&m->versions.at[before]))
        before = m->versions.at[before].older;
    if (before == MIRROR_NONE || m->profile.timing != TIMING_FULL)
        return STATUS_OK;
    v = &m->versions.at[before];
    m->counts.dependencies[DEPENDENCY_RW].all += v->reads;
    v->reads = 0;
    if (v->state == VERSION_OF_BEGINNING)
        return STATUS_OK;
    m->counts.dependencies[DEPENDENCY_WW].all++;
    return overlap(v->installed, w->installed)
               ? add_overlapping(m, DEPENDENCY_WW, v->txn, MIRROR_NONE, w->txn, err)
               : STATUS_OK;
}

/* --- Deciding --------------------------------------------------------------------------------- */

static uint32_t point_of(const struct live *live, uint32_t access)
{
    if (access == MIRROR_NONE)
        return live->point;
    return live->accesses[access].view == MIRROR_NONE ? live->view : live->accesses[access].view;
}

static enum status decide(struct mirror *m, const struct dependency *d, struct error *err)
{
    uint32_t from = point_of(mirror_live(m, d->from), d->access);
    uint32_t to = mirror_live(m, d->to)->point;
    bool is_known;

    TRY(timeline_implies(&m->timeline, from, to, &is_known, err));
    if (!is_known)
        TRY(timeline_implies(&m->timeline, to, from, &is_known, err));
    m->counts.dependencies[d->kind].deduced += is_known;
    return STATUS_OK;
}

enum status dependencies_decide(struct mirror *m, bool decides_all, struct error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->undecided.count; i++) {
        struct dependency d = m->undecided.at[i];

        if (decides_all || mirror_may_go(m, mirror_live(m, d.from)) ||
            mirror_may_go(m, mirror_live(m, d.to)))
            TRY(decide(m, &d, err));
        else
            m->undecided.at[kept++] = d;
    }
    m->undecided.count = kept;
    return STATUS_OK;
}
