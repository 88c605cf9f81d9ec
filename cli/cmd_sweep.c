#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/wall_clock.h"
#include "cli/cores.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_sweep.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"
#include "trial/sweep/guide.h"
#include "trial/sweep/journal.h"
#include "trial/sweep/plan.h"
#include "trial/sweep/sweep_work.h"
#include "trial/sweep/tally.h"
#include "trial/sweep/workers.h"

#define JOURNAL_NAME "journal"
#define WAIT_MS 200 /* between two looks at the bar */

struct sweep_values {
    const char *scenario, *seeds, *out, *time_budget, *shard, *junit;
    struct option_number workers;
    struct option_texts merge, sets;
    bool resume, until_failure, guided, json;
};

#define AT(field) offsetof(struct sweep_values, field)

static const struct option sweep_rows[] = {
    { .argument = "SCENARIO", .kind = OPTION_OPERAND, .offset = AT(scenario), .optional = true,
      .help = "a TOML file, or a folder of them" },
    { .name = "seeds", .argument = "A..B", .kind = OPTION_TEXT, .offset = AT(seeds),
      .help = "the seeds from A to B, both included; each 0 to 2^53-1" },
    { .letter = 'j', .argument = "N", .kind = OPTION_NUMBER, .offset = AT(workers), .low = 1,
      .high = WORKERS_MAX,
      .help = "so many processes at a time; the machine's cores unless given" },
    { .name = "set", .argument = "key=value", .kind = OPTION_TEXTS, .offset = AT(sets),
      .help = "change a setting of every scenario, as with run" },
    { .name = "out", .argument = "DIR", .kind = OPTION_TEXT, .offset = AT(out),
      .help = "keep a journal of all runs in this folder, and write sweep.json" },
    { .name = "resume", .kind = OPTION_FLAG, .offset = AT(resume),
      .help = "go on with the journal of --out, if there is one" },
    { .name = "until-failure", .kind = OPTION_FLAG, .offset = AT(until_failure),
      .help = "end at the first run that fails" },
    { .name = "guided", .kind = OPTION_FLAG, .offset = AT(guided),
      .help = "breed what runs draw from earlier runs that reached what few do" },
    { .name = "time-budget", .argument = "S", .kind = OPTION_TEXT, .offset = AT(time_budget),
      .help = "begin no run after so many seconds, or 5m, 2h" },
    { .name = "shard", .argument = "I/N", .kind = OPTION_TEXT, .offset = AT(shard),
      .help = "only every N-th run: I is 1 to N (0 is the same as N)" },
    { .name = "merge", .argument = "DIR...", .kind = OPTION_LIST, .offset = AT(merge),
      .help = "run nothing: put the journals of these folders together" },
    { .name = "junit", .argument = "FILE", .kind = OPTION_TEXT, .offset = AT(junit),
      .help = "write JUnit's XML, for build servers" },
    { .name = "json", .kind = OPTION_FLAG, .offset = AT(json),
      .help = "print one JSON object" },
};

struct sweep {
    const struct sweep_values *values;
    struct plan plan;
    struct tally tally;
    struct guide guide; /* of a guided sweep; its plan is NULL: there is none */
    struct journal journal;
    struct buffer journal_path;
    bool has_plan_line; /* the journal has its first line */
    int64_t budget_ns;  /* 0: none */
    int64_t began_ns;   /* of our clock */
    int64_t before_ns;  /* that earlier sweeps have spent on the journal */
    struct workers workers;
    struct sweep_work work;
    ARRAY(uint64_t) jobs; /* by the number that the workers have for them */
    uint64_t next_job;
    struct progress_bar bar;
    uint64_t done, to_do; /* this time */
};

/* --- The journal ------------------------------------------------------------------------------ */

/* What a journal is read into. */
struct sweep_reading {
    struct tally *tally;
    struct guide *guide; /* that learns from it, or NULL */
    struct plan plan; /* its own; all zero until the first line is read */
    uint64_t job_last; /* runs behind it are passed over */
    int64_t spent_ns;
    /* Called when the journal's plan is known. */
    enum status (*begin)(void *context, struct sweep_reading *, struct error *);
    void *context;
};

