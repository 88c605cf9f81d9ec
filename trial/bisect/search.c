#include "trial/bisect/search.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trial/run/run.h"
#include "trial/sweep/workers.h"

#define WAIT_MS 200 /* between two looks at the flag */

void bisect_search_open(struct bisect_search *search, struct scenario *scenario,
                        uint64_t first_seed, uint64_t last_seed)
{
    *search = (struct bisect_search){ .scenario = scenario,
                                      .origin.scenario = scenario,
                                      .first_seed = first_seed,
                                      .last_seed = last_seed };
}

static void forget_recording(struct bisect_search *search)
{
    listed_close(&search->origin.recording.listing);
    strike_log_close(&search->origin.recording.strikes);
    search->origin.recording = (struct recording){ 0 };
}

void bisect_search_close(struct bisect_search *search)
{
    forget_recording(search);
}

/* --- Which seed ------------------------------------------------------------------------------- */

/* In a worker: 1 if the seed's run fails. */
static enum status try_seed(void *context, struct text job, struct buffer *answer,
                            struct error *err)
{
    const struct bisect_search *search = context;
    struct trial trial = { 0 };
    int64_t seed = 0;
    enum status status;

    if (!text_to_int64(job, &seed))
        return error_set(err, STATUS_BAD_INPUT, "no seed");
    TRY(scenario_take_seed(search->scenario, (uint64_t)seed, err));
    status = trial_run(&trial, search->scenario, NULL, err);
    if (status == STATUS_OK)
        buffer_byte(answer, trial_verdict(&trial) == VERDICT_INVALID ? '1' : '0');
    trial_close(&trial);
    return status;
}

static enum status submit_seed(struct workers *workers, uint64_t seed, struct error *err)
{
    char job[24];

    snprintf(job, sizeof job, "%" PRIu64, seed);
    return workers_submit(workers, text_of(job), err);
}

void bisect_note_not_judged(struct bisect_not_judged *not_judged, const struct work *work)
{
    assert(work->end == WORK_NOT_JUDGED);
    if (not_judged->count++ == 0)
        snprintf(not_judged->first, sizeof not_judged->first, "%s", work->error.text);
}

/* A run that dies has failed, but cannot be written down. */
static enum status read_end(struct bisect_search *search, const struct work *done, uint64_t seed,
                            bool *fails, struct error *err)
{
    *fails = false;
    if (done->end == WORK_NOT_JUDGED) {
        bisect_note_not_judged(&search->not_judged, done);
        return STATUS_OK;
    }
    if (done->end == WORK_REFUSED) {
        *err = done->error;
        return err->status;
    }
    if (done->end == WORK_DIED)
        return error_set(err, STATUS_IO, "the run of seed %" PRIu64 " dies and cannot be made "
                         "smaller: %s", seed, done->last_words);
    *fails = done->answer.count > 0 && done->answer.at[0] == '1';
    return STATUS_OK;
}

static enum status find_seed(struct bisect_search *search, struct workers *workers,
                             unsigned job_count, const struct progress *progress, uint64_t *found,
                             struct error *err)
{
    uint64_t submitted = search->first_seed, taken = search->first_seed;
    bool fails = false;

    for (; taken <= search->last_seed; taken++) {
        const struct work *done;

        for (; submitted <= search->last_seed && submitted < taken + job_count; submitted++)
            TRY(submit_seed(workers, submitted, err));
        do {
            if (bisect_is_stopped(search->stop))
                return STATUS_OK;
            TRY(workers_next(workers, WAIT_MS, &done, err));
        } while (!done);
        search->runs++;
        progress_report(progress, search->runs, search->last_seed - search->first_seed + 1);
        TRY(read_end(search, done, taken, &fails, err));
        if (fails)
            break;
    }
    search->found = fails;
    *found = taken;
    workers_cancel(workers);
    return STATUS_OK;
}

/* --- The run ---------------------------------------------------------------------------------- */

static enum status record(struct bisect_search *search, struct error *err)
{
    struct signatures *signatures = calloc(1, sizeof *signatures);
    struct run_options options = { .recording = &search->origin.recording };
    struct trial trial = { 0 };
    enum status status;

    if (!signatures)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a run");
    simulation_freeze_swarm(search->scenario);
    status = trial_run(&trial, search->scenario, &options, err);
    if (status == STATUS_OK) {
        signature_of_trial(&trial, signatures);
        assert(signatures->count > 0); /* it failed before, and is a function of its seed */
        search->end_ns = trial.simulation->world.now_ns;
        snprintf(search->origin.target, sizeof search->origin.target, "%s",
                 signatures->at[0].text);
        snprintf(search->explanation, sizeof search->explanation, "%s",
                 signatures->at[0].explanation ? signatures->at[0].explanation : "");
        status = strike_log_status(&search->origin.recording.strikes, err);
    }
    trial_close(&trial);
    free(signatures);
    return status;
}

enum status bisect_search(struct bisect_search *search, unsigned job_count,
                          const struct progress *progress, struct error *err)
{
    struct workers_options options = {
        .count = job_count, .in_order = true, .work = try_seed, .context = search
    };
    struct workers *workers = calloc(1, sizeof *workers);
    uint64_t seed = 0;
    enum status status;

    if (!workers)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for workers");
    status = workers_open(workers, &options, err);
    if (status == STATUS_OK)
        status = find_seed(search, workers, job_count, progress, &seed, err);
    workers_close(workers);
    free(workers);
    if (status != STATUS_OK || !search->found)
        return status;
    TRY(scenario_take_seed(search->scenario, seed, err));
    return record(search, err);
}
