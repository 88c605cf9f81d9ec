/*
 * First updater wins (Leopard, section V-C). Of two transactions that committed a version of a
 * key, one committed before the other's view:
 *
 *     T0  view |--|            commit |--|
 *     T1            view |--|               commit |--|     neither did: an update was lost
 *
 * Where the times leave one of the two orders, it is that. A certifier that looks for
 * concurrent versions at the commit (Percolator's) sees to the same.
 */
#include <inttypes.h>

#include "checkers/interval/mirror_private.h"

struct updater {
    struct times view, commit;
    uint32_t view_point, point, number;
    int64_t id;
};

static struct updater updater_of(const struct mirror *m, const struct version *v)
{
    return (struct updater){ .view = view_times(m, v->view, v->viewed),
                             .commit = version_installed(m, v),
                             .view_point = v->view,
                             .point = v->point,
                             .number = v->number,
                             .id = v->txn_id };
}

static bool can_be_first(const struct mirror *m, const struct updater *first,
                         const struct updater *second)
{
    if (first->commit.low > second->view.high)
        return false;
    return second->view_point == MIRROR_NONE || first->point == MIRROR_NONE ||
           !timeline_knows(&m->timeline, second->view_point, first->point);
}

static enum mechanism mechanism_of(const struct mirror *m)
{
    return m->profile.first_updater ? MECHANISM_UPDATE : MECHANISM_CERTIFIER;
}

static void accuse(struct mirror *m, uint32_t key, const struct updater *a,
                   const struct updater *b)
{
    struct mirror_finding *f = finding_begin(m, mechanism_of(m), ANOMALY_LOST_UPDATE);
    struct drawing drawing = { 0 };

    if (!f)
        return;
    finding_add_txn(f, a->number, a->id);
    finding_add_txn(f, b->number, b->id);
    buffer_print(&f->explanation, "T%" PRId64 " and T%" PRId64 " both updated ", a->id, b->id);
    tell_key_name(m, key, &f->explanation);
    buffer_print(&f->explanation, "; T%" PRId64 " committed only after T%" PRId64 " had its view, ",
                 a->id, b->id);
    tell_times(a->commit, &f->explanation);
    buffer_text(&f->explanation, TEXT(" after "));
    tell_times(b->view, &f->explanation);
    buffer_print(&f->explanation, ", and T%" PRId64 " only after T%" PRId64 " had, ", b->id,
                 a->id);
    tell_times(b->commit, &f->explanation);
    buffer_text(&f->explanation, TEXT(" after "));
    tell_times(a->view, &f->explanation);
    drawing_add(&drawing, a->view, "T%" PRId64 " reads as of", a->id);
    drawing_add(&drawing, a->commit, "T%" PRId64 " commits", a->id);
    drawing_add(&drawing, b->view, "T%" PRId64 " reads as of", b->id);
    drawing_add(&drawing, b->commit, "T%" PRId64 " commits", b->id);
    drawing_print(&drawing, &f->drawing);
}

enum status update_judge(struct mirror *m, struct live *live, uint32_t access, struct error *err)
{
    uint32_t key = live->accesses[access].key, own = live->accesses[access].version;
    uint32_t next = m->keys.at[key].newest;

    for (; next != MIRROR_NONE; next = m->versions.at[next].older) {
        struct updater a = updater_of(m, &m->versions.at[own]), b;
        bool can_a, can_b;

        if (is_settled_by(m, &m->versions.at[next], a.view.low))
            break;
        if (next == own || m->versions.at[next].state != VERSION_COMMITTED)
            continue;
        b = updater_of(m, &m->versions.at[next]);
        can_a = can_be_first(m, &a, &b);
        can_b = can_be_first(m, &b, &a);
        if (!can_a && !can_b)
            accuse(m, key, &b, &a);
        else if (!can_a)
            TRY(mirror_order(m, b.point, a.view_point, ORDER_FIRST_WINS, key, mechanism_of(m),
                             err));
        else if (!can_b)
            TRY(mirror_order(m, a.point, b.view_point, ORDER_FIRST_WINS, key, mechanism_of(m),
                             err));
    }
    return STATUS_OK;
}