/* What a run drew follows from the runs before it in the same journal, or it is another sweep's. */
static enum status read_guided(struct sweep_reading *reading, uint64_t job,
                               const struct run_outcome *outcome, struct error *err)
{
    if (!plan_has_job(&reading->plan, job) || !guide_is_ready(reading->guide, job) ||
        tally_has(reading->tally, job))
        return error_set(err, STATUS_BAD_INPUT, "job %" PRIu64 " is out of turn", job);
    if (!swarm_draws_equal(guide_draws(reading->guide, job), &outcome->draws))
        return error_set(err, STATUS_BAD_INPUT,
                         "job %" PRIu64 " has drawn otherwise than the runs before it say", job);
    return guide_take(reading->guide, job, outcome, err);
}

/* "run JOB MILLISECONDS {outcome}", or the plan. */
static enum status read_run(struct sweep_reading *reading, struct text line, struct error *err)
{
    struct run_outcome outcome = { 0 };
    char words[64];
    uint64_t job;
    int64_t ms;
    int length = 0;
    enum status status;

    snprintf(words, sizeof words, "%.*s", (int)(line.length < 63 ? line.length : 63), line.at);
    if (sscanf(words, "run %" SCNu64 " %" SCNd64 " %n", &job, &ms, &length) != 2 || length == 0)
        return error_set(err, STATUS_BAD_INPUT, "expected a run");
    if (job >= plan_job_count(&reading->plan))
        return error_set(err, STATUS_BAD_INPUT, "the sweep has no job %" PRIu64, job);
    reading->spent_ns = ms * 1000000;
    status = outcome_read(&outcome,
                          (struct text){ line.at + length, line.length - (size_t)length }, err);
    if (status == STATUS_OK && outcome.seed != plan_seed(&reading->plan, job))
        status = error_set(err, STATUS_BAD_INPUT, "job %" PRIu64 " has another seed", job);
    if (status == STATUS_OK && reading->guide)
        status = read_guided(reading, job, &outcome, err);
    if (status == STATUS_OK && job <= reading->job_last)
        status = tally_add(reading->tally, job, &outcome, err);
    outcome_close(&outcome);
    return status;
}

static enum status read_line(void *context, struct text line, uint64_t number, struct error *err)
{
    struct sweep_reading *reading = context;

    if (number > 1)
        return read_run(reading, line, err);
    TRY(plan_read(&reading->plan, line, err));
    return reading->begin(reading->context, reading, err);
}

/* Of the journal that a sweep goes on with. */
static enum status begin_resumed(void *context, struct sweep_reading *reading, struct error *err)
{
    struct sweep *sweep = context;

    sweep->has_plan_line = true;
    if (!sweep->values->resume)
        return error_set(err, STATUS_BAD_INPUT,
                         "there is a sweep's journal already: go on with it by --resume, or "
                         "choose another folder");
    return plan_check_resume(&reading->plan, &sweep->plan, err);
}

static enum status name_journal(struct buffer *path, const char *folder, struct error *err)
{
    buffer_print(path, "%s/" JOURNAL_NAME, folder);
    buffer_byte(path, '\0');
    return buffer_status(path, err);
}

static enum status open_journal(struct sweep *sweep, struct error *err)
{
    struct sweep_reading reading = { .tally = &sweep->tally, .job_last = UINT64_MAX,
                               .guide = sweep->plan.is_guided ? &sweep->guide : NULL,
                               .begin = begin_resumed, .context = sweep };
    struct journal_reader reader = { read_line, &reading };
    struct buffer line = { 0 };
    enum status status;

    TRY(folder_make(sweep->values->out, err));
    TRY(name_journal(&sweep->journal_path, sweep->values->out, err));
    status = journal_open(&sweep->journal, sweep->journal_path.at, &reader, err);
    sweep->before_ns = reading.spent_ns;
    plan_close(&reading.plan);
    if (status != STATUS_OK || sweep->has_plan_line)
        return status;
    plan_print(&sweep->plan, &line);
    status = buffer_status(&line, err);
    if (status == STATUS_OK)
        status = journal_append(&sweep->journal, (struct text){ line.at, line.count }, err);
    buffer_close(&line);
    return status;
}

