#include "checkers/interval/mechanisms/consistent_read.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "checkers/interval/dependency_counts_private.h"
#include "checkers/interval/derivation_private.h"
#include "checkers/interval/findings_private.h"
#include "checkers/interval/key_versions_private.h"
#include "checkers/interval/mechanisms/certifier.h"
#include "checkers/interval/mechanisms/first_updater.h"
#include "checkers/interval/mechanisms/predicate_read.h"

#define VERSIONS_TOLD 6 /* of those that have the value, and of the others that may be seen */

/* --- Own writes ------------------------------------------------------------------------------ */

/*
 * What a transaction must see of itself: of a key that it has written, what it wrote last,
 * whatever the instants are.
 *
 *     T1  w x 1   r x 1      accepted
 *     T1  w x 1   r x 0      internal
 *
 * Two databases promise less. Adya's read committed says nothing of it, and where writes are
 * sent with the commit nobody has them before.
 */
bool consistent_read_sees_own(const struct interval_model *m)
{
    return !m->profile.reads_any && !m->profile.hides_own;
}

static struct interval_finding *begin(struct interval_model *m, const struct live_txn *live,
                                      const char *verb, uint32_t key)
{
    struct interval_finding *f = finding_begin(m, MECHANISM_READ, ANOMALY_INTERNAL);

    if (!f)
        return NULL;
    finding_add_txn(f, live->number, live->id);
    buffer_print(&f->explanation, "T%" PRId64 " %s ", live->id, verb);
    finding_tell_key(m, key, &f->explanation);
    return f;
}

void consistent_read_judge_own(struct interval_model *m, const struct live_txn *live,
                               const struct trace_op *read, const struct txn_access *own)
{
    struct interval_finding *f;

    if (!consistent_read_sees_own(m) || read->value == own->value)
        return;
    f = begin(m, live, "read", read->key);
    if (!f)
        return;
    buffer_text(&f->explanation, TEXT(" and did not get what it had written there itself"));
    derivation_own(m, f, live, read->op, read->key, DERIVATION_OWN);
}

void consistent_read_judge_own_row(struct interval_model *m, const struct live_txn *live,
                                   uint32_t op, uint32_t key, bool came)
{
    struct interval_finding *f = begin(m, live, came ? "got" : "looked for rows and missed", key);

    if (!f)
        return;
    buffer_text(&f->explanation, came ? TEXT(", and what it had written there does not match")
                                      : TEXT(", where what it had written itself matches"));
    derivation_own(m, f, live, op, key, DERIVATION_OWN);
}

void consistent_read_judge_twice(struct interval_model *m, const struct live_txn *live, uint32_t op,
                                 uint32_t key)
{
    struct interval_finding *f = begin(m, live, "got", key);

    if (!f)
        return;
    buffer_text(&f->explanation, TEXT(" twice in one answer"));
    derivation_own(m, f, live, op, key, DERIVATION_ROW);
}

/* --- Findings -------------------------------------------------------------------------------- */

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
static void tell_writer(const struct key_version *v, struct buffer *out)
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
static int64_t clock_error_of_future(const struct interval_model *m, const struct read_view *read,
                                     const struct key_version *v)
{
    int64_t commit = finding_clock_error(version_installed(m, v).low, read->view.high);
    int64_t write = finding_clock_error(v->locked.low, read->asked_by);

    return greatest_of(commit, write);
}

/* Either the other does not surely come behind it, or not surely before the read. */
static int64_t clock_error_of_hidden(const struct interval_model *m, const struct read_view *read,
                                     const struct key_version *v, const struct key_version *hiding)
{
    struct time_window installed = version_installed(m, hiding);

    return least_of(finding_clock_error(read->view.low, installed.high),
                    finding_clock_error(installed.low, version_installed(m, v).high));
}

/* --- Versions ----------------------------------------------------------------------------------- */

static void tell_future(const struct interval_model *m, const struct read_view *read,
                        const struct key_version *v, struct interval_finding *f)
{
    struct buffer *out = &f->explanation;
    struct time_window installed = version_installed(m, v);

    if (v->locked.low > read->asked_by) {
        buffer_print(out, ", which it sent ");
        finding_tell_low(v->locked, out);
        buffer_text(out, TEXT(", when the read was over"));
    } else if (installed.low > read->view.high) {
        buffer_text(out, TEXT(", and committed "));
        finding_tell_low(installed, out);
        finding_tell_narrowed(m, v->point, false, out);
        buffer_text(out, TEXT(", which was too late"));
    } else {
        buffer_text(out, TEXT(", but committed behind the read, as other reads show"));
    }
    f->clock_error = least_of(f->clock_error, clock_error_of_future(m, read, v));
}

