#include "programs/machine/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/compile_private.h"
#include "programs/sql/analyze.h"
#include "programs/values/operator_evaluate.h"

#define ARENA_SIZE ((size_t)256 << 20) /* of addresses; memory comes as it is used */

static enum status load(struct program *program, struct text sql, struct error *err)
{
    TRY(analyze_program(sql, &program->arena, &program->tree, err));
    return compile_program(&program->tree, &program->arena, &program->code, err);
}

enum status program_load(struct program *program, struct text sql, struct error *err)
{
    enum status status;

    *program = (struct program){ 0 };
    TRY(arena_init(&program->arena, ARENA_SIZE, err));
    status = load(program, sql, err);
    if (status != STATUS_OK)
        program_close(program);
    return status;
}

/* A byte more than may be is enough to see that it is too much. */
static enum status read_file(FILE *file, char **bytes, size_t *size, struct error *err)
{
    *bytes = malloc(SQL_TEXT_MAX + 1);
    if (!*bytes)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    *size = fread(*bytes, 1, SQL_TEXT_MAX + 1, file);
    if (ferror(file))
        return error_set(err, STATUS_IO, "%s", strerror(errno));
    return STATUS_OK;
}

/* Without the mark that some editors put first, and which psql skips, too. */
static struct text without_mark(struct text text)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t length = sizeof mark - 1;

    if (text.length >= length && memcmp(text.at, mark, length) == 0)
        return (struct text){ text.at + length, text.length - length };
    return text;
}

enum status program_load_file(struct program *program, const char *path, struct error *err)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t size = 0;
    enum status status;

    *program = (struct program){ 0 };
    if (file) {
        status = read_file(file, &bytes, &size, err);
        fclose(file);
    } else {
        status = error_set(err, STATUS_IO, "%s", strerror(errno));
    }
    if (status == STATUS_OK)
        status = program_load(program, without_mark((struct text){ bytes, size }), err);
    if (status != STATUS_OK)
        error_set_file(err, path);
    free(bytes);
    return status;
}

enum status program_add_statements(struct program *program,
                                   const struct program_statement *statements, uint32_t count,
                                   struct error *err)
{
    struct program_tree tree = program->tree;
    const struct code *code;

    TRY(analyze_statements(&tree, statements, count, &program->arena, err));
    TRY(compile_program(&tree, &program->arena, &code, err));
    program->tree = tree;
    program->code = code;
    return STATUS_OK;
}

void program_close(struct program *program)
{
    arena_close(&program->arena);
    *program = (struct program){ 0 };
}

uint32_t program_find_function(const struct program *program, struct text name)
{
    for (uint32_t i = 0; i < program->tree.function_count; i++)
        if (text_equal(program->tree.functions[i].name, name))
            return i;
    return UINT32_MAX;
}

/* --- Calls as text ------------------------------------------------------------- */

/* What a caller may write: literals, and operators and functions that are built in. */
static enum status evaluate(const struct expression *e, struct heap *heap, struct datum *value,
                            struct error *err)
{
    struct datum *arguments;
    struct sql_error error;
    enum status status = STATUS_OK;

    if (e->kind == EXPRESSION_CONSTANT)
        return datum_copy(&e->as.constant, heap, value, &error) == STATUS_OK
                   ? STATUS_OK
                   : error_set(err, STATUS_OVER_LIMIT, "%s", error.text);
    if (e->kind != EXPRESSION_APPLY)
        return error_set(err, STATUS_BAD_INPUT,
                         "arguments of a call are literals and plain operators on them");
    arguments = calloc(e->argument_count, sizeof *arguments);
    if (!arguments)
        return error_set(err, STATUS_OVER_LIMIT, "no memory");
    for (uint32_t i = 0; i < e->argument_count && status == STATUS_OK; i++)
        status = evaluate(e->arguments[i], heap, &arguments[i], err);
    if (status == STATUS_OK &&
        operator_evaluate(&e->as.apply, arguments, value, heap, &error) != STATUS_OK)
        status = error_set(err, STATUS_BAD_INPUT, "%s", error.text);
    free(arguments);
    return status;
}

static enum status evaluate_call(const struct expression *call, struct heap *heap,
                                 struct program_arguments arguments, struct error *err)
{
    if (call->argument_count > arguments.max)
        return error_set(err, STATUS_OVER_LIMIT, "more than %u arguments", arguments.max);
    for (uint32_t i = 0; i < call->argument_count; i++)
        TRY(evaluate(call->arguments[i], heap, &arguments.at[i], err));
    return STATUS_OK;
}

enum status program_parse_call(const struct program *program, struct text text, struct heap *heap,
                               uint32_t *function, struct program_arguments arguments,
                               struct error *err)
{
    struct arena arena = { 0 };
    const struct expression *call;
    enum status status;

    TRY(arena_init(&arena, ARENA_SIZE, err));
    status = analyze_call_text(&program->tree, text, &arena, &call, err);
    if (status == STATUS_OK) {
        *function = call->as.function;
        status = evaluate_call(call, heap, arguments, err);
    }
    if (status != STATUS_OK)
        error_wrap(err, "call %.*s", TEXT_PRINT(text));
    arena_close(&arena);
    return status;
}

bool program_admits_row(const struct program *program, uint32_t table, const struct datum *row,
                        struct heap *scratch)
{
    const struct schema_table *t = &program->tree.schema.tables[table];

    for (uint16_t i = 0; i < t->column_count; i++)
        if (t->columns[i].not_null && datum_is_null(&row[i]))
            return false;
    for (uint16_t i = 0; i < t->check_count; i++) {
        const struct filter filter = { .condition = program->code->tables[table].checks[i] };
        struct sql_error error;
        bool holds;

        if (condition_evaluate(&filter, row, scratch, &holds, &error) != STATUS_OK || !holds)
            return false;
    }
    return true;
}
