#include "cli/report_sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "base/json_writer.h"
#include "base/quantity.h"
#include "checkers/checker.h"
#include "cli/output.h"
#include "trial/run/signature.h"
#include "trial/run/simulation.h"

static const char indent[] = "           ";

uint64_t report_sweep_missing(const struct sweep_report *report)
{
    const struct plan *plan = report->plan;
    uint64_t runs = report->tally->entries.count + report->tally->not_judged.count;
    uint64_t jobs = plan_shard_job_count(plan);

    /* Behind the first failure nothing was to be run. */
    if (plan->until_failure && report->tally->failed_job != UINT64_MAX) {
        uint64_t before = report->tally->failed_job + 1;
        jobs = before / plan->shard_count + (before % plan->shard_count > plan->shard);
    }
    return jobs > runs ? jobs - runs : 0;
}

/* Runs in a thousand seconds. */
static uint64_t pace_of(const struct sweep_report *report)
{
    uint64_t ns = report->wall_ns > 0 ? (uint64_t)report->wall_ns : 1;

    return (uint64_t)((unsigned __int128)report->tally->entries.count * 1000000000000 / ns);
}

static void print_count(struct buffer *out, uint64_t count, const char *one, const char *many)
{
    quantity_print_count(out, count);
    buffer_print(out, " %s", count == 1 ? one : many);
}

static void print_plan(const struct sweep_report *report, struct buffer *out)
{
    const struct plan *plan = report->plan;

    buffer_print(out, "sweep      ");
    if (plan->subjects.count > 1)
        buffer_print(out, "%zu scenarios, ", plan->subjects.count);
    buffer_print(out, "seeds %" PRIu64 "..%" PRIu64, plan->seed_first, plan->seed_last);
    if (plan->shard_count > 1)
        buffer_print(out, ", shard %" PRIu64 "/%" PRIu64,
                     plan->shard ? plan->shard : plan->shard_count, plan->shard_count);
    for (size_t i = 0; i < plan->sets.count; i++)
        buffer_print(out, "%s%s", i ? ", " : "   with ", plan->sets.at[i]);
    if (plan->is_guided) {
        buffer_text(out, TEXT("\nguided     "));
        quantity_print_count(out, report->tally->reached_count);
        buffer_text(out, TEXT(" features reached"));
    }
    buffer_text(out, TEXT("\nruns       "));
    quantity_print_count(out, report->tally->entries.count);
    if (report->tally->not_judged.count > 0) {
        buffer_text(out, TEXT(", and "));
        quantity_print_count(out, report->tally->not_judged.count);
        buffer_text(out, TEXT(" not judged"));
    }
    if (report_sweep_missing(report) > 0) {
        buffer_text(out, TEXT(", and "));
        quantity_print_count(out, report_sweep_missing(report));
        buffer_text(out, TEXT(" not made"));
    }
    buffer_text(out, TEXT("\ntime       "));
    quantity_print_rounded(out, report->wall_ns);
    buffer_print(out, ", %" PRIu64 ".%" PRIu64 " runs/s\n", pace_of(report) / 1000,
                 pace_of(report) % 1000 / 100);
    if (report->damaged > 0) {
        buffer_text(out, TEXT("damaged    "));
        print_count(out, report->damaged, "line of the journal", "lines of the journal");
        buffer_text(out, TEXT(", passed over as if not made\n"));
    }
    if (report->tried_again > 0) {
        buffer_text(out, TEXT("retried    "));
        print_count(out, report->tried_again, "try of a run that the machine failed",
                    "tries of runs that the machine failed");
        buffer_byte(out, '\n');
    }
}

static void print_runs(const struct subject_tally *sum, bool has_store, struct buffer *out)
{
    buffer_text(out, text_of(indent));
    print_count(out, sum->runs, "run", "runs");
    if (sum->failed > 0) {
        buffer_text(out, TEXT(", "));
        quantity_print_count(out, sum->failed);
        buffer_text(out, TEXT(" FAILED"));
    }
    if (sum->undecided > 0) {
        buffer_text(out, TEXT(", "));
        quantity_print_count(out, sum->undecided);
        buffer_text(out, TEXT(" undecided"));
    }
    if (sum->too_long > 0) {
        buffer_text(out, TEXT(" ("));
        quantity_print_count(out, sum->too_long);
        buffer_text(out, TEXT(" too long)"));
    }
    if (has_store && sum->barren > 0) {
        buffer_text(out, TEXT(", "));
        quantity_print_count(out, sum->barren);
        buffer_text(out, TEXT(" barren"));
    }
    if (has_store) {
        buffer_text(out, TEXT("   "));
        quantity_print_count(out, sum->committed);
        buffer_text(out, TEXT(" committed, "));
        quantity_print_count(out, sum->aborted);
        buffer_text(out, TEXT(" aborted, "));
        quantity_print_count(out, sum->unknown);
        buffer_text(out, TEXT(" unknown"));
    }
    buffer_byte(out, '\n');
}