static int64_t spent_ns(const struct sweep *sweep)
{
    return sweep->before_ns + wall_clock_ns() - sweep->began_ns;
}

static enum status note(struct sweep *sweep, uint64_t job, const struct run_outcome *outcome,
                        struct error *err)
{
    struct buffer line = { 0 };
    enum status status;

    if (!sweep->journal.stream)
        return STATUS_OK;
    buffer_print(&line, "run %" PRIu64 " %" PRId64 " ", job, spent_ns(sweep) / 1000000);
    outcome_print(outcome, &line);
    status = buffer_status(&line, err);
    if (status == STATUS_OK)
        status = journal_append(&sweep->journal, (struct text){ line.at, line.count }, err);
    buffer_close(&line);
    return status;
}

/* --- Runs ------------------------------------------------------------------------------------- */

static void say_failures(struct sweep *sweep, size_t known)
{
    for (size_t i = known; i < sweep->tally.groups.count; i++) {
        const struct group *group = &sweep->tally.groups.at[i];
        struct buffer line = { 0 };
        buffer_print(&line, "failure    seed %" PRIu64 "   %s   %s",
                     plan_seed(&sweep->plan, group->job),
                     sweep->plan.subjects.at[group->subject].path, group->signature);
        progress_bar_say(&sweep->bar, &line);
        buffer_close(&line);
    }
}

static enum status take_outcome(struct sweep *sweep, uint64_t job, const struct run_outcome *outcome,
                                struct error *err)
{
    size_t known = sweep->tally.groups.count;

    TRY(note(sweep, job, outcome, err));
    if (sweep->plan.is_guided)
        TRY(guide_take(&sweep->guide, job, outcome, err));
    TRY(tally_add(&sweep->tally, job, outcome, err));
    say_failures(sweep, known);
    sweep->done++;
    return STATUS_OK;
}

static const struct swarm_draws *draws_of(const struct sweep *sweep, uint64_t job)
{
    return sweep->plan.is_guided ? guide_draws(&sweep->guide, job) : NULL;
}

static enum status take_work(struct sweep *sweep, const struct work *work, struct error *err)
{
    struct run_outcome outcome = { 0 };
    uint64_t job = sweep->jobs.at[work->number];
    enum status status;

    if (work->end == WORK_REFUSED) {
        *err = work->error;
        return err->status;
    }
    if (work->end == WORK_DIED)
        status = sweep_work_of_dead(&sweep->work, job, draws_of(sweep, job), work, &outcome, err);
    else
        status = sweep_work_read((struct text){ work->answer.at, work->answer.count }, &job,
                                 &outcome, err);
    if (status == STATUS_OK)
        status = take_outcome(sweep, job, &outcome, err);
    outcome_close(&outcome);
    return status;
}

/* The next job of ours that nobody has done, or UINT64_MAX. */
static uint64_t find_job(struct sweep *sweep)
{
    uint64_t count = plan_job_count(&sweep->plan);

    while (sweep->next_job < count && tally_has(&sweep->tally, sweep->next_job))
        sweep->next_job += sweep->plan.shard_count;
    return sweep->next_job < count ? sweep->next_job : UINT64_MAX;
}

/* A guided sweep knows what a run draws once the runs so many turns before it have ended. */
static bool must_wait(const struct sweep *sweep, uint64_t job)
{
    return sweep->plan.is_guided && !guide_is_ready(&sweep->guide, job);
}

static bool is_over(const struct sweep *sweep)
{
    if (sweep->plan.until_failure && sweep->next_job > sweep->tally.failed_job)
        return true;
    return sweep->budget_ns > 0 && wall_clock_ns() - sweep->began_ns >= sweep->budget_ns;
}

static enum status submit(struct sweep *sweep, struct error *err)
{
    struct buffer text = { 0 };
    enum status status = STATUS_OK;

