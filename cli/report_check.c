#include "cli/report_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/sort.h"
#include "checkers/checker.h"
#include "cli/output.h"
#include "history/jsonl/jsonl_write.h"

#define TXNS_SHOWN 16      /* of those that are named */
#define TXN_BYTES_MAX 2000 /* of one of them */
#define FINDINGS_SHOWN 3   /* of each checker; the witness has them all */

/* --- The transactions that are named ----------------------------------------------------------- */

/* Those of the first findings first, so that what is cut off is what is told last; then sorted. */
static uint32_t gather_txns(const struct jury *jury, uint32_t txns[TXNS_SHOWN], bool *are_more)
{
    uint32_t count = 0;

    *are_more = false;
    for (uint32_t j = 0; j < jury->juror_count; j++) {
        const struct check *check = &jury->jurors[j].check;

        for (size_t i = 0; i < check->findings.count; i++)
            for (size_t k = 0; k < check->findings.at[i].txn_count; k++) {
                uint32_t txn = check->findings.at[i].txns[k], at = 0;

                while (at < count && txns[at] != txn)
                    at++;
                if (at == count && count == TXNS_SHOWN)
                    *are_more = true;
                else if (at == count)
                    txns[count++] = txn;
            }
    }
    sort_numbers(txns, count);
    return count;
}

/* As they stand in the native text. */
static enum status print_txns(const struct check_report *report, struct buffer *out,
                              struct error *err)
{
    uint32_t txns[TXNS_SHOWN], count;
    struct buffer lines = { 0 };
    bool are_more;
    enum status status;

    count = gather_txns(report->jury, txns, &are_more);
    if (count == 0)
        return STATUS_OK;
    status = jsonl_write_txns(report->history, txns, count, &lines, err);
    for (size_t at = 0, end; status == STATUS_OK && at < lines.count; at = end + 1) {
        size_t from = out->count, shown;

        for (end = at; lines.at[end] != '\n'; end++)
            ;
        shown = end - at < TXN_BYTES_MAX ? end - at : TXN_BYTES_MAX;
        buffer_text(out, at ? TEXT("           ") : TEXT("where      "));
        buffer_text(out, (struct text){ lines.at + at, shown });
        if (shown < end - at)
            buffer_print(out, "… (%zu bytes more)", end - at - shown);
        output_tame(out, from);
        buffer_byte(out, '\n');
    }
    if (status == STATUS_OK && are_more)
        buffer_text(out, TEXT("           and others: ordeal check --json names them all\n"));
    buffer_close(&lines);
    return status;
}

/* --- For people -------------------------------------------------------------------------------- */

static void print_line(const struct check *check, struct buffer *out)
{
    static const char *const loud[] = { "valid", "INVALID", "unknown" };

    buffer_print(out, "%-12s  %-20s  %s", check->checker->name, level_name(check->level),
                 loud[check->verdict]);
    if (check->reason[0])
        buffer_print(out, "  %s", check->reason);
    else if (check->verdict == VERDICT_INVALID && check->strongest != LEVEL_COUNT)
        buffer_print(out, "  %s still holds", level_name(check->strongest));
}

static void print_findings(const struct check *check, size_t at_most, struct buffer *out)
{
    size_t count = check->findings.count < at_most ? check->findings.count : at_most;

    for (size_t i = 0; i < count; i++)
        report_finding_print("", check->findings.at[i].kind,
                             text_of(check->findings.at[i].explanation),
                             text_of(check->findings.at[i].drawing), out);
    if (check->has_more_findings && count == check->findings.count)
        buffer_text(out, TEXT("           and others\n"));
    else if (check->has_more_findings)
        buffer_print(out, "           and more than %zu others\n", check->findings.count - count);
    else if (count < check->findings.count)
        buffer_print(out, "           and %zu more\n", check->findings.count - count);
}

void report_checker_print(const char *label, const struct check *check, size_t findings_max,
                          struct buffer *out)
{
    buffer_text(out, text_of(label));
    print_line(check, out);
    buffer_byte(out, '\n');
    print_findings(check, findings_max, out);
}

/* All findings of one of them, which decided, or NULL. */
static void print_jurors(const struct jury *jury, const struct juror *decisive, struct buffer *out)
{
    for (uint32_t i = 0; i < jury->juror_count; i++)
        report_checker_print(i ? "           " : "check      ", &jury->jurors[i].check,
                             &jury->jurors[i] == decisive ? CHECK_FINDINGS_MAX : FINDINGS_SHOWN,
                             out);
}

void report_jurors_print(const struct jury *jury, struct buffer *out)
{
    print_jurors(jury, NULL, out);
}

void report_skipped_print(const struct jury *jury, struct buffer *out)
{
    for (uint32_t i = 0; i < jury->skipped_count; i++)
        buffer_print(out, "%s  %-12s  %-20s  %s\n", i ? "         " : "skipped  ",
                     jury->skipped[i].name, level_name(jury->level), jury->skipped[i].reason);
}