/* ", partition halves in 97 of 100" */
static void print_felt(struct buffer *out, bool *first, const char *what, const struct felt *felt)
{
    buffer_print(out, "%s%s in ", *first ? "faults     " : ", ", what);
    *first = false;
    quantity_print_count(out, felt->felt);
    buffer_text(out, TEXT(" of "));
    quantity_print_count(out, felt->runs);
}

static void print_faults(const struct sweep_report *report, size_t subject, struct buffer *out)
{
    const struct subject *of = &report->plan->subjects.at[subject];
    const struct subject_tally *sum = &report->tally->subjects[subject];
    bool first = true;

    for (uint32_t i = 0; i < of->nemesis_count; i++)
        print_felt(out, &first, of->nemeses[i], &sum->nemeses[i]);
    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        if (of->has_fault[i] || (of->has_swarm && sum->faults[i].runs > 0))
            print_felt(out, &first, world_fault_name((enum world_fault)i), &sum->faults[i]);
    if (!first)
        buffer_byte(out, '\n');
}

/* What was asked for and never happened: the sweep says nothing about it. */
static void print_unfelt(const struct sweep_report *report, size_t subject, struct buffer *out)
{
    struct buffer what = { 0 };
    size_t count = 0;

    for (; tally_unfelt(report->tally, subject, count, &what); count++) {
        buffer_print(out, "%s%.*s", count ? ", " : "unfelt     ", (int)what.count, what.at);
        buffer_clear(&what);
    }
    if (count > 0)
        buffer_byte(out, '\n');
    buffer_close(&what);
}

static bool has_history(const struct sweep_report *report, const struct group *group)
{
    return report->journal && report->plan->subjects.at[group->subject].is_real;
}

static void print_group(const struct sweep_report *report, const struct group *group,
                        struct buffer *out)
{
    buffer_print(out, "failure    %s   ", group->signature);
    print_count(out, group->seeds.count, "run", "runs");
    buffer_print(out, ", first with seed %" PRIu64 "\n%s%s\n%sagain: ",
                 plan_seed(report->plan, group->job), indent, group->explanation, indent);
    plan_print_again(report->plan, group->job, &group->draws, out);
    buffer_byte(out, '\n');
    if (has_history(report, group)) {
        buffer_print(out, "%shistory: %s/", indent, report->journal);
        plan_print_history(report->plan, group->job, out);
        buffer_byte(out, '\n');
    }
}

/* The machine failed them. */
static void print_not_judged(const struct sweep_report *report, size_t subject, struct buffer *out)
{
    const struct run_not_judged *first = NULL;
    uint64_t count = 0;

    for (size_t i = 0; i < report->tally->not_judged.count; i++) {
        const struct run_not_judged *run = &report->tally->not_judged.at[i];
        if (plan_subject(report->plan, run->job) != subject)
            continue;
        first = first ? first : run;
        count++;
    }
    if (!first)
        return;
    buffer_text(out, TEXT("not judged "));
    print_count(out, count, "run", "runs");
    buffer_print(out, ", first with seed %" PRIu64 ": %s\n", plan_seed(report->plan, first->job),
                 first->why);
}

static void print_subject(const struct sweep_report *report, size_t subject, struct buffer *out)
{
    const struct subject *of = &report->plan->subjects.at[subject];
    const struct subject_tally *sum = &report->tally->subjects[subject];

    buffer_print(out, "scenario   %s   %s\n", of->name, of->path);
    print_runs(sum, of->has_store, out);
    if (of->is_real)
        buffer_print(out, "database   %s: its runs cannot be repeated\n", of->protocol);
    print_faults(report, subject, out);
    print_unfelt(report, subject, out);
    if (tally_is_barren(report->tally, subject))
        buffer_text(out, TEXT("barren     nothing committed in any run\n"));
    if (sum->doubt)
        buffer_print(out, "undecided  first with seed %" PRIu64 ": %s\n",
                     plan_seed(report->plan, sum->doubt_job), sum->doubt);
    print_not_judged(report, subject, out);
    for (size_t i = 0; i < report->tally->groups.count; i++)
        if (report->tally->groups.at[i].subject == subject)
            print_group(report, &report->tally->groups.at[i], out);
}

