#include "cli/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/wall_clock.h"
#include "cli/cores.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/report_prove.h"
#include "cli/report_prove_page.h"
#include "history/format.h"
#include "trial/prove/matrix.h"
#include "trial/prove/mutations.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/scenario_folder.h"
#include "trial/sweep/plan.h"
#include "trial/sweep/sweep_work.h"
#include "trial/sweep/workers.h"

#define SEEDS 100   /* of a bug, unless given */
#define ROUNDS 10   /* as many times, while somebody who must see it has not */
#define CLEAN 1000  /* clean runs, at least, unless given */
#define WAIT_MS 200 /* between two looks at the bar */
#define RECORDING (UINT64_C(1) << 63) /* of a job: its number is that of a recording */

struct prove_values {
    const char *bug, *out;
    struct option_number seeds, clean, workers;
    bool mutate, force, json;
};

#define AT(field) offsetof(struct prove_values, field)

static const struct option prove_rows[] = {
    { .name = "bug", .argument = "B", .kind = OPTION_TEXT, .offset = AT(bug), .choices = bug_names,
      .help = "this bug alone, and its scenario without it" },
    { .name = "seeds", .argument = "N", .kind = OPTION_NUMBER, .offset = AT(seeds), .low = 1,
      .high = 1000000,
      .help = "seeds of each bug, 100 unless given; up to ten times as many\n"
              "while a checker that must see it has not" },
    { .name = "clean", .argument = "N", .kind = OPTION_NUMBER, .offset = AT(clean), .low = 0,
      .high = 100000000, .help = "clean runs beside, 1000 unless given" },
    { .name = "mutate", .kind = OPTION_FLAG, .offset = AT(mutate),
      .help = "also changes recorded small histories, eight for each seed, and\n"
              "shows what each checker misses" },
    { .letter = 'j', .argument = "N", .kind = OPTION_NUMBER, .offset = AT(workers), .low = 1,
      .high = WORKERS_MAX, .help = "so many processes at a time; the machine's cores unless given" },
    { .name = "out", .argument = "DIR", .kind = OPTION_TEXT, .offset = AT(out),
      .help = "write prove.json and matrix.md, the page, into this folder,\n"
              "which must be new or empty" },
    { .name = "force", .kind = OPTION_FLAG, .offset = AT(force),
      .help = "let --out replace what is left in a folder; other files stay" },
    { .name = "json", .kind = OPTION_FLAG, .offset = AT(json),
      .help = "print one JSON object" },
};

/* The subjects of the plan are the rows of the matrix, and behind them the clean scenarios. */
struct prove {
    const struct prove_values *values;
    struct plan plan;
    struct matrix matrix;
    struct mutations mutations;
    struct workers workers;
    struct sweep_work work;
    ARRAY(uint64_t) jobs; /* by the number that the workers have for them */
    size_t handed;        /* jobs that the workers have */
    struct progress_bar bar;
    uint64_t done;
    uint64_t seeds, clean_seeds;
};

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
    char path[FOLDER_PATH_SIZE + 100];

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
        char path[FOLDER_PATH_SIZE + 300];
        snprintf(path, sizeof path, "%s/%s", folder, names.names.at[i]);
        status = load_clean(prove, path, NULL, room, err);
    }
    scenario_folder_close(&names);
    return status;
}

static enum status load_all(struct prove *prove, struct error *err)
{
    const char *only = prove->values->bug;
    char folder[FOLDER_PATH_SIZE];
    char path[FOLDER_PATH_SIZE + 100];
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
    for (uint64_t seed = round * prove->seeds + 1; seed <= (round + 1) * prove->seeds; seed++)
        for (size_t i = 0; i < prove->matrix.rows.count; i++)
            if (prove->matrix.rows.at[i].runs < seed &&
                (round == 0 || matrix_misses(&prove->matrix, &prove->matrix.rows.at[i])))
                TRY(add_job(prove, i, seed, err));
    return STATUS_OK;
}

static enum status add_recordings(struct prove *prove, struct error *err)
{
    for (uint64_t i = 0; prove->values->mutate && i < mutations_recordings(prove->seeds); i++)
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

static enum status work_off(struct prove *prove, struct error *err)
{
    struct progress progress = progress_bar_listener(&prove->bar);
    const struct work *work = NULL;

