/*
 * Audits of long logs, beside the figures of "Checking Observational Correctness of Database Systems".
 *
 * A log is that of a database that does one call after another, with 16 clients whose calls overlap in time; or, if it
 * is asked for, of a PostgreSQL that 16 clients call at once. Each row is a process of its own: it reads the
 * log from a file, audits it, and writes the witness.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit.h"
#include "bench/bench.h"
#include "checkers/checker.h"
#include "history/io/source.h"
#include "record/record.h"
#include "tests/audit/called_log.h"
#include "tests/audit/key_value_log.h"

#define TRANSACTIONS 100000
#define RUNS_PER_TXN 16 /* an audit of a recorded log gives up after so many */
#define PATH_BYTES 200

/* --- Logs ---------------------------------------------------------------------------------------------- */

/* A log and what it is to be audited at. */
struct audited_log {
    const struct called_program *called;
    const char *path;
    uint64_t transactions;
    enum level level;
    bool is_recorded;
};

static enum status write_recorded_log(const struct audited_log *log, FILE *file, struct error *err)
{
    struct record_plan plan = {
        .database = database_find(text_of("postgres")),
        .how = { .isolation = log->level, .clients = CALLED_LOG_CLIENTS, .certifies = true },
        .program = { .path = log->called->path,
                     .load = "load(2)",
                     .calls = log->called->calls,
                     .call_count = log->called->call_count },
        .transactions = log->transactions,
    };
    struct recorded_run run;
    enum status status;

    TRY(record_plan_settle(&plan, err));
    status = record_run(&run, &plan, err);
    if (status == STATUS_OK)
        fwrite(run.audit_log.at, 1, run.audit_log.count, file);
    record_run_close(&run);
    return status;
}

static enum status put_line(void *file, struct text line, struct error *err)
{
    return fwrite(line.at, 1, line.length, file) == line.length ? STATUS_OK
                                                               : error_set(err, STATUS_IO, "the log cannot be written");
}

static void write_log(const void *context)
{
    const struct audited_log *log = context;
    const struct called_log_spec spec = { .called = log->called, .transactions = log->transactions };
    FILE *file = fopen(log->path, "wb");
    struct error err;
    enum status status;

    if (!file) {
        printf("%s: cannot be written\n", log->path);
        return;
    }
    status = log->is_recorded ? write_recorded_log(log, file, &err)
                              : called_log_make(&spec, NULL, put_line, file, &err);
    if (status != STATUS_OK)
        printf("%s: %s\n", log->called->name, err.text);
    fclose(file);
}

/* --- Audits --------------------------------------------------------------------------------------------- */

static enum status read_log(const char *path, struct call_log *log, struct error *err)
{
    struct source source;
    enum status status = source_open(&source, path, NULL, err);

    if (status == STATUS_OK)
        status = call_log_read(log, &source, err);
    source_close(&source);
    return status;
}

static enum status audit(const struct audited_log *job, struct audit_verdict *verdict,
                         struct error *err)
{
    const struct audit_options options = {
        .level = job->level,
        .wants_witness = true,
        .runs_max = job->is_recorded ? RUNS_PER_TXN * job->transactions : 0
    };
    struct program program = { .code = NULL };
    struct call_log log;
    enum status status;

    TRY(program_load_file(&program, job->called->path, err));
    status = read_log(job->path, &log, err);
    if (status == STATUS_OK)
        status = audit_run(&log, &program, &options, verdict, err);
    call_log_close(&log);
    program_close(&program);
    return status;
}

static void print_audit(const void *context)
{
    const struct audited_log *job = context;
    struct audit_verdict v = { .verdict = VERDICT_UNKNOWN };
    double from = bench_cpu_seconds();
    struct error err;
    FILE *witness = tmpfile();
    enum status status = audit(job, &v, &err);

    if (witness && v.witness.count > 0)
        fwrite(v.witness.at, 1, v.witness.count, witness);
    if (witness)
        fclose(witness);
    if (status != STATUS_OK)
        printf("| %s | %s\n", job->called->name, err.text);
    else
        printf("| %-9s | %-19s | %8" PRIu64 " | %-7s | %6.2f s | %4ld MB | %6.3f |\n",
               job->called->name, level_name(job->level), v.counts.txns,
               checker_verdict_name(v.verdict), bench_cpu_seconds() - from,
               bench_peak_megabytes(),
               v.counts.txns > 0 ? (double)v.counts.runs / (double)v.counts.txns : 0);
    audit_verdict_close(&v);
}

static void print_head(void)
{
    printf("| %-9s | %-19s | %8s | %-7s | %8s | %7s | %6s |\n", "log", "level", "txns", "verdict",
           "cpu", "peak", "runs");
    printf("|---|---|---|---|---|---|---|\n");
}

static void measure_log(struct audited_log *job, const enum level *levels, uint32_t count)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_BYTES];
    int file;

    snprintf(path, sizeof path, "%s/ordeal-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    file = mkstemp(path);
    if (file < 0) {
        printf("%s: no file for a log\n", job->called->name);
        return;
    }
    close(file);
    job->path = path;
    bench_in_child(write_log, job);
    for (uint32_t i = 0; i < count; i++) {
        job->level = levels[i];
        bench_in_child(print_audit, job);
    }
    unlink(path);
}

