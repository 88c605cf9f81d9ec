#include "cli/cmd_program.h"

#include "base/array.h"
#include "cli/output.h"
#include "cli/report_program.h"

#define ARENA_SIZE ((size_t)64 << 20)
#define HEAP_LIMIT ((size_t)16 << 20) /* of the arguments of a call */
#define ARGUMENTS_MAX 100             /* as many as PostgreSQL's functions may have */

struct program_values {
    const char *file, *timeout;
    struct option_texts calls;
    bool json;
};

#define AT(field) offsetof(struct program_values, field)

static const struct option program_rows[] = {
    OPERAND_ROW("FILE.sql", AT(file), "tables and functions, as a PostgreSQL would load them"),
    TEXTS_ROW("call", "CALL", AT(calls),
              "run a function on the embedded engine and print its operations:\n"
              "'transfer(1, 2, 10)'; repeated calls share the tables"),
    TIMEOUT_ROW(AT(timeout), "all calls included"),
    JSON_ROW(AT(json)),
};

/* --- Calls --------------------------------------------------------------------- */

static void watch(void *context, const struct request *request, const struct datum *const *rows,
                  uint32_t count)
{
    (void)rows;
    if (request->kind == REQUEST_READ || request->kind == REQUEST_WRITE)
        report_program_operation(context, request, count);
}

static enum status run_call(struct program_report *report, struct engine *engine, const char *text,
                            struct heap *heap, enum exit_code *code, struct error *err)
{
    struct datum arguments[ARGUMENTS_MAX];
    struct engine_outcome outcome;
    uint32_t function;

    heap_reset(heap);
    TRY(program_parse_call(report->program, text_of(text), heap, &function,
                           (struct program_arguments){ arguments, ARGUMENTS_MAX }, err));
    if (report->json) {
        json_writer_open(report->json, NULL, '{');
        json_writer_text(report->json, "call", text);
        json_writer_open(report->json, "operations", '[');
    } else {
        buffer_print(report->out, "%s\n", text);
    }
    TRY(engine_call(engine, function, arguments, &outcome, err));
    if (report->json)
        json_writer_close(report->json, ']');
    report_program_outcome(report, &outcome,
                           report->program->tree.functions[function].result.kind == TYPE_VOID);
    if (report->json)
        json_writer_close(report->json, '}');
    if (!outcome.is_done)
        *code = command_exit_combine(*code, EXIT_VIOLATION);
    return STATUS_OK;
}

static enum status run_calls(struct program_report *report, const struct program_values *values,
                             enum exit_code *code, struct error *err)
{
    struct engine *engine;
    struct heap heap;
    enum status status;

    TRY(engine_open(&engine, report->program, err));
    engine_watch(engine, watch, report);
    heap_init(&heap, HEAP_LIMIT);
    if (report->json)
        json_writer_open(report->json, "calls", '[');
    status = STATUS_OK;
    for (size_t i = 0; i < values->calls.count && status == STATUS_OK; i++)
        status = run_call(report, engine, values->calls.at[i], &heap, code, err);
    if (report->json)
        json_writer_close(report->json, ']');
    heap_close(&heap);
    engine_close(engine);
    return status;
}

/* --- The subcommand --------------------------------------------------------------- */

static enum status describe(struct program_report *report, struct arena *arena, struct error *err)
{
    TRY(access_find(&report->program->tree, arena, &report->accesses, err));
    report_program_tables(report);
    if (!report->json)
        buffer_byte(report->out, '\n');
    report_program_functions(report);
    return STATUS_OK;
}

/* With calls, people see these alone. */
static enum status report_program(struct program_report *report,
                                  const struct program_values *values, struct arena *arena,
                                  enum exit_code *code, struct error *err)
{
    enum status status = STATUS_OK;

    if (report->json) {
        json_writer_open(report->json, NULL, '{');
        json_writer_text(report->json, "file", values->file);
    }
    if (report->json || values->calls.count == 0)
        status = describe(report, arena, err);
    if (status == STATUS_OK && values->calls.count > 0)
        status = run_calls(report, values, code, err);
    if (report->json) {
        json_writer_close(report->json, '}');
        buffer_byte(report->out, '\n');
    }
    return status;
}

static enum status run_loaded(const struct program *program, const struct program_values *values,
                              struct limits *limits, enum exit_code *code, struct error *err)
{
    struct buffer out = { 0 };
    struct json_writer json = { .out = &out };
    struct program_report report = { .program = program, .out = &out };
    struct arena arena;
    enum status status;

    if (values->json)
        report.json = &json;
    TRY(arena_init(&arena, ARENA_SIZE, err));
    status = report_program(&report, values, &arena, code, err);
    if (status == STATUS_OK) {
        limits_settle(limits);
        status = output_print(&out, err);
    }
    buffer_close(&out);
    arena_close(&arena);
    return status;
}

static enum status cmd_program_run(const void *given, struct limits *limits,
                                   enum exit_code *code, struct error *err)
{
    const struct program_values *values = given;
    struct program program;
    enum status status;

    *code = EXIT_VALID;
    TRY(program_load_file(&program, values->file, err));
    status = run_loaded(&program, values, limits, code, err);
    program_close(&program);
    return status;
}

const struct command command_program = {
    .summary = "reads a program of SQL and PL/pgSQL, and lists what it reads and writes",
    .description =
        "Lists the tables of the file, and the tables and columns that each function may read and\n"
        "write. With --call it runs functions instead, one after another, on an engine that\n"
        "starts empty. The exit status is 1 if a call failed.\n",
    .example =
        "  ordeal program scenarios/programs/bank.sql\n"
        "  ordeal program scenarios/programs/bank.sql --call 'load(1)' --call 'deposit(1, 5)'\n",
    .options = { "program", program_rows, ROW_COUNT(program_rows), sizeof(struct program_values) },
    .reads_strange_files = true,
    .run = cmd_program_run,
    .unfinished = "not finished",
};
