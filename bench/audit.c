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
#include "history/call_log_write.h"
#include "history/io/source.h"
#include "programs/machine/engine.h"
#include "programs/workloads/calls.h"
#include "record/record.h"
#include "tests/audit/key_value_log.h"

#define CLIENTS 16
#define STEP_NS 1000
#define TRANSACTIONS 100000
#define RUNS_PER_TXN 16 /* an audit of a recorded log gives up after so many */
#define PATH_BYTES 200

#define CALL(name, its_weight, ...)                                                                \
    { .procedure = { name, sizeof name - 1 },                                                      \
      .weight = its_weight,                                                                        \
      .arguments = (const struct text[]){ __VA_ARGS__ },                                           \
      .argument_count = sizeof((const struct text[]){ __VA_ARGS__ }) / sizeof(struct text) }
#define ARGUMENT(text) { text, sizeof text - 1 }

static const struct program_call bank_calls[] = {
    CALL("deposit", 20, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 100)")),
    CALL("withdraw", 15, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 100)")),
    CALL("transfer", 40, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 20)"),
         ARGUMENT("uniform(1, 100)")),
    CALL("withdraw_overdraft", 10, ARGUMENT("uniform(1, 20)"), ARGUMENT("uniform(1, 150)")),
    CALL("balance", 15, ARGUMENT("uniform(1, 20)")),
};

static const struct program_call balance_calls[] = {
    CALL("balance", 1, ARGUMENT("uniform(1, 20)")),
};

static const struct program_call smallbank_calls[] = {
    CALL("amalgamate", 15, ARGUMENT("uniform(1, 40)"), ARGUMENT("uniform(1, 40)")),
    CALL("balance", 15, ARGUMENT("'customer' || uniform(1, 40)")),
    CALL("deposit_checking", 15, ARGUMENT("fresh"), ARGUMENT("'customer' || uniform(1, 40)"),
         ARGUMENT("1.30")),
    CALL("send_payment", 25, ARGUMENT("uniform(1, 40)"), ARGUMENT("uniform(1, 40)"),
         ARGUMENT("5.00")),
    CALL("transact_savings", 15, ARGUMENT("fresh"), ARGUMENT("'customer' || uniform(1, 40)"),
         ARGUMENT("choose(20.20, -20.20)")),
    CALL("write_check", 15, ARGUMENT("fresh"), ARGUMENT("'customer' || uniform(1, 40)"),
         ARGUMENT("5.00")),
};

static const struct program_call twitter_calls[] = {
    CALL("new_tweet", 20, ARGUMENT("fresh"), ARGUMENT("uniform(1, 40)"), ARGUMENT("'a tweet'"),
         ARGUMENT("now")),
    CALL("follow", 40, ARGUMENT("zipf(1, 40)"), ARGUMENT("zipf(1, 40)"),
         ARGUMENT("choose(true, false)"), ARGUMENT("now")),
    CALL("timeline", 10, ARGUMENT("uniform(1, 40)")),
    CALL("show_follow", 10, ARGUMENT("uniform(1, 40)")),
    CALL("show_tweets", 20, ARGUMENT("uniform(1, 40)")),
};

static const struct program_call rubis_calls[] = {
    CALL("register_user", 10, ARGUMENT("fresh"), ARGUMENT("'region ' || uniform(0, 5)"),
         ARGUMENT("'nick ' || fresh")),
    CALL("register_item", 15, ARGUMENT("fresh"), ARGUMENT("uniform(1, 40)"), ARGUMENT("'a thing'"),
         ARGUMENT("uniform(1, 100)"), ARGUMENT("uniform(1, 10)")),
    CALL("store_buy_now", 15, ARGUMENT("fresh"), ARGUMENT("uniform(1, 80)"),
         ARGUMENT("uniform(1, 40)"), ARGUMENT("uniform(1, 3)")),
    CALL("store_comment", 20, ARGUMENT("fresh"), ARGUMENT("uniform(1, 80)"),
         ARGUMENT("uniform(1, 40)"), ARGUMENT("zipf(1, 40)"), ARGUMENT("uniform(0, 5)"),
         ARGUMENT("'fine'")),
    CALL("random_browse", 40, ARGUMENT("array(5, uniform(1, 80))"),
         ARGUMENT("array(3, zipf(1, 40))")),
};

