#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/engine.h"

#define ROW_COUNT_MAX 1024
#define COLUMN_COUNT 5
#define PASSES 2000
#define STARTS 200000

/* --- Predicates on rows --------------------------------------------------------------------- */

static const struct {
    const char *what, *where;
} predicates[] = {
    { "one key", "id = 500" },
    { "a range", "v >= 10 AND v <= 200" },
    { "a parameter, three conjuncts", "owner = p AND v > 2 * p AND v < 900" },
    { "a disjunction with arithmetic", "v % 10 = 3 OR v + owner > 1000" },
    { "a set", "v IN (1, 5, 25, 125, 625)" },
    { "an exact decimal", "amount >= 100.25" },
    { "a text", "name = 'customer7'" },
    { "a text made of parts", "name || '!' = 'customer7!'" },
};

static const char predicate_program[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, owner bigint, v int, amount numeric(12,2),\n"
    "    name text);\n"
    "CREATE FUNCTION q(p bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE c bigint; BEGIN SELECT count(*) INTO c FROM t WHERE %s; RETURN c; END; $$;\n";

struct rows {
    struct datum cells[ROW_COUNT_MAX][COLUMN_COUNT];
    char names[ROW_COUNT_MAX][16];
};

static void fill(struct rows *rows)
{
    for (int64_t i = 0; i < ROW_COUNT_MAX; i++) {
        struct datum *row = rows->cells[i];
        int length = snprintf(rows->names[i], sizeof rows->names[i], "customer%d", (int)i % 100);

        row[0] = datum_of_int64(i);
        row[1] = datum_of_int64(i % 20);
        row[2] = datum_of_int64(i * 7919 % 1000);
        row[3] = datum_of_numeric((struct numeric){ i * 104729 % 50000, 2 });
        row[4] = datum_of_text((struct text){ rows->names[i], (size_t)length });
    }
}

static double time_passes(const struct filter *filter, const struct rows *rows,
                          struct heap *scratch, unsigned *matching)
{
    double from = bench_seconds();

    *matching = 0;
    for (int pass = 0; pass < PASSES; pass++)
        for (int i = 0; i < ROW_COUNT_MAX; i++)
            *matching += condition_matches(filter, rows->cells[i], scratch);
    return bench_seconds() - from;
}

static void measure_filter(const char *what, const struct filter *filter, const struct rows *rows)
{
    double seconds[BENCH_ROUNDS];
    unsigned matching = 0;
    struct heap scratch;

    heap_init(&scratch, (size_t)1 << 20);
    for (int round = 0; round < BENCH_ROUNDS; round++)
        seconds[round] = time_passes(filter, rows, &scratch, &matching);
    heap_close(&scratch);
    bench_print_time(what, (double)PASSES * ROW_COUNT_MAX, seconds);
}

/* The filter is that of the first request that the call makes. */
static enum status measure_predicate(const char *what, const char *where, const struct rows *rows,
                                     struct error *err)
{
    struct datum argument = datum_of_int64(7);
    struct machine *machine = NULL;
    struct program program;
    enum status status;
    char sql[1024];

    snprintf(sql, sizeof sql, predicate_program, where);
    TRY(program_load(&program, text_of(sql), err));
    status = machine_open(&machine, &program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err);
    if (status == STATUS_OK) {
        machine_start(machine, 0, &argument);
        measure_filter(what, &machine_run(machine)->filter, rows);
    }
    machine_close(machine);
    program_close(&program);
    return status;
}

static enum status measure_predicates(struct error *err)
{
    struct rows *rows = malloc(sizeof *rows);
    enum status status = STATUS_OK;
    char what[64];

    if (!rows)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for rows");
    fill(rows);
    for (size_t i = 0; i < sizeof predicates / sizeof *predicates && status == STATUS_OK; i++) {
        snprintf(what, sizeof what, "predicate on a row: %s", predicates[i].what);
        status = measure_predicate(what, predicates[i].where, rows, err);
    }
    free(rows);
    return status;
}

/* --- Calls on the engine -------------------------------------------------------------------- */

/* A call with its arguments, understood once. */
struct call {
    struct heap heap;
    uint32_t function;
    struct datum arguments[16];
};

static enum status prepare(struct call *call, const struct program *program, const char *text,
                           struct error *err)
{
    heap_init(&call->heap, (size_t)1 << 16);
    return program_parse_call(program, text_of(text), &call->heap, &call->function,
                              (struct program_arguments){ call->arguments, 16 }, err);
}

static enum status run_calls(struct engine *engine, const struct call *calls, int kinds, int count,
                             struct error *err)
{
    struct engine_outcome outcome;

    for (int i = 0; i < count; i++) {
        const struct call *call = &calls[i % kinds];

        TRY(engine_call(engine, call->function, call->arguments, &outcome, err));
        if (!outcome.is_done)
            return error_set(err, STATUS_BAD_INPUT, "%s", outcome.message);
    }
    return STATUS_OK;
}

struct mix {
    const char *what, *path, *load;
    const char *calls[4]; /* up to a NULL, in turn */
    int count;
};

static const struct mix mixes[] = {
    { "smallbank: balance, 2000 customers", "scenarios/programs/smallbank.sql", "load(100)",
      { "balance('customer7')", "balance('customer1999')" }, 100000 },
    { "smallbank: send_payment there and back", "scenarios/programs/smallbank.sql", "load(100)",
      { "send_payment(1, 1999, 5.00)", "send_payment(1999, 1, 5.00)" }, 100000 },
    { "tpcc: new_order of ten lines, 10 warehouses", "scenarios/programs/tpcc.sql", "load(10)",
      { "new_order(1, 1, 1, 10, '{1,2,3,4,5,6,7,8,9,10}', '{0,0,0,0,0,0,0,0,0,0}',"
        " '{1,2,3,4,5,1,2,3,4,5}', timestamp '2001-02-03')",
        "new_order(9, 2, 7, 10, '{20,2,13,4,15,6,17,8,19,10}', '{0,0,0,0,0,0,0,0,0,3}',"
        " '{1,2,3,4,5,1,2,3,4,5}', timestamp '2001-02-03')" }, 5000 },
};

static enum status measure_calls(const struct mix *mix, struct engine *engine,
                                 const struct program *program, struct error *err)
{
    struct call load, calls[4];
    double seconds[BENCH_ROUNDS];
    enum status status = prepare(&load, program, mix->load, err);
    int kinds = 0;

    if (status == STATUS_OK)
        status = run_calls(engine, &load, 1, 1, err);
    for (; kinds < 4 && mix->calls[kinds] && status == STATUS_OK; kinds++)
        status = prepare(&calls[kinds], program, mix->calls[kinds], err);
    for (int round = 0; round < BENCH_ROUNDS && status == STATUS_OK; round++) {
        double from = bench_seconds();
        status = run_calls(engine, calls, kinds, mix->count, err);
        seconds[round] = bench_seconds() - from;
    }
    if (status == STATUS_OK)
        bench_print_time(mix->what, mix->count, seconds);
    while (kinds-- > 0)
        heap_close(&calls[kinds].heap);
    heap_close(&load.heap);
    return status;
}

static enum status measure_mix(const struct mix *mix, struct error *err)
{
    struct engine *engine = NULL;
    struct program program;
    enum status status;

    TRY(program_load_file(&program, mix->path, err));
    status = engine_open(&engine, &program, err);
    if (status == STATUS_OK)
        status = measure_calls(mix, engine, &program, err);
    engine_close(engine);
    program_close(&program);
    return status;
}

/* --- Machines ------------------------------------------------------------------------------- */

/* From nothing to the first request of a call, and away again. */
static enum status time_new(const struct program *program, const struct call *call,
                            double seconds[BENCH_ROUNDS], struct error *err)
{
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        for (int i = 0; i < STARTS; i++) {
            struct machine *machine;
            TRY(machine_open(&machine, program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err));
            machine_start(machine, call->function, call->arguments);
            machine_run(machine);
            machine_close(machine);
        }
        seconds[round] = bench_seconds() - from;
    }
    return STATUS_OK;
}

