#include "cli/check_report.h"

#include <string.h>

#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/simulation.h"

void check_report_finding(struct answer *answer, const struct history *h,
                          const struct check_finding *finding)
{
    answer_open(answer, NULL, '{');
    answer_text(answer, "kind", anomaly_name(finding->kind));
    answer_open(answer, "transactions", '[');
    for (size_t i = 0; i < finding->txn_count; i++) {
        /* Ids may be below zero, which are no counts. */
        if (answer->needs_comma)
            buffer_byte(answer->out, ',');
        buffer_int64(answer->out, h->txn_id[finding->txns[i]]);
        answer->needs_comma = true;
    }
    answer_close(answer, ']');
    answer_text(answer, "explanation", finding->explanation);
    answer_close(answer, '}');
}

void check_report_members(struct answer *answer, const struct history *h,
                          const struct check *check, int64_t parse_ns, int64_t check_ns)
{
    answer_text(answer, "verdict", verdict_name(check->verdict));
    answer_text(answer, "level", level_name(check->level));
    answer_text(answer, "checker", check->checker->name);
    answer_open(answer, "anomalies", '[');
    for (size_t i = 0; i < check->findings.count; i++)
        check_report_finding(answer, h, &check->findings.at[i]);
    answer_close(answer, ']');
    if (check->strongest == LEVEL_COUNT)
        answer_null(answer, "strongest");
    else
        answer_text(answer, "strongest", level_name(check->strongest));
    if (check->weakest_violated == LEVEL_COUNT)
        answer_null(answer, "weakest_violated");
    else
        answer_text(answer, "weakest_violated", level_name(check->weakest_violated));
    if (check->reason[0])
        answer_text(answer, "reason", check->reason);
    else
        answer_null(answer, "reason");
    answer_open(answer, "unjudged", '{');
    answer_number(answer, "predicates", check->unjudged_predicates);
    answer_close(answer, '}');
    answer_number(answer, "transactions", check->txn_count);
    answer_number(answer, "operations", check->op_count);
    answer_seconds(answer, "parse_seconds", parse_ns);
    answer_seconds(answer, "seconds", check_ns);
}

void check_report_answer(struct answer *answer, const char *name, const struct history *h,
                         const struct check *check, int64_t parse_ns, int64_t check_ns)
{
    answer_open(answer, name, '{');
    check_report_members(answer, h, check, parse_ns, check_ns);
    answer_close(answer, '}');
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