/* Rare paths that the protocols have and that no run took. */
static void print_never(const struct sweep_report *report, struct buffer *out)
{
    bool first = true;

    for (int i = 0; i < SOMETIMES_COUNT; i++) {
        enum rare_path path = (enum rare_path)i;
        if (!tally_has_path(report->tally, path) || tally_path(report->tally, path) > 0)
            continue;
        buffer_print(out, "%s%s", first ? "never      " : "; ", sometimes_name(path));
        first = false;
    }
    if (!first)
        buffer_byte(out, '\n');
}

void report_sweep_print(const struct sweep_report *report, struct buffer *out)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };
    const struct tally *tally = report->tally;
    enum verdict verdict = tally_verdict(tally);

    print_plan(report, out);
    for (size_t i = 0; i < report->plan->subjects.count; i++)
        print_subject(report, i, out);
    print_never(report, out);
    if (report->interrupted)
        buffer_print(out, "ended      by %s; %s%s\n", report->interrupted,
                     report->journal ? "the same call with --resume goes on with " : "",
                     report->journal ? report->journal : "with --out it could go on");
    buffer_print(out, "verdict    %s", words[verdict]);
    if (verdict == VERDICT_INVALID) {
        buffer_text(out, TEXT("   "));
        quantity_print_count(out, tally_failed(tally));
        buffer_text(out, TEXT(" of "));
        print_count(out, tally->entries.count, "run failed", "runs failed");
    }
    buffer_byte(out, '\n');
}

/*
 * The report of a sweep as programs read it: JSON, and JUnit's XML.
 */

/* --- JSON ------------------------------------------------------------------------------------- */

static void answer_group(const struct sweep_report *report, const struct group *group,
                         struct json_writer *json)
{
    struct buffer again = { 0 };

    plan_print_again(report->plan, group->job, &group->draws, &again);
    buffer_byte(&again, '\0');
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "scenario", report->plan->subjects.at[group->subject].path);
    json_writer_number(json, "seed", plan_seed(report->plan, group->job));
    signature_answer(group->signature, group->explanation, json);
    json_writer_number(json, "runs", group->seeds.count);
    json_writer_open(json, "seeds", '[');
    for (size_t i = 0; i < group->seeds.count; i++)
        json_writer_number(json, NULL, group->seeds.at[i]);
    json_writer_close(json, ']');
    json_writer_text(json, "again", again.at ? again.at : "");
    if (has_history(report, group)) {
        buffer_clear(&again);
        plan_print_history(report->plan, group->job, &again);
        buffer_byte(&again, '\0');
        json_writer_text(json, "history", again.at ? again.at : "");
    }
    json_writer_close(json, '}');
    json->out->out_of_memory |= again.out_of_memory;
    buffer_close(&again);
}