static void tell_hidden(const struct interval_model *m, const struct read_view *read,
                        const struct key_version *v, const struct key_version *hiding,
                        struct interval_finding *f)
{
    struct buffer *out = &f->explanation;

    if (v->state != VERSION_OF_BEGINNING) {
        buffer_text(out, TEXT(" and committed within "));
        finding_tell_times(version_installed(m, v), out);
    }
    buffer_text(out, TEXT(", but before the read "));
    tell_writer(hiding, out);
    buffer_text(out, TEXT(" had overwritten it"));
    if (hiding->state != VERSION_OF_BEGINNING) {
        buffer_text(out, TEXT(", within "));
        finding_tell_times(version_installed(m, hiding), out);
        finding_tell_narrowed(m, hiding->point, true, out);
    }
    f->clock_error = least_of(f->clock_error, clock_error_of_hidden(m, read, v, hiding));
}

/* Why just that version cannot have been read, and what one calls that. */
static enum anomaly tell_version(const struct interval_model *m, const struct read_view *read,
                                 const struct key_version *v, const struct key_version *hiding,
                                 struct interval_finding *f)
{
    struct buffer *out = &f->explanation;

    tell_writer(v, out);
    if (v->state == VERSION_OF_BEGINNING)
        buffer_text(out, TEXT(" had that"));
    else
        buffer_text(out, TEXT(" wrote that"));
    if (v->state != VERSION_OF_BEGINNING && v->txn == read->txn) {
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
        tell_hidden(m, read, v, hiding, f);
        return ANOMALY_INCONSISTENT_READ;
    }
    tell_future(m, read, v, f);
    return ANOMALY_FUTURE_READ;
}

/* --- All of them -------------------------------------------------------------------------------- */

struct read_telling {
    const struct interval_model *m;
    const struct read_view *read;
    struct interval_finding *f;
    struct window_drawing drawing;
    unsigned count;
};

static void draw_version(struct read_telling *t, const struct key_version *v)
{
    char label[sizeof t->drawing.rows[0].label];

    if (!v || v->state == VERSION_OF_BEGINNING || v->state == VERSION_ABORTED)
        return;
    snprintf(label, sizeof label, "T%" PRId64 " commits", v->txn_id);
    for (size_t i = 0; i < t->drawing.count; i++)
        if (text_equal(text_of(t->drawing.rows[i].label), text_of(label)))
            return;
    findings_drawing_add(&t->drawing, version_installed(t->m, v), "%s", label);
}

/* The likeliest one gives the finding its name: what was there once, rather than what was aborted. */
static void tell_matching(struct read_telling *t, struct read_view_before *before,
                          const struct key_version *v)
{
    const struct key_version *hiding = NULL;
    enum anomaly kind;

    if (++t->count > VERSIONS_TOLD)
        return;
    if (version_may_be_read(v) && !read_view_is_future(t->m, t->read, v))
        hiding = read_view_find_hiding(t->m, t->read, before, v);
    buffer_print(&t->f->explanation, "; (%u) ", t->count);
    kind = tell_version(t->m, t->read, v, hiding, t->f);
    if (t->count == 1 || version_may_be_read(v))
        t->f->kind = kind;
    finding_add_txn(t->f, v->number, v->txn_id);
    if (hiding)
        finding_add_txn(t->f, hiding->number, hiding->txn_id);
    draw_version(t, v);
    draw_version(t, hiding);
}

static void tell_all_matching(struct read_telling *t)
{
    uint32_t next = t->m->keys.at[t->read->key].newest;
    uint32_t room[INTERVAL_VERSIONS_LOOKED_AT];
    struct read_view_before before;

    read_view_before_init(&before, room, t->m, t->read);
    for (; next != INTERVAL_NONE; next = t->m->versions.at[next].older)
        if (t->m->versions.at[next].value == t->read->access->value)
            tell_matching(t, &before, &t->m->versions.at[next]);
    if (t->count == 0)
        buffer_text(&t->f->explanation,
                    TEXT("; nobody had written that by then, or it is long gone"));
    else if (t->count > VERSIONS_TOLD)
        buffer_print(&t->f->explanation, "; and %u more likewise", t->count - VERSIONS_TOLD);
}

static void tell_what_was_there(struct read_telling *t)
{
    const struct interval_model *m = t->m;
    unsigned count = 0;
    uint32_t room[INTERVAL_VERSIONS_LOOKED_AT];
    struct read_view_before before;

    read_view_before_init(&before, room, m, t->read);
    for (uint32_t next = m->keys.at[t->read->key].newest;
         next != INTERVAL_NONE && count < VERSIONS_TOLD; next = m->versions.at[next].older) {
        const struct key_version *v = &m->versions.at[next];

        if (!read_view_may_see(m, t->read, &before, v))
            continue;
        buffer_text(&t->f->explanation, count++ ? TEXT(" or ") : TEXT("; it could have read "));
        if (v->state == VERSION_OF_BEGINNING) {
            buffer_text(&t->f->explanation, TEXT("what was there at the beginning"));
            continue;
        }
        tell_writer(v, &t->f->explanation);
        buffer_text(&t->f->explanation, TEXT("'s "));
        finding_tell_op(m, v->number, v->op, t->read->key, &t->f->explanation);
        draw_version(t, v);
    }
}

