#include "cli/report_audit.h"

#include <inttypes.h>

#include "base/quantity.h"
#include "checkers/checker.h"
#include "cli/output.h"

#define CALL_BYTES_MAX 400 /* of a call or an answer, for people */

/* NULL: nothing is to be said of it. */
static const char *model_of(const struct audit_report *report)
{
    return report->level == LEVEL_READ_COMMITTED && report->verdict->verdict == VERDICT_VALID
               ? audit_model_name(report->verdict->model)
               : NULL;
}

static const char *first_committer_of(const struct audit_report *report)
{
    if ((report->level != LEVEL_SNAPSHOT && report->level != LEVEL_STRICT_SNAPSHOT) ||
        report->verdict->verdict != VERDICT_VALID)
        return NULL;
    return report->verdict->is_by_version ? "version" : "value";
}

static const struct logged_txn *find_txn(const struct call_log *log, int64_t id)
{
    for (size_t i = 0; i < log->txns.count; i++)
        if (log->txns.at[i].id == id)
            return &log->txns.at[i];
    return NULL;
}

/* --- For people -------------------------------------------------------------------------------- */

static void print_cut(struct buffer *out, struct text text)
{
    bool is_cut = text.length > CALL_BYTES_MAX;
    size_t from = out->count;

    buffer_text(out, (struct text){ text.at, is_cut ? CALL_BYTES_MAX : text.length });
    output_tame(out, from);
    if (is_cut)
        buffer_print(out, "... (%zu bytes more)", text.length - CALL_BYTES_MAX);
}

static void print_cells(const struct call_log *log, uint32_t cell, uint32_t count,
                        struct buffer *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct text value = log->cells.at[cell + i];

        if (i > 0)
            buffer_text(out, TEXT(", "));
        if (value.at)
            buffer_print(out, "'%.*s'", (int)(value.length < CALL_BYTES_MAX ? value.length : CALL_BYTES_MAX), value.at);
        else
            buffer_text(out, TEXT("NULL"));
    }
}

/* transfer('1', '2'), or the text of the statement and its parameters. */
static void print_call(const struct call_log *log, const struct logged_txn *txn, uint32_t statement,
                       struct buffer *out)
{
    struct buffer text = { 0 };

    if (txn->function.length > 0) {
        buffer_text(&text, txn->function);
        buffer_byte(&text, '(');
        print_cells(log, txn->argument, txn->argument_count, &text);
        buffer_byte(&text, ')');
    } else if (statement < txn->statement_count) {
        const struct call_statement *s = &log->statements.at[txn->statement + statement];

        buffer_text(&text, s->sql);
        if (s->parameter_count > 0)
            buffer_text(&text, TEXT("   with "));
        print_cells(log, s->parameter, s->parameter_count, &text);
    }
    print_cut(out, (struct text){ text.at, text.count });
    buffer_close(&text);
}

static void print_state(const struct audit_candidate *candidate, struct buffer *out)
{
    if (candidate->after < 0)
        buffer_text(out, TEXT("   in the first state\n"));
    else
        buffer_print(out, "   after T%" PRId64 "\n", candidate->after);
}

static void print_wrong(const struct audit_report *report, struct buffer *out)
{
    const struct audit_wrong *wrong = &report->verdict->wrong;
    const struct logged_txn *txn = wrong->is_there ? find_txn(report->log, wrong->txn) : NULL;

    if (!txn)
        return;
    buffer_print(out, "%-9s  T%" PRId64 " in line %" PRIu64,
                 report->verdict->verdict == VERDICT_INVALID ? "wrong" : "suspect", wrong->txn,
                 txn->line);
    if (txn->statement_count > 1)
        buffer_print(out, ", statement %" PRIu32, wrong->statement + 1);
    buffer_text(out, TEXT("   "));
    print_call(report->log, txn, wrong->statement, out);
    buffer_text(out, TEXT("\nanswered   "));
    print_cut(out, text_of(wrong->answered ? wrong->answered : ""));
    buffer_byte(out, '\n');
    for (size_t i = 0; i < wrong->candidates.count; i++) {
        buffer_text(out, i ? TEXT("           ") : TEXT("expected   "));
        print_cut(out, text_of(wrong->candidates.at[i].expected));
        print_state(&wrong->candidates.at[i], out);
    }
    if (wrong->has_more_candidates)
        buffer_text(out, TEXT("           and other states\n"));
}

static void print_counts(const struct audit_report *report, struct buffer *out)
{
    const struct audit_counts *counts = &report->verdict->counts;

    buffer_text(out, TEXT("log        "));
    quantity_print_count(out, report->txns);
    buffer_text(out, TEXT(" transactions, "));
    quantity_print_count(out, counts->txns);
    buffer_text(out, TEXT(" of them judged by "));
    quantity_print_count(out, counts->answers);
    buffer_text(out, TEXT(" answers in "));
    quantity_print_count(out, counts->runs);
    buffer_text(out, TEXT(" runs   read in "));
    quantity_print_rounded(out, report->parse_ns);
    buffer_text(out, TEXT(", audited in "));
    quantity_print_rounded(out, report->ns);
    buffer_byte(out, '\n');
}