static void answer_not_judged(const struct sweep_report *report, struct json_writer *json)
{
    json_writer_open(json, "not_judged", '[');
    for (size_t i = 0; i < report->tally->not_judged.count; i++) {
        const struct run_not_judged *run = &report->tally->not_judged.at[i];
        size_t subject = plan_subject(report->plan, run->job);
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "scenario", report->plan->subjects.at[subject].path);
        json_writer_number(json, "seed", plan_seed(report->plan, run->job));
        json_writer_text(json, "reason", run->why);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_felt(struct json_writer *json, const char *name, const struct felt *felt)
{
    json_writer_open(json, name, '{');
    json_writer_number(json, "runs", felt->runs);
    json_writer_number(json, "felt", felt->felt);
    json_writer_close(json, '}');
}

static void answer_nemeses(const struct sweep_report *report, size_t subject,
                           struct json_writer *json)
{
    const struct subject *of = &report->plan->subjects.at[subject];
    const struct subject_tally *sum = &report->tally->subjects[subject];

    json_writer_open(json, "nemeses", '[');
    for (uint32_t i = 0; i < of->nemesis_count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_number(json, "nemesis", i);
        json_writer_text(json, "name", of->nemeses[i]);
        json_writer_number(json, "runs", sum->nemeses[i].runs);
        json_writer_number(json, "felt", sum->nemeses[i].felt);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_unfelt(const struct sweep_report *report, size_t subject,
                          struct json_writer *json)
{
    struct buffer what = { 0 };

    json_writer_open(json, "unfelt", '[');
    for (size_t i = 0; tally_unfelt(report->tally, subject, i, &what); i++) {
        buffer_byte(&what, '\0');
        json_writer_text(json, NULL, what.out_of_memory ? "" : what.at);
        buffer_clear(&what);
    }
    json_writer_close(json, ']');
    buffer_close(&what);
}

static void answer_subject(const struct sweep_report *report, size_t subject,
                           struct json_writer *json)
{
    const struct subject *of = &report->plan->subjects.at[subject];
    const struct subject_tally *sum = &report->tally->subjects[subject];

    json_writer_open(json, NULL, '{');
    json_writer_text(json, "path", of->path);
    json_writer_text(json, "name", of->name);
    json_writer_number(json, "runs", sum->runs);
    json_writer_number(json, "failed", sum->failed);
    json_writer_number(json, "undecided", sum->undecided);
    json_writer_number(json, "too_long", sum->too_long);
    json_writer_number(json, "committed", sum->committed);
    json_writer_number(json, "aborted", sum->aborted);
    json_writer_number(json, "unknown", sum->unknown);
    json_writer_number(json, "barren", sum->barren); /* runs in which nothing committed */
    answer_nemeses(report, subject, json);
    json_writer_open(json, "faults", '{');
    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        if (sum->faults[i].runs > 0)
            answer_felt(json, world_fault_name((enum world_fault)i), &sum->faults[i]);
    json_writer_close(json, '}');
    answer_unfelt(report, subject, json);
    if (sum->doubt)
        json_writer_text(json, "doubt", sum->doubt);
    json_writer_close(json, '}');
}

static void answer_paths(const struct tally *tally, struct json_writer *json)
{
    json_writer_open(json, "sometimes", '{');
    for (int i = 0; i < SOMETIMES_COUNT; i++)
        if (tally_has_path(tally, (enum rare_path)i))
            json_writer_number(json, sometimes_name((enum rare_path)i),
                               tally_path(tally, (enum rare_path)i));
    json_writer_close(json, '}');
    json_writer_open(json, "never", '[');
    for (int i = 0; i < SOMETIMES_COUNT; i++)
        if (tally_has_path(tally, (enum rare_path)i) && tally_path(tally, (enum rare_path)i) == 0)
            json_writer_text(json, NULL, sometimes_name((enum rare_path)i));
    json_writer_close(json, ']');
}

static void answer_seeds(const struct plan *plan, struct json_writer *json)
{
    json_writer_open(json, "seeds", '[');
    json_writer_number(json, NULL, plan->seed_first);
    json_writer_number(json, NULL, plan->seed_last);
    json_writer_close(json, ']');
    if (plan->shard_count > 1) {
        json_writer_open(json, "shard", '[');
        json_writer_number(json, NULL, plan->shard ? plan->shard : plan->shard_count);
        json_writer_number(json, NULL, plan->shard_count);
        json_writer_close(json, ']');
    }
}

void report_sweep_print_json(const struct sweep_report *report, struct buffer *out)
{
    const struct tally *tally = report->tally;
    struct json_writer json = { .out = out };
    uint64_t undecided = 0, too_long = 0;

    for (size_t i = 0; i < report->plan->subjects.count; i++) {
        undecided += tally->subjects[i].undecided;
        too_long += tally->subjects[i].too_long;
    }
    json_writer_open(&json, NULL, '{');
    answer_seeds(report->plan, &json);
    json_writer_number(&json, "runs", tally->entries.count);
    json_writer_number(&json, "missing", report_sweep_missing(report));
    json_writer_number(&json, "failed", tally_failed(tally));
    if (report->plan->is_guided)
        json_writer_number(&json, "features", tally->reached_count);
    json_writer_number(&json, "undecided", undecided);
    json_writer_number(&json, "too_long", too_long);
    answer_not_judged(report, &json);
    if (report->interrupted)
        json_writer_text(&json, "interrupted", report->interrupted);
    if (report->damaged > 0)
        json_writer_number(&json, "damaged_lines", report->damaged);
    if (report->tried_again > 0)
        json_writer_number(&json, "tried_again", report->tried_again);
    json_writer_seconds(&json, "seconds", report->wall_ns);
    json_writer_seconds(&json, "runs_per_second", (int64_t)pace_of(report) * 1000000);
    json_writer_open(&json, "failures", '[');
    for (size_t i = 0; i < tally->groups.count; i++)
        answer_group(report, &tally->groups.at[i], &json);
    json_writer_close(&json, ']');
    json_writer_open(&json, "scenarios", '[');
    for (size_t i = 0; i < report->plan->subjects.count; i++)
        answer_subject(report, i, &json);
    json_writer_close(&json, ']');
    answer_paths(tally, &json);
    json_writer_text(&json, "verdict", checker_verdict_name(tally_verdict(tally)));
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
}

/* --- JUnit ------------------------------------------------------------------------------------ */

static void xml_again(const struct sweep_report *report, uint64_t job, struct buffer *out)
{
    struct buffer again = { 0 };

    plan_print_again(report->plan, job, tally_draws(report->tally, job), &again);
    buffer_byte(&again, '\0');
    output_xml(out, again.at ? again.at : "");
    out->out_of_memory |= again.out_of_memory;
    buffer_close(&again);
}

static bool has_seed(const struct group *group, uint64_t seed)
{
    size_t place;

    BISECT(place, 0, group->seeds.count, group->seeds.at[place] < seed);
    return place < group->seeds.count && group->seeds.at[place] == seed;
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
        output_xml(out, group->signature);
        buffer_text(out, TEXT("\" message=\""));
        if (group->job == job)
            output_xml(out, group->explanation);
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
    output_xml(out, subject->path);
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

static void junit_not_judged(const struct sweep_report *report, const struct run_not_judged *run,
                             struct buffer *out)
{
    buffer_text(out, TEXT("    <testcase classname=\""));
    output_xml(out, report->plan->subjects.at[plan_subject(report->plan, run->job)].path);
    buffer_print(out, "\" name=\"seed %" PRIu64 "\">\n      <error message=\"not judged: ",
                 plan_seed(report->plan, run->job));
    output_xml(out, run->why);
    buffer_text(out, TEXT("\">"));
    xml_again(report, run->job, out);
    buffer_text(out, TEXT("</error>\n    </testcase>\n"));
}

static void junit_suite(const struct sweep_report *report, size_t subject, struct buffer *out)
{
    const struct tally *tally = report->tally;
    const struct subject_tally *sum = &tally->subjects[subject];
    uint64_t skipped = 0, not_judged = 0;

    for (size_t i = 0; i < tally->not_judged.count; i++)
        not_judged += plan_subject(report->plan, tally->not_judged.at[i].job) == subject;
    for (size_t i = 0; i < tally->entries.count; i++)
        skipped += plan_subject(report->plan, tally->entries.at[i].job) == subject &&
                   tally->entries.at[i].verdict == VERDICT_UNKNOWN;
    buffer_text(out, TEXT("  <testsuite name=\""));
    output_xml(out, report->plan->subjects.at[subject].name);
    buffer_print(out,
                 "\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64
                 "\" skipped=\"%" PRIu64 "\">\n",
                 sum->runs + not_judged, sum->failed, not_judged, skipped);
    for (size_t i = 0; i < tally->entries.count; i++)
        if (plan_subject(report->plan, tally->entries.at[i].job) == subject)
            junit_case(report, &tally->entries.at[i], out);
    for (size_t i = 0; i < tally->not_judged.count; i++)
        if (plan_subject(report->plan, tally->not_judged.at[i].job) == subject)
            junit_not_judged(report, &tally->not_judged.at[i], out);
    buffer_text(out, TEXT("  </testsuite>\n"));
}

void report_sweep_print_junit(const struct sweep_report *report, struct buffer *out)
{
    buffer_text(out, TEXT("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
    buffer_print(out, "<testsuites name=\"ordeal sweep\" tests=\"%zu\" failures=\"%" PRIu64
                 "\" time=\"%" PRId64 ".%03" PRId64 "\">\n",
                 report->tally->entries.count + report->tally->not_judged.count, tally_failed(report->tally),
                 report->wall_ns / 1000000000, report->wall_ns / 1000000 % 1000);
    for (size_t i = 0; i < report->plan->subjects.count; i++)
        junit_suite(report, i, out);
    buffer_text(out, TEXT("</testsuites>\n"));
}
