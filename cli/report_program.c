#include "cli/report_program.h"

#include <inttypes.h>
#include <string.h>

#include "base/array.h"

static const struct schema_table *table_at(const struct program_report *report, uint32_t number)
{
    return &report->program->tree.schema.tables[number];
}

/* --- Tables ----------------------------------------------------------------------- */

/* "(a, b)" */
static void print_columns(const struct schema_table *table, const struct schema_columns *columns,
                          struct buffer *out)
{
    buffer_byte(out, '(');
    for (uint16_t i = 0; i < columns->count; i++) {
        buffer_text(out, i ? TEXT(", ") : TEXT(""));
        buffer_text(out, table->columns[columns->at[i]].name);
    }
    buffer_byte(out, ')');
}

static void print_table(const struct program_report *report, uint32_t number)
{
    const struct schema *schema = &report->program->tree.schema;
    const struct schema_table *table = &schema->tables[number];
    struct buffer *out = report->out;
    char type[TYPE_PRINT_MAX];

    buffer_print(out, "table %s\n", table->name.at);
    for (uint16_t i = 0; i < schema_shown(table); i++)
        buffer_print(out, "    %s %s%s%s\n", table->columns[i].name.at,
                     type_print(table->columns[i].type, type),
                     table->columns[i].not_null ? " not null" : "",
                     table->columns[i].default_value ? " default" : "");
    buffer_print(out, table->is_numbered ? "    no primary key" : "    primary key ");
    if (!table->is_numbered)
        print_columns(table, &table->key, out);
    for (uint16_t i = 0; i < table->unique_count; i++) {
        buffer_print(out, "\n    unique ");
        print_columns(table, &table->uniques[i].columns, out);
    }
    for (uint32_t i = 0; i < schema->reference_count; i++) {
        const struct schema_reference *reference = &schema->references[i];

        if (reference->from != number)
            continue;
        buffer_print(out, "\n    foreign key ");
        print_columns(table, &reference->columns, out);
        buffer_print(out, " to %s ", schema->tables[reference->to].name.at);
        print_columns(&schema->tables[reference->to], &reference->targets, out);
    }
    buffer_byte(out, '\n');
}

static void answer_columns(struct json_writer *json, const char *name,
                           const struct schema_table *table, const struct schema_columns *columns)
{
    json_writer_open(json, name, '[');
    for (uint16_t i = 0; i < columns->count; i++)
        json_writer_text(json, NULL, table->columns[columns->at[i]].name.at);
    json_writer_close(json, ']');
}

