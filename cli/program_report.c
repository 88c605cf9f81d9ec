#include "cli/program_report.h"

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
    for (uint16_t i = 0; i < table->column_count; i++)
        buffer_print(out, "    %s %s%s%s\n", table->columns[i].name.at,
                     type_print(table->columns[i].type, type),
                     table->columns[i].not_null ? " not null" : "",
                     table->columns[i].default_value ? " default" : "");
    buffer_print(out, "    primary key ");
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

static void answer_columns(struct answer *answer, const char *name,
                           const struct schema_table *table, const struct schema_columns *columns)
{
    answer_open(answer, name, '[');
    for (uint16_t i = 0; i < columns->count; i++)
        answer_text(answer, NULL, table->columns[columns->at[i]].name.at);
    answer_close(answer, ']');
}

static void answer_references(const struct program_report *report, uint32_t number)
{
    const struct schema *schema = &report->program->tree.schema;
    struct answer *answer = report->answer;

    answer_open(answer, "references", '[');
    for (uint32_t i = 0; i < schema->reference_count; i++) {
        const struct schema_reference *reference = &schema->references[i];
        const struct schema_table *to = &schema->tables[reference->to];

        if (reference->from != number)
            continue;
        answer_open(answer, NULL, '{');
        answer_text(answer, "name", reference->name.at);
        answer_columns(answer, "columns", &schema->tables[number], &reference->columns);
        answer_text(answer, "table", to->name.at);
        answer_columns(answer, "targets", to, &reference->targets);
        answer_close(answer, '}');
    }
    answer_close(answer, ']');
}

static void answer_not_null(struct answer *answer, const struct schema_table *table)
{
    answer_open(answer, "not_null", '[');
    for (uint16_t i = 0; i < table->column_count; i++)
        if (table->columns[i].not_null)
            answer_text(answer, NULL, table->columns[i].name.at);
    answer_close(answer, ']');
}

static void answer_table(const struct program_report *report, uint32_t number)
{
    const struct schema_table *table = table_at(report, number);
    struct answer *answer = report->answer;
    char type[TYPE_PRINT_MAX];

    answer_open(answer, NULL, '{');
    answer_text(answer, "name", table->name.at);
    answer_open(answer, "columns", '[');
    for (uint16_t i = 0; i < table->column_count; i++) {
        answer_open(answer, NULL, '{');
        answer_text(answer, "name", table->columns[i].name.at);
        answer_text(answer, "type", type_print(table->columns[i].type, type));
        answer_close(answer, '}');
    }
    answer_close(answer, ']');
    answer_not_null(answer, table);
    answer_columns(answer, "key", table, &table->key);
    answer_open(answer, "unique", '[');
    for (uint16_t i = 0; i < table->unique_count; i++)
        answer_columns(answer, NULL, table, &table->uniques[i].columns);
    answer_close(answer, ']');
    answer_references(report, number);
    answer_close(answer, '}');
}

void program_report_tables(const struct program_report *report)
{
    if (report->answer)
        answer_open(report->answer, "tables", '[');
    for (uint32_t i = 0; i < report->program->tree.schema.table_count; i++)
        if (report->answer)
            answer_table(report, i);
        else
            print_table(report, i);
    if (report->answer)
        answer_close(report->answer, ']');
}

/* --- Functions ------------------------------------------------------------------------ */

static void print_function(const struct function *function, struct buffer *out)
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

    for (uint16_t i = 0; i < table->column_count; i++) {
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

static void answer_marked(struct answer *answer, const char *name, const struct schema_table *table,
                          const bool *marks)
{
    answer_open(answer, name, '[');
    for (uint16_t i = 0; i < table->column_count; i++)
        if (marks[i])
            answer_text(answer, NULL, table->columns[i].name.at);
    answer_close(answer, ']');
}

static void answer_access(struct answer *answer, const struct schema_table *table,
                          const struct access *access)
{
    answer_open(answer, NULL, '{');
    answer_text(answer, "table", table->name.at);
    answer_open(answer, "operations", '[');
    for (size_t i = 0; i < ROW_COUNT(operations); i++)
        if (does(access, i))
            answer_text(answer, NULL, operations[i].name);
    answer_close(answer, ']');
    answer_marked(answer, "reads", table, access->columns_read);
    answer_marked(answer, "writes", table, access->columns_written);
    answer_close(answer, '}');
}

static void answer_function(struct answer *answer, const struct function *function)
{
    char type[TYPE_PRINT_MAX];

    answer_text(answer, "name", function->name.at);
    answer_number(answer, "line", function->line);
    answer_open(answer, "parameters", '[');
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        answer_open(answer, NULL, '{');
        answer_text(answer, "name", function->variables[i].name.at);
        answer_text(answer, "type", type_print(function->variables[i].type, type));
        answer_close(answer, '}');
    }
    answer_close(answer, ']');
    answer_text(answer, "returns", type_print(function->result, type));
}