static void tell_view(const struct interval_model *m, const struct read_view *read,
                      struct buffer *out)
{
    if (read->view.low == TIMELINE_BEGINNING && read->view.high == TIMELINE_END)
        return;
    buffer_text(out, TEXT(", as of "));
    finding_tell_times(read->view, out);
    finding_tell_narrowed(m, read->point, false, out);
    finding_tell_narrowed(m, read->point, true, out);
}

static void accuse(struct interval_model *m, const struct read_view *read)
{
    struct interval_finding *f = finding_begin(m, MECHANISM_READ, ANOMALY_INCONSISTENT_READ);
    struct read_telling t = { .m = m, .read = read, .f = f };

    if (!f)
        return;
    finding_add_txn(f, read->live->number, read->live->id);
    buffer_print(&f->explanation, "T%" PRId64 " read ", read->live->id);
    finding_tell_op(m, read->live->number, read->access->op, read->key, &f->explanation);
    buffer_text(&f->explanation, TEXT(" within "));
    finding_tell_times(read->access->at, &f->explanation);
    tell_view(m, read, &f->explanation);
    tell_all_matching(&t);
    tell_what_was_there(&t);
    findings_drawing_add(&t.drawing, read->view, "T%" PRId64 " reads as of", read->live->id);
    findings_drawing_print(&t.drawing, &f->drawing);
    derivation_unread(m, f, read);
}

/* --- Reads of items -------------------------------------------------------------------------- */

struct version_candidates {
    uint32_t match; /* the last that was found */
    size_t match_count;
};

/* Those from before one that the view surely sees need not be looked at. */
static struct version_candidates find_candidates(struct interval_model *m,
                                                 const struct read_view *read)
{
    struct version_candidates found = { .match = INTERVAL_NONE };
    uint32_t next = key_versions_of_value(m, read->key, read->access->value);
    int64_t hidden_before = TIMELINE_BEGINNING;
    struct read_view_before before;

    if (m->profile.timing == TIMING_NONE && read->point != INTERVAL_NONE)
        timeline_focus(&m->timeline, read->point);
    read_view_before_init(&before, m->before.room, m, read);
    read_view_before_gather(&before, m, read);
    for (; next != INTERVAL_NONE;
         next = key_versions_next_of_value(m, &m->versions.at[next], hidden_before)) {
        const struct key_version *v = &m->versions.at[next];
        struct time_window installed = version_installed(m, v);

        if (installed.high < read->view.low && installed.low > hidden_before && version_counts(v) &&
            v->txn != read->txn && !m->profile.reads_any)
            hidden_before = installed.low;
        if (v->value != read->access->value || !read_view_may_see(m, read, &before, v))
            continue;
        found.match = next;
        found.match_count++;
    }
    return found;
}

/* --- What follows ------------------------------------------------------------------------------ */

/* Whoever wrote that too was the first of the two, where one of them had to be. */
static enum status missed(struct interval_model *m, const struct read_view *read,
                          const struct key_version *w, struct error *err)
{
    uint32_t key = read->key;

    TRY(certifier_missed(m, read->live, w, key, err));
    TRY(model_order(m, (struct instant_order){ read->point, w->point, ORDER_OVERWRITTEN, key },
                    MECHANISM_READ, err));
    if (!profile_first_wins(&m->profile) || !read->access->is_updated)
        return STATUS_OK;
    return model_order(m,
                       (struct instant_order){ read->live->point, w->view, ORDER_FIRST_WINS, key },
                       first_updater_mechanism(m), err);
}

static enum status deduce_others(struct interval_model *m, const struct read_view *read,
                                 uint32_t match, struct error *err)
{
    uint32_t next = m->keys.at[read->key].newest, key = read->key;
    int64_t from = version_installed(m, &m->versions.at[match]).low;

    for (; next != INTERVAL_NONE; next = version_older(m, &m->versions.at[next], from)) {
        const struct key_version *v = &m->versions.at[match], *w = &m->versions.at[next];

        if (next == match || !version_counts(w) || w->txn == read->txn)
            continue;
        if (version_precedes(m, v, w)) {
            derivation_overwrites(m, read, match, next);
            TRY(missed(m, read, w, err));
        } else if (read_view_is_before(m, read, w) && !version_precedes(m, w, v)) {
            derivation_installed(m, read, next);
            TRY(certifier_depend(m, w->certified, v->certified, ORDER_INSTALLED, key, err));
            TRY(model_order(m, (struct instant_order){ w->point, v->point, ORDER_INSTALLED, key },
                            MECHANISM_READ, err));
        }
    }
    return STATUS_OK;
}

