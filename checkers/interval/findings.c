#include "checkers/interval/findings_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/text.h"
#include "checkers/interval/derivation_private.h"
#include "checkers/interval/timeline_private.h"

/* --- Drawings -------------------------------------------------------------------- */

#define DRAWING_WIDTH 48

void findings_drawing_add(struct window_drawing *d, struct time_window times, const char *format, ...)
{
    va_list arguments;

    if (d->count == DRAWING_ROWS_MAX)
        return;
    d->rows[d->count].times = times;
    va_start(arguments, format);
    vsnprintf(d->rows[d->count].label, sizeof d->rows[d->count].label, format, arguments);
    va_end(arguments);
    d->count++;
}

static bool is_open(int64_t time)
{
    return time == TIMELINE_BEGINNING || time == TIMELINE_END;
}

static void find_scale(const struct window_drawing *d, int64_t *low, int64_t *high)
{
    *low = INT64_MAX;
    *high = INT64_MIN;
    for (size_t i = 0; i < d->count; i++)
        for (int end = 0; end < 2; end++) {
            int64_t time = end ? d->rows[i].times.high : d->rows[i].times.low;

            if (is_open(time))
                continue;
            *low = time < *low ? time : *low;
            *high = time > *high ? time : *high;
        }
}

/* Its column; times that are far apart may lie 2^63 from each other. */
static int column_of(int64_t time, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low, from = (uint64_t)time - (uint64_t)low;

    if (time <= low || span == 0)
        return 0;
    if (time >= high)
        return DRAWING_WIDTH - 1;
    return (int)(from / (span / (DRAWING_WIDTH - 1) + 1));
}

void findings_drawing_print(const struct window_drawing *d, struct buffer *out)
{
    int64_t low, high;

    find_scale(d, &low, &high);
    if (low > high)
        return;
    for (size_t i = 0; i < d->count; i++) {
        struct time_window times = d->rows[i].times;
        int from = is_open(times.low) ? 0 : column_of(times.low, low, high);
        int to = times.high == TIMELINE_END ? DRAWING_WIDTH - 1 : column_of(times.high, low, high);

        buffer_print(out, "%-20s ", d->rows[i].label);
        for (int c = 0; c <= to; c++)
            buffer_byte(out, c < from    ? ' '
                             : c == from ? (is_open(times.low) ? '-' : '|')
                             : c == to   ? (is_open(times.high) ? '>' : '|')
                                         : '-');
        buffer_byte(out, '\n');
    }
}

#define STEPS_TOLD 4 /* of why a window is as narrow as it is */

/* --- Findings ---------------------------------------------------------------------------- */

struct interval_finding *finding_begin(struct interval_model *m, enum mechanism mechanism,
                                       enum anomaly kind)
{
    struct interval_finding new = { .mechanism = mechanism, .kind = kind }, *finding;
    struct error ignored = { 0 };

    m->finding_count++;
    if (m->findings.count == INTERVAL_FINDINGS_MAX ||
        array_push(&m->findings, new, &ignored) != STATUS_OK)
        return NULL;
    finding = &m->findings.at[m->findings.count - 1];
    buffer_print(&finding->explanation, "%s: ", interval_model_mechanism_name(mechanism));
    return finding;
}

int64_t finding_clock_error(int64_t late, int64_t early)
{
    uint64_t gap = (uint64_t)late - (uint64_t)early;

    if (late <= early || late == TIMELINE_END || early == TIMELINE_BEGINNING)
        return 0;
    return (int64_t)(gap / 2 + gap % 2);
}

void finding_add_txn(struct interval_finding *finding, uint32_t number, int64_t id)
{
    struct error ignored = { 0 };

    if (number == INTERVAL_NONE)
        return;
    for (size_t i = 0; i < finding->txns.count; i++)
        if (finding->txns.at[i] == number)
            return;
    if (array_push(&finding->txns, number, &ignored) != STATUS_OK ||
        array_push(&finding->ids, id, &ignored) != STATUS_OK)
        finding->explanation.out_of_memory = true;
}

void finding_tell_key(const struct interval_model *m, uint32_t key, struct buffer *out)
{
    if (m->key_name)
        m->key_name(m->context, key, out);
    else
        buffer_print(out, "%" PRIu32, key);
}

