/*
 * The report of a sweep as programs read it: JSON, and JUnit's XML.
 */
#include "cli/sweep_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/signature.h"
#include "cli/simulation.h"
#include "cli/xml.h"

/* --- JSON ------------------------------------------------------------------------------------- */

static void answer_group(const struct sweep_report *report, const struct group *group,
                         struct answer *answer)
{
    struct buffer again = { 0 };

    plan_print_again(report->plan, group->job, &group->draws, &again);
    buffer_byte(&again, '\0');
    answer_open(answer, NULL, '{');
    answer_text(answer, "scenario", report->plan->subjects.at[group->subject].path);
    answer_number(answer, "seed", plan_seed(report->plan, group->job));
    signature_answer(group->signature, group->explanation, answer);
    answer_number(answer, "runs", group->seeds.count);
    answer_open(answer, "seeds", '[');
    for (size_t i = 0; i < group->seeds.count; i++)
        answer_number(answer, NULL, group->seeds.at[i]);
    answer_close(answer, ']');
    answer_text(answer, "again", again.at ? again.at : "");
    answer_close(answer, '}');
    answer->out->out_of_memory |= again.out_of_memory;
    buffer_close(&again);
}

static void answer_felt(struct answer *answer, const char *name, const struct felt *felt)
{
    answer_open(answer, name, '{');
    answer_number(answer, "runs", felt->runs);
    answer_number(answer, "felt", felt->felt);
    answer_close(answer, '}');
}

static void answer_nemeses(const struct sweep_report *report, size_t subject,
                           struct answer *answer)
{
    const struct subject *of = &report->plan->subjects.at[subject];
    const struct subject_tally *sum = &report->tally->subjects[subject];

    answer_open(answer, "nemeses", '[');
    for (uint32_t i = 0; i < of->nemesis_count; i++) {
        answer_open(answer, NULL, '{');
        answer_number(answer, "nemesis", i);
        answer_text(answer, "name", of->nemeses[i]);
        answer_number(answer, "runs", sum->nemeses[i].runs);
        answer_number(answer, "felt", sum->nemeses[i].felt);
        answer_close(answer, '}');
    }
    answer_close(answer, ']');
}

static void answer_unfelt(const struct sweep_report *report, size_t subject,
                          struct answer *answer)
{
    struct buffer what = { 0 };

    answer_open(answer, "unfelt", '[');
    for (size_t i = 0; tally_unfelt(report->tally, subject, i, &what); i++) {
        buffer_byte(&what, '\0');
        answer_text(answer, NULL, what.out_of_memory ? "" : what.at);
        buffer_clear(&what);
    }
    answer_close(answer, ']');
    buffer_close(&what);
}

static void answer_subject(const struct sweep_report *report, size_t subject,
                           struct answer *answer)
{
    const struct subject *of = &report->plan->subjects.at[subject];
    const struct subject_tally *sum = &report->tally->subjects[subject];

    answer_open(answer, NULL, '{');
    answer_text(answer, "path", of->path);
    answer_text(answer, "name", of->name);
    answer_number(answer, "runs", sum->runs);
    answer_number(answer, "failed", sum->failed);
    answer_number(answer, "undecided", sum->undecided);
    answer_number(answer, "committed", sum->committed);
    answer_number(answer, "aborted", sum->aborted);
    answer_number(answer, "unknown", sum->unknown);
    answer_number(answer, "barren", sum->barren); /* runs in which nothing committed */
    answer_nemeses(report, subject, answer);
    answer_open(answer, "faults", '{');
    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        if (sum->faults[i].runs > 0)
            answer_felt(answer, fault_kind_name((enum fault_kind)i), &sum->faults[i]);
    answer_close(answer, '}');
    answer_unfelt(report, subject, answer);
    if (sum->doubt)
        answer_text(answer, "doubt", sum->doubt);
    answer_close(answer, '}');
}

static void answer_paths(const struct tally *tally, struct answer *answer)
{
    answer_open(answer, "sometimes", '{');
    for (int i = 0; i < SOMETIMES_COUNT; i++)
        if (tally_has_path(tally, (enum rare_path)i))
            answer_number(answer, sometimes_name((enum rare_path)i),
                          tally_path(tally, (enum rare_path)i));
    answer_close(answer, '}');
    answer_open(answer, "never", '[');
    for (int i = 0; i < SOMETIMES_COUNT; i++)
        if (tally_has_path(tally, (enum rare_path)i) && tally_path(tally, (enum rare_path)i) == 0)
            answer_text(answer, NULL, sometimes_name((enum rare_path)i));
    answer_close(answer, ']');
}

static void answer_seeds(const struct plan *plan, struct answer *answer)
{
    answer_open(answer, "seeds", '[');
    answer_number(answer, NULL, plan->seed_first);
    answer_number(answer, NULL, plan->seed_last);
    answer_close(answer, ']');
    if (plan->shard_count > 1) {
        answer_open(answer, "shard", '[');
        answer_number(answer, NULL, plan->shard ? plan->shard : plan->shard_count);
        answer_number(answer, NULL, plan->shard_count);
        answer_close(answer, ']');
    }
}