static void answer_references(const struct program_report *report, uint32_t number)
{
    const struct schema *schema = &report->program->tree.schema;
    struct json_writer *json = report->json;

    json_writer_open(json, "references", '[');
    for (uint32_t i = 0; i < schema->reference_count; i++) {
        const struct schema_reference *reference = &schema->references[i];
        const struct schema_table *to = &schema->tables[reference->to];

        if (reference->from != number)
            continue;
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "name", reference->name.at);
        answer_columns(json, "columns", &schema->tables[number], &reference->columns);
        json_writer_text(json, "table", to->name.at);
        answer_columns(json, "targets", to, &reference->targets);
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_not_null(struct json_writer *json, const struct schema_table *table)
{
    json_writer_open(json, "not_null", '[');
    for (uint16_t i = 0; i < schema_shown(table); i++)
        if (table->columns[i].not_null)
            json_writer_text(json, NULL, table->columns[i].name.at);
    json_writer_close(json, ']');
}

static void answer_table(const struct program_report *report, uint32_t number)
{
    const struct schema_table *table = table_at(report, number);
    struct json_writer *json = report->json;
    char type[TYPE_PRINT_MAX];

    json_writer_open(json, NULL, '{');
    json_writer_text(json, "name", table->name.at);
    json_writer_open(json, "columns", '[');
    for (uint16_t i = 0; i < schema_shown(table); i++) {
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "name", table->columns[i].name.at);
        json_writer_text(json, "type", type_print(table->columns[i].type, type));
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    answer_not_null(json, table);
    answer_columns(json, "key", table, table->is_numbered ? &(struct schema_columns){ 0 } : &table->key);
    json_writer_open(json, "unique", '[');
    for (uint16_t i = 0; i < table->unique_count; i++)
        answer_columns(json, NULL, table, &table->uniques[i].columns);
    json_writer_close(json, ']');
    answer_references(report, number);
    json_writer_close(json, '}');
}

void report_program_tables(const struct program_report *report)
{
    if (report->json)
        json_writer_open(report->json, "tables", '[');
    for (uint32_t i = 0; i < report->program->tree.schema.table_count; i++)
        if (report->json)
            answer_table(report, i);
        else
            print_table(report, i);
    if (report->json)
        json_writer_close(report->json, ']');
}

/* --- Functions ------------------------------------------------------------------------ */

static void print_function(const struct program_function *function, struct buffer *out)
{
    char type[TYPE_PRINT_MAX];

    buffer_print(out, "function %s(", function->name.at);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        buffer_print(out, "%s%s %s", i ? ", " : "", function->variables[i].name.at,
                     type_print(function->variables[i].type, type));
    buffer_print(out, ") returns %s\n", type_print(function->result, type));
}

/* What is done to a table, in words. */
static const struct {
    const char *name;
    size_t offset;
} operations[] = {
    { "reads", offsetof(struct access, reads) },
    { "locks", offsetof(struct access, locks) },
    { "inserts", offsetof(struct access, inserts) },
    { "updates", offsetof(struct access, updates) },
    { "deletes", offsetof(struct access, deletes) },
};

static bool does(const struct access *access, size_t operation)
{
    return *(const bool *)((const char *)access + operations[operation].offset);
}

static bool is_idle(const struct access *access)
{
    for (size_t i = 0; i < ROW_COUNT(operations); i++)
        if (does(access, i))
            return false;
    return true;
}

static void print_marked(const char *label, const struct schema_table *table, const bool *marks,
                         struct buffer *out)
{
    bool is_first = true;

    for (uint16_t i = 0; i < schema_shown(table); i++) {
        if (!marks[i])
            continue;
        buffer_print(out, "%s%s", is_first ? label : ", ", table->columns[i].name.at);
        is_first = false;
    }
    if (!is_first)
        buffer_byte(out, '\n');
}

static void print_access(const struct schema_table *table, const struct access *access,
                         struct buffer *out)
{
    const char *separator = "    ";

    for (size_t i = 0; i < ROW_COUNT(operations); i++) {
        if (!does(access, i))
            continue;
        buffer_print(out, "%s%s", separator, operations[i].name);
        separator = ", ";
    }
    buffer_print(out, " %s\n", table->name.at);
    print_marked("        reads  ", table, access->columns_read, out);
    print_marked("        writes ", table, access->columns_written, out);
}

static void answer_marked(struct json_writer *json, const char *name, const struct schema_table *table,
                          const bool *marks)
{
    json_writer_open(json, name, '[');
    for (uint16_t i = 0; i < schema_shown(table); i++)
        if (marks[i])
            json_writer_text(json, NULL, table->columns[i].name.at);
    json_writer_close(json, ']');
}

static void answer_access(struct json_writer *json, const struct schema_table *table,
                          const struct access *access)
{
    json_writer_open(json, NULL, '{');
    json_writer_text(json, "table", table->name.at);
    json_writer_open(json, "operations", '[');
    for (size_t i = 0; i < ROW_COUNT(operations); i++)
        if (does(access, i))
            json_writer_text(json, NULL, operations[i].name);
    json_writer_close(json, ']');
    answer_marked(json, "reads", table, access->columns_read);
    answer_marked(json, "writes", table, access->columns_written);
    json_writer_close(json, '}');
}

static void answer_function(struct json_writer *json, const struct program_function *function)
{
    char type[TYPE_PRINT_MAX];

    json_writer_text(json, "name", function->name.at);
    json_writer_number(json, "line", function->line);
    json_writer_open(json, "parameters", '[');
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "name", function->variables[i].name.at);
        json_writer_text(json, "type", type_print(function->variables[i].type, type));
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
    json_writer_text(json, "returns", type_print(function->result, type));
}

