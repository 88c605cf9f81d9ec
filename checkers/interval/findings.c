#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "checkers/interval/mirror_private.h"

/* --- Findings ---------------------------------------------------------------------------- */

struct mirror_finding *finding_begin(struct mirror *m, enum mechanism mechanism,
                                     enum anomaly kind)
{
    struct mirror_finding new = { .mechanism = mechanism, .kind = kind };
    struct error ignored = { 0 };

    m->finding_count++;
    if (m->findings.count == MIRROR_FINDINGS_MAX ||
        array_push(&m->findings, new, &ignored) != STATUS_OK)
        return NULL;
    return &m->findings.at[m->findings.count - 1];
}

void finding_add_txn(struct mirror_finding *finding, uint32_t number, int64_t id)
{
    struct error ignored = { 0 };

    if (number == MIRROR_NONE)
        return;
    for (size_t i = 0; i < finding->txns.count; i++)
        if (finding->txns.at[i] == number)
            return;
    if (array_push(&finding->txns, number, &ignored) != STATUS_OK ||
        array_push(&finding->ids, id, &ignored) != STATUS_OK)
        finding->explanation.out_of_memory = true;
}

void tell_key_name(const struct mirror *m, uint32_t key, struct buffer *out)
{
    if (m->key_name)
        m->key_name(m->context, key, out);
    else
        buffer_print(out, "%" PRIu32, key);
}

static void tell_time(int64_t time, struct buffer *out)
{
    if (time == TIMELINE_BEGINNING)
        buffer_text(out, TEXT("-"));
    else if (time == TIMELINE_END)
        buffer_text(out, TEXT("..."));
    else
        buffer_print(out, "%" PRId64, time);
}

void tell_times(struct times times, struct buffer *out)
{
    buffer_byte(out, '[');
    tell_time(times.low, out);
    buffer_text(out, TEXT(", "));
    tell_time(times.high, out);
    buffer_byte(out, ']');
}

/* --- Orders that contradict each other ------------------------------------------------------ */

/* An edge of transactions, as the anomalies count them. */
static bool is_anti(const struct order *o)
{
    return o->reason == ORDER_OVERWRITTEN;
}

static enum anomaly name_chain(const struct timeline *t)
{
    size_t antis = 0, reads = 0;

    for (size_t i = 0; i < t->chain.count; i++) {
        antis += is_anti(&t->chain.at[i]);
        reads += t->chain.at[i].reason == ORDER_READ;
    }
    if (antis > 1)
        return t->chain_is_circle ? ANOMALY_G2_ITEM : ANOMALY_G2_ITEM_REALTIME;
    if (antis == 1)
        return t->chain_is_circle ? ANOMALY_G_SINGLE : ANOMALY_G_SINGLE_REALTIME;
    if (reads > 0)
        return t->chain_is_circle ? ANOMALY_G1C : ANOMALY_G1C_REALTIME;
    return t->chain_is_circle ? ANOMALY_G0 : ANOMALY_G0_REALTIME;
}

static void tell_order(const struct mirror *m, const struct timeline *t, const struct order *o,
                       struct buffer *out)
{
    static const char *const words[ORDER_REASON_COUNT][2] = {
        [ORDER_READ] = { "wrote ", " as it was read by " },
        [ORDER_OVERWRITTEN] = { "read ", " before it was written by " },
        [ORDER_INSTALLED] = { "wrote ", " before " },
        [ORDER_FIRST_WINS] = { "updated ", " and had committed before it was looked at by " },
    };

    if (o->reason == ORDER_PROGRAM)
        return;
    buffer_print(out, "T%" PRId64 " ", mirror_owner(m, timeline_point(t, o->from))->id);
    buffer_text(out, text_of(words[o->reason][0]));
    tell_key_name(m, o->key, out);
    buffer_text(out, text_of(words[o->reason][1]));
    buffer_print(out, "T%" PRId64 "; ", mirror_owner(m, timeline_point(t, o->to))->id);
}

static struct times point_times(const struct mirror *m, const struct timeline *t, uint32_t point)
{
    const struct live *live = mirror_owner(m, timeline_point(t, point));

    if (t == &m->certifier)
        return live->at;
    return timeline_point(t, point)->is_view ? (struct times){ live->at.low, live->commit.high }
                                             : live->commit;
}

static void tell_chain(struct mirror *m, const struct timeline *t, struct mirror_finding *f)
{
    struct drawing drawing = { 0 };
    const struct order *first = &t->chain.at[0], *last = &t->chain.at[t->chain.count - 1];

    for (size_t i = 0; i < t->chain.count; i++) {
        const struct order *o = &t->chain.at[i];
        const struct live *from = mirror_owner(m, timeline_point(t, o->from));
        const struct live *to = mirror_owner(m, timeline_point(t, o->to));

        finding_add_txn(f, from->number, from->id);
        finding_add_txn(f, to->number, to->id);
        tell_order(m, t, o, &f->explanation);
        drawing_add(&drawing, point_times(m, t, o->from), "T%" PRId64 " %s", from->id,
                    timeline_point(t, o->from)->is_view ? "reads" : "commits");
    }
    if (t->chain_is_circle) {
        buffer_print(&f->explanation, "so T%" PRId64 " comes before itself",
                     mirror_owner(m, timeline_point(t, first->from))->id);
    } else {
        const struct live *begin = mirror_owner(m, timeline_point(t, first->from));
        const struct live *end = mirror_owner(m, timeline_point(t, last->to));

        buffer_print(&f->explanation, "so T%" PRId64 " comes before T%" PRId64
                     ", which was over before: ", begin->id, end->id);
        tell_times(point_times(m, t, first->from), &f->explanation);
        buffer_text(&f->explanation, TEXT(" is later than "));
        tell_times(point_times(m, t, last->to), &f->explanation);
        drawing_add(&drawing, point_times(m, t, last->to), "T%" PRId64 " %s", end->id,
                    timeline_point(t, last->to)->is_view ? "reads" : "commits");
    }
    drawing_print(&drawing, &f->drawing);
}

/* Where a transaction has one instant, the certifier's is the order of these. */
static enum mechanism mechanism_of(const struct mirror *m, enum mechanism mechanism)
{
    bool is_certified = m->profile.certifier != CERTIFIER_NONE &&
                        m->profile.view == VIEW_COMMIT && m->timeline.chain_is_circle;

    return is_certified ? MECHANISM_CERTIFIER : mechanism;
}

enum status mirror_lay(struct mirror *m, struct timeline *t, uint32_t from, uint32_t to,
                       enum order_reason reason, uint32_t key, enum mechanism mechanism,
                       struct error *err)
{
    struct mirror_finding *finding;
    bool holds;

    if (from == MIRROR_NONE || to == MIRROR_NONE)
        return STATUS_OK;
    TRY(timeline_order(t, from, to, reason, key, &holds, err));
    if (holds)
        return STATUS_OK;
    finding = finding_begin(m, mechanism_of(m, mechanism), name_chain(t));
    if (finding)
        tell_chain(m, t, finding);
    return STATUS_OK;
}

enum status mirror_order(struct mirror *m, uint32_t from, uint32_t to, enum order_reason reason,
                         uint32_t key, enum mechanism mechanism, struct error *err)
{
    return mirror_lay(m, &m->timeline, from, to, reason, key, mechanism, err);
}