static void print_skipped(const struct jury *jury, struct buffer *out)
{
    for (uint32_t i = 0; i < jury->skipped_count; i++)
        buffer_print(out, "%s%-12s  %s\n", i ? "           " : "skipped    ",
                     jury->skipped[i].name, jury->skipped[i].reason);
}

static void print_verdict(const struct jury *jury, struct buffer *out)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };

    buffer_print(out, "verdict    %s", words[jury->verdict]);
    if (jury->verdict == VERDICT_UNKNOWN)
        buffer_print(out, "   %s", jury->reason);
    else if (jury->strongest != LEVEL_COUNT)
        buffer_print(out, "   %s %s", level_name(jury->strongest),
                     jury->verdict == VERDICT_VALID ? "holds" : "still holds");
    buffer_byte(out, '\n');
}

static void print_counts(const struct check_report *report, const struct check *any,
                         struct buffer *out)
{
    buffer_text(out, TEXT("history    "));
    quantity_print_count(out, any->txn_count);
    buffer_text(out, TEXT(" transactions, "));
    quantity_print_count(out, any->op_count);
    buffer_text(out, TEXT(" operations   read in "));
    quantity_print_rounded(out, report->parse_ns);
    buffer_text(out, TEXT(", checked in "));
    quantity_print_rounded(out, jury_ns(report->jury) + report->search_ns);
    buffer_byte(out, '\n');
}

enum status report_check_print(const struct check_report *report, struct buffer *out,
                               struct error *err)
{
    const struct jury *jury = report->jury;
    const struct check *any = &jury->jurors[0].check;
    const struct check *told = jury->decisive ? &jury->decisive->check : any;

    if (jury->juror_count > 0)
        print_counts(report, any, out);
    print_jurors(jury, jury->decisive, out);
    if (jury->verdict != VERDICT_INVALID)
        report_checker_unjudged(told->unjudged_predicates, out);
    if (jury->verdict == VERDICT_UNKNOWN)
        print_skipped(jury, out);
    if (report->clock_error_ns < 0)
        buffer_text(out, TEXT("clocks     whether clocks explain it was not found out: the time was over\n"));
    if (report->clock_error_ns > 0) {
        buffer_text(out, TEXT("clocks     with --clock-error "));
        quantity_print_duration(out, report->clock_error_ns);
        buffer_text(out, TEXT(" nothing is found: are the clients' clocks as far off?\n"));
    }
    TRY(print_txns(report, out, err));
    if (!report->is_named)
        print_verdict(jury, out);
    return STATUS_OK;
}

/* --- For programs ------------------------------------------------------------------------------ */

static bool is_same(const struct check_finding *a, const struct check_finding *b)
{
    return a->kind == b->kind && a->txn_count == b->txn_count &&
           memcmp(a->txns, b->txns, a->txn_count * sizeof *a->txns) == 0;
}

/* Whether a checker that was asked earlier found the same. */
static bool was_found(const struct jury *jury, uint32_t juror, const struct check_finding *finding)
{
    for (uint32_t j = 0; j < juror; j++)
        for (size_t i = 0; i < jury->jurors[j].check.findings.count; i++)
            if (is_same(&jury->jurors[j].check.findings.at[i], finding))
                return true;
    return false;
}

static void answer_finding(struct json_writer *json, const struct history *h,
                           const struct check_finding *finding)
{
    report_finding_open(json, finding->kind);
    for (size_t i = 0; i < finding->txn_count; i++)
        json_writer_int64(json, NULL, h->txn_id[finding->txns[i]]);
    report_finding_close(json, text_of(finding->explanation));
}

/* What stands in the answer of one checker, and in that of all together. */
struct judgement {
    enum verdict verdict;
    enum level level, strongest, weakest_violated;
    const char *checker, *reason; /* NULL: none */
    uint64_t unjudged, txn_count, op_count;
    int64_t parse_ns, ns;
};

static struct judgement judgement_of_check(const struct check *check, int64_t parse_ns,
                                           int64_t ns)
{
    return (struct judgement){ .verdict = check->verdict,
                               .level = check->level,
                               .strongest = check->strongest,
                               .weakest_violated = check->weakest_violated,
                               .checker = check->checker ? check->checker->name : NULL,
                               .reason = check->reason[0] ? check->reason : NULL,
                               .unjudged = check->unjudged_predicates,
                               .txn_count = check->txn_count,
                               .op_count = check->op_count,
                               .parse_ns = parse_ns,
                               .ns = ns };
}

static struct judgement judgement_of_jury(const struct check_report *report)
{
    const struct jury *jury = report->jury;
    const struct juror *told = jury->decisive ? jury->decisive : &jury->jurors[0];
    struct judgement all = judgement_of_check(&told->check, report->parse_ns, jury_ns(jury));