static void report_function(const struct program_report *report, uint32_t number)
{
    const struct program_tree *tree = &report->program->tree;
    const struct access *accesses = &report->accesses[(size_t)number * tree->schema.table_count];

    if (report->json) {
        json_writer_open(report->json, NULL, '{');
        answer_function(report->json, &tree->functions[number]);
        json_writer_open(report->json, "access", '[');
    } else {
        print_function(&tree->functions[number], report->out);
    }
    for (uint32_t i = 0; i < tree->schema.table_count; i++) {
        if (is_idle(&accesses[i]))
            continue;
        if (report->json)
            answer_access(report->json, table_at(report, i), &accesses[i]);
        else
            print_access(table_at(report, i), &accesses[i], report->out);
    }
    if (report->json) {
        json_writer_close(report->json, ']');
        json_writer_close(report->json, '}');
    }
}

void report_program_functions(const struct program_report *report)
{
    if (report->json)
        json_writer_open(report->json, "functions", '[');
    for (uint32_t i = 0; i < report->program->tree.function_count; i++)
        report_function(report, i);
    if (report->json)
        json_writer_close(report->json, ']');
}

/* --- Calls --------------------------------------------------------------------------------- */

/* Why rows are read, for programs and, behind the table and the condition, for people. */
static const struct {
    const char *name, *words;
} purposes[] = {
    [READ_SELECT] = { "select", "" },
    [READ_UPDATE] = { "update", ", to update" },
    [READ_DELETE] = { "delete", ", to delete" },
    [READ_INSERT] = { "insert", ", is the key free" },
    [READ_UNIQUE] = { "unique", ", is it unique" },
    [READ_REFERENCE] = { "reference", ", for a foreign key" },
};

static const char *statement_name(enum query_kind kind)
{
    static const char *const names[] = {
        [QUERY_SELECT] = "select",
        [QUERY_INSERT] = "insert",
        [QUERY_UPDATE] = "update",
        [QUERY_DELETE] = "delete",
    };

    return names[kind];
}

static const char *lock_name(enum row_lock lock)
{
    return lock == ROW_LOCK_UPDATE ? "update" : lock == ROW_LOCK_SHARE ? "share" : NULL;
}

/* A null is NULL; everything else as psql shows it. */
static void print_cell(const struct datum *cell, struct buffer *out)
{
    if (datum_is_null(cell))
        buffer_text(out, TEXT("NULL"));
    else
        datum_print(cell, out);
}

static void print_written(const struct schema_table *table, const struct row_write *write,
                          struct buffer *out)
{
    buffer_print(out, "        %s", write->is_removed ? "- " : write->is_insert ? "+ " : "= ");
    for (uint16_t i = 0; i < schema_shown(table); i++) {
        buffer_text(out, i ? TEXT(" | ") : TEXT(""));
        print_cell(&write->row[i], out);
    }
    buffer_byte(out, '\n');
}

static void print_read(const struct program_report *report, const struct request *request,
                       const struct buffer *where, uint32_t row_count)
{
    struct buffer *out = report->out;

    buffer_print(out, "    line %u: %s %s", (unsigned)request->line,
                 request->purpose == READ_SELECT ? "select" : "read",
                 table_at(report, request->table)->name.at);
    if (where->count > 0) {
        buffer_text(out, TEXT(" where "));
        buffer_text(out, (struct text){ where->at, where->count });
    }
    if (lock_name(request->lock))
        buffer_print(out, " for %s", lock_name(request->lock));
    buffer_print(out, "%s: %u row%s\n", purposes[request->purpose].words, (unsigned)row_count,
                 row_count == 1 ? "" : "s");
}

