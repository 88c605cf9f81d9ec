#include "trial/sweep/sweep.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/map.h"
#include "base/thread.h"
#include "base/wall_clock.h"

#define JOURNAL_NAME "journal"
#define BUDGET_GRACE_NS INT64_C(1000000000) /* for runs that had begun when the budget was over */
#define WAIT_MS 200 /* between two looks at the clock */

/* --- The journal ------------------------------------------------------------------------------ */

/* What a journal is read into. */
struct sweep_reading {
    struct tally *tally;
    struct guide *guide; /* that learns from it, or NULL */
    struct plan plan; /* its own; all zero until the first line is read */
    uint64_t job_last; /* runs behind it are passed over */
    int64_t spent_ns;
    uint64_t damaged; /* lines */
    /* Called when the journal's plan is known. */
    enum status (*begin)(void *context, struct sweep_reading *, struct error *);
    void *context;
};

/* What a run drew follows from the runs before it in the same journal, or it is another sweep's. */
static enum status read_guided(struct sweep_reading *reading, uint64_t job,
                               const struct run_outcome *outcome, struct error *err)
{
    /* It was not judged before; the guide knows that much of it. */
    if (plan_has_job(&reading->plan, job) && guide_has(reading->guide, job) &&
        !tally_has(reading->tally, job))
        return STATUS_OK;
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

/* The runs of such lines are made once more. */
static enum status pass_damage(void *context, uint64_t number, struct error *err)
{
    struct sweep_reading *reading = context;

    if (number == 1)
        return error_set(err, STATUS_BAD_INPUT, "the journal is damaged where it says what it is of");
    if (reading->plan.is_guided)
        return error_set(err, STATUS_BAD_INPUT, "the journal is damaged: the checksum does not fit, "
                         "and in a guided sweep later runs follow from this one");
    reading->damaged++;
    return STATUS_OK;
}

/* Of the journal that a sweep goes on with. */
static enum status begin_resumed(void *context, struct sweep_reading *reading, struct error *err)
{
    struct sweep *sweep = context;

    sweep->has_plan_line = true;
    if (!sweep->resumes)
        return error_set(err, STATUS_BAD_INPUT,
                         "there is a sweep's journal already: go on with it by --resume, or "
                         "choose another folder");
    return plan_check_resume(&reading->plan, &sweep->plan, err);
}

/* Closes the line. */
static enum status append_line(struct sweep *sweep, struct buffer *line, struct error *err)
{
    enum status status = buffer_status(line, err);

    if (status == STATUS_OK)
        status = journal_append(&sweep->journal, (struct text){ line->at, line->count }, err);
    buffer_close(line);
    return status;
}

static enum status name_journal(struct buffer *path, const char *folder, struct error *err)
{
    buffer_print(path, "%s/" JOURNAL_NAME, folder);
    buffer_byte(path, '\0');
    return buffer_status(path, err);
}

enum status sweep_open_journal(struct sweep *sweep, const char *folder, bool resumes, struct error *err)
{
    struct sweep_reading reading = { .tally = &sweep->tally,
                                     .job_last = UINT64_MAX,
                                     .guide = sweep->plan.is_guided ? &sweep->guide : NULL,
                                     .begin = begin_resumed,
                                     .context = sweep };
    struct journal_reader reader = { read_line, pass_damage, &reading };
    struct buffer line = { 0 };
    enum status status;

    sweep->resumes = resumes;
    sweep->folder = folder;
    TRY(name_journal(&sweep->journal_path, folder, err));
    status = journal_open(&sweep->journal, sweep->journal_path.at, &reader, err);
    sweep->journal.syncs = !sweep->options.no_sync;
    sweep->damaged = reading.damaged;
    sweep->before_ns = reading.spent_ns;
    plan_close(&reading.plan);
    if (status != STATUS_OK || sweep->has_plan_line)
        return status;
    plan_print(&sweep->plan, &line);
    return append_line(sweep, &line, err);
}

static int64_t spent_ns(const struct sweep *sweep)
{
    return sweep->before_ns + wall_clock_ns() - sweep->began_ns;
}

static enum status note(struct sweep *sweep, uint64_t job, const struct run_outcome *outcome,
                        struct error *err)
{
    struct buffer line = { 0 };

    if (!sweep->journal.stream)
        return STATUS_OK;
    buffer_print(&line, "run %" PRIu64 " %" PRId64 " ", job, spent_ns(sweep) / 1000000);
    outcome_print(outcome, &line);
    return append_line(sweep, &line, err);
}

/* --- Runs ------------------------------------------------------------------------------------- */

static void say_failures(struct sweep *sweep, size_t known)
{
    for (size_t i = known; sweep->options.say && i < sweep->tally.groups.count; i++) {
        const struct group *group = &sweep->tally.groups.at[i];
        struct buffer line = { 0 };
        buffer_print(&line, "failure    seed %" PRIu64 "   %s   %s",
                     plan_seed(&sweep->plan, group->job),
                     sweep->plan.subjects.at[group->subject].path, group->signature);
        sweep->options.say(sweep->options.context, &line);
        buffer_close(&line);
    }
}

static enum status take_outcome(struct sweep *sweep, uint64_t job, const struct run_outcome *outcome,
                                struct error *err)
{
    size_t known = sweep->tally.groups.count;

    TRY(note(sweep, job, outcome, err));
    if (sweep->plan.is_guided && !guide_has(&sweep->guide, job))
        TRY(guide_take(&sweep->guide, job, outcome, err));
    TRY(tally_add(&sweep->tally, job, outcome, err));
    say_failures(sweep, known);
    sweep->done++;
    return STATUS_OK;
}

static const struct swarm_draws *draws_of(const struct sweep *sweep, uint64_t job)
{
    if (!sweep->plan.is_guided)
        return NULL;
    return guide_has(&sweep->guide, job) ? tally_draws(&sweep->tally, job)
                                         : guide_draws(&sweep->guide, job);
}

static enum status take_work(struct sweep *sweep, const struct work *work, struct error *err)
{
    struct run_outcome outcome = { 0 };
    uint64_t job = sweep->jobs.at[work->number], submitted = job;
    enum status status;

    if (work->end == WORK_REFUSED) {
        *err = work->error;
        return err->status;
    }
    if (work->end != WORK_DONE)
        status = sweep_work_of_dead(&sweep->work, job, draws_of(sweep, job), work, &outcome, err);
    else
        status = sweep_work_read((struct text){ work->answer.at, work->answer.count }, &job,
                                 &outcome, err);
    assert(status != STATUS_OK || job == submitted);
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
    return sweep->options.budget_ns > 0 && wall_clock_ns() - sweep->began_ns >= sweep->options.budget_ns;
}

static enum status submit(struct sweep *sweep, struct error *err)
{
    struct buffer text = { 0 };
    enum status status = STATUS_OK;

    while (status == STATUS_OK && workers_want_jobs(&sweep->workers)) {
        uint64_t job = find_job(sweep);
        if (job == UINT64_MAX || is_over(sweep) || must_wait(sweep, job))
            break;
        assert(plan_has_job(&sweep->plan, job) && !tally_has(&sweep->tally, job));
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

/* With --until-failure answers come in order: those behind the first failure never count. */
static enum status run_all(struct sweep *sweep, struct error *err)
{
    const struct work *work = NULL;

    while (!(sweep->options.stop && atomic_load(sweep->options.stop))) {
        TRY(submit(sweep, err));
        if (workers_pending(&sweep->workers) == 0)
            return STATUS_OK;
        TRY(workers_next(&sweep->workers, WAIT_MS, &work, err));
        if (sweep->journal.stream)
            TRY(journal_sync_some(&sweep->journal, err));
        if (work)
            TRY(take_work(sweep, work, err));
        progress_report(sweep->options.progress, sweep->done, sweep->to_do);
        if (work && sweep->plan.until_failure &&
            sweep->jobs.at[work->number] >= sweep->tally.failed_job)
            return STATUS_OK;
    }
    return STATUS_OK;
}

static bool is_real(const struct plan *plan)
{
    for (size_t i = 0; i < plan->subjects.count; i++)
        if (plan->subjects.at[i].is_real)
            return true;
    return false;
}

/* One server has the machine to itself, unless several are asked for. */
static unsigned worker_count(const struct sweep *sweep)
{
    unsigned count = sweep->options.worker_count;

    if (count == 0)
        count = is_real(&sweep->plan) ? 1 : thread_core_count();
    return count < WORKERS_MAX ? count : WORKERS_MAX;
}

static enum status run_jobs(struct sweep *sweep, struct error *err)
{
    struct workers_options options = {
        .count = worker_count(sweep),
        .in_order = sweep->plan.until_failure,
        .job_ns = sweep->options.run_ns,
        .job_late = sweep->options.late,
        .until_late = "the time budget was over",
        .work = sweep_work_do,
        .context = &sweep->work,
    };
    enum status status;

    if (sweep->options.budget_ns > 0)
        options.until_ns = sweep->began_ns + sweep->options.budget_ns + BUDGET_GRACE_NS;
    sweep->work = (struct sweep_work){ .plan = &sweep->plan, .folder = sweep->folder };
    sweep->next_job = sweep->plan.shard;
    sweep->to_do = plan_shard_job_count(&sweep->plan) - sweep->tally.entries.count;
    status = workers_open(&sweep->workers, &options, err);
    if (status == STATUS_OK)
        status = run_all(sweep, err);
    sweep->tried_again = sweep->workers.tried_again;
    workers_close(&sweep->workers);
    return status;
}

/* --- Sweeping --------------------------------------------------------------------------------- */

enum status sweep_open(struct sweep *sweep, const struct sweep_options *options, struct error *err)
{
    *sweep = (struct sweep){ .options = *options, .began_ns = wall_clock_ns() };
    TRY(plan_take_seeds(&sweep->plan, options->seeds, err));
    TRY(plan_take_shard(&sweep->plan, options->shard, err));
    sweep->plan.until_failure = options->until_failure;
    sweep->plan.is_guided = options->is_guided;
    TRY(plan_load(&sweep->plan, options->path, options->sets, options->set_count, err));
    if (options->is_guided && is_real(&sweep->plan))
        return error_set(err, STATUS_BAD_INPUT,
                         "--guided is for the simulated world: not with [database]");
    TRY(tally_init(&sweep->tally, &sweep->plan, err));
    return options->is_guided ? guide_init(&sweep->guide, &sweep->plan, err) : STATUS_OK;
}

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
    struct sweep_reading reading = { .tally = &sweep->tally,
                                     .job_last = sweep->tally.failed_job,
                                     .begin = pass_plan };
    struct journal_reader reader = { read_line, pass_damage, &reading };
    enum status status;

    if (!sweep->plan.until_failure || !sweep->journal.stream)
        return STATUS_OK;
    journal_close(&sweep->journal);
    TRY(tally_clear(&sweep->tally, err));
    status = journal_read(sweep->journal_path.at, &reader, err);
    plan_close(&reading.plan);
    return status;
}

enum status sweep_run(struct sweep *sweep, struct error *err)
{
    assert(sweep->plan.scenarios); /* from sweep_open(): a merged sweep has run already */
    TRY(run_jobs(sweep, err));
    if (sweep->journal.stream)
        TRY(journal_sync(&sweep->journal, err));
    sweep->wall_ns = spent_ns(sweep);
    TRY(forget_behind(sweep, err));
    tally_sort(&sweep->tally);
    return STATUS_OK;
}

/* --- Merging ---------------------------------------------------------------------------------- */

/* Where a merge stands. */
struct merge {
    struct sweep *sweep;
    const char *const *folders;
    size_t folder_count;
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
    struct journal_reader reader = { read_line, pass_damage, &reading };
    struct buffer path = { 0 };
    enum status status = name_journal(&path, folder, err);

    if (status == STATUS_OK)
        status = journal_read(path.at, &reader, err);
    if (status == STATUS_OK && reading.plan.subjects.count == 0) {
        error_set_file(err, path.at);
        status = error_set(err, STATUS_BAD_INPUT, "the journal is empty");
    }
    merge->sweep->damaged += reading.damaged;
    if (reading.spent_ns > merge->longest_ns)
        merge->longest_ns = reading.spent_ns;
    plan_close(&reading.plan);
    buffer_close(&path);
    return status;
}

static enum status merge_all(struct merge *merge, struct error *err)
{
    map_clear(&merge->shards);
    for (size_t i = 0; i < merge->folder_count; i++)
        TRY(merge_folder(merge, merge->folders[i], err));
    return STATUS_OK;
}

enum status sweep_merge(struct sweep *sweep, const char *const *folders, size_t count,
                        struct error *err)
{
    struct merge merge = { .sweep = sweep, .folders = folders, .folder_count = count,
                           .job_last = UINT64_MAX };
    enum status status;

    *sweep = (struct sweep){ 0 };
    status = merge_all(&merge, err);
    if (status == STATUS_OK && sweep->plan.until_failure) {
        /* One machine would have ended at the first failure of all shards. */
        merge.job_last = sweep->tally.failed_job;
        status = tally_clear(&sweep->tally, err);
        sweep->damaged = 0;
        if (status == STATUS_OK)
            status = merge_all(&merge, err);
    }
    map_close(&merge.shards);
    TRY(status);
    sweep->plan.shard = 0;
    sweep->plan.shard_count = 1;
    sweep->wall_ns = merge.longest_ns;
    tally_sort(&sweep->tally);
    return STATUS_OK;
}

void sweep_close(struct sweep *sweep)
{
    array_close(&sweep->jobs);
    journal_close(&sweep->journal);
    buffer_close(&sweep->journal_path);
    tally_close(&sweep->tally);
    guide_close(&sweep->guide);
    plan_close(&sweep->plan);
}