static void report_function(const struct program_report *report, uint32_t number)
{
    const struct program_tree *tree = &report->program->tree;
    const struct access *accesses = &report->accesses[(size_t)number * tree->schema.table_count];

    if (report->answer) {
        answer_open(report->answer, NULL, '{');
        answer_function(report->answer, &tree->functions[number]);
        answer_open(report->answer, "access", '[');
    } else {
        print_function(&tree->functions[number], report->out);
    }
    for (uint32_t i = 0; i < tree->schema.table_count; i++) {
        if (is_idle(&accesses[i]))
            continue;
        if (report->answer)
            answer_access(report->answer, table_at(report, i), &accesses[i]);
        else
            print_access(table_at(report, i), &accesses[i], report->out);
    }
    if (report->answer) {
        answer_close(report->answer, ']');
        answer_close(report->answer, '}');
    }
}

void program_report_functions(const struct program_report *report)
{
    if (report->answer)
        answer_open(report->answer, "functions", '[');
    for (uint32_t i = 0; i < report->program->tree.function_count; i++)
        report_function(report, i);
    if (report->answer)
        answer_close(report->answer, ']');
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
    for (uint16_t i = 0; i < table->column_count; i++) {
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

static void answer_datum(struct answer *answer, const char *name, const struct datum *value)
{
    struct buffer text = { 0 };

    if (datum_is_null(value)) {
        answer_null(answer, name);
        return;
    }
    datum_print(value, &text);
    buffer_byte(&text, '\0');
    if (text.out_of_memory)
        answer->out->out_of_memory = true;
    else
        answer_text(answer, name, text.at);
    buffer_close(&text);
}

static void answer_written(struct answer *answer, const struct schema_table *table,
                           const struct request *request)
{
    answer_open(answer, "writes", '[');
    for (uint32_t i = 0; i < request->write_count; i++) {
        answer_open(answer, NULL, '{');
        answer_text(answer, "kind",
                    request->writes[i].is_removed  ? "delete"
                    : request->writes[i].is_insert ? "insert"
                                                   : "update");
        answer_open(answer, "row", '{');
        for (uint16_t k = 0; k < table->column_count; k++)
            answer_datum(answer, table->columns[k].name.at, &request->writes[i].row[k]);
        answer_close(answer, '}');
        answer_close(answer, '}');
    }
    answer_close(answer, ']');
}

static void answer_operation(const struct program_report *report, const struct request *request,
                             struct buffer *where, uint32_t row_count)
{
    const struct schema_table *table = table_at(report, request->table);
    bool is_read = request->kind == REQUEST_READ;
    struct answer *answer = report->answer;

    answer_open(answer, NULL, '{');
    answer_text(answer, "operation", is_read ? "read" : statement_name(request->statement));
    answer_text(answer, "table", table->name.at);
    answer_number(answer, "line", request->line);
    if (is_read) {
        answer_text(answer, "purpose", purposes[request->purpose].name);
        buffer_byte(where, '\0');
        answer_text(answer, "where", where->at ? where->at : "");
        if (lock_name(request->lock))
            answer_text(answer, "lock", lock_name(request->lock));
        answer_number(answer, "rows", row_count);
    } else {
        answer_written(answer, table, request);
    }
    answer_close(answer, '}');
}

void program_report_operation(const struct program_report *report, const struct request *request,
                              uint32_t row_count)
{
    struct buffer where = { 0 };

    if (request->kind == REQUEST_READ)
        filter_print(&request->filter, &report->program->tree.schema, &where);
    if (report->answer)
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

void program_report_outcome(const struct program_report *report,
                            const struct engine_outcome *outcome, bool is_void)
{
    struct answer *answer = report->answer;

    if (!answer) {
        print_outcome(report, outcome, is_void);
        return;
    }
    answer_text(answer, "status", outcome->is_done ? "ok" : "error");
    if (outcome->is_done) {
        answer_datum(answer, "value", &outcome->value);
        return;
    }
    answer_text(answer, "sqlstate", outcome->sqlstate);
    answer_text(answer, "message", outcome->message);
    answer_number(answer, "line", outcome->line);
}