void sweep_report_print_json(const struct sweep_report *report, struct buffer *out)
{
    const struct tally *tally = report->tally;
    struct answer answer = { .out = out };
    uint64_t undecided = 0;

    for (size_t i = 0; i < report->plan->subjects.count; i++)
        undecided += tally->subjects[i].undecided;
    answer_open(&answer, NULL, '{');
    answer_seeds(report->plan, &answer);
    answer_number(&answer, "runs", tally->entries.count);
    answer_number(&answer, "missing", sweep_report_missing(report));
    answer_number(&answer, "failed", tally_failed(tally));
    if (report->plan->is_guided)
        answer_number(&answer, "features", tally->reached_count);
    answer_number(&answer, "undecided", undecided);
    answer_seconds(&answer, "seconds", report->wall_ns);
    answer_seconds(&answer, "runs_per_second", (int64_t)sweep_report_pace(report) * 1000000);
    answer_open(&answer, "failures", '[');
    for (size_t i = 0; i < tally->groups.count; i++)
        answer_group(report, &tally->groups.at[i], &answer);
    answer_close(&answer, ']');
    answer_open(&answer, "scenarios", '[');
    for (size_t i = 0; i < report->plan->subjects.count; i++)
        answer_subject(report, i, &answer);
    answer_close(&answer, ']');
    answer_paths(tally, &answer);
    answer_text(&answer, "verdict", verdict_name(tally_verdict(tally)));
    answer_close(&answer, '}');
    buffer_byte(out, '\n');
}

/* --- JUnit ------------------------------------------------------------------------------------ */

static void xml_again(const struct sweep_report *report, uint64_t job, struct buffer *out)
{
    struct buffer again = { 0 };

    plan_print_again(report->plan, job, tally_draws(report->tally, job), &again);
    buffer_byte(&again, '\0');
    xml_text(out, again.at ? again.at : "");
    out->out_of_memory |= again.out_of_memory;
    buffer_close(&again);
}

static bool has_seed(const struct group *group, uint64_t seed)
{
    size_t low = 0, high = group->seeds.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (group->seeds.at[middle] < seed)
            low = middle + 1;
        else
            high = middle;
    }
    return low < group->seeds.count && group->seeds.at[low] == seed;
}

/* Of the group's explanation it is said whose it is: that of its first seed. */
static void junit_failures(const struct sweep_report *report, uint64_t job, struct buffer *out)
{
    uint64_t seed = plan_seed(report->plan, job);

    for (size_t i = 0; i < report->tally->groups.count; i++) {
        const struct group *group = &report->tally->groups.at[i];
        if (group->subject != plan_subject(report->plan, job) || !has_seed(group, seed))
            continue;
        buffer_text(out, TEXT("      <failure type=\""));
        xml_text(out, group->signature);
        buffer_text(out, TEXT("\" message=\""));
        if (group->job == job)
            xml_text(out, group->explanation);
        else
            buffer_print(out, "as with seed %" PRIu64, plan_seed(report->plan, group->job));
        buffer_text(out, TEXT("\">"));
        xml_again(report, job, out);
        buffer_text(out, TEXT("</failure>\n"));
    }
}

static void junit_case(const struct sweep_report *report, const struct run_entry *entry,
                       struct buffer *out)
{
    const struct subject *subject =
        &report->plan->subjects.at[plan_subject(report->plan, entry->job)];

    buffer_text(out, TEXT("    <testcase classname=\""));
    xml_text(out, subject->path);
    buffer_print(out, "\" name=\"seed %" PRIu64 "\"", plan_seed(report->plan, entry->job));
    if (entry->verdict == VERDICT_VALID) {
        buffer_text(out, TEXT("/>\n"));
        return;
    }
    buffer_text(out, TEXT(">\n"));
    if (entry->verdict == VERDICT_UNKNOWN)
        buffer_text(out, TEXT("      <skipped message=\"undecided\"/>\n"));
    else
        junit_failures(report, entry->job, out);
    buffer_text(out, TEXT("    </testcase>\n"));
}

static void junit_suite(const struct sweep_report *report, size_t subject, struct buffer *out)
{
    const struct tally *tally = report->tally;
    const struct subject_tally *sum = &tally->subjects[subject];
    uint64_t skipped = 0;

    for (size_t i = 0; i < tally->entries.count; i++)
        skipped += plan_subject(report->plan, tally->entries.at[i].job) == subject &&
                   tally->entries.at[i].verdict == VERDICT_UNKNOWN;
    buffer_text(out, TEXT("  <testsuite name=\""));
    xml_text(out, report->plan->subjects.at[subject].name);
    buffer_print(out,
                 "\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"0\" skipped=\"%" PRIu64
                 "\">\n", sum->runs, sum->failed, skipped);
    for (size_t i = 0; i < tally->entries.count; i++)
        if (plan_subject(report->plan, tally->entries.at[i].job) == subject)
            junit_case(report, &tally->entries.at[i], out);
    buffer_text(out, TEXT("  </testsuite>\n"));
}

void sweep_report_print_junit(const struct sweep_report *report, struct buffer *out)
{
    buffer_text(out, TEXT("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
    buffer_print(out, "<testsuites name=\"ordeal sweep\" tests=\"%zu\" failures=\"%" PRIu64
                      "\" time=\"%" PRId64 ".%03" PRId64 "\">\n",
                 report->tally->entries.count, tally_failed(report->tally),
                 report->wall_ns / 1000000000, report->wall_ns / 1000000 % 1000);
    for (size_t i = 0; i < report->plan->subjects.count; i++)
        junit_suite(report, i, out);
    buffer_text(out, TEXT("</testsuites>\n"));
}
