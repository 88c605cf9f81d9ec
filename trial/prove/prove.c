#include "trial/prove/prove.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial/prove/sketch_private.h"
#include "trial/run/run.h"
#include "trial/scenario/scenario.h"

#define ROUNDS 10   /* as many times, while somebody who must see it has not */
#define WAIT_MS 50 /* between two looks at the progress */
#define RECORDING (UINT64_C(1) << 63) /* of a job: its number is that of a recording */

/* --- What is to be run ------------------------------------------------------------------------ */

static enum status add_subject(struct prove *prove, size_t *room, struct error *err)
{
    struct plan *plan = &prove->plan;

    if (plan->subjects.count == *room) {
        *room = *room ? 2 * *room : 64;
        TRY(memory_resize((void **)&plan->scenarios, *room, sizeof *plan->scenarios, err));
    }
    memset(&plan->scenarios[plan->subjects.count], 0, sizeof *plan->scenarios);
    return array_push(&plan->subjects, ((struct subject){ 0 }), err);
}

/* The last subject, with its scenario. */
static enum status load_subject(struct prove *prove, const char *path, const char *set,
                                size_t *room, struct error *err)
{
    struct plan *plan = &prove->plan;
    struct subject *subject;

    TRY(add_subject(prove, room, err));
    subject = &plan->subjects.at[plan->subjects.count - 1];
    snprintf(subject->path, sizeof subject->path, "%s", path);
    return scenario_load(&plan->scenarios[plan->subjects.count - 1], path, &set, set ? 1 : 0, err);
}

static const char *protocol_of(const struct scenario *scenario)
{
    return store_protocol_facts(scenario->cluster.protocol).name;
}

/* What the jury judges by, where the scenario does not say. */
static enum level level_of(const struct scenario *scenario)
{
    enum level promised = store_protocol_facts(scenario->cluster.protocol).level;

    return trial_level(scenario, promised);
}

static enum status load_bug(struct prove *prove, const char *folder, enum bug bug, size_t *room,
                            struct error *err)
{
    struct matrix_row row;
    const struct scenario *scenario;
    char path[SCENARIO_FOLDER_SIZE + 100];

    snprintf(path, sizeof path, "%s/bugs/%s.toml", folder, bug_entry(bug)->name);
    matrix_begin_row(&prove->matrix, &row, bug);
    TRY(load_subject(prove, path, NULL, room, err));
    scenario = &prove->plan.scenarios[prove->plan.subjects.count - 1];
    if (!scenario->cluster.bugs.on[bug]) {
        error_set_file(err, path);
        return error_set(err, STATUS_BAD_INPUT, "the scenario does not switch the bug %s on",
                         bug_entry(bug)->name);
    }
    row.has_scenario = true;
    row.level = level_of(scenario);
    snprintf(row.protocol, sizeof row.protocol, "%s", protocol_of(scenario));
    return array_push(&prove->matrix.rows, row, err);
}

static enum status load_clean(struct prove *prove, const char *path, const char *set,
                              size_t *room, struct error *err)
{
    struct matrix_clean clean = { .runs = 0 };
    struct scenario *scenario;

    TRY(load_subject(prove, path, set, room, err));
    scenario = &prove->plan.scenarios[prove->plan.subjects.count - 1];
    if (scenario->workload.kind == WORKLOAD_PING) {
        prove->plan.subjects.count--;
        scenario_close(scenario);
        return STATUS_OK;
    }
    snprintf(clean.path, sizeof clean.path, "%s", path);
    snprintf(clean.set, sizeof clean.set, "%s", set ? set : "");
    snprintf(clean.protocol, sizeof clean.protocol, "%s", protocol_of(scenario));
    return array_push(&prove->matrix.clean, clean, err);
}

static enum status load_clean_folder(struct prove *prove, const char *folder, size_t *room,
                                     struct error *err)
{
    struct folder_names names = { { 0 } };
    enum status status = scenario_folder_read(folder, FOLDER_SCENARIOS, &names, err);

    for (size_t i = 0; status == STATUS_OK && i < names.names.count; i++) {
        char path[SCENARIO_FOLDER_SIZE + 300];
        snprintf(path, sizeof path, "%s/%s", folder, names.names.at[i]);
        status = load_clean(prove, path, NULL, room, err);
    }
    scenario_folder_close(&names);
    return status;
}

static enum status load_all(struct prove *prove, struct error *err)
{
    const char *only = prove->options.bug;
    char folder[SCENARIO_FOLDER_SIZE];
    char path[SCENARIO_FOLDER_SIZE + 100];
    size_t room = 0;

