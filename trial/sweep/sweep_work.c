#include "trial/sweep/sweep_work.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/format.h"
#include "trial/run/signature.h"
#include "trial/run/run.h"
#include "trial/sweep/rerun_private.h"

/* The line that makes the run once more. */
struct case_again {
    struct rerun rerun;
    const char **sets;
    struct buffer draws; /* the last of them, if anything is drawn from another seed */
};

static void again_close(struct case_again *again)
{
    buffer_close(&again->draws);
    free(again->sets);
}

/* Closed by again_close(), whatever the status. */
static enum status again_init(struct case_again *again, const struct plan *plan, uint64_t job,
                              const struct swarm_draws *draws, struct error *err)
{
    size_t count = plan->sets.count;

    *again = (struct case_again){ .sets = calloc(count + 1, sizeof *again->sets) };
    if (!again->sets)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    for (size_t i = 0; i < count; i++)
        again->sets[i] = plan->sets.at[i];
    plan_print_draws(draws, &again->draws);
    if (again->draws.count > 0) {
        buffer_byte(&again->draws, '\0');
        again->sets[count++] = again->draws.at;
    }
    TRY(buffer_status(&again->draws, err));
    again->rerun = (struct rerun){
        .path = plan->subjects.at[plan_subject(plan, job)].path,
        .seed = plan_seed(plan, job),
        .sets = again->sets,
        .set_count = count,
    };
    return STATUS_OK;
}

/* The failures that were found stand behind: they may still be a hint. */
static enum status put_first(struct run_outcome *outcome, const char *signature,
                             const char *explanation, struct error *err)
{
    struct failure last;

    TRY(outcome_add_failure(outcome, signature, explanation, err));
    outcome->verdict = VERDICT_INVALID;
    last = outcome->failures.at[outcome->failures.count - 1];
    memmove(outcome->failures.at + 1, outcome->failures.at,
            (outcome->failures.count - 1) * sizeof *outcome->failures.at);
    outcome->failures.at[0] = last;
    return STATUS_OK;
}

static enum status confirm(const struct plan *plan, uint64_t job, struct run_outcome *outcome,
                           struct error *err)
{
    struct case_again again;
    struct buffer how = { 0 };
    char signature[SIGNATURE_SIZE];
    bool confirms = true;
    enum status status = again_init(&again, plan, job, &outcome->draws, err);

    if (status == STATUS_OK)
        status = rerun_confirms(&again.rerun, outcome, &confirms, &how, err);
    if (status == STATUS_OK && !confirms) {
        signature_of_process(signature, "differs", "in a fresh process");
        buffer_byte(&how, '\0');
        status = put_first(outcome, signature, how.out_of_memory ? "" : how.at, err);
    }
    buffer_close(&how);
    again_close(&again);
    return status;
}

static enum status simulate(const struct plan *plan, const struct scenario *scenario,
                            struct run_outcome *outcome, struct error *err)
{
    struct coverage *coverage = plan->is_guided ? calloc(1, sizeof *coverage) : NULL;
    struct trial trial = { 0 };
    enum status status;

    if (plan->is_guided && !coverage)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what a run reaches");
    status = trial_run(&trial, scenario, &(struct run_options){ .coverage = coverage }, err);
    if (status == STATUS_OK)
        status = outcome_of_trial(outcome, &trial, err);
    if (status == STATUS_OK && coverage)
        status = outcome_take_coverage(outcome, coverage, err);
    trial_close(&trial);
    free(coverage);
    return status;
}

static enum status keep_history(const struct sweep_work *work, uint64_t job,
                                const struct history *history, struct error *err)
{
    struct buffer path = { 0 };
    enum status status;

    buffer_print(&path, "%s/", work->folder);
    plan_print_history(work->plan, job, &path);
    buffer_byte(&path, '\0');
    status = buffer_status(&path, err);
    if (status == STATUS_OK)
        status = format_write_history(history, FORMAT_JSONL, path.at, NULL, err);
    buffer_close(&path);
    return status;
}

static enum status record(const struct sweep_work *work, uint64_t job,
                          const struct scenario *scenario, struct run_outcome *outcome,
                          struct error *err)
{
    struct record_trial trial;
    enum status status;

    TRY(record_trial_of_scenario(&trial, scenario, err));
    TRY(record_trial_settle(&trial, err));
    status = record_trial_run(&trial, &(struct record_trial_options){ .memory = NULL }, err);
    if (status == STATUS_OK)
        status = outcome_of_recording(outcome, &trial, err);
    if (status == STATUS_OK && work->folder && outcome->verdict == VERDICT_INVALID)
        status = keep_history(work, job, &trial.recording.history, err);
    record_trial_close(&trial);
    return status;
}

static enum status try_job(const struct sweep_work *work, uint64_t job,
                           const struct swarm_draws *draws, struct scenario *scenario,
                           struct run_outcome *outcome, struct error *err)
{
    const struct plan *plan = work->plan;
    size_t subject = plan_subject(plan, job);
    enum status status = scenario_with_seed(scenario, &plan->scenarios[subject],
                                            plan_seed(plan, job), draws, err);

    if (status == STATUS_OK && scenario->database.kind)
        status = record(work, job, scenario, outcome, err);
    else if (status == STATUS_OK)
        status = simulate(plan, scenario, outcome, err);
    outcome->draws = *draws;
    if (status == STATUS_BAD_INPUT && err->file[0] == '\0')
        error_set_file(err, plan->subjects.at[subject].path);
    scenario_close(scenario);
    return status;
}