/* --- Few keys and values ------------------------------------------------------------------------------------ */

#define SMALL_LOGS 100

struct small_logs {
    const char *name;
    struct key_value_spec spec;
};

static enum status audit_small(const struct key_value_spec *spec, struct buffer *text, struct audit_verdict *verdict,
                               struct error *err)
{
    const struct audit_options options = { .level = LEVEL_READ_COMMITTED, .wants_witness = true };
    struct program program = { .code = NULL };
    struct call_log log = { .initial = INITIAL_EMPTY };
    struct source source;
    enum status status;

    key_value_log(spec, text);
    TRY(program_load(&program, text_of(KEY_VALUE_PROGRAM), err));
    status = source_open_memory(&source, "log", text->at, text->count - 1, err);
    if (status == STATUS_OK)
        status = call_log_read(&log, &source, err);
    source_close(&source);
    if (status == STATUS_OK)
        status = audit_run(&log, &program, &options, verdict, err);
    call_log_close(&log);
    program_close(&program);
    return status;
}

/* How many are decided, and in what time; that of making and reading them is in it. */
static void print_small(const void *context)
{
    const struct small_logs *logs = context;
    unsigned verdicts[VERDICT_UNKNOWN + 1] = { 0 };
    double slowest = 0, from = bench_cpu_seconds();
    struct buffer text = { 0 };
    struct error err;

    for (unsigned i = 0; i < SMALL_LOGS; i++) {
        struct audit_verdict v = { .verdict = VERDICT_UNKNOWN };
        struct key_value_spec spec = logs->spec;
        double began = bench_cpu_seconds();

        spec.seed = i + 1;
        if (audit_small(&spec, &text, &v, &err) != STATUS_OK)
            printf("| %s | %s\n", logs->name, err.text);
        verdicts[v.verdict]++;
        audit_verdict_close(&v);
        slowest = bench_cpu_seconds() - began > slowest ? bench_cpu_seconds() - began : slowest;
    }
    printf("| %-30s | %5u | %7u | %7u | %5.1f ms | %5.1f ms |\n", logs->name, verdicts[VERDICT_VALID],
           verdicts[VERDICT_INVALID], verdicts[VERDICT_UNKNOWN], 1000 * (bench_cpu_seconds() - from) / SMALL_LOGS,
           1000 * slowest);
    buffer_close(&text);
}

static void measure_small(void)
{
    static const struct small_logs all[] = {
        { "10 keys, 100 values", { .txns = 50, .keys = 10, .values = 100, .clients = 8 } },
        { "10 keys, 100 values, changed",
          { .txns = 50, .keys = 10, .values = 100, .clients = 8, .change = KEY_VALUE_OTHER } },
        { "3 keys, 5 values", { .txns = 50, .keys = 3, .values = 5, .clients = 8 } },
        { "3 keys, 5 values, changed",
          { .txns = 50, .keys = 3, .values = 5, .clients = 8, .change = KEY_VALUE_OTHER } },
        { "3 keys, 5 values, times", { .txns = 50, .keys = 3, .values = 5, .clients = 8, .has_times = true } },
        { "3 keys, 5 values, times, changed",
          { .txns = 50, .keys = 3, .values = 5, .clients = 8, .has_times = true, .change = KEY_VALUE_OTHER } },
    };

    printf("\n| 100 logs of 50, read-committed | valid | invalid | unknown | cpu each | slowest |\n");
    printf("|---|---|---|---|---|---|\n");
    printf("| the paper's, by Troubadour     |   100 |       - |       0 |    9.3 s |       - |\n");
    printf("| the paper's, by Elle           |    47 |       - |      53 |    2.9 s |       - |\n");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        bench_in_child(print_small, &all[i]);
}

static const enum level all_levels[] = { LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT,
                                         LEVEL_READ_COMMITTED };
static const enum level strict_snapshot[] = { LEVEL_STRICT_SNAPSHOT };

void bench_audit(void)
{
    struct audited_log reads = { .called = &called_programs[CALLED_BALANCES], .transactions = 1000000 };
    struct audited_log bank = { .called = &called_programs[CALLED_BANK], .transactions = 1096548 };
    struct audited_log tpcc = { .called = &called_programs[CALLED_TPCC], .transactions = 60022 };

    print_head();
    for (size_t i = 0; i < CALLED_MIXES; i++) {
        struct audited_log job = { .called = &called_programs[i], .transactions = TRANSACTIONS };

        measure_log(&job, all_levels, sizeof all_levels / sizeof *all_levels);
    }
    measure_log(&reads, all_levels, 1);
    measure_log(&bank, strict_snapshot, 1);
    measure_log(&tpcc, strict_snapshot, 1);
    measure_small();
}

void bench_audit_record(void)
{
    print_head();
    for (size_t i = 0; i < CALLED_MIXES; i++)
        for (size_t k = 0; k < sizeof all_levels / sizeof *all_levels; k++) {
            struct audited_log job = { .called = &called_programs[i],
                                       .transactions = TRANSACTIONS,
                                       .level = all_levels[k],
                                       .is_recorded = true };

            measure_log(&job, &all_levels[k], 1);
        }
}