    if (!scenario_folder_find(folder))
        return error_set(err, STATUS_IO,
                         "no folder of scenarios: neither ./scenarios nor an installed one");
    for (int i = 0; i < BUG_COUNT; i++)
        if (!only || strcmp(only, bug_entry((enum bug)i)->name) == 0)
            TRY(load_bug(prove, folder, (enum bug)i, &room, err));
    for (size_t i = 0; i < prove->matrix.rows.count; i++) {
        snprintf(path, sizeof path, "%s/bugs/%s.toml", folder,
                 bug_entry(prove->matrix.rows.at[i].bug)->name);
        TRY(load_clean(prove, path, "cluster.bugs=[]", &room, err));
    }
    return only ? STATUS_OK : load_clean_folder(prove, folder, &room, err);
}

/* --- Running ---------------------------------------------------------------------------------- */

static enum status add_job(struct prove *prove, size_t subject, uint64_t seed, struct error *err)
{
    uint64_t job = (seed - 1) * prove->plan.subjects.count + subject;

    return array_push(&prove->jobs, job, err);
}

/* The clean runs take longest, and begin. */
static enum status add_clean_jobs(struct prove *prove, struct error *err)
{
    for (uint64_t seed = 1; seed <= prove->clean_seeds; seed++)
        for (size_t i = 0; i < prove->matrix.clean.count; i++)
            TRY(add_job(prove, prove->matrix.rows.count + i, seed, err));
    return STATUS_OK;
}

static enum status add_round(struct prove *prove, unsigned round, struct error *err)
{
    for (uint64_t seed = round * prove->options.seeds + 1; seed <= (round + 1) * prove->options.seeds; seed++)
        for (size_t i = 0; i < prove->matrix.rows.count; i++)
            if (prove->matrix.rows.at[i].runs < seed &&
                (round == 0 || matrix_misses(&prove->matrix, &prove->matrix.rows.at[i])))
                TRY(add_job(prove, i, seed, err));
    return STATUS_OK;
}

static enum status add_recordings(struct prove *prove, struct error *err)
{
    for (uint64_t i = 0; prove->options.mutates && i < mutations_recordings(prove->options.seeds); i++)
        TRY(array_push(&prove->jobs, i | RECORDING, err));
    return STATUS_OK;
}

static void print_job(uint64_t job, struct buffer *out)
{
    if (job & RECORDING)
        buffer_byte(out, 'm');
    sweep_work_print_job(job & ~RECORDING, NULL, out);
}

/* In a worker. */
static enum status work_do(void *context, struct text job, struct buffer *answer,
                           struct error *err)
{
    if (job.at[0] == 'm')
        return mutations_work(strtoull(job.at + 1, NULL, 10), answer, err);
    return sweep_work_do(context, job, answer, err);
}

static enum status take_outcome(struct prove *prove, uint64_t job, const struct run_outcome *outcome,
                                struct error *err)
{
    size_t subject = plan_subject(&prove->plan, job);
    size_t rows = prove->matrix.rows.count;

    if (subject < rows)
        return matrix_add(&prove->matrix, &prove->matrix.rows.at[subject], outcome, err);
    return matrix_add_clean(&prove->matrix.clean.at[subject - rows], outcome, err);
}

/* Nobody has a way to run a mutant again: a checker that dies of one ends the proof. */
static enum status take_mutants(struct prove *prove, uint64_t recording, const struct work *work,
                                struct error *err)
{
    if (work->end == WORK_DIED)
        return error_set(err, STATUS_BAD_INPUT,
                         "a checker died of a mutant of recording %" PRIu64 ": %s", recording,
                         work->last_words);
    return mutations_add(&prove->mutations, recording,
                         (struct text){ work->answer.at, work->answer.count }, err);
}

static enum status take_not_judged(struct prove *prove, uint64_t job, const struct work *work)
{
    struct prove_not_judged *not_judged = &prove->not_judged;

    if (not_judged->count++ > 0)
        return STATUS_OK;
    if (job & RECORDING)
        snprintf(not_judged->first, sizeof not_judged->first, "mutants of recording %" PRIu64 ": %s",
                 job & ~RECORDING, work->error.text);
    else
        snprintf(not_judged->first, sizeof not_judged->first, "%s, seed %" PRIu64 ": %s",
                 prove->plan.subjects.at[plan_subject(&prove->plan, job)].path,
                 plan_seed(&prove->plan, job), work->error.text);
    return STATUS_OK;
}