    while (status == STATUS_OK && workers_want_jobs(&sweep->workers)) {
        uint64_t job = find_job(sweep);
        if (job == UINT64_MAX || is_over(sweep) || must_wait(sweep, job))
            break;
        buffer_clear(&text);
        sweep_work_print_job(job, draws_of(sweep, job), &text);
        status = buffer_status(&text, err);
        if (status == STATUS_OK)
            status = array_push(&sweep->jobs, job, err);
        if (status == STATUS_OK)
            status = workers_submit(&sweep->workers, (struct text){ text.at, text.count }, err);
        sweep->next_job += sweep->plan.shard_count;
    }
    buffer_close(&text);
    return status;
}

static void show_progress(struct sweep *sweep)
{
    struct progress progress = progress_bar_listener(&sweep->bar);

    progress_report(&progress, sweep->done, sweep->to_do);
}

/* With --until-failure answers come in order: those behind the first failure never count. */
static enum status run_all(struct sweep *sweep, struct error *err)
{
    const struct work *work = NULL;

    for (;;) {
        TRY(submit(sweep, err));
        if (workers_pending(&sweep->workers) == 0)
            return STATUS_OK;
        TRY(workers_next(&sweep->workers, WAIT_MS, &work, err));
        if (work)
            TRY(take_work(sweep, work, err));
        show_progress(sweep);
        if (work && sweep->plan.until_failure &&
            sweep->jobs.at[work->number] >= sweep->tally.failed_job)
            return STATUS_OK;
    }
}

static enum status run_jobs(struct sweep *sweep, struct error *err)
{
    struct workers_options options = {
        .count = sweep->values->workers.given ? (unsigned)sweep->values->workers.value
                                              : cores_count(),
        .in_order = sweep->plan.until_failure,
        .work = sweep_work_do,
        .context = &sweep->work,
    };
    enum status status;

    if (options.count > WORKERS_MAX)
        options.count = WORKERS_MAX;
    sweep->work = (struct sweep_work){ .plan = &sweep->plan };
    sweep->next_job = sweep->plan.shard;
    sweep->to_do = plan_shard_job_count(&sweep->plan) - sweep->tally.entries.count;
    progress_bar_begin(&sweep->bar, "sweeping", "runs");
    status = workers_open(&sweep->workers, &options, err);
    if (status == STATUS_OK)
        status = run_all(sweep, err);
    progress_bar_end(&sweep->bar);
    workers_close(&sweep->workers);
    return status;
}

/* --- Reports ---------------------------------------------------------------------------------- */

static enum status write_reports(const struct sweep_values *values,
                                 const struct sweep_report *report, struct error *err)
{
    struct buffer out = { 0 };
    enum status status = STATUS_OK;

    if (values->junit) {
        report_sweep_print_junit(report, &out);
        status = output_write_file(values->junit, &out, err);
    }
    buffer_clear(&out);
    report_sweep_print_json(report, &out);
    if (status == STATUS_OK && values->out)
        status = folder_write(values->out, "sweep.json", &out, err);
    if (!values->json) {
        buffer_clear(&out);
        report_sweep_print(report, &out);
    }
    if (status == STATUS_OK)
        status = output_print(&out, err);
    buffer_close(&out);
    return status;
}

static enum status report(struct sweep *sweep, int64_t wall_ns, enum exit_code *code,
                          struct error *err)
{
    struct sweep_report report = { .plan = &sweep->plan, .tally = &sweep->tally,
                                   .wall_ns = wall_ns };

    tally_sort(&sweep->tally);
    TRY(write_reports(sweep->values, &report, err));
    *code = command_exit_of_verdict(tally_verdict(&sweep->tally));
    if (sweep->values->merge.count > 0 && report_sweep_missing(&report) > 0)
        *code = command_exit_combine(*code, EXIT_UNDECIDED);
    return STATUS_OK;
}

/* --- Sweeping --------------------------------------------------------------------------------- */

static enum status pass_plan(void *context, struct sweep_reading *reading, struct error *err)
{
    (void)context;
    (void)reading;
    (void)err;
    return STATUS_OK;
}

/* Runs that the journal has from behind the first failure are not part of the sweep. */
static enum status forget_behind(struct sweep *sweep, struct error *err)
{
    struct sweep_reading reading = { .tally = &sweep->tally, .job_last = sweep->tally.failed_job,
                               .begin = pass_plan };
    struct journal_reader reader = { read_line, &reading };
    enum status status;

