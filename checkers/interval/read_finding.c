/*
 * What is said of a read that no instants explain: each version that has its value, and why
 * just that one cannot have been read; and which could have been.
 *
 *     T9 read x=1 within [41, 45], as of an instant within [40, 45];
 *     (1) T4 wrote that and committed within [5, 10], but before the read T7 had
 *         overwritten it, within [25, 30];
 *     (2) T8 wrote that, and committed at 60 at the earliest;
 *     there was T7's x=2
 *
 * Clocks that are wrong by more than was admitted explain it where they bring together ends
 * of windows that would have to meet: the least of that is told as well.
 */
#include <inttypes.h>
#include <stdio.h>

#include "checkers/interval/grounds.h"

#define VERSIONS_TOLD 6 /* of those that have the value, and of the others that may be seen */

static void tell_writer(const struct version *v, struct buffer *out)
{
    if (v->state == VERSION_OF_BEGINNING)
        buffer_text(out, TEXT("the beginning"));
    else
        buffer_print(out, "T%" PRId64, v->txn_id);
}

/* --- Clocks ----------------------------------------------------------------------------------- */

static int64_t least_of(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static int64_t greatest_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Before the version could be seen the read was over. */
static int64_t clock_error_of_future(const struct mirror *m, const struct look *look,
                                     const struct version *v)
{
    int64_t commit = finding_clock_error(version_installed(m, v).low, look->view.high);
    int64_t write = finding_clock_error(v->locked.low, look->asked_by);

    return greatest_of(commit, write);
}

/* Either the other does not surely come behind it, or not surely before the read. */
static int64_t clock_error_of_hidden(const struct mirror *m, const struct look *look,
                                     const struct version *v, const struct version *hiding)
{
    struct times installed = version_installed(m, hiding);

    return least_of(finding_clock_error(look->view.low, installed.high),
                    finding_clock_error(installed.low, version_installed(m, v).high));
}

/* --- Versions ----------------------------------------------------------------------------------- */

static void tell_future(const struct mirror *m, const struct look *look, const struct version *v,
                        struct mirror_finding *f)
{
    struct buffer *out = &f->explanation;
    struct times installed = version_installed(m, v);

    if (v->locked.low > look->asked_by) {
        buffer_print(out, ", which it sent ");
        tell_low(v->locked, out);
        buffer_text(out, TEXT(", when the read was over"));
    } else if (installed.low > look->view.high) {
        buffer_text(out, TEXT(", and committed "));
        tell_low(installed, out);
        tell_narrowed(m, v->point, false, out);
        buffer_text(out, TEXT(", which was too late"));
    } else {
        buffer_text(out, TEXT(", but committed behind the read, as other reads show"));
    }
    f->clock_error = least_of(f->clock_error, clock_error_of_future(m, look, v));
}

static void tell_hidden(const struct mirror *m, const struct look *look, const struct version *v,
                        const struct version *hiding, struct mirror_finding *f)
{
    struct buffer *out = &f->explanation;

    if (v->state != VERSION_OF_BEGINNING) {
        buffer_text(out, TEXT(" and committed within "));
        tell_times(version_installed(m, v), out);
    }
    buffer_text(out, TEXT(", but before the read "));
    tell_writer(hiding, out);
    buffer_text(out, TEXT(" had overwritten it"));
    if (hiding->state != VERSION_OF_BEGINNING) {
        buffer_text(out, TEXT(", within "));
        tell_times(version_installed(m, hiding), out);
        tell_narrowed(m, hiding->point, true, out);
    }
    f->clock_error = least_of(f->clock_error, clock_error_of_hidden(m, look, v, hiding));
}

/* Why just that version cannot have been read, and what one calls that. */
static enum anomaly tell_version(const struct mirror *m, const struct look *look,
                                 const struct version *v, const struct version *hiding,
                                 struct mirror_finding *f)
{
    struct buffer *out = &f->explanation;

    tell_writer(v, out);
    if (v->state == VERSION_OF_BEGINNING)
        buffer_text(out, TEXT(" had that"));
    else
        buffer_text(out, TEXT(" wrote that"));
    if (v->state != VERSION_OF_BEGINNING && v->txn == look->txn) {
        buffer_text(out, TEXT(", itself, and later"));
        return ANOMALY_FUTURE_READ;
    }
    if (v->state == VERSION_ABORTED) {
        buffer_text(out, TEXT(", and was aborted"));
        return ANOMALY_G1A;
    }
    if (v->state == VERSION_OVERWRITTEN) {
        buffer_text(out, TEXT(", and overwrote it itself"));
        return ANOMALY_G1B;
    }
    if (hiding) {
        tell_hidden(m, look, v, hiding, f);
        return ANOMALY_INCONSISTENT_READ;
    }
    tell_future(m, look, v, f);
    return ANOMALY_FUTURE_READ;
}

/* --- All of them -------------------------------------------------------------------------------- */

struct telling {
    const struct mirror *m;
    const struct look *look;
    struct mirror_finding *f;
    struct drawing drawing;
    unsigned count;
};

static void draw_version(struct telling *t, const struct version *v)
{
    char label[sizeof t->drawing.rows[0].label];

    if (!v || v->state == VERSION_OF_BEGINNING || v->state == VERSION_ABORTED)
        return;
    snprintf(label, sizeof label, "T%" PRId64 " commits", v->txn_id);
    for (size_t i = 0; i < t->drawing.count; i++)
        if (text_equal(text_of(t->drawing.rows[i].label), text_of(label)))
            return;
    drawing_add(&t->drawing, version_installed(t->m, v), "%s", label);
}

/* The likeliest one gives the finding its name: what was there once, rather than what was aborted. */
static void tell_matching(struct telling *t, struct look_before *before, const struct version *v)
{
    const struct version *hiding = NULL;
    enum anomaly kind;

    if (++t->count > VERSIONS_TOLD)
        return;
    if (version_may_be_read(v) && !look_is_future(t->m, t->look, v))
        hiding = look_find_hiding(t->m, t->look, before, v);
    buffer_print(&t->f->explanation, "; (%u) ", t->count);
    kind = tell_version(t->m, t->look, v, hiding, t->f);
    if (t->count == 1 || version_may_be_read(v))
        t->f->kind = kind;
    finding_add_txn(t->f, v->number, v->txn_id);
    if (hiding)
        finding_add_txn(t->f, hiding->number, hiding->txn_id);
    draw_version(t, v);
    draw_version(t, hiding);
}

static void tell_all_matching(struct telling *t)
{
    uint32_t next = t->m->keys.at[t->look->key].newest;
    struct look_before before;

    look_before_init(&before, t->m, t->look);
    for (; next != MIRROR_NONE; next = t->m->versions.at[next].older)
        if (t->m->versions.at[next].value == t->look->access->value)
            tell_matching(t, &before, &t->m->versions.at[next]);
    if (t->count == 0)
        buffer_text(&t->f->explanation,
                    TEXT("; nobody had written that by then, or it is long gone"));
    else if (t->count > VERSIONS_TOLD)
        buffer_print(&t->f->explanation, "; and %u more likewise", t->count - VERSIONS_TOLD);
}

static void tell_what_was_there(struct telling *t)
{
    const struct mirror *m = t->m;
    unsigned count = 0;
    struct look_before before;

    look_before_init(&before, m, t->look);
    for (uint32_t next = m->keys.at[t->look->key].newest; next != MIRROR_NONE && count < VERSIONS_TOLD;
         next = m->versions.at[next].older) {
        const struct version *v = &m->versions.at[next];

        if (!look_may_see(m, t->look, &before, v))
            continue;
        buffer_text(&t->f->explanation, count++ ? TEXT(" or ") : TEXT("; it could have read "));
        if (v->state == VERSION_OF_BEGINNING) {
            buffer_text(&t->f->explanation, TEXT("what was there at the beginning"));
            continue;
        }
        tell_writer(v, &t->f->explanation);
        buffer_text(&t->f->explanation, TEXT("'s "));
        tell_op_name(m, v->number, v->op, t->look->key, &t->f->explanation);
        draw_version(t, v);
    }
}

static void tell_view(const struct mirror *m, const struct look *look, struct buffer *out)
{
    if (look->view.low == TIMELINE_BEGINNING && look->view.high == TIMELINE_END)
        return;
    buffer_text(out, TEXT(", as of "));
    tell_times(look->view, out);
    tell_narrowed(m, look->point, false, out);
    tell_narrowed(m, look->point, true, out);
}

void read_accuse(struct mirror *m, const struct look *look)
{
    struct mirror_finding *f = finding_begin(m, MECHANISM_READ, ANOMALY_INCONSISTENT_READ);
    struct telling t = { .m = m, .look = look, .f = f };

    if (!f)
        return;
    finding_add_txn(f, look->live->number, look->live->id);
    buffer_print(&f->explanation, "T%" PRId64 " read ", look->live->id);
    tell_op_name(m, look->live->number, look->access->op, look->key, &f->explanation);
    buffer_text(&f->explanation, TEXT(" within "));
    tell_times(look->access->at, &f->explanation);
    tell_view(m, look, &f->explanation);
    tell_all_matching(&t);
    tell_what_was_there(&t);
    drawing_add(&t.drawing, look->view, "T%" PRId64 " reads as of", look->live->id);
    drawing_print(&t.drawing, &f->drawing);
    grounds_unread(m, f, look);
}
