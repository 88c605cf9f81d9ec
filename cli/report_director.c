#include "cli/report_director.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "cli/report_check.h"
#include "history/anomaly.h"

#define DIVERGENCES_SHOWN 3

enum verdict report_director_verdict(const struct director_report *report)
{
    return report->differs ? VERDICT_INVALID : director_trial_verdict(report->trial);
}

static uint64_t reads_per_second(const struct director_trial *t)
{
    return t->ran_ns > 0
               ? (uint64_t)((unsigned __int128)t->counts.reads * 1000000000 / (uint64_t)t->ran_ns)
               : 0;
}

/* NULL: there is none. */
static const struct check_finding *first_finding(const struct director_trial *t)
{
    return t->has_serializable && t->serializable.findings.count > 0
               ? &t->serializable.findings.at[0]
               : NULL;
}

static const char *divergence_words(enum divergence_kind kind)
{
    switch (kind) {
    case DIVERGENCE_UNREAD:
        return "is not read there";
    case DIVERGENCE_ABSENT:
        return "was not written by that transaction";
    case DIVERGENCE_ILLEGAL:
        return "of that transaction may not be read there";
    }
    return "";
}

static const char *divergence_name(enum divergence_kind kind)
{
    static const char *const names[] = { [DIVERGENCE_UNREAD] = "unread",
                                         [DIVERGENCE_ABSENT] = "absent",
                                         [DIVERGENCE_ILLEGAL] = "illegal" };

    return names[kind];
}

/* --- For people --------------------------------------------------------------------------------- */

/* "G2-item: T3 → T5 → T3", or "internal: T7". */
static void print_cycle(const struct director_trial *t, const struct check_finding *finding,
                        struct buffer *out)
{
    buffer_print(out, "%s: ", anomaly_name(finding->kind));
    for (size_t i = 0; i < finding->txn_count; i++)
        buffer_print(out, "%sT%" PRId64, i > 0 ? " → " : "", t->items.txn_id[finding->txns[i]]);
    if (finding->txn_count > 1)
        buffer_print(out, " → T%" PRId64, t->items.txn_id[finding->txns[0]]);
}

static void print_serializable(const struct director_trial *t, struct buffer *out)
{
    const struct check_finding *finding = first_finding(t);

    if (!t->has_serializable)
        return;
    buffer_text(out, TEXT("   serializable: "));
    if (t->serializable.verdict == VERDICT_VALID)
        buffer_text(out, TEXT("yes"));
    else if (t->serializable.verdict == VERDICT_UNKNOWN)
        buffer_print(out, "unknown, %s", t->serializable.reason);
    else
        buffer_text(out, TEXT("no"));
    if (finding && finding->txn_count > 0) {
        buffer_text(out, TEXT(", "));
        print_cycle(t, finding, out);
    }
}

static void print_director(const struct director_trial *t, struct buffer *out)
{
    buffer_print(out, "director   %s, %s   ",
                 t->by_file ? t->options.director : director_mode_name(t->mode),
                 level_name(t->level));
    quantity_print_count(out, t->counts.reads);
    buffer_print(out, " read%s, ", t->counts.reads == 1 ? "" : "s");
    quantity_print_count(out, t->counts.stale);
    buffer_text(out, TEXT(" of them not the latest"));
    print_serializable(t, out);
    buffer_byte(out, '\n');
}

static void print_executed(const struct director_trial *t, struct buffer *out)
{
    buffer_text(out, TEXT("executed   "));
    quantity_print_count(out, t->committed);
    buffer_text(out, TEXT(" committed, "));
    quantity_print_count(out, t->aborted);
    buffer_text(out, TEXT(" aborted"));
    if (t->refused > 0) {
        buffer_text(out, TEXT(" ("));
        quantity_print_count(out, t->refused);
        buffer_text(out, TEXT(" refused by the level)"));
    }
    buffer_text(out, TEXT(", in "));
    quantity_print_rounded(out, t->ran_ns);
    buffer_text(out, TEXT("   "));
    quantity_print_count(out, reads_per_second(t));
    buffer_text(out, TEXT(" reads/s\n"));
}

static void print_wish(const struct wanted_read *w, struct buffer *out)
{
    buffer_print(out,
                 "%.*s in statement %" PRIu32 " of transaction %" PRIu32 " of session %" PRIu32,
                 TEXT_PRINT(w->key), w->statement, w->position, w->session);
}

static void print_divergences(const struct director_trial *t, struct buffer *out)
{
    size_t count = t->script.divergences.count;

    if (!t->by_file)
        return;
    buffer_text(out, TEXT("choices    "));
    if (count == 0) {
        buffer_print(out, "all %zu could be had\n", t->wanted.wishes.count);
        return;
    }
    buffer_print(out, "%zu of %zu could not be had, and the newest legal version was read\n", count,
                 t->wanted.wishes.count);
    for (size_t i = 0; i < count && i < DIVERGENCES_SHOWN; i++) {
        const struct divergence *d = &t->script.divergences.at[i];

        buffer_text(out, TEXT("           "));
        print_wish(&t->wanted.wishes.at[d->wish], out);
        buffer_print(out, " %s\n", divergence_words(d->kind));
    }
}