void finding_tell_op(const struct interval_model *m, uint32_t number, uint32_t op, uint32_t key,
                     struct buffer *out)
{
    if (m->op_name && number != INTERVAL_NONE)
        m->op_name(m->context, number, op, key, out);
    else
        finding_tell_key(m, key, out);
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

void finding_tell_times(struct time_window times, struct buffer *out)
{
    buffer_byte(out, '[');
    tell_time(times.low, out);
    buffer_text(out, TEXT(", "));
    tell_time(times.high, out);
    buffer_byte(out, ']');
}

void finding_tell_low(struct time_window times, struct buffer *out)
{
    if (times.low == TIMELINE_BEGINNING)
        buffer_text(out, TEXT("nobody knows when"));
    else
        buffer_print(out, "at %" PRId64 " at the earliest", times.low);
}

void finding_tell_high(struct time_window times, struct buffer *out)
{
    if (times.high == TIMELINE_END)
        buffer_text(out, TEXT("nobody knows when"));
    else
        buffer_print(out, "by %" PRId64 " at the latest", times.high);
}

/* --- Orders that contradict each other ------------------------------------------------------ */

/* An edge of transactions, as the anomalies count them. */
static bool is_anti(const struct kept_order *o)
{
    return o->reason == ORDER_OVERWRITTEN || o->reason == ORDER_NOT_FOUND;
}

static enum anomaly name_chain(const struct timeline *t)
{
    size_t antis = 0, reads = 0, ranges = 0;

    for (size_t i = 0; i < t->chain.count; i++) {
        if (t->chain.at[i].reason == ORDER_LOCKED)
            return ANOMALY_LOCK_VIOLATION;
        if (t->chain.at[i].reason == ORDER_FIRST_WINS)
            return ANOMALY_LOST_UPDATE;
        antis += is_anti(&t->chain.at[i]);
        reads += t->chain.at[i].reason == ORDER_READ || t->chain.at[i].reason == ORDER_FOUND;
        ranges += t->chain.at[i].reason == ORDER_NOT_FOUND;
    }
    if (antis > 1 && ranges > 0)
        return t->chain_is_circle ? ANOMALY_G2 : ANOMALY_G2_REALTIME;
    if (antis > 1)
        return t->chain_is_circle ? ANOMALY_G2_ITEM : ANOMALY_G2_ITEM_REALTIME;
    if (antis == 1)
        return t->chain_is_circle ? ANOMALY_G_SINGLE : ANOMALY_G_SINGLE_REALTIME;
    if (reads > 0)
        return t->chain_is_circle ? ANOMALY_G1C : ANOMALY_G1C_REALTIME;
    return t->chain_is_circle ? ANOMALY_G0 : ANOMALY_G0_REALTIME;
}

static void tell_order(const struct interval_model *m, const struct timeline *t,
                       const struct kept_order *o, struct buffer *out)
{
    static const char *const words[ORDER_REASON_COUNT][2] = {
        [ORDER_READ] = { "wrote ", " as it was read by " },
        [ORDER_OVERWRITTEN] = { "read ", " before it was written by " },
        [ORDER_INSTALLED] = { "wrote ", " before " },
        [ORDER_LOCKED] = { "had locked ", " and committed before it was locked by " },
        [ORDER_FOUND] = { "wrote ", " before it was looked for by " },
        [ORDER_NOT_FOUND] = { "looked for ", " before it was written by " },
        [ORDER_FIRST_WINS] = { "updated ", " and had committed before it was looked at by " },
    };

    if (o->reason == ORDER_PROGRAM)
        return;
    buffer_print(out, "T%" PRId64 " ", model_owner(m, timeline_point(t, o->from))->id);
    buffer_text(out, text_of(words[o->reason][0]));
    finding_tell_key(m, o->key, out);
    buffer_text(out, text_of(words[o->reason][1]));
    buffer_print(out, "T%" PRId64 "; ", model_owner(m, timeline_point(t, o->to))->id);
}

void finding_tell_narrowed(const struct interval_model *m, uint32_t point, bool is_high,
                           struct buffer *out)
{
    const struct timeline *t = &m->timeline;
    struct buffer why = { 0 };

