#include "cli/report_sweep.h"

#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "trial/run/simulation.h"

static const char indent[] = "           ";

uint64_t sweep_report_missing(const struct sweep_report *report)
{
    const struct plan *plan = report->plan;
    uint64_t runs = report->tally->entries.count;
    uint64_t jobs = plan_shard_job_count(plan);

    /* Behind the first failure nothing was to be run. */
    if (plan->until_failure && report->tally->failed_job != UINT64_MAX) {
        uint64_t before = report->tally->failed_job + 1;
        jobs = before / plan->shard_count + (before % plan->shard_count > plan->shard);
    }
    return jobs > runs ? jobs - runs : 0;
}

uint64_t sweep_report_pace(const struct sweep_report *report)
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
    if (sweep_report_missing(report) > 0) {
        buffer_text(out, TEXT(", and "));
        quantity_print_count(out, sweep_report_missing(report));
        buffer_text(out, TEXT(" not made"));
    }
    buffer_text(out, TEXT("\ntime       "));
    quantity_print_rounded(out, report->wall_ns);
    buffer_print(out, ", %" PRIu64 ".%" PRIu64 " runs/s\n", sweep_report_pace(report) / 1000,
                 sweep_report_pace(report) % 1000 / 100);
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

static void print_group(const struct sweep_report *report, const struct group *group,
                        struct buffer *out)
{
    buffer_print(out, "failure    %s   ", group->signature);
    print_count(out, group->seeds.count, "run", "runs");
    buffer_print(out, ", first with seed %" PRIu64 "\n%s%s\n%sagain: ",
                 plan_seed(report->plan, group->job), indent, group->explanation, indent);
    plan_print_again(report->plan, group->job, &group->draws, out);
    buffer_byte(out, '\n');
}

static void print_subject(const struct sweep_report *report, size_t subject, struct buffer *out)
{
    const struct subject *of = &report->plan->subjects.at[subject];
    const struct subject_tally *sum = &report->tally->subjects[subject];

    buffer_print(out, "scenario   %s   %s\n", of->name, of->path);
    print_runs(sum, of->has_store, out);
    print_faults(report, subject, out);
    print_unfelt(report, subject, out);
    if (tally_is_barren(report->tally, subject))
        buffer_text(out, TEXT("barren     nothing committed in any run\n"));
    if (sum->doubt)
        buffer_print(out, "undecided  first with seed %" PRIu64 ": %s\n",
                     plan_seed(report->plan, sum->doubt_job), sum->doubt);
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

void sweep_report_print(const struct sweep_report *report, struct buffer *out)
{
    static const char *const words[] = { "VALID", "INVALID", "UNKNOWN" };
    const struct tally *tally = report->tally;
    enum verdict verdict = tally_verdict(tally);

    print_plan(report, out);
    for (size_t i = 0; i < report->plan->subjects.count; i++)
        print_subject(report, i, out);
    print_never(report, out);
    buffer_print(out, "verdict    %s", words[verdict]);
    if (verdict == VERDICT_INVALID) {
        buffer_text(out, TEXT("   "));
        quantity_print_count(out, tally_failed(tally));
        buffer_text(out, TEXT(" of "));
        print_count(out, tally->entries.count, "run failed", "runs failed");
    }
    buffer_byte(out, '\n');
}