static void print_findings(const struct director_trial *t, struct buffer *out)
{
    for (uint32_t i = 0; i < t->finding_count; i++)
        buffer_print(out, "invariant  BROKEN   %s\n", t->findings[i].explanation);
    if (t->unasked[0] != '\0')
        buffer_print(out, "invariant  not judged: %s\n", t->unasked);
}

static void print_gaps(const struct jury *jury, struct buffer *out)
{
    struct jury_gap gap;

    for (uint32_t i = 0; jury_gap(jury, i, &gap); i++)
        buffer_print(out, "%s%-12s  did not judge, and is due: %s\n",
                     i ? "           " : "due        ", gap.checker, gap.reason);
}

void report_director_print(const struct director_report *report, struct buffer *out)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };
    const struct director_trial *t = report->trial;

    buffer_print(out, "scenario   %s   seed %" PRIu64 "\n", t->scenario->name, t->scenario->seed);
    print_executed(t, out);
    print_director(t, out);
    print_divergences(t, out);
    if (t->too_long[0] != '\0')
        buffer_print(out, "too long   %s\n", t->too_long);
    print_findings(t, out);
    if (t->is_judged) {
        report_jurors_print(&t->jury, out);
        print_gaps(&t->jury, out);
    }
    if (report->was_twice)
        buffer_print(out, "twice      %s\n", report->differs ? "DIFFERS" : "the same history");
    buffer_print(out, "verdict    %s   ", words[report_director_verdict(report)]);
    if (report->out)
        buffer_print(out, "%s   ", report->out);
    buffer_print(out, "again: %s\n", report->again);
}

/* --- As JSON ------------------------------------------------------------------------------------ */

static void answer_serializable(const struct director_trial *t, struct json_writer *json)
{
    const struct check_finding *finding = first_finding(t);

    if (!t->has_serializable || t->serializable.verdict == VERDICT_UNKNOWN)
        json_writer_null(json, "serializable");
    else
        json_writer_bool(json, "serializable", t->serializable.verdict == VERDICT_VALID);
    json_writer_text(json, "anomaly", finding ? anomaly_name(finding->kind) : NULL);
    json_writer_open(json, "transactions", '[');
    for (size_t i = 0; finding && i < finding->txn_count; i++)
        json_writer_int64(json, NULL, t->items.txn_id[finding->txns[i]]);
    json_writer_close(json, ']');
    json_writer_text(json, "explanation", finding ? finding->explanation : NULL);
}

static void answer_divergences(const struct director_trial *t, struct json_writer *json)
{
    json_writer_open(json, "divergences", '[');
    for (size_t i = 0; i < t->script.divergences.count; i++) {
        const struct divergence *d = &t->script.divergences.at[i];
        const struct wanted_read *w = &t->wanted.wishes.at[d->wish];

        json_writer_open(json, NULL, '{');
        json_writer_number(json, "session", w->session);
        json_writer_number(json, "transaction", w->position);
        json_writer_number(json, "statement", w->statement);
        json_writer_string(json, "key", w->key);
        json_writer_text(json, "kind", divergence_name(d->kind));
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_director(const struct director_trial *t, struct json_writer *json)
{
    json_writer_open(json, "director", '{');
    json_writer_text(json, "mode", t->by_file ? t->options.director : director_mode_name(t->mode));
    json_writer_text(json, "level", level_name(t->level));
    json_writer_number(json, "reads", t->counts.reads);
    json_writer_number(json, "stale", t->counts.stale);
    json_writer_number(json, "refused", t->refused);
    json_writer_number(json, "reads_per_second", reads_per_second(t));
    answer_serializable(t, json);
    answer_divergences(t, json);
    json_writer_close(json, '}');
}

static void answer_findings(const struct director_trial *t, struct json_writer *json)
{
    json_writer_open(json, "anomalies", '[');
    for (uint32_t i = 0; i < t->finding_count; i++) {
        report_finding_open(json, t->findings[i].kind);
        report_finding_close(json, text_of(t->findings[i].explanation));
    }
    json_writer_close(json, ']');
    json_writer_open(json, "not_judged", '[');
    if (t->unasked[0] != '\0')
        json_writer_text(json, NULL, t->unasked);
    json_writer_close(json, ']');
    json_writer_text(json, "too_long", t->too_long[0] != '\0' ? t->too_long : NULL);
}

void report_director_print_json(const struct director_report *report, struct buffer *out)
{
    const struct director_trial *t = report->trial;
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
    json_writer_text(&json, "scenario", t->scenario->name);
    json_writer_number(&json, "seed", t->scenario->seed);
    json_writer_seconds(&json, "wall_seconds", t->ran_ns);
    json_writer_number(&json, "committed", t->committed);
    json_writer_number(&json, "aborted", t->aborted);
    json_writer_number(&json, "unknown", 0);
    answer_director(t, &json);
    report_check_jurors(&json, director_trial_judged(t), &t->jury);
    report_check_skipped(&json, &t->jury);
    answer_findings(t, &json);
    if (report->was_twice)
        json_writer_bool(&json, "differs", report->differs);
    json_writer_text(&json, "verdict", checker_verdict_name(report_director_verdict(report)));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}