    for (;;) {
        TRY(hand_jobs(prove, err));
        if (workers_pending(&prove->workers) == 0)
            return STATUS_OK;
        TRY(workers_next(&prove->workers, WAIT_MS, &work, err));
        if (work)
            TRY(take_work(prove, work, err));
        progress_report(&progress, prove->done, prove->jobs.count);
    }
}

static enum status run_rounds(struct prove *prove, struct error *err)
{
    TRY(add_clean_jobs(prove, err));
    TRY(add_recordings(prove, err));
    for (unsigned round = 0; round < ROUNDS; round++) {
        TRY(add_round(prove, round, err));
        if (prove->handed == prove->jobs.count)
            break;
        TRY(work_off(prove, err));
    }
    matrix_sort(&prove->matrix);
    return STATUS_OK;
}

static enum status run_all(struct prove *prove, struct error *err)
{
    struct workers_options options = {
        .count = prove->values->workers.given ? (unsigned)prove->values->workers.value
                                              : cores_count(),
        .work = work_do,
        .context = &prove->work,
    };
    enum status status;

    if (options.count > WORKERS_MAX)
        options.count = WORKERS_MAX;
    prove->work = (struct sweep_work){ .plan = &prove->plan, .is_sure = true };
    prove->plan.seed_first = 1;
    prove->plan.seed_last = SEED_MAX;
    prove->plan.shard_count = 1;
    progress_bar_begin(&prove->bar, "proving", "runs");
    status = workers_open(&prove->workers, &options, err);
    if (status == STATUS_OK)
        status = run_rounds(prove, err);
    progress_bar_end(&prove->bar);
    workers_close(&prove->workers);
    return status;
}

/* --- The whole -------------------------------------------------------------------------------- */

static void print_command(const struct prove_values *values, struct buffer *out)
{
    buffer_text(out, TEXT("ordeal prove"));
    if (values->bug)
        buffer_print(out, " --bug %s", values->bug);
    if (values->seeds.given)
        buffer_print(out, " --seeds %" PRId64, values->seeds.value);
    if (values->clean.given)
        buffer_print(out, " --clean %" PRId64, values->clean.value);
    if (values->mutate)
        buffer_text(out, TEXT(" --mutate"));
    buffer_text(out, TEXT(" --out DIR"));
    buffer_byte(out, '\0');
}

/* The first that a checker missed or accused, to be looked at. */
static enum status write_mutant(const struct prove *prove, unsigned checker, enum mutant_end end,
                                const char *folder, struct error *err)
{
    struct buffer path = { 0 };
    struct sketch *sketch = malloc(sizeof *sketch);
    struct history history;
    enum level level;
    bool is_made = false;
    enum status status = sketch ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory");

    if (status == STATUS_OK)
        status = mutations_make(&prove->mutations.first[checker][end], sketch, &level, &is_made,
                                err);
    if (status == STATUS_OK && is_made)
        status = sketch_build(sketch, end == MUTANT_MISSED, &history, err);
    if (status == STATUS_OK && is_made) {
        buffer_print(&path, "%s/%s-%s.jsonl", folder,
                     end == MUTANT_MISSED ? "missed" : "accused", checkers_all()[checker]->name);
        buffer_byte(&path, '\0');
        status = buffer_status(&path, err);
        if (status == STATUS_OK)
            status = format_write_history(&history, FORMAT_JSONL, path.at, NULL, err);
        history_close(&history);
    }
    buffer_close(&path);
    free(sketch);
    return status;
}

static enum status write_mutants(const struct prove *prove, const char *folder,
                                 struct error *err)
{
    for (unsigned i = 0; checkers_all()[i] && i < JURY_MAX; i++) {
        if (mutations_count(&prove->mutations, i, MUTANT_MISSED) > 0)
            TRY(write_mutant(prove, i, MUTANT_MISSED, folder, err));
        if (mutations_count(&prove->mutations, i, MUTANT_ACCUSED) > 0)
            TRY(write_mutant(prove, i, MUTANT_ACCUSED, folder, err));
    }
    return STATUS_OK;
}

static enum status write_files(const struct prove *prove, struct prove_report *report,
                               const struct buffer *json, const char *folder, struct error *err)
{
    struct buffer page = { 0 }, command = { 0 };
    enum status status;

    print_command(prove->values, &command);
    report->command = command.at;
    status = buffer_status(&command, err);
    if (status == STATUS_OK)
        status = report_prove_page(report, &page, err);
    if (status == STATUS_OK)
        status = folder_write(folder, "prove.json", json, err);
    if (status == STATUS_OK)
        status = folder_write(folder, "matrix.md", &page, err);
    if (status == STATUS_OK && prove->values->mutate)
        status = write_mutants(prove, folder, err);
    buffer_close(&page);
    buffer_close(&command);
    return status;
}

static enum status write_folder(const struct prove *prove, struct prove_report *report,
                                const struct buffer *json, struct error *err)
{
    struct folder_draft draft;
    enum status status;

    TRY(folder_draft_open(&draft, prove->values->out, err));
    status = write_files(prove, report, json, draft.at, err);
    if (status == STATUS_OK)
        status = folder_draft_commit(&draft, prove->values->force, err);
    folder_draft_close(&draft);
    return status;
}

static enum status say(const struct prove *prove, struct prove_report *report, struct error *err)
{
    struct buffer json = { 0 }, text = { 0 };
    enum status status = report_prove_print_json(report, &json, err);