/* The same of a machine that has run before. */
static enum status time_again(const struct program *program, const struct call *call,
                              double seconds[BENCH_ROUNDS], size_t *bytes, struct error *err)
{
    struct machine *machine;

    TRY(machine_open(&machine, program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err));
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        for (int i = 0; i < STARTS; i++) {
            machine_start(machine, call->function, call->arguments);
            machine_run(machine);
        }
        seconds[round] = bench_seconds() - from;
    }
    *bytes = machine_bytes(machine);
    machine_close(machine);
    return STATUS_OK;
}

/* Of one that stands at a request, in a frame or two. */
static enum status time_copies(const struct program *program, const struct call *call,
                               double seconds[BENCH_ROUNDS], struct error *err)
{
    struct machine *machine, *copy;

    TRY(machine_open(&machine, program, MACHINE_STEPS_MAX, MACHINE_BYTES_MAX, err));
    machine_start(machine, call->function, call->arguments);
    machine_run(machine);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double from = bench_seconds();
        for (int i = 0; i < STARTS; i++) {
            if (machine_copy(&copy, machine, err) != STATUS_OK)
                break;
            machine_close(copy);
        }
        seconds[round] = bench_seconds() - from;
    }
    machine_close(machine);
    return err->status;
}

static enum status measure_machines(struct error *err)
{
    struct program program;
    struct call call;
    double seconds[BENCH_ROUNDS];
    enum status status;
    size_t bytes = 0;

    TRY(program_load_file(&program, "scenarios/programs/smallbank.sql", err));
    status = prepare(&call, &program, "send_payment(1, 2, 5.00)", err);
    if (status == STATUS_OK && (status = time_new(&program, &call, seconds, err)) == STATUS_OK)
        bench_print_time("new machine, to its first request", STARTS, seconds);
    if (status == STATUS_OK &&
        (status = time_again(&program, &call, seconds, &bytes, err)) == STATUS_OK)
        bench_print_time("machine used again, to its first request", STARTS, seconds);
    if (status == STATUS_OK && (status = time_copies(&program, &call, seconds, err)) == STATUS_OK)
        bench_print_time("machine copied at its first request", STARTS, seconds);
    if (status == STATUS_OK)
        printf("  a machine at its first request holds %zu bytes\n", bytes);
    heap_close(&call.heap);
    program_close(&program);
    return status;
}

void bench_programs(void)
{
    struct error err = { 0 };
    enum status status = measure_predicates(&err);

    for (size_t i = 0; i < sizeof mixes / sizeof *mixes && status == STATUS_OK; i++)
        status = measure_mix(&mixes[i], &err);
    if (status == STATUS_OK)
        status = measure_machines(&err);
    if (status != STATUS_OK)
        printf("  not measured: %s\n", err.text);
}