    if (!sweep->plan.until_failure || !sweep->journal.stream)
        return STATUS_OK;
    journal_close(&sweep->journal);
    TRY(tally_clear(&sweep->tally, err));
    status = journal_read(sweep->journal_path.at, &reader, err);
    plan_close(&reading.plan);
    return status;
}

static enum status take_budget(struct sweep *sweep, struct error *err)
{
    const char *text = sweep->values->time_budget;
    int64_t seconds;

    if (!text)
        return STATUS_OK;
    if (quantity_to_integer(text_of(text), &seconds) && seconds > 0 && seconds < 1000000000)
        sweep->budget_ns = seconds * 1000000000;
    else if (!quantity_to_duration(text_of(text), &sweep->budget_ns) || sweep->budget_ns <= 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "--time-budget takes a number of seconds above zero, or 5m, not '%s'",
                         text);
    return STATUS_OK;
}

/* A file that cannot be written is better known before hours of runs than after them. */
static enum status try_junit(const struct sweep_values *values, struct error *err)
{
    const struct buffer nothing = { 0 };

    return values->junit ? output_write_file(values->junit, &nothing, err) : STATUS_OK;
}

static enum status prepare(struct sweep *sweep, struct error *err)
{
    const struct sweep_values *values = sweep->values;

    if (!values->scenario || !values->seeds)
        return error_set(err, STATUS_BAD_INPUT, "sweep needs %s; see: ordeal help sweep",
                         values->scenario ? "--seeds A..B" : "SCENARIO");
    if (values->resume && !values->out)
        return error_set(err, STATUS_BAD_INPUT, "--resume needs the --out DIR to go on with");
    TRY(take_budget(sweep, err));
    TRY(plan_take_seeds(&sweep->plan, values->seeds, err));
    TRY(plan_take_shard(&sweep->plan, values->shard, err));
    sweep->plan.until_failure = values->until_failure;
    sweep->plan.is_guided = values->guided;
    TRY(plan_load(&sweep->plan, values->scenario, values->sets.at, values->sets.count, err));
    TRY(tally_init(&sweep->tally, &sweep->plan, err));
    if (values->guided)
        TRY(guide_init(&sweep->guide, &sweep->plan, err));
    TRY(try_junit(values, err));
    return values->out ? open_journal(sweep, err) : STATUS_OK;
}

static enum status sweep_scenarios(struct sweep *sweep, enum exit_code *code, struct error *err)
{
    int64_t wall_ns;

    sweep->began_ns = wall_clock_ns();
    TRY(prepare(sweep, err));
    TRY(run_jobs(sweep, err));
    wall_ns = spent_ns(sweep);
    TRY(forget_behind(sweep, err));
    return report(sweep, wall_ns, code, err);
}

/* --- Merging ---------------------------------------------------------------------------------- */

/* Where a merge stands. */
struct merge {
    struct sweep *sweep;
    struct map shards; /* that have come */
    uint64_t job_last; /* second time: runs behind the first failure are left out */
    int64_t longest_ns;
    bool is_known; /* the plan is */
};

static enum status read_plan(struct plan *plan, const struct plan *from, struct error *err)
{
    struct buffer line = { 0 };
    enum status status;

    plan_print(from, &line);
    status = buffer_status(&line, err);
    if (status == STATUS_OK)
        status = plan_read(plan, (struct text){ line.at, line.count }, err);
    buffer_close(&line);
    return status;
}

static enum status begin_shard(void *context, struct sweep_reading *reading, struct error *err)
{
    struct merge *merge = context;
    struct sweep *sweep = merge->sweep;
    uint64_t before;
    size_t place;

    if (!merge->is_known) {
        TRY(read_plan(&sweep->plan, &reading->plan, err));
        TRY(tally_init(&sweep->tally, &sweep->plan, err));
        merge->is_known = true;
    }
    TRY(plan_check_merge(&sweep->plan, &reading->plan, err));
    if (map_find(&merge->shards, reading->plan.shard, &before))
        return error_set(err, STATUS_BAD_INPUT, "this shard has been merged already");
    TRY(map_add(&merge->shards, reading->plan.shard, 1, &place, err));
    reading->tally = &sweep->tally;
    return STATUS_OK;
}