static enum status deduce(struct interval_model *m, const struct read_view *read, uint32_t access,
                          uint32_t match, struct error *err)
{
    uint32_t key = read->key;
    struct key_version *v = &m->versions.at[match];
    struct key_reader reader = { .txn = read->txn, .version = match, .access = access };

    TRY(dependency_of_read(m, read, access, match, err));
    derivation_reads(m, read, match, DERIVATION_READS);
    if (v->state == VERSION_PERHAPS)
        read_view_confirm(m, read, v);
    TRY(certifier_depend(m, v->certified, read->live->certified, ORDER_READ, key, err));
    TRY(model_order(m, (struct instant_order){ v->point, read->point, ORDER_READ, key },
                    MECHANISM_READ, err));
    if (m->profile.view != VIEW_COMMIT && read->access->is_updated)
        TRY(model_order(m,
                        (struct instant_order){ v->point, read->live->point, ORDER_INSTALLED, key },
                        MECHANISM_READ, err));
    if (m->profile.reads_any)
        return STATUS_OK;
    TRY(deduce_others(m, read, match, err));
    return model_times_imply_the_rest(m)
               ? STATUS_OK
               : key_versions_add_reader(m, &m->keys.at[key].readers, reader, err);
}

enum status consistent_read_judge(struct interval_model *m, struct live_txn *live, uint32_t access,
                                  struct error *err)
{
    struct read_view read = read_view_of(m, live, access, live->accesses[access].key);
    struct version_candidates found = find_candidates(m, &read);

    if (gap_reaches(m, read.key, read.view)) {
        m->counts.gapped++;
        m->counts.excused += found.match_count == 0;
        return STATUS_OK;
    }
    if (found.match_count == 0) {
        accuse(m, &read);
        return STATUS_OK;
    }
    if (found.match_count == 1)
        return deduce(m, &read, access, found.match, err);
    dependency_of_unclear_read(m, &read);
    return STATUS_OK;
}

/* Those that come before one which the certifier has linked are before it there as well. */
static enum status link_version(struct interval_model *m, uint32_t key, uint32_t version,
                                struct error *err)
{
    int64_t linked_before = TIMELINE_BEGINNING;

    for (uint32_t next = m->keys.at[key].newest; next != INTERVAL_NONE;
         next = version_older(m, &m->versions.at[next], linked_before)) {
        const struct key_version *v = &m->versions.at[next], *w = &m->versions.at[version];

        if (next == version || !version_counts(v) || !version_precedes(m, v, w))
            continue;
        derivation_precedes(m, key, v, w);
        TRY(certifier_depend(m, v->certified, w->certified, ORDER_INSTALLED, key, err));
        if (m->profile.timing != TIMING_FULL)
            TRY(model_order(m, (struct instant_order){ v->point, w->point, ORDER_INSTALLED, key },
                            MECHANISM_READ, err));
        if (v->is_linked && v->came > linked_before)
            linked_before = v->came;
    }
    m->versions.at[version].is_linked = true;
    return STATUS_OK;
}

enum status consistent_read_installed(struct interval_model *m, uint32_t key, uint32_t version,
                                      struct error *err)
{
    if (model_times_imply_the_rest(m))
        return STATUS_OK;
    if (m->profile.timing == TIMING_NONE && m->versions.at[version].point != INTERVAL_NONE)
        timeline_focus(&m->timeline, m->versions.at[version].point);
    for (size_t i = 0; i < m->keys.at[key].readers.count; i++) {
        struct key_reader reader = m->keys.at[key].readers.at[i];
        const struct key_version *w = &m->versions.at[version];
        const struct live_txn *live;
        struct read_view read;

        if (reader.has_span &&
            (w->value == 0 || !row_store_is_within(m->rows, w->row, &reader.span)))
            continue;
        if (reader.txn == w->txn || !version_precedes(m, &m->versions.at[reader.version], w) ||
            !model_is_live(m, reader.txn))
            continue;
        live = model_live(m, reader.txn);
        if (live->accesses[reader.access].kind == TRACE_QUERY) {
            TRY(predicate_read_overtaken(m, &reader, key, version, err));
            continue;
        }
        read = read_view_of(m, live, reader.access, key);
        derivation_overwrites(m, &read, reader.version, version);
        TRY(missed(m, &read, w, err));
    }
    return link_version(m, key, version, err);
}
