#include "cli/report_checker.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/output.h"
#include "trial/run/simulation.h"
#include "trial/run/verdict.h"

void check_report_finding(struct json_writer *json, const struct history *h,
                          const struct check_finding *finding)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "kind", anomaly_name(finding->kind));
    json_writer_open(json, "transactions", '[');
    for (size_t i = 0; i < finding->txn_count; i++) {
        /* Ids may be below zero, which are no counts. */
        if (json->needs_comma)
            buffer_byte(json->out, ',');
        buffer_int64(json->out, h->txn_id[finding->txns[i]]);
        json->needs_comma = true;
    }
    json_writer_close(json, ']');
    json_writer_text(json, "explanation", finding->explanation);
    json_writer_close(json, '}');
}

void check_report_members(struct json_writer *json, const struct history *h,
                          const struct check *check, int64_t parse_ns, int64_t check_ns)
{
    json_writer_text(json, "verdict", verdict_name(check->verdict));
    json_writer_text(json, "level", level_name(check->level));
    json_writer_text(json, "checker", check->checker->name);
    json_writer_open(json, "anomalies", '[');
    for (size_t i = 0; i < check->findings.count; i++)
        check_report_finding(json, h, &check->findings.at[i]);
    json_writer_close(json, ']');
    if (check->strongest == LEVEL_COUNT)
        json_writer_null(json, "strongest");
    else
        json_writer_text(json, "strongest", level_name(check->strongest));
    if (check->weakest_violated == LEVEL_COUNT)
        json_writer_null(json, "weakest_violated");
    else
        json_writer_text(json, "weakest_violated", level_name(check->weakest_violated));
    if (check->reason[0])
        json_writer_text(json, "reason", check->reason);
    else
        json_writer_null(json, "reason");
    json_writer_open(json, "unjudged", '{');
    json_writer_number(json, "predicates", check->unjudged_predicates);
    json_writer_close(json, '}');
    json_writer_number(json, "transactions", check->txn_count);
    json_writer_number(json, "operations", check->op_count);
    json_writer_seconds(json, "parse_seconds", parse_ns);
    json_writer_seconds(json, "seconds", check_ns);
}

void check_report_answer(struct json_writer *json, const char *name, const struct history *h,
                         const struct check *check, int64_t parse_ns, int64_t check_ns)
{
    json_writer_open(json, name, '{');
    check_report_members(json, h, check, parse_ns, check_ns);
    json_writer_close(json, '}');
}

void check_report_line(const struct check *check, struct buffer *out)
{
    static const char *const loud[] = { "valid", "INVALID", "unknown" };

    buffer_print(out, "%-12s  %-20s  %s", check->checker->name, level_name(check->level),
                 loud[check->verdict]);
    if (check->reason[0])
        buffer_print(out, "  %s", check->reason);
    else if (check->verdict == VERDICT_INVALID && check->strongest != LEVEL_COUNT)
        buffer_print(out, "  %s still holds", level_name(check->strongest));
}

void check_report_unjudged(uint64_t statements, struct buffer *out)
{
    if (statements == 0)
        return;
    buffer_text(out, TEXT("unjudged   "));
    quantity_print_count(out, statements);
    buffer_text(out, statements == 1 ? TEXT(" statement, but for the rows that came\n")
                                     : TEXT(" statements, but for the rows that came\n"));
}

/* Each line below what it shows. */
static void print_drawing(const char *drawing, struct buffer *out)
{
    for (const char *line = drawing, *end; *line != '\0'; line = *end == '\0' ? end : end + 1) {
        end = line + strcspn(line, "\n");
        buffer_text(out, TEXT("             "));
        buffer_text(out, (struct text){ line, (size_t)(end - line) });
        buffer_byte(out, '\n');
    }
}

void check_report_findings(const struct check *check, size_t at_most, struct buffer *out)
{
    size_t count = check->findings.count < at_most ? check->findings.count : at_most;

    for (size_t i = 0; i < count; i++) {
        size_t from;

        buffer_print(out, "           %s: ", anomaly_name(check->findings.at[i].kind));
        from = out->count;
        buffer_text(out, text_of(check->findings.at[i].explanation));
        output_tame(out, from);
        buffer_byte(out, '\n');
        print_drawing(check->findings.at[i].drawing, out);
    }
    if (check->has_more_findings && count == check->findings.count)
        buffer_text(out, TEXT("           and others\n"));
    else if (check->has_more_findings)
        buffer_print(out, "           and more than %zu others\n", check->findings.count - count);
    else if (count < check->findings.count)
        buffer_print(out, "           and %zu more\n", check->findings.count - count);
}
