/*
 * Serialization certifier (Leopard, section V-D and appendix III). What the other mechanisms deduce
 * of dependencies between transactions is put together here, and held against what the
 * database's own certifier would have let through:
 *
 *     cycles            T1 -> T2 -> ... -> T1                                     refused
 *     write-skew        a cycle; or T1 -rw-> T2 -rw-> T3, where T3 was the first  refused
 *                       of the three to commit
 *     timestamp-order   a cycle; or an order that no timestamps, each within the
 *                       times of its transaction, have                            refused
 *     validation        a cycle; or T1, which writes, read what T2 had
 *                       overwritten by the time at which T1 committed             refused
 *
 * (the one for concurrent versions is first_updater.c). In PostgreSQL the structure of
 * write-skew is only looked for between transactions that ran at once, and where T1 wrote
 * nothing only if T3 had committed before T1's snapshot (Ports and Grittner 2012). It is
 * claimed only where it surely was one:
 *
 *     T2  snapshot |--|                                 commit |--|
 *     T3         snapshot |--|  commit |--|
 *     T1                     snapshot |--|    commit |--|
 *
 * An anti-dependency may also be one to a later version than the next, which PostgreSQL
 * does not look for. But then the writer U of the next had committed before T2's snapshot, since
 * the first updater wins; so T2's snapshot before T1's rules it out, and so does a commit of
 * T3 before T1's snapshot. Of T2 -rw-> T3 it may be one: then T2 -rw-> U, and U committed even earlier.
 */
#include <inttypes.h>

#include "checkers/interval/grounds.h"

#define STRUCTURES_LOOKED_AT 256 /* by a new anti-dependency; others are let pass */

/* --- Structures ----------------------------------------------------------------------- */

/* first -rw-> pivot -rw-> last */
struct structure {
    const struct live *first, *pivot, *last;
    uint32_t points[3]; /* of the certifier */
};

static struct times view_of(const struct mirror *m, const struct live *live)
{
    return view_times(m, live->view, live->at);
}

static struct times commit_of(const struct mirror *m, const struct live *live)
{
    return view_times(m, live->point, live->commit);
}

/*
 * PostgreSQL counts who prepared to commit first, which may be before that is seen: so the
 * others' commits count from when they were asked for, however well it is known when they were seen.
 */
static bool is_dangerous(const struct mirror *m, const struct structure *s)
{
    int64_t over = commit_of(m, s->last).high;
    int64_t began = view_of(m, s->first).low;

    if (over >= s->first->commit.low || over >= s->pivot->commit.low)
        return false;
    return over < began || (s->first->has_writes && view_of(m, s->pivot).high < began);
}

static void accuse(struct mirror *m, const struct structure *s)
{
    const struct live *txns[] = { s->first, s->pivot, s->last };
    bool was_over = commit_of(m, s->last).high < view_of(m, s->first).low;
    struct mirror_finding *f = finding_begin(m, MECHANISM_CERTIFIER,
                                             was_over ? ANOMALY_G2_ITEM_REALTIME
                                                      : ANOMALY_DANGEROUS_STRUCTURE);
    struct drawing drawing = { 0 };

    if (!f)
        return;
    buffer_print(&f->explanation,
                 "T%" PRId64 " missed what T%" PRId64 " wrote, and T%" PRId64
                 " missed what T%" PRId64 " wrote, which had committed before both did, within ",
                 s->first->id, s->pivot->id, s->pivot->id, s->last->id);
    tell_times(commit_of(m, s->last), &f->explanation);
    if (was_over)
        buffer_print(&f->explanation, ", and before T%" PRId64 " began to look", s->first->id);
    buffer_text(&f->explanation, TEXT(": one of them should have been aborted"));
    for (size_t i = 0; i < ROW_COUNT(txns); i++) {
        finding_add_txn(f, txns[i]->number, txns[i]->id);
        drawing_add(&drawing, view_of(m, txns[i]), "T%" PRId64 " reads as of", txns[i]->id);
        drawing_add(&drawing, commit_of(m, txns[i]), "T%" PRId64 " commits", txns[i]->id);
    }
    drawing_print(&drawing, &f->drawing);
    grounds_structure(m, f, txns, s->points);
}

static void judge(struct mirror *m, uint32_t first, uint32_t pivot, uint32_t last)
{
    const struct timeline *t = &m->certifier;
    struct structure s = { mirror_owner(m, timeline_point(t, first)),
                           mirror_owner(m, timeline_point(t, pivot)),
                           mirror_owner(m, timeline_point(t, last)),
                           { first, pivot, last } };

    if (is_dangerous(m, &s))
        accuse(m, &s);
}

/* Of which a new anti-dependency is a part. */
static void judge_structures(struct mirror *m, uint32_t from, uint32_t to)
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

struct times certifier_times(const struct mirror *m, const struct live *live)
{
    if (m->profile.certifier == CERTIFIER_TIMESTAMP_ORDER && m->profile.timing == TIMING_FULL)
        return live->at;
    return (struct times){ TIMELINE_BEGINNING, TIMELINE_END };
}

enum status certifier_depend(struct mirror *m, uint32_t from, uint32_t to,
                             enum order_reason reason, uint32_t key, struct error *err)
{
    if (from == to || from == MIRROR_NONE || to == MIRROR_NONE ||
        timeline_knows(&m->certifier, from, to))
        return STATUS_OK;
    TRY(mirror_lay(m, &m->certifier, from, to, reason, key, MECHANISM_CERTIFIER, err));
    if (reason == ORDER_OVERWRITTEN && m->profile.certifier == CERTIFIER_WRITE_SKEW &&
        timeline_knows(&m->certifier, from, to))
        judge_structures(m, from, to);
    return STATUS_OK;
}

enum status certifier_missed(struct mirror *m, const struct live *reader, const struct version *w,
                             uint32_t key, struct error *err)
{
    TRY(certifier_depend(m, reader->certified, w->certified, ORDER_OVERWRITTEN, key, err));
    if (m->profile.certifier != CERTIFIER_VALIDATION || reader->point == MIRROR_NONE ||
        w->point == MIRROR_NONE || !reader->has_writes)
        return STATUS_OK;
    return mirror_order(m, reader->point, w->point, ORDER_OVERWRITTEN, key, MECHANISM_CERTIFIER,
                        err);
}