    if (status == STATUS_OK && prove->values->out)
        status = write_folder(prove, report, &json, err);
    if (status == STATUS_OK && !prove->values->json)
        status = report_prove_print(report, &text, err);
    if (status == STATUS_OK)
        status = output_print(prove->values->json ? &json : &text, err);
    buffer_close(&json);
    buffer_close(&text);
    return status;
}

static enum status prove_all(struct prove *prove, enum exit_code *code, struct error *err)
{
    int64_t began_ns = wall_clock_ns();
    uint64_t clean = prove->values->clean.given ? (uint64_t)prove->values->clean.value
                     : prove->values->bug       ? (uint64_t)prove->seeds
                                                : CLEAN;
    struct prove_report report = {
        .matrix = &prove->matrix,
        .mutations = prove->values->mutate ? &prove->mutations : NULL,
        .seeds = prove->seeds,
    };

    TRY(load_all(prove, err));
    if (prove->values->out)
        TRY(folder_claim(prove->values->out, prove->values->force, err)); /* better known before */
    if (prove->matrix.clean.count > 0)
        prove->clean_seeds = (clean + prove->matrix.clean.count - 1) / prove->matrix.clean.count;
    TRY(run_all(prove, err));
    report.wall_ns = wall_clock_ns() - began_ns;
    TRY(say(prove, &report, err));
    *code = command_exit_of_verdict(report_prove_verdict(&report));
    return STATUS_OK;
}

static enum status run(const void *given, enum exit_code *code, struct error *err)
{
    const struct prove_values *values = given;
    struct prove prove = { .values = values,
                           .seeds = values->seeds.given ? (uint64_t)values->seeds.value : SEEDS };
    enum status status;

    matrix_init(&prove.matrix);
    mutations_init(&prove.mutations);
    status = prove_all(&prove, code, err);
    array_close(&prove.jobs);
    matrix_close(&prove.matrix);
    plan_close(&prove.plan);
    return status;
}

const struct command command_prove = {
    .summary = "shows which checker sees which bug, and that none sees what is not there",
    .description =
        "Runs the scenario of every bug in the catalogue over many seeds, and every scenario that\n"
        "is clean, and has all checkers judge all of it. The table says in how many of a hundred\n"
        "runs each saw the bug, how many seeds it takes until the best of them does (median and\n"
        "ninetieth percentile), and as what.\n"
        "Exits with 1 if somebody missed a bug that the catalogue expects him to see, or found\n"
        "something in a clean run; with 3 if nobody saw some bug as those who must are no checkers\n"
        "of this program.\n",
    .example = "  ordeal prove --bug upgrade-race\n"
               "  ordeal prove --seeds 200 --out out/matrix\n",
    .options = { "prove", prove_rows, ROW_COUNT(prove_rows), sizeof(struct prove_values) },
    .run = run,
};
