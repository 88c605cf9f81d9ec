#include "trial/bisect/bisect.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "base/version.h"
#include "trial/bisect/case_private.h"
#include "trial/bisect/shrink.h"
#include "trial/run/run.h"
#include "trial/sweep/workers.h"

#define WAIT_MS 50 /* between two looks at the flag */

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

/* The next job that is over. NULL: the search was stopped. */
static enum status next_done(const struct bisect_search *search, struct workers *workers,
                             const struct work **done, struct error *err)
{
    *done = NULL;
    while (!*done && !bisect_is_stopped(search->stop))
        TRY(workers_next(workers, WAIT_MS, done, err));
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
        TRY(next_done(search, workers, &done, err));
        if (!done)
            return STATUS_OK;
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

/* All checkers must have had memory: what is found otherwise may be less than what was, or nothing. */
static enum status run_whole(struct trial *trial, const struct scenario *scenario,
                             const struct run_options *options, struct error *err)
{
    uint64_t failures = memory_failures(), told = memory_told();

    TRY(memory_confirm(failures, trial_run(trial, scenario, options, err), err));
    return memory_told() == told
               ? STATUS_OK
               : error_set(err, STATUS_OVER_LIMIT, "no memory for all checkers of a run");
}

static enum status record(struct bisect_search *search, struct error *err)
{
    struct signatures *signatures = calloc(1, sizeof *signatures);
    struct run_options options = { .recording = &search->origin.recording };
    struct trial trial = { 0 };
    enum status status;

    if (!signatures)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a run");
    simulation_freeze_swarm(search->scenario);
    status = run_whole(&trial, search->scenario, &options, err);
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

static void sign(struct scenario *scenario, const struct bisect_origin *origin, const char *from)
{
    struct scenario_capsule *capsule = &scenario->capsule;

    snprintf(capsule->version, sizeof capsule->version, "%s", version_text());
    snprintf(capsule->from, sizeof capsule->from, "%s", from);
    snprintf(capsule->fails, sizeof capsule->fails, "%s", origin->target);
}

/* A program is found beside the capsule, wherever that is. */
static void name_program(const struct scenario *scenario, struct buffer *out)
{
    static const char key[] = "\nprogram = ";
    const char *slash = strrchr(scenario->workload.program, '/');
    struct buffer again = { 0 };
    char *line, *end;

    buffer_byte(out, '\0');
    line = out->out_of_memory ? NULL : strstr(out->at, key);
    if (scenario->workload.program[0] == '\0' || !line) {
        out->count--;
        return;
    }
    end = strchr(line + 1, '\n');
    buffer_text(&again, (struct text){ out->at, (size_t)(line - out->at) });
    buffer_text(&again, TEXT("\nprogram = "));
    buffer_json(&again, text_of(slash ? slash + 1 : scenario->workload.program));
    buffer_text(&again, text_of(end));
    buffer_close(out);
    *out = again;
}

enum status bisect_capsule_print(const struct bisect_case *c, const struct bisect_origin *origin,
                          const char *from, struct buffer *out, struct error *err)
{
    struct scenario *scenario = calloc(1, sizeof *scenario);
    enum status status;

    if (!scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a capsule");
    status = case_scenario(c, origin, scenario, err);
    if (status == STATUS_OK) {
        sign(scenario, origin, from);
        scenario_print(scenario, out);
        name_program(scenario, out);
        status = buffer_status(out, err);
        case_drop_scenario(scenario);
    }
    free(scenario);
    return status;
}

bool bisect_capsule_is_foreign(const struct scenario *scenario)
{
    return scenario->capsule.version[0] != '\0' &&
           strcmp(scenario->capsule.version, version_text()) != 0;
}

/* --- Since which moment ------------------------------------------------------------------------ */

#define FIRST_MOMENTS 17
#define HALVINGS 6
#define TRIES 16
#define BAR_WIDTH 32
#define JUMP_MIN (TRIES / 4) /* less may be chance */

/* --- In a worker ------------------------------------------------------------------------------ */

struct when_job {
    int64_t at_ns;
    uint64_t seed;
};

static enum status work(void *context, struct text job, struct buffer *answer, struct error *err)
{
    const struct bisect_search *search = context;
    struct signatures *signatures = calloc(1, sizeof *signatures);
    struct trial trial = { 0 };
    struct run_options options = { 0 };
    struct when_job when;
    enum status status;

    assert(job.length == sizeof when);
    if (!signatures)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a run");
    memcpy(&when, job.at, sizeof when);
    options.redraw = (struct redraw){ true, when.at_ns, when.seed };
    status = trial_run(&trial, search->scenario, &options, err);
    if (status == STATUS_OK) {
        signature_of_trial(&trial, signatures);
        buffer_byte(answer, shrink_is_alike(signatures, search->origin.target) ? '1' : '0');
    }
    trial_close(&trial);
    free(signatures);
    return status;
}

/* --- Asking ----------------------------------------------------------------------------------- */

static enum status submit(struct workers *workers, const struct bisect_moment *moment,
                          struct error *err)
{
    for (uint64_t seed = 1; seed <= TRIES; seed++) {
        struct when_job job = { moment->at_ns, seed };

        TRY(workers_submit(workers, (struct text){ (const char *)&job, sizeof job }, err));
    }
    return STATUS_OK;
}

static enum status count_failures(struct bisect_search *search, struct workers *workers,
                                  struct bisect_moment *moment, struct error *err)
{
    for (int i = 0; i < TRIES; i++) {
        const struct work *done;

        TRY(next_done(search, workers, &done, err));
        if (!done)
            return STATUS_OK;
        if (done->end == WORK_REFUSED) {
            *err = done->error;
            return err->status;
        }
        if (done->end == WORK_NOT_JUDGED) {
            bisect_note_not_judged(&search->not_judged, done);
            continue;
        }
        moment->tried++;
        moment->failed += done->end == WORK_DONE && done->answer.count > 0 &&
                          done->answer.at[0] == '1';
    }
    return STATUS_OK;
}

static void find_jump(struct bisect_moments *moments)
{
    int64_t best = INT64_MIN;

    for (uint32_t i = 0; i + 1 < moments->count; i++) {
        int64_t jump = (int64_t)moments->at[i + 1].failed - (int64_t)moments->at[i].failed;
        if (jump > best) {
            best = jump;
            moments->jump = i;
        }
    }
}

static enum status ask_evenly(struct bisect_search *search, struct workers *workers,
                              struct bisect_moments *moments, const struct progress *progress,
                              struct error *err)
{
    moments->count = FIRST_MOMENTS;
    for (uint32_t i = 0; i < moments->count; i++) {
        moments->at[i] = (struct bisect_moment){ search->end_ns / (FIRST_MOMENTS - 1) * i, 0, 0 };
        TRY(submit(workers, &moments->at[i], err));
    }
    for (uint32_t i = 0; i < moments->count; i++) {
        TRY(count_failures(search, workers, &moments->at[i], err));
        progress_report(progress, i + 1, FIRST_MOMENTS + HALVINGS);
    }
    return STATUS_OK;
}

static enum status halve_jump(struct bisect_search *search, struct workers *workers,
                              struct bisect_moments *moments, struct error *err)
{
    uint32_t place = moments->jump + 1;
    struct bisect_moment middle = {
        (moments->at[place - 1].at_ns + moments->at[place].at_ns) / 2, 0, 0
    };

    assert(moments->count < MOMENTS_MAX);
    TRY(submit(workers, &middle, err));
    TRY(count_failures(search, workers, &middle, err));
    memmove(&moments->at[place + 1], &moments->at[place],
            (moments->count - place) * sizeof *moments->at);
    moments->at[place] = middle;
    moments->count++;
    return STATUS_OK;
}

static enum status ask(struct bisect_search *search, struct workers *workers,
                       struct bisect_moments *moments, const struct progress *progress,
                       struct error *err)
{

    TRY(ask_evenly(search, workers, moments, progress, err));
    for (uint32_t i = 0; i < HALVINGS && !bisect_is_stopped(search->stop); i++) {
        find_jump(moments);
        TRY(halve_jump(search, workers, moments, err));
        progress_report(progress, FIRST_MOMENTS + i + 1, FIRST_MOMENTS + HALVINGS);
    }
    find_jump(moments);
    return STATUS_OK;
}

enum status bisect_when(struct bisect_search *search, unsigned job_count,
                        struct bisect_moments *moments, const struct progress *progress,
                        struct error *err)
{
    struct workers_options options = {
        .count = job_count, .in_order = true, .work = work, .context = search
    };
    struct workers *workers = calloc(1, sizeof *workers);
    enum status status;

    *moments = (struct bisect_moments){ 0 };
    if (!workers)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for workers");
    progress_begin(progress, "moments");
    status = workers_open(workers, &options, err);
    if (status == STATUS_OK)
        status = ask(search, workers, moments, progress, err);
    workers_close(workers);
    free(workers);
    return status;
}

/* --- What it says ----------------------------------------------------------------------------- */

static void print_moment(const struct bisect_moment *moment, struct buffer *out)
{
    size_t begin;

    buffer_text(out, TEXT("           "));
    begin = out->count;
    quantity_print_rounded(out, moment->at_ns);
    while (out->count < begin + 12 && !out->out_of_memory)
        buffer_byte(out, ' ');
    buffer_print(out, "%2" PRIu32 " of %" PRIu32 "  ", moment->failed, moment->tried);
    for (uint32_t i = 0; moment->tried > 0 && i < moment->failed * BAR_WIDTH / moment->tried; i++)
        buffer_text(out, TEXT("█"));
    buffer_byte(out, '\n');
}

void bisect_when_print(const struct bisect_moments *moments, struct buffer *out)
{
    const struct bisect_moment *before = &moments->at[moments->jump], *after = before + 1;

    buffer_text(out, TEXT("when       kept until, then drawn anew: how many fail alike\n"));
    for (uint32_t i = 0; i < moments->count; i++)
        print_moment(&moments->at[i], out);
    if (after->failed < before->failed + JUMP_MIN) {
        buffer_text(out,
                    TEXT("moment     none: it fails about as often whenever it is drawn anew\n"));
        return;
    }
    buffer_text(out, TEXT("moment     between "));
    quantity_print_rounded(out, before->at_ns);
    buffer_text(out, TEXT(" and "));
    quantity_print_rounded(out, after->at_ns);
    buffer_print(out, ": %" PRIu32 " of %" PRIu32 " fail before, %" PRIu32 " of %" PRIu32
                 " after\n", before->failed, before->tried, after->failed, after->tried);
}

void bisect_when_answer(const struct bisect_moments *moments, struct json_writer *json)
{
    const struct bisect_moment *before = &moments->at[moments->jump], *after = before + 1;

    json_writer_open(json, "when", '{');
    if (after->failed >= before->failed + JUMP_MIN) {
        json_writer_seconds(json, "after_seconds", before->at_ns);
        json_writer_seconds(json, "before_seconds", after->at_ns);
    } else {
        json_writer_null(json, "after_seconds");
        json_writer_null(json, "before_seconds");
    }
    json_writer_open(json, "moments", '[');
    for (uint32_t i = 0; i < moments->count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_seconds(json, "at_seconds", moments->at[i].at_ns);
        json_writer_number(json, "failed", moments->at[i].failed);
        json_writer_number(json, "tried", moments->at[i].tried);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    json_writer_close(json, '}');
}