    for (int i = 0; i < STEPS_TOLD && point != INTERVAL_NONE; i++) {
        const struct instant_point *p = timeline_point(t, point);
        uint32_t by = is_high ? p->high_by : p->low_by;

        if (by == TIMELINE_NONE)
            break;
        tell_order(m, t, &t->orders.at[by], &why);
        point = is_high ? t->orders.at[by].to : t->orders.at[by].from;
    }
    if (why.count > 2) {
        buffer_text(out, TEXT(" (as "));
        buffer_text(out, (struct text){ why.at, why.count - 2 });
        buffer_byte(out, ')');
    }
    out->out_of_memory |= why.out_of_memory;
    buffer_close(&why);
}

static struct time_window point_times(const struct timeline *t, uint32_t point)
{
    return (struct time_window){ timeline_point(t, point)->low, timeline_point(t, point)->high };
}

static void draw_point(const struct interval_model *m, const struct timeline *t, uint32_t point,
                       struct window_drawing *drawing)
{
    const struct live_txn *live = model_owner(m, timeline_point(t, point));
    const char *does = t == &m->certifier                  ? "runs"
                       : timeline_point(t, point)->is_view ? "reads as of"
                                                           : "commits";

    findings_drawing_add(drawing, t == &m->certifier ? live->at : point_times(t, point), "T%" PRId64 " %s",
                live->id, does);
}

static void tell_end(const struct interval_model *m, const struct timeline *t,
                     struct interval_finding *f, struct window_drawing *drawing)
{
    const struct kept_order *first = &t->chain.at[0], *last = &t->chain.at[t->chain.count - 1];
    struct time_window from = point_times(t, first->from), to = point_times(t, last->to);
    const struct live_txn *begin = model_owner(m, timeline_point(t, first->from));
    const struct live_txn *end = model_owner(m, timeline_point(t, last->to));

    if (t->chain_is_circle) {
        buffer_print(&f->explanation, "so T%" PRId64 " comes before itself", begin->id);
        return;
    }
    buffer_print(&f->explanation,
                 "so T%" PRId64 " comes before T%" PRId64 ", but is later: T%" PRId64 " %s ",
                 begin->id, end->id, begin->id,
                 timeline_point(t, first->from)->is_view ? "looked" : "committed");
    finding_tell_low(from, &f->explanation);
    buffer_print(&f->explanation, ", and T%" PRId64 " %s ", end->id,
                 timeline_point(t, last->to)->is_view ? "looked" : "committed");
    finding_tell_high(to, &f->explanation);
    draw_point(m, t, last->to, drawing);
    f->clock_error = finding_clock_error(from.low, to.high);
}

static void tell_chain(struct interval_model *m, const struct timeline *t,
                       struct interval_finding *f)
{
    struct window_drawing drawing = { 0 };

    for (size_t i = 0; i < t->chain.count; i++) {
        const struct kept_order *o = &t->chain.at[i];
        const struct live_txn *from = model_owner(m, timeline_point(t, o->from));
        const struct live_txn *to = model_owner(m, timeline_point(t, o->to));

        finding_add_txn(f, from->number, from->id);
        finding_add_txn(f, to->number, to->id);
        tell_order(m, t, o, &f->explanation);
        draw_point(m, t, o->from, &drawing);
    }
    tell_end(m, t, f, &drawing);
    findings_drawing_print(&drawing, &f->drawing);
}

/* Where a transaction has one instant, the certifier's is the order of these. */
static enum mechanism mechanism_of(const struct interval_model *m, enum mechanism mechanism)
{
    bool is_certified = m->profile.certifier != CERTIFIER_NONE && m->profile.view == VIEW_COMMIT &&
                        m->timeline.chain_is_circle;

    return is_certified ? MECHANISM_CERTIFIER : mechanism;
}

enum status findings_lay_order(struct interval_model *m, struct timeline *t,
                               struct instant_order order, enum mechanism mechanism,
                               struct error *err)
{
    struct interval_finding *finding;
    bool holds;

    if (order.from == INTERVAL_NONE || order.to == INTERVAL_NONE)
        return STATUS_OK;
    if (m->derivation && (order.from == order.to || !timeline_knows(t, order.from, order.to)))
        t->step = derivation_take(m);
    TRY(timeline_order(t, order, &holds, err));
    if (holds)
        return STATUS_OK;
    finding = finding_begin(m, mechanism_of(m, mechanism), name_chain(t));
    if (finding) {
        tell_chain(m, t, finding);
        derivation_chain(m, finding, t);
    }
    return STATUS_OK;
}