static const struct program_call tpcc_calls[] = {
    CALL("new_order", 45, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("nurand(1023, 1, 10)"), ARGUMENT("uniform(5, 15)"),
         ARGUMENT("array(15, choose(999: nurand(8191, 1, 20), 1: 0))"),
         ARGUMENT("array(15, choose(99: 0, 1: uniform(1, 2)))"),
         ARGUMENT("array(15, uniform(1, 10))"), ARGUMENT("now")),
    CALL("payment", 43, ARGUMENT("fresh"), ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("choose(85: 0, 15: uniform(1, 2))"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("choose(60: true, 40: false)"), ARGUMENT("nurand(1023, 1, 10)"),
         ARGUMENT("nurand(255, 0, 4)"), ARGUMENT("uniform(1, 5000)"), ARGUMENT("now")),
    CALL("order_status", 4, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("choose(60: true, 40: false)"), ARGUMENT("nurand(1023, 1, 10)"),
         ARGUMENT("nurand(255, 0, 4)")),
    CALL("delivery", 4, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 10)"), ARGUMENT("now")),
    CALL("stock_level", 4, ARGUMENT("uniform(1, 2)"), ARGUMENT("uniform(1, 2)"),
         ARGUMENT("uniform(10, 20)")),
};

/* What clients call. */
struct called_program {
    const char *name, *path;
    const struct program_call *calls;
    uint32_t call_count;
};

#define PROGRAM(its_name, file, its_calls)                                                         \
    { its_name, "scenarios/programs/" file ".sql", its_calls, sizeof its_calls / sizeof *its_calls }

static const struct called_program programs[] = {
    PROGRAM("bank", "bank", bank_calls),       PROGRAM("smallbank", "smallbank", smallbank_calls),
    PROGRAM("twitter", "twitter", twitter_calls), PROGRAM("rubis", "rubis", rubis_calls),
    PROGRAM("tpcc", "tpcc", tpcc_calls),
};

#define PROGRAM_COUNT (sizeof programs / sizeof *programs)

/* --- Logs ---------------------------------------------------------------------------------------------- */

/* A log and what it is to be audited at. */
struct audited_log {
    const struct called_program *called;
    const char *path;
    uint64_t transactions;
    enum level level;
    bool is_recorded;
};

struct serial_database {
    struct program program;
    struct calls calls;
    struct engine *engine;
    struct buffer call, room;
};

static void put_answer(struct serial_database *d, uint32_t function,
                       const struct engine_outcome *outcome, struct buffer *rows)
{
    struct json_writer json = { .out = rows };

    buffer_clear(rows);
    json_writer_open(&json, NULL, '[');
    if (d->program.tree.functions[function].result.kind != TYPE_VOID) {
        json_writer_open(&json, NULL, '[');
        calls_write_value(&json, &outcome->value, &d->room);
        json_writer_close(&json, ']');
    }
    json_writer_close(&json, ']');
}

static enum status do_call(struct serial_database *d, uint64_t number, struct heap *heap,
                           struct buffer *rows, struct call_log_line *line, struct error *err)
{
    const int64_t now = (int64_t)number * STEP_NS;
    const struct calls_turn turn = { (uint32_t)(number % CLIENTS), number / CLIENTS, 0, now };
    struct engine_outcome outcome = { .is_done = false, .sqlstate = "" };
    struct json_writer json = { .out = &d->call };
    struct drawn_call call;

    *line = (struct call_log_line){ .txn = (int64_t)number,
                                    .session = turn.client,
                                    .status = TXN_ABORT,
                                    .invoked_ns = now,
                                    .completed_ns = now + (CLIENTS - 1) * STEP_NS };
    if (!calls_draw(&d->calls, &turn, heap, &call))
        return error_set(err, STATUS_BAD_INPUT, "a call cannot be drawn");
    TRY(engine_call(d->engine, call.function, call.arguments, &outcome, err));
    buffer_clear(&d->call);
    call_log_begin_call(&json, d->program.tree.functions[call.function].name);
    calls_write_arguments(&json, &d->program, call.function, call.arguments, &d->room);
    buffer_clear(rows);
    if (outcome.is_done) {
        put_answer(d, call.function, &outcome, rows);
        line->status = TXN_OK;
        line->ts_parts = 1;
        line->ts[0] = (int64_t)number + 1;
    }
    call_log_end_call(&json, outcome.is_done ? "" : outcome.sqlstate,
                      (struct text){ rows->at, rows->count });
    line->call = (struct text){ d->call.at, d->call.count };
    return STATUS_OK;
}

static enum status open_database(struct serial_database *d, const struct called_program *called,
                                 struct arena *arena, struct error *err)
{
    const struct random_key key = random_key_of_seed(1);
    const struct calls_options options = { .program = &d->program,
                                           .calls = called->calls,
                                           .call_count = called->call_count,
                                           .clients = CLIENTS,
                                           .attempts = 1,
                                           .key = &key };
    struct datum scale = datum_of_int64(2);
    struct engine_outcome outcome;

    TRY(program_load_file(&d->program, called->path, err));
    TRY(calls_init(&d->calls, &options, arena, err));
    TRY(engine_open(&d->engine, &d->program, err));
    return engine_call(d->engine, program_find_function(&d->program, TEXT("load")), &scale,
                       &outcome, err);
}

static enum status write_serial_log(const struct audited_log *log, FILE *file, struct error *err)
{
    struct serial_database d = { .engine = NULL };
    struct buffer lines = { 0 }, rows = { 0 };
    struct arena arena = { 0 };
    struct heap heap;
    enum status status = arena_init(&arena, ARENA_UNLIMITED, err);

    heap_init(&heap, (size_t)1 << 20);
    if (status == STATUS_OK)
        status = open_database(&d, log->called, &arena, err);
    call_log_write_head(&lines, &(struct call_log_head){ .producer = TEXT("bench"), .load = TEXT("load(2)") });
    for (uint64_t i = 0; i < log->transactions && status == STATUS_OK; i++) {
        struct call_log_line line;

        heap_reset(&heap);
        status = do_call(&d, i, &heap, &rows, &line, err);
        if (status == STATUS_OK)
            call_log_write_line(&lines, &line);
        fwrite(lines.at, 1, lines.count, file);
        buffer_clear(&lines);
    }
    buffer_close(&lines);
    buffer_close(&rows);
    buffer_close(&d.call);
    buffer_close(&d.room);
    engine_close(d.engine);
    heap_close(&heap);
    arena_close(&arena);
    return status;
}

static enum status write_recorded_log(const struct audited_log *log, FILE *file, struct error *err)
{
    struct record_plan plan = {
        .database = database_find(text_of("postgres")),
        .how = { .isolation = log->level, .clients = CLIENTS, .certifies = true },
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

static void write_log(const void *context)
{
    const struct audited_log *log = context;
    FILE *file = fopen(log->path, "wb");
    struct error err;
    enum status status;

    if (!file) {
        printf("%s: cannot be written\n", log->path);
        return;
    }
    status = log->is_recorded ? write_recorded_log(log, file, &err)
                              : write_serial_log(log, file, &err);
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
    static const struct called_program balances = PROGRAM("balance", "bank", balance_calls);
    struct audited_log reads = { .called = &balances, .transactions = 1000000 };
    struct audited_log bank = { .called = &programs[0], .transactions = 1096548 };
    struct audited_log tpcc = { .called = &programs[PROGRAM_COUNT - 1], .transactions = 60022 };

    print_head();
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        struct audited_log job = { .called = &programs[i], .transactions = TRANSACTIONS };

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
    for (size_t i = 0; i < PROGRAM_COUNT; i++)
        for (size_t k = 0; k < sizeof all_levels / sizeof *all_levels; k++) {
            struct audited_log job = { .called = &programs[i],
                                       .transactions = TRANSACTIONS,
                                       .level = all_levels[k],
                                       .is_recorded = true };

            measure_log(&job, &all_levels[k], 1);
        }
}
