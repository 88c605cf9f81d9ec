/*
 * Tables 3 to 7 of the IsoPredict paper (bench/predict_paper.h) with our programs, beside its figures.
 *
 * Each program runs ten times on the directed store, reading the latest: that is what is observed. Then it is asked
 * what the same clients could have seen at a weaker level; and what is predicted is executed. Time is of processors.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/bench.h"
#include "bench/predict_paper.h"
#include "bench/predict_run.h"

#define SESSIONS 3
#define CHANCE_RUNS 100
#define ROW_PATIENCE 3 /* a row is over after so many times the time that one prediction may take */
#define Z3_SECONDS 2.0 /* for one prediction, */
#define Z3_ROW_SECONDS 2.5 /* and for all of a row: those that are begun before it is over */
#define COMPLAINT_BYTES 600

static const char *const programs[] = { "smallbank", "voter",   "tpcc",
                                        "wikipedia", "twitter", "rubis" };
#define PROGRAMS (sizeof programs / sizeof *programs)
#define PAPER_PROGRAMS 4
#define SIZES 2

static const uint32_t transactions_of[SIZES] = { PREDICT_SMALL, PREDICT_LARGE };

/* Predictions, and how many of them were found not to be serializable when they were executed. */
struct tally {
    unsigned predicted, validated;
};

struct bench_predict {
    struct observed_run *runs; /* by program, size and seed */
    unsigned validated_percent[PROGRAMS][SIZES][LEVEL_COUNT][STRATEGY_COUNT];
    struct tally papers[STRATEGY_COUNT],
        all[STRATEGY_COUNT]; /* at the paper's levels, its programs; and of all */
    ARRAY(char *) complaints;
};

/* What ten runs of a program came to. */
struct row {
    unsigned asked, unknown, none, predicted, validated, diverged, not_reproduced;
    double literals, generate_seconds, predicted_seconds, none_seconds, slowest_seconds;
};

static double patience_seconds(void)
{
    const char *given = getenv("BENCH_SECONDS");

    return given && atof(given) > 0 ? atof(given) : 2;
}

static struct observed_run *run_of(const struct bench_predict *b, size_t program, size_t size,
                                   unsigned seed)
{
    return &b->runs[(program * SIZES + size) * PREDICT_SEEDS + seed];
}

/* --- Table 3 ---------------------------------------------------------------------------------------------- */

static bool has_written(const struct dataflow *trace, uint32_t txn)
{
    for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++)
        if (!dataflow_is_read(trace->events[e]))
            return true;
    return false;
}

static void print_observed(const struct bench_predict *b, size_t program, size_t size)
{
    double reads = 0, writes = 0, committed = 0, read_only = 0;

    for (unsigned seed = 0; seed < PREDICT_SEEDS; seed++) {
        const struct observed_run *run = run_of(b, program, size, seed);

        reads += (double)run->trial.counts.reads;
        committed += run->trace.txn_count;
        for (uint32_t txn = 0; txn < run->trace.txn_count; txn++)
            read_only += !has_written(&run->trace, txn);
        for (uint32_t e = 0; e < run->trace.event_count; e++)
            writes += !dataflow_is_read(run->trace.events[e]);
    }
    printf("| %-9s | %2u | %7.1f | %6.1f | %4.1f | %4.1f |\n", programs[program],
           transactions_of[size], reads / PREDICT_SEEDS, writes / PREDICT_SEEDS,
           committed / PREDICT_SEEDS, read_only / PREDICT_SEEDS);
}

static void print_all_observed(const struct bench_predict *b)
{
    printf("Table 3: rows that are read and written, transactions that committed, and those of "
           "them that only read\n\n"
           "| program | asked for | reads | writes | committed | read-only "
           "|\n|---|---|---|---|---|---|\n");
    for (size_t program = 0; program < PROGRAMS; program++)
        for (size_t size = 0; size < SIZES; size++)
            print_observed(b, program, size);
}

static enum status observe(struct bench_predict *b, struct error *err)
{
    b->runs = calloc(PROGRAMS * SIZES * PREDICT_SEEDS, sizeof *b->runs);
    if (!b->runs)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for runs");
    for (size_t program = 0; program < PROGRAMS; program++)
        for (size_t size = 0; size < SIZES; size++)
            for (unsigned seed = 0; seed < PREDICT_SEEDS; seed++)
                TRY(observed_run_make(run_of(b, program, size, seed),
                                      &(struct predict_work){ programs[program],
                                                              transactions_of[size], SESSIONS,
                                                              seed + 1 },
                                      err));
    return STATUS_OK;
}

