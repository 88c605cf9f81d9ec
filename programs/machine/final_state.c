#include "programs/machine/final_state.h"

#include <string.h>

#include "programs/machine/engine.h"

#define FUNCTION "ordeal_query"
#define INVARIANT_PREFIX "invariant_"

/* --- Invariants --------------------------------------------------------------------------------- */

bool program_is_invariant(const struct program *program, uint32_t function)
{
    struct text name = program->tree.functions[function].name;
    size_t length = sizeof INVARIANT_PREFIX - 1;

    return name.length > length && memcmp(name.at, INVARIANT_PREFIX, length) == 0;
}

enum status program_examine_invariants(const struct program *program, struct error *err)
{
    for (uint32_t i = 0; i < program->tree.function_count; i++) {
        const struct program_function *f = &program->tree.functions[i];

        if (program_is_invariant(program, i) &&
            (f->parameter_count > 0 || f->result.kind != TYPE_BOOLEAN))
            return error_set(err, STATUS_BAD_INPUT,
                             "%.*s() is an invariant by its name: it must take nothing and return "
                             "a boolean",
                             TEXT_PRINT(f->name));
    }
    return STATUS_OK;
}

/* --- Queries ------------------------------------------------------------------------------------ */

static void put_name(struct buffer *sql, struct text name)
{
    buffer_byte(sql, '"');
    for (size_t i = 0; i < name.length; i++)
        buffer_print(sql, name.at[i] == '"' ? "\"\"" : "%c", name.at[i]);
    buffer_byte(sql, '"');
}

/* Columns and key: constraints have done their work. */
static void put_table(struct buffer *sql, const struct schema_table *table)
{
    char type[TYPE_PRINT_MAX];

    buffer_text(sql, TEXT("CREATE TABLE "));
    put_name(sql, table->name);
    buffer_text(sql, TEXT(" ("));
    for (uint16_t i = 0; i < table->column_count; i++) {
        put_name(sql, table->columns[i].name);
        buffer_print(sql, " %s, ", type_print(table->columns[i].type, type));
    }
    buffer_text(sql, TEXT("PRIMARY KEY ("));
    for (uint16_t i = 0; i < table->key.count; i++) {
        buffer_text(sql, i ? TEXT(", ") : TEXT(""));
        put_name(sql, table->columns[table->key.at[i]].name);
    }
    buffer_text(sql, TEXT("));\n"));
}

static void put_function(struct buffer *sql, struct text query)
{
    while (query.length > 0 && strchr("; \n\t", query.at[query.length - 1]))
        query.length--;
    buffer_text(sql, TEXT("CREATE FUNCTION " FUNCTION "() RETURNS text LANGUAGE plpgsql AS "
                          "$ordeal$ DECLARE ordeal_value text; BEGIN "));
    buffer_text(sql, query);
    buffer_text(sql, TEXT(" INTO ordeal_value; RETURN ordeal_value; END; $ordeal$;\n"));
}

/* Without the place in a text that nobody has seen: "column 107: function ordeal_query: ". */
static void forget_place(struct error *err)
{
    static const char function[] = "function " FUNCTION ": ";
    const char *rest = err->text;

    if (strncmp(rest, "column ", 7) == 0 && strstr(rest, ": "))
        rest = strstr(rest, ": ") + 2;
    if (strncmp(rest, function, sizeof function - 1) == 0)
        rest += sizeof function - 1;
    memmove(err->text, rest, strlen(rest) + 1);
    err->line = 0;
    err->offset = 0;
}

static enum status compile(struct program *program, const struct schema *schema,
                           uint32_t table_count, const char *query, struct error *err)
{
    struct buffer sql = { 0 };
    enum status status;

    for (uint32_t i = 0; i < table_count; i++)
        put_table(&sql, &schema->tables[i]);
    put_function(&sql, text_of(query));
    status = buffer_status(&sql, err);
    if (status == STATUS_OK)
        status = program_load(program, (struct text){ sql.at, sql.count }, err);
    buffer_close(&sql);
    if (status == STATUS_OK)
        return STATUS_OK;
    forget_place(err);
    return error_wrap(err, "query \"%.100s\"", query);
}

enum status final_query_check(const struct schema *schema, uint32_t table_count, const char *query,
                              struct error *err)
{
    struct program program;

    TRY(compile(&program, schema, table_count, query, err));
    program_close(&program);
    return STATUS_OK;
}

struct loading {
    struct engine *engine;
    uint32_t table;
};

static enum status put_row(void *context, const struct datum *cells, struct error *err)
{
    const struct loading *loading = context;

    return engine_put_row(loading->engine, loading->table, cells, err);
}

static enum status ask(struct engine *engine, const struct program *program,
                       const struct final_rows *rows, struct buffer *value, struct error *err)
{
    struct loading loading = { .engine = engine };
    struct engine_outcome outcome;

    for (; loading.table < program->tree.schema.table_count; loading.table++)
        TRY(rows->each(rows->context, loading.table, put_row, &loading, err));
    TRY(engine_call(engine, program_find_function(program, TEXT(FUNCTION)), NULL, &outcome, err));
    if (outcome.is_done)
        datum_print(&outcome.value, value);
    else
        buffer_print(value, "ERROR: %s", outcome.message);
    return STATUS_OK;
}

enum status final_query_run(const struct schema *schema, uint32_t table_count, const char *query,
                            const struct final_rows *rows, struct buffer *value, struct error *err)
{
    struct program program;
    struct engine *engine;
    enum status status;

    TRY(compile(&program, schema, table_count, query, err));
    status = engine_open(&engine, &program, err);
    if (status == STATUS_OK) {
        status = ask(engine, &program, rows, value, err);
        engine_close(engine);
    }
    program_close(&program);
    return status;
}
