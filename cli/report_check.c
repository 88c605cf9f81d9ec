#include "cli/report_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "cli/output.h"
#include "cli/report_checker.h"
#include "history/jsonl/jsonl_write.h"
#include "trial/run/verdict.h"

#define TXNS_SHOWN 16      /* of those that are named */
#define TXN_BYTES_MAX 2000 /* of one of them */
#define OTHERS_SHOWN 3     /* findings of checkers that only confirm the verdict */

/* --- The transactions that are named ----------------------------------------------------------- */

static int compare_txns(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Those of the first findings first, so that what is cut off is what is told last; then sorted. */
static uint32_t gather_txns(const struct panel *panel, uint32_t txns[TXNS_SHOWN], bool *are_more)
{
    uint32_t count = 0;

    *are_more = false;
    for (uint32_t j = 0; j < panel->juror_count; j++) {
        const struct check *check = &panel->jurors[j].check;

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
    qsort(txns, count, sizeof *txns, compare_txns);
    return count;
}

/* As they stand in the native text. */
static enum status print_txns(const struct panel_report *report, struct buffer *out,
                              struct error *err)
{
    uint32_t txns[TXNS_SHOWN], count;
    struct buffer lines = { 0 };
    bool are_more;
    enum status status;

    count = gather_txns(report->panel, txns, &are_more);
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

static void print_jurors(const struct panel *panel, struct buffer *out)
{
    for (uint32_t i = 0; i < panel->juror_count; i++) {
        const struct juror *juror = &panel->jurors[i];

        buffer_text(out, i ? TEXT("           ") : TEXT("check      "));
        check_report_line(&juror->check, out);
        buffer_byte(out, '\n');
        check_report_findings(&juror->check,
                              juror == panel->decisive ? CHECK_FINDINGS_MAX : OTHERS_SHOWN, out);
    }
}

static void print_skipped(const struct panel *panel, struct buffer *out)
{
    for (uint32_t i = 0; i < panel->skipped_count; i++)
        buffer_print(out, "%s%-12s  %s\n", i ? "           " : "skipped    ",
                     panel->skipped[i].name, panel->skipped[i].reason);
}

static void print_verdict(const struct panel *panel, struct buffer *out)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };

    buffer_print(out, "verdict    %s", words[panel->verdict]);
    if (panel->verdict == VERDICT_UNKNOWN)
        buffer_print(out, "   %s", panel->reason);
    else if (panel->strongest != LEVEL_COUNT)
        buffer_print(out, "   %s %s", level_name(panel->strongest),
                     panel->verdict == VERDICT_VALID ? "holds" : "still holds");
    buffer_byte(out, '\n');
}

enum status panel_report_print(const struct panel_report *report, struct buffer *out,
                               struct error *err)
{
    const struct panel *panel = report->panel;
    const struct check *any = &panel->jurors[0].check;
    const struct check *told = panel->decisive ? &panel->decisive->check : any;

    buffer_text(out, TEXT("history    "));
    quantity_print_count(out, any->txn_count);
    buffer_text(out, TEXT(" transactions, "));
    quantity_print_count(out, any->op_count);
    buffer_text(out, TEXT(" operations   read in "));
    quantity_print_rounded(out, report->parse_ns);
    buffer_text(out, TEXT(", checked in "));
    quantity_print_rounded(out, panel_ns(panel));
    buffer_byte(out, '\n');
    print_jurors(panel, out);
    if (panel->verdict != VERDICT_INVALID)
        check_report_unjudged(told->unjudged_predicates, out);
    if (panel->verdict == VERDICT_UNKNOWN)
        print_skipped(panel, out);
    if (report->clock_error_ns > 0) {
        buffer_text(out, TEXT("clocks     with --clock-error "));
        quantity_print_duration(out, report->clock_error_ns);
        buffer_text(out, TEXT(" nothing is found: are the clients' clocks as far off?\n"));
    }
    TRY(print_txns(report, out, err));
    if (!report->is_named)
        print_verdict(panel, out);
    return STATUS_OK;
}

/* --- For programs ------------------------------------------------------------------------------ */

static bool is_same(const struct check_finding *a, const struct check_finding *b)
{
    return a->kind == b->kind && a->txn_count == b->txn_count &&
           memcmp(a->txns, b->txns, a->txn_count * sizeof *a->txns) == 0;
}

/* Whether a checker that was asked earlier found the same. */
static bool was_found(const struct panel *panel, uint32_t juror, const struct check_finding *finding)
{
    for (uint32_t j = 0; j < juror; j++)
        for (size_t i = 0; i < panel->jurors[j].check.findings.count; i++)
            if (is_same(&panel->jurors[j].check.findings.at[i], finding))
                return true;
    return false;
}

static void answer_level(struct json_writer *json, const char *name, enum level level)
{
    if (level == LEVEL_COUNT)
        json_writer_null(json, name);
    else
        json_writer_text(json, name, level_name(level));
}

static void answer_anomalies(const struct panel_report *report, struct json_writer *json)
{
    const struct panel *panel = report->panel;

    json_writer_open(json, "anomalies", '[');
    for (uint32_t j = 0; j < panel->juror_count; j++) {
        const struct check *check = &panel->jurors[j].check;

        for (size_t i = 0; i < check->findings.count; i++)
            if (!was_found(panel, j, &check->findings.at[i]))
                check_report_finding(json, report->history, &check->findings.at[i]);
    }
    json_writer_close(json, ']');
}

void panel_report_members(const struct panel_report *report, struct json_writer *json)
{
    const struct panel *panel = report->panel;
    const struct check *any = &panel->jurors[0].check;
    const struct check *told = panel->decisive ? &panel->decisive->check : any;

    if (report->is_named) {
        check_report_members(json, report->history, any, report->parse_ns,
                             panel->jurors[0].check_ns);
        return;
    }
    json_writer_text(json, "verdict", verdict_name(panel->verdict));
    json_writer_text(json, "level", level_name(any->level));
    if (panel->decisive)
        json_writer_text(json, "checker", told->checker->name);
    else
        json_writer_null(json, "checker");
    answer_anomalies(report, json);
    answer_level(json, "strongest", panel->strongest);
    answer_level(json, "weakest_violated", panel->weakest_violated);
    if (panel->reason[0])
        json_writer_text(json, "reason", panel->reason);
    else
        json_writer_null(json, "reason");
    json_writer_open(json, "unjudged", '{');
    json_writer_number(json, "predicates", told->unjudged_predicates);
    json_writer_close(json, '}');
    json_writer_number(json, "transactions", any->txn_count);
    json_writer_number(json, "operations", any->op_count);
    json_writer_seconds(json, "parse_seconds", report->parse_ns);
    json_writer_seconds(json, "seconds", panel_ns(panel));
    json_writer_open(json, "checks", '[');
    for (uint32_t i = 0; i < panel->juror_count; i++)
        check_report_answer(json, NULL, report->history, &panel->jurors[i].check, 0,
                            panel->jurors[i].check_ns);
    json_writer_close(json, ']');
    json_writer_open(json, "skipped", '[');
    for (uint32_t i = 0; i < panel->skipped_count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "checker", panel->skipped[i].name);
        json_writer_text(json, "reason", panel->skipped[i].reason);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}
