#include "trial/run/record_trial.h"

#include <assert.h>
#include <stdio.h>

#include "base/wall_clock.h"

/* --- What a scenario asks for ----------------------------------------------------------------- */

static enum level level_or(uint32_t level_plus_1, enum level usual)
{
    return level_plus_1 > 0 ? (enum level)(level_plus_1 - 1) : usual;
}

static const char *given(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

/* A nemesis of the simulated world, and its like in the real one. */
static bool fault_of_nemesis(const struct nemesis_options *nemesis, enum database_fault *fault)
{
    static const struct {
        enum nemesis_kind nemesis;
        enum database_fault fault;
    } likes[] = {
        { NEMESIS_CRASH, DATABASE_KILL },          { NEMESIS_PAUSE, DATABASE_PAUSE },
        { NEMESIS_PARTITION, DATABASE_PARTITION }, { NEMESIS_CLOG, DATABASE_LATENCY },
        { NEMESIS_DISK, DATABASE_DISK_FULL },      { NEMESIS_CLOCK, DATABASE_CLOCK },
    };

    for (size_t i = 0; i < ROW_COUNT(likes); i++)
        if (likes[i].nemesis == nemesis->kind) {
            *fault = likes[i].fault;
            return nemesis->kind != NEMESIS_DISK || nemesis->shape == SHAPE_DISK_FULL;
        }
    return false;
}

static enum status take_nemesis(struct record_plan *plan, const struct nemesis_options *nemesis,
                                enum database_fault *fault, struct error *err)
{
    if (!fault_of_nemesis(nemesis, fault) || nemesis->every_ns == 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "a real database cannot suffer this nemesis %s: only crash, pause, "
                         "partition, clog, clock and a disk that is full, with `every`",
                         nemesis_kind_name(nemesis->kind));
    if (plan->faults[*fault].every_ns > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "a real database suffers one nemesis of each kind, not two of %s",
                         nemesis_kind_name(nemesis->kind));
    plan->faults[*fault] = (struct fault_wish){
        .every_ns = nemesis->every_ns,
        .for_ns = nemesis->lasts_ns > 0 ? nemesis->lasts_ns : fault_facts[*fault].for_ns,
    };
    return STATUS_OK;
}

static void take_calls(struct record_trial *trial, const struct scenario_workload *workload,
                       const uint64_t *lines)
{
    struct record_program_plan *program = &trial->plan.program;

    program->path = workload->program;
    program->load = given(workload->load);
    program->calls = trial->calls;
    for (uint32_t i = 0; i < workload->calls.count; i++) {
        const struct scenario_call *call = &workload->calls.at[i];

        for (uint32_t k = 0; k < call->argument_count; k++)
            trial->arguments[i][k] = text_of(call->arguments[k]);
        trial->calls[program->call_count++] =
            (struct program_call){ text_of(call->procedure), call->weight, trial->arguments[i],
                                   call->argument_count, lines[i] };
    }
}

enum status record_trial_of_scenario(struct record_trial *trial, const struct scenario *scenario,
                                     struct error *err)
{
    const struct scenario_database *database = &scenario->database;
    struct record_plan *plan = &trial->plan;

    *trial =
        (struct record_trial){ .workload = scenario->workload.builtin,
                               .level = level_or(scenario->check.level_plus_1, LEVEL_SERIALIZABLE),
                               .wishes = scenario->check };
    *plan = (struct record_plan){
        .database = database->kind,
        .how = { .connect = given(database->connect),
                 .binaries = given(database->binaries),
                 .mode = given(database->topology),
                 .isolation = level_or(database->isolation_plus_1, trial->level),
                 .certifies = database->certificate,
                 .clients = scenario->workload.sessions,
                 .settings = trial->settings,
                 .setting_count = database->settings.count },
        .seed = scenario->seed,
        .transactions = scenario->workload.client.transactions,
        .for_ns = scenario->workload.duration_ns,
        .rate = database->rate,
    };
    if (scenario->workload.kind == WORKLOAD_PROGRAM)
        take_calls(trial, &scenario->workload, scenario->lines.calls);
    for (uint32_t i = 0; i < scenario->invariant_count; i++)
        plan->invariants[plan->invariant_count++] =
            (struct record_invariant){ scenario->invariants[i].query,
                                       scenario->invariants[i].equals };
    if (plan->how.clients > RECORD_CLIENTS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "a real database has at most %d sessions",
                         RECORD_CLIENTS_MAX);
    for (uint32_t i = 0; i < database->settings.count; i++)
        trial->settings[i] = database->settings.at[i];
    trial->nemesis_count = scenario->nemesis_count;
    for (uint32_t i = 0; i < scenario->nemesis_count; i++)
        TRY(take_nemesis(plan, &scenario->nemeses[i], &trial->nemesis_faults[i], err));
    return STATUS_OK;
}

/* --- Recording and judging -------------------------------------------------------------------- */

/*
 * What the database promises for this workload. A row that was deleted can be inserted again by a
 * transaction whose snapshot still has it: both commit, so that the first does not win. Without that
 * rule `locks_for` would say that an UPDATE reads the newest rows, which it does not.
 */
static void fit_profile(struct record_trial *trial)
{
    if (!trial->plan.workload || trial->workload.workload->shape != SHAPE_ROWS)
        return;
    trial->profile.profile.first_updater = false;
    trial->profile.profile.locks_for = false;
}

enum status record_trial_settle(struct record_trial *trial, struct error *err)
{
    struct record_plan *plan = &trial->plan;
    const char *profile;
    bool lags;

    plan->workload = plan->program.path ? NULL : &trial->workload;
    if (trial->watches && !plan->workload)
        return error_set(err, STATUS_BAD_INPUT, "nobody can watch what a program reads and writes");
    TRY(record_plan_settle(plan, err));
    plan->judges_invariant =
        !trial->wishes.skips_workload &&
        (!plan->workload || builtin_invariant_holds_at(trial->workload.workload, trial->level));
    lags = plan->database->lags && plan->database->lags(record_plan_topology(plan));
    profile =
        lags || !plan->database->profile ? NULL : plan->database->profile(plan->how.isolation);
    if (profile)
        TRY(profile_load(&trial->profile, profile, err));
    trial->has_profile = profile != NULL;
    fit_profile(trial);
    return STATUS_OK;
}

static enum status judge(struct record_trial *trial, const struct record_trial_options *options,
                         int64_t limit_ns, struct error *err)
{
    const struct check_wishes *wishes = &trial->wishes;
    struct jury_options asked = {
        .check = { .level = trial->level,
                   .flags = options->wants_witnesses ? CHECK_WITNESS : 0,
                   .threads = 1,
                   .engine = ENGINE_NATIVE },
        .rule = JURY_COMPLETE,
        .is_named = wishes->is_listed,
        .named = wishes->checkers,
        .profile = trial->has_profile ? &trial->profile.profile : NULL,
        .is_promised = true,
        .limit_ns = limit_ns,
        .unfinished = options->unfinished,
        .memory = options->memory,
        .progress = options->progress,
        .tell = options->tell,
        .context = options->context,
    };

    return jury_judge(&trial->jury, &trial->recording.history, &asked, err);
}

/* --- Watching --------------------------------------------------------------------------------- */

#define WATCH_PATIENCE_NS INT64_C(2000000000)
#define WATCH_BYTES_MAX ((size_t)256 << 20)
#define WATCH_STREAM 0

static enum status begin_watching(struct record_trial *trial, struct error *err)
{
    struct watcher_options options = { .profile = trial->profile.profile,
                                       .patience = WATCH_PATIENCE_NS,
                                       .bytes_max = WATCH_BYTES_MAX,
                                       .line_bytes_max = WATCH_BYTES_MAX };
    uint32_t stream;

    if (!trial->has_profile)
        return error_set(err, STATUS_BAD_INPUT,
                         "nobody can watch: there is no profile of how %s works at that level",
                         trial->plan.database->title);
    watcher_init(&trial->watcher, &options);
    trial->is_watching = true;
    return watcher_add_stream(&trial->watcher, "the clients", false, &stream, err);
}

static enum status watch(void *context, struct text lines, bool *is_enough, struct error *err)
{
    struct record_trial *trial = context;

    if (lines.length > 0)
        TRY(watcher_feed(&trial->watcher, WATCH_STREAM, lines, err));
    if (trial->found_ns == 0 && trial->watcher.model.findings.count > 0)
        trial->found_ns = wall_clock_ns() - trial->began_ns;
    *is_enough = trial->found_ns > 0;
    return STATUS_OK;
}

static enum status end_watching(struct record_trial *trial, struct error *err)
{
    bool is_enough;

    TRY(watcher_end(&trial->watcher, WATCH_STREAM, false, err));
    TRY(watcher_finish(&trial->watcher, err));
    return watch(trial, (struct text){ NULL, 0 }, &is_enough, err);
}

static enum status record(struct record_trial *trial, struct error *err)
{
    if (!trial->watches)
        return record_run(&trial->recording, &trial->plan, err);
    TRY(begin_watching(trial, err));
    trial->plan.watch = watch;
    trial->plan.watch_context = trial;
    trial->began_ns = wall_clock_ns();
    TRY(record_run(&trial->recording, &trial->plan, err));
    return end_watching(trial, err);
}

static const char *const unseen = "what the program's functions read is not seen: only its "
                                  "invariants were judged, not its isolation";

static void leave_unjudged(struct record_trial *trial, const char *reason)
{
    trial->jury = (struct jury){ .level = trial->level, .verdict = VERDICT_UNKNOWN };
    snprintf(trial->jury.reason, sizeof trial->jury.reason, "%s", reason);
}

enum status record_trial_run(struct record_trial *trial, const struct record_trial_options *options,
                             struct error *err)
{
    int64_t until_ns = options->limit_ns ? wall_clock_ns() + options->limit_ns : 0, left_ns;

    trial->plan.stop = options->stop;
    trial->plan.progress = options->progress;
    TRY(record(trial, err));
    if (!trial->plan.workload) {
        leave_unjudged(trial, unseen);
        return STATUS_OK;
    }
    /* What was recorded until then is not what was asked for: that it is valid says nothing. */
    left_ns = until_ns ? until_ns - wall_clock_ns() : 0;
    if ((until_ns && left_ns <= 0) ||
        (options->time_is_over && atomic_load(options->time_is_over))) {
        leave_unjudged(trial, options->unfinished);
        return STATUS_OK;
    }
    TRY(judge(trial, options, left_ns, err));
    if (trial->recording.committed == 0 && trial->jury.verdict == VERDICT_VALID) {
        trial->jury.verdict = VERDICT_UNKNOWN;
        snprintf(trial->jury.reason, sizeof trial->jury.reason,
                 "nothing was committed, so that the recording shows nothing");
    }
    return STATUS_OK;
}

bool record_trial_is_unfelt(const struct record_trial *trial, enum database_fault kind)
{
    return trial->plan.faults[kind].every_ns > 0 && trial->recording.felt[kind] == 0;
}

void record_trial_doubt_unfelt(struct record_trial *trial)
{
    unsigned asked = 0, unfelt = 0;

    for (int kind = 0; kind < DATABASE_FAULT_COUNT; kind++) {
        asked += trial->plan.faults[kind].every_ns > 0;
        unfelt += record_trial_is_unfelt(trial, (enum database_fault)kind);
    }
    if (asked == 0 || unfelt < asked || trial->jury.verdict != VERDICT_VALID)
        return;
    trial->jury.verdict = VERDICT_UNKNOWN;
    snprintf(trial->jury.reason, sizeof trial->jury.reason,
             "the database felt no fault, so that the recording is no trial of any");
}

void record_trial_close(struct record_trial *trial)
{
    jury_close(&trial->jury);
    record_run_close(&trial->recording);
    if (trial->is_watching)
        watcher_close(&trial->watcher);
}

uint64_t record_trial_felt(const struct record_trial *trial, uint32_t nemesis)
{
    assert(nemesis < trial->nemesis_count);
    return trial->recording.felt[trial->nemesis_faults[nemesis]];
}

bool record_trial_has_found(const struct record_trial *trial)
{
    return trial->recording.finding_count > 0 || trial->found_ns > 0;
}

enum verdict record_trial_verdict(const struct record_trial *trial)
{
    return record_trial_has_found(trial) ? VERDICT_INVALID : trial->jury.verdict;
}