static void print_line(const struct audit_report *report, struct buffer *out)
{
    static const char *const loud[] = { "valid", "INVALID", "unknown" };
    const struct audit_verdict *v = report->verdict;

    buffer_print(out, "audit      %-20s  %s", level_name(report->level), loud[v->verdict]);
    if (v->verdict == VERDICT_UNKNOWN)
        buffer_print(out, "  %s", v->reason);
    else if (v->verdict == VERDICT_INVALID)
        buffer_text(out, TEXT("  no execution gives these answers"));
    else if (model_of(report))
        buffer_print(out, "  model %s", model_of(report));
    else if (first_committer_of(report))
        buffer_print(out, "  first committer by %s", first_committer_of(report));
    if (v->verdict == VERDICT_VALID && v->counts.displaced > 0 && !report->is_followed)
        buffer_print(out, "  %" PRIu64 " of them out of the order of commits", v->counts.displaced);
    buffer_byte(out, '\n');
}

static void print_first_rows(const struct audit_report *report, struct buffer *out)
{
    buffer_text(out, TEXT("initial    "));
    quantity_print_count(out, report->verdict->counts.first_rows);
    buffer_text(out, TEXT(" rows, read off the answers: nobody knows which there were\n"));
}

void report_audit_verdict(const struct audit_report *report, struct buffer *out)
{
    print_line(report, out);
    if (report->log->initial == INITIAL_UNKNOWN)
        print_first_rows(report, out);
    print_wrong(report, out);
    if (report->verdict->counts.unjudged > 0) {
        buffer_text(out, TEXT("unjudged   "));
        quantity_print_count(out, report->verdict->counts.unjudged);
        buffer_text(out, TEXT(" answers that the log does not have\n"));
    }
}

void report_audit_print(const struct audit_report *report, struct buffer *out)
{
    print_counts(report, out);
    report_audit_verdict(report, out);
}

/* --- For programs ------------------------------------------------------------------------------ */

static void answer_wrong(const struct audit_wrong *wrong, struct json_writer *json)
{
    if (!wrong->is_there) {
        json_writer_null(json, "wrong");
        return;
    }
    json_writer_open(json, "wrong", '{');
    json_writer_int64(json, "txn", wrong->txn);
    json_writer_number(json, "statement", wrong->statement);
    json_writer_text(json, "answered", wrong->answered);
    json_writer_open(json, "table", '[');
    for (size_t i = 0; i < wrong->candidates.count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_int64(json, "after", wrong->candidates.at[i].after);
        json_writer_text(json, "expected", wrong->candidates.at[i].expected);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}

static void answer_anomalies(const struct audit_report *report, struct json_writer *json)
{
    const struct audit_wrong *wrong = &report->verdict->wrong;

    json_writer_open(json, "anomalies", '[');
    if (report->verdict->verdict == VERDICT_INVALID && wrong->is_there) {
        struct buffer explanation = { 0 };

        json_writer_open(json, NULL, '{');
        json_writer_text(json, "kind", "wrong-answer");
        json_writer_open(json, "transactions", '[');
        json_writer_int64(json, NULL, wrong->txn);
        json_writer_close(json, ']');
        buffer_print(&explanation, "T%" PRId64 " answered %.300s, which no execution explains",
                     wrong->txn, wrong->answered ? wrong->answered : "");
        json_writer_string(json, "explanation",
                           (struct text){ explanation.at, explanation.count });
        json_writer_close(json, '}');
        buffer_close(&explanation);
    }
    json_writer_close(json, ']');
}

void report_audit_members(const struct audit_report *report, struct json_writer *json)
{
    const struct audit_verdict *v = report->verdict;

    json_writer_text(json, "verdict", checker_verdict_name(v->verdict));
    json_writer_text(json, "level", level_name(report->level));
    json_writer_text(json, "checker", "audit");
    json_writer_text(json, "model", model_of(report));
    json_writer_text(json, "first_committer", first_committer_of(report));
    answer_anomalies(report, json);
    answer_wrong(&v->wrong, json);
    json_writer_text(json, "reason", v->reason[0] ? v->reason : NULL);
    json_writer_open(json, "unjudged", '{');
    json_writer_number(json, "answers", v->counts.unjudged);
    json_writer_close(json, '}');
    json_writer_number(json, "transactions", v->counts.txns);
    json_writer_number(json, "answers", v->counts.answers);
    if (report->log->initial == INITIAL_UNKNOWN)
        json_writer_number(json, "first_rows", v->counts.first_rows);
    else
        json_writer_null(json, "first_rows");
    json_writer_number(json, "runs", v->counts.runs);
    if (report->is_followed)
        json_writer_null(json, "displaced");
    else
        json_writer_number(json, "displaced", v->counts.displaced);
    json_writer_number(json, "jumps", v->counts.jumps);
    json_writer_seconds(json, "parse_seconds", report->parse_ns);
    json_writer_seconds(json, "seconds", report->ns);
}