/* --- Tables 4 and 5 ------------------------------------------------------------------------------------------ */

static enum status complain(struct bench_predict *b, size_t program, size_t size, unsigned seed,
                            const struct predict_task *task, const char *reason, struct error *err)
{
    char *text = malloc(COMPLAINT_BYTES);

    if (!text)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a reason");
    snprintf(text, COMPLAINT_BYTES, "| %s | %u | %u | %s | %s | %s | %s |", programs[program],
             transactions_of[size], seed + 1, level_name(task->level),
             predict_strategy_name(task->strategy), task->engine == PREDICT_Z3 ? "z3" : "native",
             reason);
    return array_push(&b->complaints, text, err);
}

static void count(struct row *row, const struct predicted *p)
{
    double seconds = p->generate_seconds + p->solve_seconds;

    row->asked++;
    row->unknown += p->kind == PREDICTION_UNKNOWN;
    row->none += p->kind == PREDICTION_NONE;
    row->predicted += p->kind == PREDICTION_FOUND;
    row->validated += p->is_validated && p->validation != VALIDATION_NOT_REPRODUCED;
    row->diverged += p->is_validated && p->validation == VALIDATION_DIVERGED;
    row->not_reproduced += p->is_validated && p->validation == VALIDATION_NOT_REPRODUCED;
    row->literals += (double)p->literals;
    row->generate_seconds += p->kind == PREDICTION_UNKNOWN ? 0 : p->generate_seconds;
    row->slowest_seconds = seconds > row->slowest_seconds ? seconds : row->slowest_seconds;
    if (p->kind == PREDICTION_FOUND)
        row->predicted_seconds += p->solve_seconds;
    if (p->kind == PREDICTION_NONE)
        row->none_seconds += p->solve_seconds;
}

static enum status fill_row(struct bench_predict *b, size_t program, size_t size,
                            const struct predict_task *task, double seconds_max, struct row *row,
                            struct error *err)
{
    double from = bench_seconds();

    *row = (struct row){ 0 };
    for (unsigned seed = 0; seed < PREDICT_SEEDS && bench_seconds() - from < seconds_max; seed++) {
        struct predicted p;

        TRY(predict_from(run_of(b, program, size, seed), task, &p, err));
        count(row, &p);
        if (p.reason[0])
            TRY(complain(b, program, size, seed, task, p.reason, err));
    }
    return STATUS_OK;
}

static void print_mean(double sum, unsigned count, double unit, const char *end)
{
    if (count > 0)
        printf("%9.3f%s", sum / count * unit, end);
    else
        printf("%9s%s", "–", end);
}

static void print_seconds(double seconds, const char *end)
{
    if (seconds < 0)
        printf("–%s", end);
    else
        printf("%.1f%s", seconds, end);
}

/* "6 / 4, 4 (0) | 140 K | 8.8 + 13.9 / 11.3" */
static void print_paper(const struct paper_prediction *paper)
{
    if (!paper) {
        printf(" | | |\n");
        return;
    }
    printf(" %d / %d / %d, %d (%d) | %.0f K | ", paper->unknown, paper->none, paper->predicted,
           paper->validated, paper->diverged, paper->thousand_literals);
    print_seconds(paper->generate_seconds, " + ");
    print_seconds(paper->predicted_seconds, " / ");
    print_seconds(paper->none_seconds, " |\n");
}

static void print_row(size_t program, size_t size, const struct predict_task *task,
                      const struct row *row)
{
    printf("| %-9s | %2u | %-14s | %2u | %u / %u / %u, %u (%u) | %8.0f | ", programs[program],
           transactions_of[size], predict_strategy_name(task->strategy), row->asked, row->unknown,
           row->none, row->predicted, row->validated, row->diverged,
           row->asked > 0 ? row->literals / row->asked : 0);
    print_mean(row->generate_seconds, row->none + row->predicted, 1e3, " + ");
    print_mean(row->predicted_seconds, row->predicted, 1e3, " / ");
    print_mean(row->none_seconds, row->none, 1e3, " |");
    printf(" %9.3f |", row->slowest_seconds * 1e3);
    print_paper(paper_prediction(programs[program], size == 1, task->level, task->strategy));
    fflush(stdout);
}