static enum status take_work(struct prove *prove, const struct work *work, struct error *err)
{
    struct run_outcome outcome = { 0 };
    uint64_t job = prove->jobs.at[work->number];
    enum status status;

    prove->done++;
    if (work->end == WORK_REFUSED) {
        *err = work->error;
        return err->status;
    }
    if (work->end == WORK_NOT_JUDGED)
        return take_not_judged(prove, job, work);
    if (job & RECORDING)
        return take_mutants(prove, job & ~RECORDING, work, err);
    if (work->end == WORK_DIED)
        status = sweep_work_of_dead(&prove->work, job, NULL, work, &outcome, err);
    else
        status = sweep_work_read((struct text){ work->answer.at, work->answer.count }, &job,
                                 &outcome, err);
    if (status == STATUS_OK)
        status = take_outcome(prove, job, &outcome, err);
    outcome_close(&outcome);
    return status;
}

static enum status hand_jobs(struct prove *prove, struct error *err)
{
    struct buffer text = { 0 };
    enum status status = STATUS_OK;

    while (status == STATUS_OK && prove->handed < prove->jobs.count &&
           workers_want_jobs(&prove->workers)) {
        buffer_clear(&text);
        print_job(prove->jobs.at[prove->handed++], &text);
        status = buffer_status(&text, err);
        if (status == STATUS_OK)
            status = workers_submit(&prove->workers, (struct text){ text.at, text.count }, err);
    }
    buffer_close(&text);
    return status;
}

static bool is_stopped(const struct prove *prove)
{
    return prove->options.stop && atomic_load(prove->options.stop);
}

static enum status work_off(struct prove *prove, struct error *err)
{
    const struct work *work = NULL;

    while (!is_stopped(prove)) {
        TRY(hand_jobs(prove, err));
        if (workers_pending(&prove->workers) == 0)
            return STATUS_OK;
        TRY(workers_next(&prove->workers, WAIT_MS, &work, err));
        if (work)
            TRY(take_work(prove, work, err));
        progress_report(prove->options.progress, prove->done, prove->jobs.count);
    }
    return STATUS_OK;
}

static enum status run_rounds(struct prove *prove, struct error *err)
{
    TRY(add_clean_jobs(prove, err));
    TRY(add_recordings(prove, err));
    for (unsigned round = 0; round < ROUNDS && !is_stopped(prove); round++) {
        TRY(add_round(prove, round, err));
        if (prove->handed == prove->jobs.count)
            break;
        TRY(work_off(prove, err));
    }
    matrix_sort(&prove->matrix);
    return STATUS_OK;
}

enum status prove_run(struct prove *prove, struct error *err)
{
    struct workers_options options = {
        .count = prove->options.worker_count < WORKERS_MAX ? prove->options.worker_count : WORKERS_MAX,
        .wants_all = true, /* a checker without memory has not missed a bug */
        .work = work_do,
        .context = &prove->work,
    };
    enum status status;

    prove->work = (struct sweep_work){ .plan = &prove->plan, .is_sure = true };
    prove->plan.seed_first = 1;
    prove->plan.seed_last = SEED_MAX;
    prove->plan.shard_count = 1;
    status = workers_open(&prove->workers, &options, err);
    if (status == STATUS_OK)
        status = run_rounds(prove, err);
    workers_close(&prove->workers);
    return status;
}

/* --- The whole -------------------------------------------------------------------------------- */

enum status prove_open(struct prove *prove, const struct prove_options *options, struct error *err)
{
    size_t count;

    *prove = (struct prove){ .options = *options };
    matrix_init(&prove->matrix);
    mutations_init(&prove->mutations);
    TRY(load_all(prove, err));
    count = prove->matrix.clean.count;
    if (count > 0)
        prove->clean_seeds = (options->clean_runs + count - 1) / count;
    return STATUS_OK;
}

void prove_close(struct prove *prove)
{
    array_close(&prove->jobs);
    matrix_close(&prove->matrix);
    plan_close(&prove->plan);
}

enum status prove_mutant_history(const struct prove *prove, unsigned checker, enum mutant_end end,
                                 struct history *history, bool *is_made, struct error *err)
{
    struct sketch *sketch = malloc(sizeof *sketch);
    enum level level;
    enum status status = sketch ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory");

    *is_made = false;
    if (status == STATUS_OK)
        status = mutations_make(&prove->mutations.first[checker][end], sketch, &level, is_made, err);
    if (status == STATUS_OK && *is_made)
        status = sketch_build(sketch, end == MUTANT_MISSED, history, err);
    *is_made &= status == STATUS_OK;
    free(sketch);
    return status;
}