static enum status merge_folder(struct merge *merge, const char *folder, struct error *err)
{
    struct sweep_reading reading = { .job_last = merge->job_last, .begin = begin_shard,
                               .context = merge };
    struct journal_reader reader = { read_line, &reading };
    struct buffer path = { 0 };
    enum status status = name_journal(&path, folder, err);

    if (status == STATUS_OK)
        status = journal_read(path.at, &reader, err);
    if (status == STATUS_OK && reading.plan.subjects.count == 0) {
        error_set_file(err, path.at);
        status = error_set(err, STATUS_BAD_INPUT, "the journal is empty");
    }
    if (reading.spent_ns > merge->longest_ns)
        merge->longest_ns = reading.spent_ns;
    plan_close(&reading.plan);
    buffer_close(&path);
    return status;
}

static enum status merge_all(struct merge *merge, struct error *err)
{
    const struct option_texts *folders = &merge->sweep->values->merge;

    map_clear(&merge->shards);
    for (size_t i = 0; i < folders->count; i++)
        TRY(merge_folder(merge, folders->at[i], err));
    return STATUS_OK;
}

/* All that SCENARIO and the flags could say stands in the journals. */
static enum status check_call(const struct sweep *sweep, struct error *err)
{
    const struct sweep_values *values = sweep->values;

    if (values->scenario || values->seeds || values->sets.count > 0 || values->shard ||
        values->resume || values->until_failure || values->guided || values->time_budget ||
        values->workers.given)
        return error_set(err, STATUS_BAD_INPUT,
                         "--merge takes the sweep from its journals: beside it stand only --out, "
                         "--junit and --json");
    return STATUS_OK;
}

static enum status merge_shards(struct sweep *sweep, enum exit_code *code, struct error *err)
{
    struct merge merge = { .sweep = sweep, .job_last = UINT64_MAX };
    enum status status = check_call(sweep, err);

    if (status == STATUS_OK)
        status = merge_all(&merge, err);
    if (status == STATUS_OK && sweep->plan.until_failure) {
        /* One machine would have ended at the first failure of all shards. */
        merge.job_last = sweep->tally.failed_job;
        status = tally_clear(&sweep->tally, err);
        if (status == STATUS_OK)
            status = merge_all(&merge, err);
    }
    map_close(&merge.shards);
    TRY(status);
    sweep->plan.shard = 0;
    sweep->plan.shard_count = 1;
    if (sweep->values->out)
        TRY(folder_make(sweep->values->out, err));
    return report(sweep, merge.longest_ns, code, err);
}

static enum status run(const void *given, enum exit_code *code, struct error *err)
{
    const struct sweep_values *values = given;
    struct sweep sweep = { .values = values };
    enum status status = values->merge.count > 0 ? merge_shards(&sweep, code, err)
                                                 : sweep_scenarios(&sweep, code, err);

    array_close(&sweep.jobs);
    journal_close(&sweep.journal);
    buffer_close(&sweep.journal_path);
    tally_close(&sweep.tally);
    guide_close(&sweep.guide);
    plan_close(&sweep.plan);
    return status;
}

const struct command command_sweep = {
    .summary = "runs many seeds of a scenario, and groups what fails",
    .description =
        "Each run is a process's work, and judged as by run. A failure is run again in a fresh\n"
        "process before it is told. Failures that look alike are one group: who found it, at\n"
        "which level, the anomaly, and the shape of its proof.\n"
        "With --out a sweep can be killed at any moment and goes on with --resume. Shards of a\n"
        "sweep, run anywhere and merged in any order, say what one machine says.\n"
        "Exits with 0 if every run is valid, 1 if one is not, 2 if the call is wrong, 3 if\n"
        "nothing was committed in any run of a scenario, if a fault that it asks for was never\n"
        "felt, or if no checker could judge some run.\n",
    .example = "  ordeal sweep scenarios/swarm.toml --seeds 1..1000 --out out/swarm\n"
               "  ordeal sweep --merge out/shard-1 out/shard-2\n",
    .options = { "sweep", sweep_rows, ROW_COUNT(sweep_rows), sizeof(struct sweep_values) },
    .run = run,
};
