#include "checkers/interval/mechanisms/first_updater.h"

#include <inttypes.h>

#include "checkers/interval/derivation_private.h"
#include "checkers/interval/findings_private.h"

struct updater {
    struct time_window view, commit;
    uint32_t view_point, point, number, op;
    int64_t id;
    const struct key_version *version;
};

static struct updater updater_of(const struct interval_model *m, const struct key_version *v)
{
    return (struct updater){ .view = view_times(m, v->view, v->viewed),
                             .commit = version_installed(m, v),
                             .view_point = v->view,
                             .point = v->point,
                             .number = v->number,
                             .op = v->op,
                             .id = v->txn_id,
                             .version = v };
}

static struct derivation_side side_of(const struct updater *u)
{
    return (struct derivation_side){ .number = u->number, .op = u->op, .version = u->version };
}

static bool can_be_first(const struct interval_model *m, const struct updater *first,
                         const struct updater *second)
{
    if (first->commit.low > second->view.high)
        return false;
    return second->view_point == INTERVAL_NONE || first->point == INTERVAL_NONE ||
           !timeline_knows(&m->timeline, second->view_point, first->point);
}

enum mechanism first_updater_mechanism(const struct interval_model *m)
{
    return m->profile.first_updater ? MECHANISM_UPDATE : MECHANISM_CERTIFIER;
}

/* Why it cannot have been the first; by how much clocks must be wrong for that not to be so. */
static int64_t tell_not_first(const struct interval_model *m, const struct updater *first,
                              const struct updater *second, struct buffer *out)
{
    buffer_print(out, "T%" PRId64 " first: it committed ", first->id);
    if (first->commit.low <= second->view.high) {
        buffer_print(out, "after T%" PRId64 " had looked, as what was read shows", second->id);
        return 0;
    }
    finding_tell_low(first->commit, out);
    finding_tell_narrowed(m, first->point, false, out);
    buffer_print(out, ", and T%" PRId64 " had looked ", second->id);
    finding_tell_high(second->view, out);
    finding_tell_narrowed(m, second->view_point, true, out);
    return finding_clock_error(first->commit.low, second->view.high);
}

static void accuse(struct interval_model *m, uint32_t key, const struct updater *a,
                   const struct updater *b)
{
    struct interval_finding *f = finding_begin(m, first_updater_mechanism(m), ANOMALY_LOST_UPDATE);
    struct derivation_side sides[] = { side_of(a), side_of(b) };
    struct window_drawing drawing = { 0 };
    int64_t error_a, error_b;

    if (!f)
        return;
    finding_add_txn(f, a->number, a->id);
    finding_add_txn(f, b->number, b->id);
    buffer_print(&f->explanation, "T%" PRId64 " wrote ", a->id);
    finding_tell_op(m, a->number, a->op, key, &f->explanation);
    buffer_print(&f->explanation, " and T%" PRId64 " wrote ", b->id);
    finding_tell_op(m, b->number, b->op, key, &f->explanation);
    buffer_text(&f->explanation, TEXT(" without each other; (1) "));
    error_a = tell_not_first(m, a, b, &f->explanation);
    buffer_text(&f->explanation, TEXT("; (2) "));
    error_b = tell_not_first(m, b, a, &f->explanation);
    f->clock_error = error_a == 0 || (error_b != 0 && error_b < error_a) ? error_b : error_a;
    findings_drawing_add(&drawing, a->view, "T%" PRId64 " reads as of", a->id);
    findings_drawing_add(&drawing, a->commit, "T%" PRId64 " commits", a->id);
    findings_drawing_add(&drawing, b->view, "T%" PRId64 " reads as of", b->id);
    findings_drawing_add(&drawing, b->commit, "T%" PRId64 " commits", b->id);
    findings_drawing_print(&drawing, &f->drawing);
    derivation_lost(m, f, key, &sides[0], &sides[1]);
}

static enum status lay(struct interval_model *m, uint32_t key, const struct updater *first,
                       const struct updater *second, struct error *err)
{
    struct derivation_side sides[] = { side_of(first), side_of(second) };

    derivation_first_wins(m, key, &sides[0], &sides[1]);
    return model_order(
        m, (struct instant_order){ first->point, second->view_point, ORDER_FIRST_WINS, key },
        first_updater_mechanism(m), err);
}

enum status first_updater_judge(struct interval_model *m, struct live_txn *live, uint32_t access,
                                struct error *err)
{
    uint32_t key = live->accesses[access].key, own = live->accesses[access].version;
    uint32_t next = m->keys.at[key].newest;
    int64_t from = view_times(m, m->versions.at[own].view, m->versions.at[own].viewed).low;

    for (; next != INTERVAL_NONE; next = version_older(m, &m->versions.at[next], from)) {
        struct updater a, b;
        bool can_a, can_b;

        if (next == own || m->versions.at[next].state != VERSION_COMMITTED)
            continue;
        a = updater_of(m, &m->versions.at[own]);
        b = updater_of(m, &m->versions.at[next]);
        can_a = can_be_first(m, &a, &b);
        can_b = can_be_first(m, &b, &a);
        if (!can_a && !can_b)
            accuse(m, key, &b, &a);
        else if (!can_a || !can_b)
            TRY(lay(m, key, can_a ? &a : &b, can_a ? &b : &a, err));
    }
    return STATUS_OK;
}
