#include "checkers/interval/mechanisms/certifier.h"

#include <inttypes.h>

#include "checkers/interval/derivation_private.h"
#include "checkers/interval/findings_private.h"

#define STRUCTURES_LOOKED_AT 256 /* by a new anti-dependency; others are let pass */

/* --- Structures ----------------------------------------------------------------------- */

/* first -rw-> pivot -rw-> last */
struct structure {
    const struct live_txn *first, *pivot, *last;
    uint32_t points[3]; /* of the certifier */
};

static struct time_window view_of(const struct interval_model *m, const struct live_txn *live)
{
    return view_times(m, live->view, live->at);
}

static struct time_window commit_of(const struct interval_model *m, const struct live_txn *live)
{
    return view_times(m, live->point, live->commit);
}

/*
 * PostgreSQL counts who prepared to commit first, which may be before that is seen: so the
 * others' commits count from when they were asked for, however well it is known when they were seen.
 */
static bool is_dangerous(const struct interval_model *m, const struct structure *s)
{
    int64_t over = commit_of(m, s->last).high;
    int64_t began = view_of(m, s->first).low;

    if (over >= s->first->commit.low || over >= s->pivot->commit.low)
        return false;
    return over < began || (s->first->has_writes && view_of(m, s->pivot).high < began);
}

static void accuse(struct interval_model *m, const struct structure *s)
{
    const struct live_txn *txns[] = { s->first, s->pivot, s->last };
    bool was_over = commit_of(m, s->last).high < view_of(m, s->first).low;
    struct interval_finding *f = finding_begin(
        m, MECHANISM_CERTIFIER, was_over ? ANOMALY_G2_ITEM_REALTIME : ANOMALY_DANGEROUS_STRUCTURE);
    struct window_drawing drawing = { 0 };

    if (!f)
        return;
    buffer_print(&f->explanation,
                 "T%" PRId64 " missed what T%" PRId64 " wrote, and T%" PRId64
                 " missed what T%" PRId64 " wrote, which had committed before both did, within ",
                 s->first->id, s->pivot->id, s->pivot->id, s->last->id);
    finding_tell_times(commit_of(m, s->last), &f->explanation);
    if (was_over)
        buffer_print(&f->explanation, ", and before T%" PRId64 " began to look", s->first->id);
    buffer_text(&f->explanation, TEXT(": one of them should have been aborted"));
    for (size_t i = 0; i < ROW_COUNT(txns); i++) {
        finding_add_txn(f, txns[i]->number, txns[i]->id);
        findings_drawing_add(&drawing, view_of(m, txns[i]), "T%" PRId64 " reads as of", txns[i]->id);
        findings_drawing_add(&drawing, commit_of(m, txns[i]), "T%" PRId64 " commits", txns[i]->id);
    }
    findings_drawing_print(&drawing, &f->drawing);
    derivation_structure(m, f, txns, s->points);
}

static void judge(struct interval_model *m, uint32_t first, uint32_t pivot, uint32_t last)
{
    const struct timeline *t = &m->certifier;
    struct structure s = { model_owner(m, timeline_point(t, first)),
                           model_owner(m, timeline_point(t, pivot)),
                           model_owner(m, timeline_point(t, last)),
                           { first, pivot, last } };

    if (is_dangerous(m, &s))
        accuse(m, &s);
}

/* Of which a new anti-dependency is a part. */
static void judge_structures(struct interval_model *m, uint32_t from, uint32_t to)
{
    const struct timeline *t = &m->certifier;
    uint32_t left = STRUCTURES_LOOKED_AT;

    for (uint32_t o = timeline_point(t, to)->first_out; o != TIMELINE_NONE && left > 0;
         o = t->orders.at[o].next_out, left--)
        if (t->orders.at[o].reason == ORDER_OVERWRITTEN)
            judge(m, from, to, t->orders.at[o].to);
    for (uint32_t o = timeline_point(t, from)->first_in; o != TIMELINE_NONE && left > 0;
         o = t->orders.at[o].next_in, left--)
        if (t->orders.at[o].reason == ORDER_OVERWRITTEN)
            judge(m, t->orders.at[o].from, from, to);
}

/* --- Dependencies ------------------------------------------------------------------------ */

struct time_window certifier_times(const struct interval_model *m, const struct live_txn *live)
{
    if (m->profile.certifier == CERTIFIER_TIMESTAMP_ORDER && m->profile.timing == TIMING_FULL)
        return live->at;
    return (struct time_window){ TIMELINE_BEGINNING, TIMELINE_END };
}

enum status certifier_depend(struct interval_model *m, uint32_t from, uint32_t to,
                             enum order_reason reason, uint32_t key, struct error *err)
{
    if (from == to || from == INTERVAL_NONE || to == INTERVAL_NONE ||
        timeline_knows(&m->certifier, from, to))
        return STATUS_OK;
    TRY(findings_lay_order(m, &m->certifier, (struct instant_order){ from, to, reason, key },
                           MECHANISM_CERTIFIER, err));
    if (reason == ORDER_OVERWRITTEN && m->profile.certifier == CERTIFIER_WRITE_SKEW &&
        timeline_knows(&m->certifier, from, to))
        judge_structures(m, from, to);
    return STATUS_OK;
}

enum status certifier_missed(struct interval_model *m, const struct live_txn *reader,
                             const struct key_version *w, uint32_t key, struct error *err)
{
    TRY(certifier_depend(m, reader->certified, w->certified, ORDER_OVERWRITTEN, key, err));
    if (m->profile.certifier != CERTIFIER_VALIDATION || reader->point == INTERVAL_NONE ||
        w->point == INTERVAL_NONE || !reader->has_writes)
        return STATUS_OK;
    return model_order(m, (struct instant_order){ reader->point, w->point, ORDER_OVERWRITTEN, key },
                       MECHANISM_CERTIFIER, err);
}