    all.verdict = jury->verdict;
    all.level = jury->level;
    all.strongest = jury->strongest;
    all.weakest_violated = jury->weakest_violated;
    all.checker = jury->decisive ? jury->decisive->check.checker->name : NULL;
    all.reason = jury->reason[0] ? jury->reason : NULL;
    return all;
}

static const char *name_of_level(enum level level)
{
    return level == LEVEL_COUNT ? NULL : level_name(level);
}

static void answer_head(struct json_writer *json, const struct judgement *it)
{
    json_writer_text(json, "verdict", checker_verdict_name(it->verdict));
    json_writer_text(json, "level", level_name(it->level));
    json_writer_text(json, "checker", it->checker);
}

static void answer_tail(struct json_writer *json, const struct judgement *it)
{
    json_writer_text(json, "strongest", name_of_level(it->strongest));
    json_writer_text(json, "weakest_violated", name_of_level(it->weakest_violated));
    json_writer_text(json, "reason", it->reason);
    json_writer_open(json, "unjudged", '{');
    json_writer_number(json, "predicates", it->unjudged);
    json_writer_close(json, '}');
    json_writer_number(json, "transactions", it->txn_count);
    json_writer_number(json, "operations", it->op_count);
    json_writer_seconds(json, "parse_seconds", it->parse_ns);
    json_writer_seconds(json, "seconds", it->ns);
}

static void answer_check(struct json_writer *json, const struct history *h, const struct check *check,
                         int64_t parse_ns, int64_t ns)
{
    struct judgement it = judgement_of_check(check, parse_ns, ns);

    answer_head(json, &it);
    json_writer_open(json, "anomalies", '[');
    for (size_t i = 0; i < check->findings.count; i++)
        answer_finding(json, h, &check->findings.at[i]);
    json_writer_close(json, ']');
    answer_tail(json, &it);
}

void report_check_jurors(struct json_writer *json, const struct history *h, const struct jury *jury)
{
    json_writer_open(json, "checks", '[');
    for (uint32_t i = 0; i < jury->juror_count; i++) {
        json_writer_open(json, NULL, '{');
        answer_check(json, h, &jury->jurors[i].check, 0, jury->jurors[i].check_ns);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

/* What was found, once, whoever found it. */
static void answer_anomalies(const struct check_report *report, struct json_writer *json)
{
    const struct jury *jury = report->jury;

    json_writer_open(json, "anomalies", '[');
    for (uint32_t j = 0; j < jury->juror_count; j++) {
        const struct check *check = &jury->jurors[j].check;

        for (size_t i = 0; i < check->findings.count; i++)
            if (!was_found(jury, j, &check->findings.at[i]))
                answer_finding(json, report->history, &check->findings.at[i]);
    }
    json_writer_close(json, ']');
}

void report_check_members(const struct check_report *report, struct json_writer *json)
{
    const struct jury *jury = report->jury;
    struct judgement all;

    if (report->is_named) {
        answer_check(json, report->history, &jury->jurors[0].check, report->parse_ns,
                     jury->jurors[0].check_ns);
        return;
    }
    all = judgement_of_jury(report);
    answer_head(json, &all);
    answer_anomalies(report, json);
    answer_tail(json, &all);
    report_check_jurors(json, report->history, jury);
    report_check_skipped(json, jury);
}

void report_check_skipped(struct json_writer *json, const struct jury *jury)
{
    json_writer_open(json, "skipped", '[');
    for (uint32_t i = 0; i < jury->skipped_count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "checker", jury->skipped[i].name);
        json_writer_text(json, "reason", jury->skipped[i].reason);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

void report_checker_unjudged(uint64_t statements, struct buffer *out)
{
    if (statements == 0)
        return;
    buffer_text(out, TEXT("unjudged   "));
    quantity_print_count(out, statements);
    buffer_text(out, statements == 1 ? TEXT(" statement, but for the rows that came\n")
                                     : TEXT(" statements, but for the rows that came\n"));
}

/* --- A finding, wherever it comes from --------------------------------------------------------- */

void report_finding_open(struct json_writer *json, enum anomaly kind)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "kind", anomaly_name(kind));
    json_writer_open(json, "transactions", '[');
}

void report_finding_close(struct json_writer *json, struct text explanation)
{
    json_writer_close(json, ']');
    json_writer_string(json, "explanation", explanation);
    json_writer_close(json, '}');
}

void report_finding_print(const char *label, enum anomaly kind, struct text explanation,
                          struct text drawing, struct buffer *out)
{
    bool is_new = true;
    size_t from;

    buffer_print(out, "%-11s%s: ", label, anomaly_name(kind));
    from = out->count;
    buffer_text(out, explanation);
    output_tame(out, from);
    buffer_byte(out, '\n');
    for (size_t i = 0; i < drawing.length; i++) {
        if (is_new)
            buffer_text(out, TEXT("             "));
        buffer_byte(out, drawing.at[i]);
        is_new = drawing.at[i] == '\n';
    }
    if (!is_new)
        buffer_byte(out, '\n');
}