static enum status run_job(const struct sweep_work *work, uint64_t job,
                           const struct swarm_draws *draws, struct run_outcome *outcome,
                           struct error *err)
{
    struct scenario *scenario = malloc(sizeof *scenario);
    bool is_real = work->plan->subjects.at[plan_subject(work->plan, job)].is_real;
    enum status status;

    *outcome = (struct run_outcome){ 0 };
    if (!scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    status = try_job(work, job, draws, scenario, outcome, err);
    free(scenario);
    if (status == STATUS_OK && outcome->verdict == VERDICT_INVALID && !work->is_sure && !is_real)
        status = confirm(work->plan, job, outcome, err);
    return status;
}

void sweep_work_print_job(uint64_t job, const struct swarm_draws *draws, struct buffer *out)
{
    buffer_print(out, "%" PRIu64, job);
    for (int i = 0; draws && i < SWARM_DIMENSION_COUNT; i++)
        if (draws->of[i].is_given)
            buffer_print(out, " %d=%" PRIu64, i, draws->of[i].seed);
}

static uint64_t take_number(struct text *rest)
{
    uint64_t number = 0;
    bool is_number = text_take_uint64(rest, &number);

    assert(is_number);
    (void)is_number;
    return number;
}

static void skip(struct text *rest, char byte)
{
    assert(rest->length > 0 && rest->at[0] == byte);
    *rest = (struct text){ rest->at + 1, rest->length - 1 };
}

/* Of our own making, and so always well-formed. */
static uint64_t read_job(const char *text, struct swarm_draws *draws)
{
    struct text rest = text_of(text);
    uint64_t job = take_number(&rest);

    while (rest.length > 0) {
        uint64_t dimension;

        skip(&rest, ' ');
        dimension = take_number(&rest);
        assert(dimension < SWARM_DIMENSION_COUNT);
        skip(&rest, '=');
        draws->of[dimension] = (struct swarm_seed){ true, take_number(&rest) };
    }
    return job;
}

enum status sweep_work_do(void *context, struct text job, struct buffer *answer,
                          struct error *err)
{
    struct run_outcome outcome;
    struct swarm_draws draws = { 0 };
    uint64_t number = read_job(job.at, &draws);
    enum status status = run_job(context, number, &draws, &outcome, err);

    if (status == STATUS_OK) {
        sweep_work_print_job(number, NULL, answer);
        buffer_byte(answer, ' ');
        outcome_print(&outcome, answer);
    }
    outcome_close(&outcome);
    return status;
}

enum status sweep_work_read(struct text answer, uint64_t *job, struct run_outcome *outcome,
                            struct error *err)
{
    const char *blank = memchr(answer.at, ' ', answer.length);
    size_t length = blank ? (size_t)(blank - answer.at) : answer.length;
    int64_t number;

    *outcome = (struct run_outcome){ 0 };
    if (!blank || !text_to_int64((struct text){ answer.at, length }, &number) || number < 0)
        return error_set(err, STATUS_BAD_INPUT, "expected the number of a job");
    *job = (uint64_t)number;
    return outcome_read(outcome, (struct text){ blank + 1, answer.length - length - 1 }, err);
}

/* --- The dead --------------------------------------------------------------------------------- */

/* An assertion that failed is the same each time; what else is said may have addresses in it. */
static const char *stable_words(const char *words)
{
    const char *colon = strstr(words, ": ");

    if (strstr(words, "runtime error: "))
        return words;
    return strstr(words, "Assertion `") && colon ? colon + 2 : "";
}

/* Without a rerun its death is believed as it is. */
static enum status describe(const struct rerun *rerun, const struct work *dead,
                            struct buffer *shape, char signature[SIGNATURE_SIZE],
                            struct buffer *how, struct error *err)
{
    bool dies = true;

    if (dead->signal)
        workers_print_signal(dead->signal, shape);
    else
        buffer_print(shape, "exit %d", dead->exit_status);
    if (rerun)
        TRY(rerun_dies(rerun, dead->signal, dead->exit_status, &dies, how, err));
    buffer_print(shape, " %s", dies ? stable_words(dead->last_words) : "in the sweep alone");
    buffer_byte(shape, '\0');
    if (dies)
        buffer_print(how, "the run dies: %s", dead->last_words);
    buffer_byte(how, '\0');
    TRY(buffer_status(shape, err));
    TRY(buffer_status(how, err));
    signature_of_process(signature, dies ? "crash" : "differs", shape->at);
    return STATUS_OK;
}

static enum status take_crash(const struct rerun *rerun, const struct work *dead,
                              struct run_outcome *outcome, struct error *err)
{
    struct buffer shape = { 0 }, how = { 0 };
    char signature[SIGNATURE_SIZE];
    struct error why = { 0 };
    enum status status = describe(rerun, dead, &shape, signature, &how, &why);

    if (status == STATUS_OK)
        status = put_first(outcome, signature, how.at, err);
    else
        status = outcome_not_judged(outcome, why.text, err);
    buffer_close(&shape);
    buffer_close(&how);
    return status;
}

enum status sweep_work_of_dead(const struct sweep_work *work, uint64_t job,
                               const struct swarm_draws *draws, const struct work *dead,
                               struct run_outcome *outcome, struct error *err)
{
    struct case_again again;
    enum status status = again_init(&again, work->plan, job, draws, err);

    *outcome = (struct run_outcome){ .seed = plan_seed(work->plan, job) };
    if (draws)
        outcome->draws = *draws;
    if (status == STATUS_OK && dead->end == WORK_NOT_JUDGED)
        status = outcome_not_judged(outcome, dead->error.text, err);
    else if (status == STATUS_OK)
        status = take_crash(work->is_sure ? NULL : &again.rerun, dead, outcome, err);
    again_close(&again);
    return status;
}