static void print_head(const char *title, enum level level)
{
    printf("\n%s: %s. Unknown / none / predicted, validated (diverged); generating + solving, "
           "predicted / none\n\n",
           title, level_name(level));
    printf("| program | transactions | strategy | runs | outcome | literals | ms | slowest, ms | "
           "paper | literals | s |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void add_to_tallies(struct bench_predict *b, size_t program, const struct predict_task *task,
                           const struct row *row)
{
    bool is_papers = program < PAPER_PROGRAMS &&
                     (task->level == LEVEL_CAUSAL || task->level == LEVEL_READ_COMMITTED);

    b->all[task->strategy].predicted += row->predicted;
    b->all[task->strategy].validated += row->validated;
    if (is_papers) {
        b->papers[task->strategy].predicted += row->predicted;
        b->papers[task->strategy].validated += row->validated;
    }
}

/* A row for each program, size and strategy. */
static enum status predict_at(struct bench_predict *b, const char *title, enum level level,
                              struct error *err)
{
    print_head(title, level);
    for (size_t size = 0; size < SIZES; size++)
        for (size_t program = 0; program < PROGRAMS; program++)
            for (enum predict_strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++) {
                struct predict_task task = { .level = level,
                                             .strategy = strategy,
                                             .seconds_max = patience_seconds(),
                                             .validates = true };
                struct row row;

                if (strategy == STRATEGY_APPROX_STRICT &&
                    (level != LEVEL_CAUSAL && level != LEVEL_READ_COMMITTED))
                    continue; /* the same as exact-strict, and no paper to stand beside */
                TRY(fill_row(b, program, size, &task, ROW_PATIENCE * task.seconds_max, &row, err));
                b->validated_percent[program][size][level][strategy] =
                    100 * row.validated / row.asked;
                add_to_tallies(b, program, &task, &row);
                print_row(program, size, &task, &row);
            }
    return STATUS_OK;
}

static enum status predict_by_z3(struct bench_predict *b, enum level level, struct error *err)
{
    print_head("The engine z3", level);
    for (size_t program = 0; program < PAPER_PROGRAMS; program++)
        for (enum predict_strategy strategy = 0; strategy < STRATEGY_SEMANTIC; strategy++) {
            struct predict_task task = { .level = level,
                                         .strategy = strategy,
                                         .engine = PREDICT_Z3,
                                         .seconds_max = Z3_SECONDS,
                                         .validates = true };
            struct row row;

            TRY(fill_row(b, program, 0, &task, Z3_ROW_SECONDS, &row, err));
            print_row(program, 0, &task, &row);
        }
    return STATUS_OK;
}

/* --- Tables 6 and 7 --------------------------------------------------------------------------------------------- */

struct chance {
    unsigned failed, unserializable, unknown;
    double reads, seconds;
};

static enum status run_by_chance(size_t program, size_t size, enum level level, struct chance *c,
                                 struct error *err)
{
    *c = (struct chance){ 0 };
    for (unsigned seed = 1; seed <= CHANCE_RUNS; seed++) {
        struct predict_work work = { programs[program], transactions_of[size], SESSIONS, seed };
        struct director_trial trial;
        struct scenario scenario;
        enum status status = directed_by_chance(&scenario, &trial, &work, level, err);

        if (status == STATUS_OK) {
            c->failed += trial.finding_count > 0;
            c->unserializable +=
                trial.has_serializable && trial.serializable.verdict == VERDICT_INVALID;
            c->unknown += !trial.has_serializable || trial.serializable.verdict == VERDICT_UNKNOWN;
            c->reads += (double)trial.counts.reads;
            c->seconds += (double)trial.ran_ns * 1e-9;
        }
        director_trial_close(&trial);
        scenario_close(&scenario);
        TRY(status);
    }
    return STATUS_OK;
}

static void print_chance(const struct bench_predict *b, size_t program, size_t size,
                         enum level level, const struct chance *c)
{
    const struct paper_chance *paper = paper_chance(programs[program], size == 1, level);
    enum predict_strategy best =
        level == LEVEL_CAUSAL ? STRATEGY_APPROX_RELAXED : STRATEGY_APPROX_STRICT;

    printf("| %-9s | %2u | %3u%% | %3u%% | %3u%% | %3u%% | %3u%% | %7.0f |", programs[program],
           transactions_of[size], c->failed, c->unserializable, c->unknown,
           b->validated_percent[program][size][level][best],
           b->validated_percent[program][size][level][STRATEGY_SEMANTIC],
           c->seconds > 0 ? c->reads / c->seconds : 0);
    if (paper)
        printf(" %d%% | %d%% | %d%% |", paper->failed, paper->unserializable, paper->isopredict);
    else
        printf(" | | |");
    if (paper && paper->mysql_failed >= 0)
        printf(" %d%% |\n", paper->mysql_failed);
    else
        printf(" |\n");
    fflush(stdout);
}

static enum status compare_with_chance(const struct bench_predict *b, const char *title,
                                       enum level level, struct error *err)
{
    printf("\n%s: %s. By chance in %u runs: an invariant failed, not serializable, not known; "
           "predicted and "
           "validated, by %s and by semantic\n\n"
           "| program | transactions | failed | not serializable | unknown | predicted | semantic "
           "| reads/s "
           "| MonkeyDB failed | not serializable | IsoPredict | MySQL failed |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
           title, level_name(level), CHANCE_RUNS,
           level == LEVEL_CAUSAL ? "approx-relaxed" : "approx-strict");
    for (size_t size = 0; size < SIZES; size++)
        for (size_t program = 0; program < PROGRAMS; program++) {
            struct chance chance;

            TRY(run_by_chance(program, size, level, &chance, err));
            print_chance(b, program, size, level, &chance);
        }
    return STATUS_OK;
}

/* --- All of it ---------------------------------------------------------------------------------- */

static void print_tallies(const struct bench_predict *b)
{
    printf("\nValidated of predicted, native engine (the paper: 206 of 207 by both strict "
           "strategies, 325 of 328 in all)\n\n"
           "| strategy | tables 4 and 5, the paper's programs | all levels, all programs "
           "|\n|---|---|---|\n");
    for (enum predict_strategy strategy = 0; strategy < STRATEGY_COUNT; strategy++)
        printf("| %-14s | %3u of %3u | %3u of %3u |\n", predict_strategy_name(strategy),
               b->papers[strategy].validated, b->papers[strategy].predicted,
               b->all[strategy].validated, b->all[strategy].predicted);
}

static void print_complaints(const struct bench_predict *b)
{
    printf("\nUnknown or not reproduced: %zu\n\n", b->complaints.count);
    if (b->complaints.count > 0)
        printf("| program | transactions | seed | level | strategy | engine | why "
               "|\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < b->complaints.count; i++)
        printf("%s\n", b->complaints.at[i]);
}

static enum status measure(struct bench_predict *b, struct error *err)
{
    TRY(observe(b, err));
    print_all_observed(b);
    TRY(predict_at(b, "Table 4", LEVEL_CAUSAL, err));
    TRY(predict_at(b, "Table 5", LEVEL_READ_COMMITTED, err));
    TRY(compare_with_chance(b, "Table 6", LEVEL_CAUSAL, err));
    TRY(compare_with_chance(b, "Table 7", LEVEL_READ_COMMITTED, err));
    TRY(predict_at(b, "Further", LEVEL_READ_ATOMIC, err));
    TRY(predict_at(b, "Further", LEVEL_PREFIX, err));
    TRY(predict_at(b, "Further", LEVEL_SNAPSHOT, err));
    TRY(predict_by_z3(b, LEVEL_CAUSAL, err));
    return predict_by_z3(b, LEVEL_READ_COMMITTED, err);
}

void bench_predict(void)
{
    struct bench_predict b = { 0 };
    struct error err;
    double from = bench_cpu_seconds();

    if (measure(&b, &err) != STATUS_OK)
        printf("not measured: %s\n", err.text);
    print_tallies(&b);
    print_complaints(&b);
    printf("\nAll of that took %.0f s of this process.\n", bench_cpu_seconds() - from);
    for (size_t i = 0; b.runs && i < PROGRAMS * SIZES * PREDICT_SEEDS; i++)
        observed_run_close(&b.runs[i]);
    for (size_t i = 0; i < b.complaints.count; i++)
        free(b.complaints.at[i]);
    array_close(&b.complaints);
    free(b.runs);
}
