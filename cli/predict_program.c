#include "cli/predict_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/audit_input.h"
#include "trial/run/director_trial.h"

bool predict_program_is_log(const char *history)
{
    return audit_input_is_log(history);
}

static bool is_sql(const char *path)
{
    size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".sql") == 0;
}

static enum status load_scenario(struct scenario **scenario, const char *path, struct error *err)
{
    *scenario = calloc(1, sizeof **scenario);
    if (!*scenario)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    TRY(scenario_load(*scenario, path, NULL, 0, err));
    if ((*scenario)->workload.kind == WORKLOAD_PROGRAM)
        return STATUS_OK;
    error_set_file(err, path);
    return error_set(err, STATUS_BAD_INPUT,
                     "its workload is no program whose calls could be executed again");
}

static void close_scenario(struct scenario *scenario)
{
    if (scenario)
        scenario_close(scenario);
    free(scenario);
}

static enum status load_of_scenario(struct predict_program *p, const struct scenario *scenario,
                                    struct error *err)
{
    snprintf(p->path, sizeof p->path, "%s", scenario->workload.program);
    return program_load_file(&p->program, p->path, err);
}

static enum status load_program(struct predict_program *p, const char *path, struct error *err)
{
    struct scenario *scenario = NULL;
    enum status status;

    if (is_sql(path)) {
        snprintf(p->path, sizeof p->path, "%s", path);
        return program_load_file(&p->program, path, err);
    }
    status = load_scenario(&scenario, path, err);
    if (status == STATUS_OK)
        status = load_of_scenario(p, scenario, err);
    close_scenario(scenario);
    return status;
}

enum status predict_program_read(struct predict_program *p, const char *program, const char *log,
                                 struct error *err)
{
    struct source source;
    enum status status;

    *p = (struct predict_program){ .has_log = true };
    TRY(load_program(p, program, err));
    TRY(source_open(&source, log, NULL, err));
    status = call_log_read(&p->log, &source, err);
    source_close(&source);
    if (status == STATUS_OK)
        status = predict_calls_init(&p->calls, &p->program, &p->log, err);
    if (status == STATUS_BAD_INPUT && !err->file[0])
        error_set_file(err, log);
    return status;
}

/* --- The calls of a run ------------------------------------------------------------------ */

static enum status run_directed(const struct scenario *scenario, const atomic_bool *stop,
                                struct buffer *log, struct error *err)
{
    struct director_trial_options options = { .director = "latest", .producer = "", .stop = stop };
    struct director_trial *trial = calloc(1, sizeof *trial);
    enum status status;

    if (!trial)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a run");
    status = director_trial_run(trial, scenario, &options, err);
    if (status == STATUS_OK)
        status = director_trial_call_log(trial, log, err);
    director_trial_close(trial);
    free(trial);
    return status;
}

static void forget_log(struct predict_program *p)
{
    if (p->has_log) {
        predict_calls_close(&p->calls);
        call_log_close(&p->log);
    }
    p->has_log = false;
    buffer_clear(&p->text);
}

static enum status take_log(struct predict_program *p, const char *name, struct error *err)
{
    struct source source;
    enum status status;

    TRY(source_open_memory(&source, name, p->text.at, p->text.count, err));
    p->log = (struct call_log){ 0 };
    p->calls = (struct predict_calls){ 0 };
    p->has_log = true;
    status = call_log_read(&p->log, &source, err);
    source_close(&source);
    return status == STATUS_OK ? predict_calls_init(&p->calls, &p->program, &p->log, err) : status;
}

/* The calls of a run, if the history is what they do, executed one after another. */
static enum status find_run(struct predict_program *p, const struct scenario *scenario,
                            const char *path, const struct dataflow *t, const atomic_bool *stop,
                            struct error *err)
{
    bool matches;

    TRY(run_directed(scenario, stop, &p->text, err));
    TRY(take_log(p, path, err));
    TRY(predict_calls_match(&p->calls, t, &matches, err));
    if (matches)
        return STATUS_OK;
    error_set_file(err, path);
    return error_set(err, STATUS_BAD_INPUT,
                     "the history is not what `ordeal run --director latest` makes of this "
                     "scenario with seed %llu: "
                     "give the scenario.toml that its --out wrote, or in place of the history the "
                     "log of calls that "
                     "--audit-log writes",
                     (unsigned long long)scenario->seed);
}

enum status predict_program_run(struct predict_program *p, const char *path,
                                const struct dataflow *t, const atomic_bool *stop,
                                struct error *err)
{
    struct scenario *scenario = NULL;
    enum status status;

    *p = (struct predict_program){ 0 };
    if (is_sql(path))
        return error_set(err, STATUS_BAD_INPUT,
                         "a history does not say what was called: with --program FILE.sql, HISTORY "
                         "is a log of calls; "
                         "with a history, --program is the scenario that it is of");
    status = load_scenario(&scenario, path, err);
    if (status == STATUS_OK)
        status = load_of_scenario(p, scenario, err);
    if (status == STATUS_OK)
        status = find_run(p, scenario, path, t, stop, err);
    close_scenario(scenario);
    return status;
}

void predict_program_close(struct predict_program *p)
{
    forget_log(p);
    program_close(&p->program);
    buffer_close(&p->text);
}