static void print_write(const struct program_report *report, const struct request *request)
{
    const struct schema_table *table = table_at(report, request->table);

    buffer_print(report->out, "    line %u: %s %s\n", (unsigned)request->line,
                 statement_name(request->statement), table->name.at);
    for (uint32_t i = 0; i < request->write_count; i++)
        print_written(table, &request->writes[i], report->out);
}

static void answer_datum(struct json_writer *json, const char *name, const struct datum *value)
{
    struct buffer text = { 0 };

    if (datum_is_null(value)) {
        json_writer_null(json, name);
        return;
    }
    datum_print(value, &text);
    buffer_byte(&text, '\0');
    if (text.out_of_memory)
        json->out->out_of_memory = true;
    else
        json_writer_text(json, name, text.at);
    buffer_close(&text);
}

static void answer_written(struct json_writer *json, const struct schema_table *table,
                           const struct request *request)
{
    json_writer_open(json, "writes", '[');
    for (uint32_t i = 0; i < request->write_count; i++) {
        json_writer_open(json, NULL, '{');
        json_writer_text(json, "kind",
                         request->writes[i].is_removed  ? "delete"
                         : request->writes[i].is_insert ? "insert"
                                                        : "update");
        json_writer_open(json, "row", '{');
        for (uint16_t k = 0; k < schema_shown(table); k++)
            answer_datum(json, table->columns[k].name.at, &request->writes[i].row[k]);
        json_writer_close(json, '}');
        json_writer_close(json, '}');
    }
    json_writer_close(json, ']');
}

static void answer_operation(const struct program_report *report, const struct request *request,
                             struct buffer *where, uint32_t row_count)
{
    const struct schema_table *table = table_at(report, request->table);
    bool is_read = request->kind == REQUEST_READ;
    struct json_writer *json = report->json;

    json_writer_open(json, NULL, '{');
    json_writer_text(json, "operation", is_read ? "read" : statement_name(request->statement));
    json_writer_text(json, "table", table->name.at);
    json_writer_number(json, "line", request->line);
    if (is_read) {
        json_writer_text(json, "purpose", purposes[request->purpose].name);
        buffer_byte(where, '\0');
        json_writer_text(json, "where", where->at ? where->at : "");
        if (lock_name(request->lock))
            json_writer_text(json, "lock", lock_name(request->lock));
        json_writer_number(json, "rows", row_count);
    } else {
        answer_written(json, table, request);
    }
    json_writer_close(json, '}');
}

void report_program_operation(const struct program_report *report, const struct request *request,
                              uint32_t row_count)
{
    struct buffer where = { 0 };

    if (request->kind == REQUEST_READ)
        condition_print_filter(&request->filter, &report->program->tree.schema, &where);
    if (report->json)
        answer_operation(report, request, &where, row_count);
    else if (request->kind == REQUEST_READ)
        print_read(report, request, &where, row_count);
    else
        print_write(report, request);
    report->out->out_of_memory |= where.out_of_memory;
    buffer_close(&where);
}

static void print_outcome(const struct program_report *report, const struct engine_outcome *outcome,
                          bool is_void)
{
    struct buffer *out = report->out;

    if (!outcome->is_done) {
        buffer_print(out, "  failed in line %u: ERROR %s: %s\n", (unsigned)outcome->line,
                     outcome->sqlstate, outcome->message);
    } else if (is_void) {
        buffer_text(out, TEXT("  done\n"));
    } else {
        buffer_text(out, TEXT("  returned "));
        print_cell(&outcome->value, out);
        buffer_byte(out, '\n');
    }
}

void report_program_outcome(const struct program_report *report,
                            const struct engine_outcome *outcome, bool is_void)
{
    struct json_writer *json = report->json;

    if (!json) {
        print_outcome(report, outcome, is_void);
        return;
    }
    json_writer_text(json, "status", outcome->is_done ? "ok" : "error");
    if (outcome->is_done) {
        answer_datum(json, "value", &outcome->value);
        return;
    }
    json_writer_text(json, "sqlstate", outcome->sqlstate);
    json_writer_text(json, "message", outcome->message);
    json_writer_number(json, "line", outcome->line);
}
