#include "programs/sql/analyze.h"
#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"
#include "programs/sql/analyze_select_private.h"
#include "programs/sql/analyze_sequence_private.h"
#include "programs/sql/analyze_table_private.h"
#include "programs/sql/analyze_write_private.h"

#include <string.h>

/* Names are looked for one by one, so there are not to be too many. */
#define TABLES_MAX 1000
#define FUNCTIONS_MAX 5000
#define HEAP_LIMIT ((size_t)16 << 20) /* of what is computed while literals are cast */

/* --- Statements within functions ---------------------------------------------- */

enum status analyze_parse_piece(struct analysis *a, PgQuery__ParseResult **tree,
                                const PgQuery__Node **statement)
{
    struct sql_fault fault;

    a->source_count = 0;
    if (sql_parse(a->piece->text, tree, NULL, &fault) != STATUS_OK)
        return analyze_refuse_fault(a, &fault);
    if ((*tree)->n_stmts == 1) {
        *statement = (*tree)->stmts[0]->stmt;
        return STATUS_OK;
    }
    sql_tree_close(*tree);
    *tree = NULL;
    return analyze_refuse(a, -1, "one statement is expected here");
}

enum status analyze_query(struct analysis *a, struct routine *routine, const PgQuery__Node *node,
                          const struct query **query)
{
    struct query *made;
    void *memory;

    TRY(analyze_keep(a, 1, sizeof *made, &memory));
    *query = made = memory;
    made->line = analyze_line_of(a, (int32_t)a->piece->prefix);
    switch ((int)node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
        made->kind = QUERY_SELECT;
        return analyze_select(a, &(struct name_scope){ .routine = routine }, node->select_stmt,
                              &made->as.select);
    case PG_QUERY__NODE__NODE_INSERT_STMT:
        made->kind = QUERY_INSERT;
        return analyze_insert(a, routine, node->insert_stmt, &made->as.insert);
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
        made->kind = QUERY_UPDATE;
        return analyze_update(a, routine, node->update_stmt, &made->as.update);
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        made->kind = QUERY_DELETE;
        return analyze_delete(a, routine, node->delete_stmt, &made->as.delete);
    default:
        return analyze_refuse(a, -1, "%s is not supported", sql_node_name(node));
    }
}

uint32_t analyze_query_outputs(const struct query *query, const struct output **outputs)
{
    switch (query->kind) {
    case QUERY_SELECT:
        *outputs = query->as.select.outputs;
        return query->as.select.output_count;
    case QUERY_INSERT:
        *outputs = query->as.insert.returning;
        return query->as.insert.returning_count;
    case QUERY_UPDATE:
        *outputs = query->as.update.returning;
        return query->as.update.returning_count;
    case QUERY_DELETE:
        *outputs = query->as.delete.returning;
        return query->as.delete.returning_count;
    }
    return 0;
}

/* --- CREATE FUNCTION ------------------------------------------------------------ */

/* Of the text of a program: a statement and what it begins with. */
struct analyze_statement {
    const PgQuery__Node *node;
    struct text text; /* from its first word to its end */
    int32_t location; /* of the first word */
};

static enum status add_parameter(struct analysis *a, const PgQuery__FunctionParameter *parameter,
                                 int32_t location, const struct variable *before, uint32_t count,
                                 struct variable *variable)
{
    static const char *const modes[] = {
        [PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT] = "OUT",
        [PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT] = "INOUT",
        [PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_VARIADIC] = "VARIADIC",
        [PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE] = "RETURNS TABLE",
    };
    size_t mode = (size_t)parameter->mode;

    if (parameter->arg_type->location >= 0)
        location = parameter->arg_type->location;
    if (mode < ROW_COUNT(modes) && modes[mode])
        return analyze_refuse(a, location, "%s is not supported", modes[mode]);
    ONLY(a, location, parameter, "name arg_type mode");
    if (!parameter->name || !*parameter->name)
        return analyze_refuse(a, location, "a parameter without a name is not supported");
    TRY(analyze_keep_text(a, text_of(parameter->name), &variable->name));
    for (uint32_t i = 0; i < count; i++)
        if (text_equal(before[i].name, variable->name))
            return analyze_refuse(a, location, "parameter name \"%s\" used more than once",
                                  parameter->name);
    TRY(analyze_type(a, parameter->arg_type, &variable->type));
    if (variable->type.kind == TYPE_UNKNOWN || variable->type.kind == TYPE_VOID ||
        variable->type.kind == TYPE_RECORD)
        return analyze_refuse(a, location, "a parameter of type %s is not supported",
                              type_name(variable->type.kind));
    variable->type = type_of(variable->type.kind); /* PostgreSQL forgets lengths, too */
    return STATUS_OK;
}

static enum status read_result(struct analysis *a, const struct analyze_statement *s,
                               const PgQuery__TypeName *type, struct type *result)
{
    if (!type)
        return analyze_refuse(a, s->location, "a function without RETURNS is not supported");
    TRY(analyze_type(a, type, result));
    if (result->kind == TYPE_UNKNOWN || result->kind == TYPE_RECORD)
        return analyze_refuse(a, type->location, "RETURNS %s is not supported", type_name(result->kind));
    *result = type_of(result->kind);
    return STATUS_OK;
}

/* Name, parameters and result: what calls need to know before any body is read. */
static enum status declare_function(struct analysis *a, const struct analyze_statement *s)
{
    const PgQuery__CreateFunctionStmt *stmt = s->node->create_function_stmt;
    struct program_function *function = &a->functions[a->function_count];
    struct text name = sql_string(stmt->funcname[stmt->n_funcname - 1]);
    struct variable *parameters;
    void *memory;

    if (stmt->is_procedure)
        return analyze_refuse(a, s->location, "CREATE PROCEDURE is not supported: make it a function");
    ONLY(a, s->location, stmt, "replace funcname parameters return_type options");
    if (stmt->n_funcname > 1)
        return analyze_refuse(a, s->location, "a schema before a function's name is not supported");
    if (analyze_find_function(a, name) != UINT32_MAX)
        return analyze_refuse(a, s->location, "a second function \"%.*s\" is not supported",
                              TEXT_PRINT(name));
    if (operator_is_function(name.at))
        return analyze_refuse(a, s->location,
                              "a function with the name of a built-in one (%.*s) is not "
                              "supported",
                              TEXT_PRINT(name));
    TRY(analyze_keep_text(a, name, &function->name));
    function->line = analyze_line_of(a, s->location);
    TRY(analyze_keep(a, stmt->n_parameters, sizeof *parameters, &memory));
    function->variables = parameters = memory;
    for (size_t i = 0; i < stmt->n_parameters; i++)
        TRY(add_parameter(a, stmt->parameters[i]->function_parameter, s->location, parameters,
                          (uint32_t)i, &parameters[i]));
    function->parameter_count = (uint32_t)stmt->n_parameters;
    a->function_count++;
    return read_result(a, s, stmt->return_type, &function->result);
}

/* What stands behind LANGUAGE, AS and the like. */
struct definition {
    const char *language;
    const PgQuery__DefElem *as;
};

static enum status read_option(struct analysis *a, const PgQuery__DefElem *option,
                               struct definition *definition)
{
    static const struct {
        const char *name, *construct;
    } refused[] = {
        { "strict", "STRICT or RETURNS NULL ON NULL INPUT" },
        { "security", "SECURITY DEFINER or INVOKER" },
        { "leakproof", "LEAKPROOF" },
        { "parallel", "PARALLEL" },
        { "cost", "COST" },
        { "rows", "ROWS" },
        { "set", "SET in a function" },
        { "window", "WINDOW" },
        { "support", "SUPPORT" },
        { "transform", "TRANSFORM" },
    };

    if (strcmp(option->defname, "language") == 0) {
        definition->language = sql_string(option->arg).at;
        return STATUS_OK;
    }
    if (strcmp(option->defname, "as") == 0) {
        definition->as = option;
        return STATUS_OK;
    }
    if (strcmp(option->defname, "volatility") == 0) {
        if (strcmp(sql_string(option->arg).at, "volatile") == 0)
            return STATUS_OK;
        return analyze_refuse(a, option->location, "STABLE or IMMUTABLE is not supported");
    }
    for (size_t i = 0; i < ROW_COUNT(refused); i++)
        if (strcmp(refused[i].name, option->defname) == 0)
            return analyze_refuse(a, option->location, "%s is not supported", refused[i].construct);
    return analyze_refuse(a, option->location, "%s is not supported", option->defname);
}

/* Where a body's first byte stands in the file: behind $$, $tag$ or a plain quote. */
static bool place_body(const struct analysis *a, const struct sql_tokens *tokens, int32_t location,
                       struct text body, size_t *offset)
{
    const char *at;
    size_t skip = 1;

    for (uint32_t i = sql_tokens_find(tokens, (uint32_t)location); i < tokens->count; i++) {
        if (tokens->at[i].kind != PG_QUERY__TOKEN__SCONST)
            continue;
        at = a->file.at + tokens->at[i].start;
        if (*at == '$') {
            while (at[skip] != '$')
                skip++;
            skip++;
        }
        *offset = tokens->at[i].start + skip;
        return *offset + body.length <= a->file.length && *at != 'e' && *at != 'E' &&
               memcmp(a->file.at + *offset, body.at, body.length) == 0;
    }
    *offset = 0;
    return false;
}

static enum status define_function(struct analysis *a, const struct analyze_statement *s,
                                   const struct sql_tokens *tokens, struct program_function *function)
{
    const PgQuery__CreateFunctionStmt *stmt = s->node->create_function_stmt;
    struct definition definition = { 0 };
    struct text body;
    size_t offset;

    for (size_t i = 0; i < stmt->n_options; i++)
        TRY(read_option(a, stmt->options[i]->def_elem, &definition));
    if (!definition.language || strcmp(definition.language, "plpgsql") != 0)
        return analyze_refuse(a, s->location, "LANGUAGE %s is not supported: plpgsql is",
                              definition.language ? definition.language : "sql");
    if (!definition.as || definition.as->arg->node_case != PG_QUERY__NODE__NODE_LIST ||
        definition.as->arg->list->n_items != 1)
        return analyze_refuse(a, s->location, "a function needs one body behind AS");
    body = sql_string(definition.as->arg->list->items[0]);
    if (!place_body(a, tokens, definition.as->location, body, &offset))
        return analyze_refuse(a, definition.as->location,
                              "a body with escaped quotes is not supported: write it between $$ and $$");
    return plpgsql_analyze_body(a, function, s->text, body, offset);
}

/* --- A whole file ------------------------------------------------------------------ */

static enum status find_lines(struct analysis *a)
{
    TRY(array_push(&a->line_starts, 0, a->err));
    for (size_t i = 0; i < a->file.length; i++)
        if (a->file.at[i] == '\n')
            TRY(array_push(&a->line_starts, (uint32_t)i + 1, a->err));
    return STATUS_OK;
}

static struct analyze_statement statement_of(const struct analysis *a, const PgQuery__RawStmt *raw,
                                             const struct sql_tokens *tokens)
{
    uint32_t first = sql_tokens_find(tokens, (uint32_t)raw->stmt_location);
    uint32_t start = first < tokens->count ? tokens->at[first].start : (uint32_t)raw->stmt_location;
    size_t end =
        raw->stmt_len ? (size_t)raw->stmt_location + (size_t)raw->stmt_len : a->file.length;

    return (struct analyze_statement){ raw->stmt, { a->file.at + start, end - start }, (int32_t)start };
}

/* --- DROP TABLE: what is dropped is as if it had never been created -------------------- */

static const PgQuery__CreateStmt *table_created_by(const PgQuery__RawStmt *raw)
{
    return raw->stmt->node_case == PG_QUERY__NODE__NODE_CREATE_STMT ? raw->stmt->create_stmt : NULL;
}

static bool constrains_to(const PgQuery__Node *node, const char *table)
{
    return node->node_case == PG_QUERY__NODE__NODE_CONSTRAINT &&
           node->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
           strcmp(node->constraint->pktable->relname, table) == 0;
}

static bool refers_to(const PgQuery__CreateStmt *stmt, const char *table)
{
    for (size_t i = 0; i < stmt->n_table_elts; i++) {
        const PgQuery__Node *node = stmt->table_elts[i];
        bool is_column = node->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF;

        for (size_t c = 0; is_column && c < node->column_def->n_constraints; c++)
            if (constrains_to(node->column_def->constraints[c], table))
                return true;
        if (constrains_to(node, table))
            return true;
    }
    return false;
}

static enum status drop_table(struct analysis *a, const struct analyze_statement *s, const char *name,
                              PgQuery__ParseResult *live)
{
    for (size_t i = 0; i < live->n_stmts; i++) {
        const PgQuery__CreateStmt *created = table_created_by(live->stmts[i]);

        if (!created || strcmp(created->relation->relname, name) != 0)
            continue;
        live->n_stmts--;
        memmove(&live->stmts[i], &live->stmts[i + 1], (live->n_stmts - i) * sizeof *live->stmts);
        return STATUS_OK;
    }
    if (s->node->drop_stmt->missing_ok)
        return STATUS_OK;
    return analyze_refuse(a, s->location, "table \"%s\" does not exist", name);
}

static enum status check_unreferenced(struct analysis *a, const struct analyze_statement *s, const char *name,
                                      const PgQuery__ParseResult *live)
{
    for (size_t i = 0; i < live->n_stmts; i++) {
        const PgQuery__CreateStmt *other = table_created_by(live->stmts[i]);

        if (other && refers_to(other, name))
            return analyze_refuse(a, s->location, "DROP of table %s is not supported: table %s refers to it", name,
                                  other->relation->relname);
    }
    return STATUS_OK;
}

static enum status drop_tables(struct analysis *a, const struct analyze_statement *s, PgQuery__ParseResult *live)
{
    const PgQuery__DropStmt *drop = s->node->drop_stmt;

    if (drop->remove_type != PG_QUERY__OBJECT_TYPE__OBJECT_TABLE)
        return analyze_refuse(a, s->location, "DROP of anything but a table is not supported");
    for (size_t i = 0; i < drop->n_objects; i++) {
        if (drop->objects[i]->list->n_items > 1)
            return analyze_refuse(a, s->location, "a schema before a table's name is not supported");
        TRY(drop_table(a, s, sql_string(drop->objects[i]->list->items[0]).at, live));
    }
    for (size_t i = 0; i < drop->n_objects; i++)
        TRY(check_unreferenced(a, s, sql_string(drop->objects[i]->list->items[0]).at, live));
    return STATUS_OK;
}

/* The statements that count, as a tree that borrows from the other. */
static enum status without_dropped(struct analysis *a, const PgQuery__ParseResult *tree,
                                   const struct sql_tokens *tokens, PgQuery__ParseResult *live)
{
    void *memory;

    TRY(analyze_keep(a, tree->n_stmts, sizeof *live->stmts, &memory));
    *live = *tree;
    live->stmts = memory;
    live->n_stmts = 0;
    for (size_t i = 0; i < tree->n_stmts; i++) {
        struct analyze_statement s = statement_of(a, tree->stmts[i], tokens);

        a->whole.line = analyze_line_at(a, (size_t)s.location);
        if (s.node->node_case == PG_QUERY__NODE__NODE_DROP_STMT)
            TRY(drop_tables(a, &s, live));
        else
            live->stmts[live->n_stmts++] = tree->stmts[i];
    }
    return STATUS_OK;
}

static uint32_t count_references(const PgQuery__CreateStmt *stmt)
{
    uint32_t count = (uint32_t)stmt->n_table_elts;

    for (size_t i = 0; i < stmt->n_table_elts; i++)
        if (stmt->table_elts[i]->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF)
            count += (uint32_t)stmt->table_elts[i]->column_def->n_constraints;
    return count;
}

/* Room for all that the file can declare. */
static enum status make_room(struct analysis *a, const PgQuery__ParseResult *tree)
{
    uint32_t references = 0;
    void *memory;

    for (size_t i = 0; i < tree->n_stmts; i++)
        if (tree->stmts[i]->stmt->node_case == PG_QUERY__NODE__NODE_CREATE_STMT)
            references += count_references(tree->stmts[i]->stmt->create_stmt);
    /* At most one for each column, and one for each statement. */
    a->sequence_room = references + (uint32_t)tree->n_stmts;
    TRY(analyze_keep(a, a->sequence_room, sizeof *a->sequences, &memory));
    a->sequences = memory;
    TRY(analyze_keep(a, tree->n_stmts + 1, sizeof *a->tables, &memory));
    a->tables = memory;
    TRY(analyze_keep(a, tree->n_stmts, sizeof *a->functions, &memory));
    a->functions = memory;
    TRY(analyze_keep(a, references, sizeof *a->references, &memory));
    a->references = memory;
    a->reference_room = references;
    return STATUS_OK;
}

static enum status declare(struct analysis *a, const struct analyze_statement *s)
{
    if (a->table_count == TABLES_MAX)
        return analyze_refuse(a, s->location, "more than %d tables are not supported", TABLES_MAX);
    if (a->function_count == FUNCTIONS_MAX)
        return analyze_refuse(a, s->location, "more than %d functions are not supported", FUNCTIONS_MAX);
    switch ((int)s->node->node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
        return analyze_table(a, s->node->create_stmt);
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
        return declare_function(a, s);
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
        return analyze_sequence(a, s->node->create_seq_stmt, s->location);
    default:
        return analyze_refuse(a, s->location, "%s is not supported", sql_node_name(s->node));
    }
}

/* Tables and headers of functions first: bodies may use what comes later in the file. */
static enum status read_statements(struct analysis *a, const PgQuery__ParseResult *all,
                                   const struct sql_tokens *tokens)
{
    PgQuery__ParseResult live, *tree = &live;
    uint32_t function = 0;

    TRY(without_dropped(a, all, tokens, tree));
    TRY(make_room(a, tree));
    for (size_t i = 0; i < tree->n_stmts; i++) {
        struct analyze_statement s = statement_of(a, tree->stmts[i], tokens);

        a->whole.line = analyze_line_at(a, (size_t)s.location);
        TRY(declare(a, &s));
    }
    for (size_t i = 0; i < tree->n_stmts; i++) {
        struct analyze_statement s = statement_of(a, tree->stmts[i], tokens);

        a->whole.line = analyze_line_at(a, (size_t)s.location);
        if (s.node->node_case == PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT)
            TRY(define_function(a, &s, tokens, &a->functions[function++]));
    }
    return STATUS_OK;
}

static enum status read_file(struct analysis *a)
{
    PgQuery__ParseResult *tree;
    struct sql_tokens tokens;
    struct sql_fault fault;
    enum status status;

    TRY(find_lines(a));
    if (sql_parse(a->file.at, &tree, &tokens, &fault) != STATUS_OK)
        return analyze_refuse_fault(a, &fault);
    status = read_statements(a, tree, &tokens);
    sql_tokens_close(&tokens);
    sql_tree_close(tree);
    return status;
}

static enum status keep_file(struct analysis *a, struct text sql)
{
    void *memory;

    TRY(analyze_keep(a, sql.length + 1, 1, &memory));
    if (sql.length)
        memcpy(memory, sql.at, sql.length);
    a->file = (struct text){ memory, sql.length };
    a->whole.text = a->file.at;
    return STATUS_OK;
}

enum status analyze_program(struct text sql, struct arena *arena, struct program_tree *program,
                            struct error *err)
{
    struct analysis a = { .arena = arena, .err = err };
    enum status status;

    if (sql.length > SQL_TEXT_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "more than 1 MB of SQL");
    if (sql.length && memchr(sql.at, 0, sql.length))
        return error_set(err, STATUS_BAD_INPUT, "the text has a zero byte in it");
    a.whole = (struct piece){ .is_placed = true, .line = 1 };
    a.piece = &a.whole;
    heap_init(&a.heap, HEAP_LIMIT);
    status = keep_file(&a, sql);
    if (status == STATUS_OK)
        status = read_file(&a);
    heap_close(&a.heap);
    array_close(&a.line_starts);
    array_close(&a.cursor_names);
    *program = (struct program_tree){
        .schema = { a.tables, a.table_count, a.references, a.reference_count, a.sequences,
                    a.sequence_count },
        .functions = a.functions,
        .function_count = a.function_count,
    };
    return status;
}

/* --- A call from outside ------------------------------------------------------------- */

static enum status read_call(struct analysis *a, const PgQuery__Node *node,
                             const struct expression **call)
{
    struct name_scope scope = { .allows_calls = true, .place = "a call" };
    const PgQuery__SelectStmt *stmt = node->select_stmt;

    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return analyze_refuse(a, -1, "a call is expected: function(arguments)");
    ONLY(a, -1, stmt, "target_list");
    if (stmt->n_target_list != 1 ||
        stmt->target_list[0]->res_target->val->node_case != PG_QUERY__NODE__NODE_FUNC_CALL)
        return analyze_refuse(a, -1, "a call is expected: function(arguments)");
    TRY(analyze_expression(a, &scope, stmt->target_list[0]->res_target->val, call));
    if ((*call)->kind != EXPRESSION_CALL)
        return analyze_refuse(a, -1, "a call of a function of the program is expected");
    return STATUS_OK;
}

enum status analyze_call_text(const struct program_tree *program, struct text text,
                              struct arena *arena, const struct expression **call,
                              struct error *err)
{
    /* What is looked up in is not written to. */
    struct analysis a = {
        .arena = arena,
        .err = err,
        .tables = (struct schema_table *)program->schema.tables,
        .table_count = program->schema.table_count,
        .sequences = (struct schema_sequence *)program->schema.sequences,
        .sequence_count = program->schema.sequence_count,
        .functions = (struct program_function *)program->functions,
        .function_count = program->function_count,
    };
    struct piece piece = { .line = 0 };
    struct buffer sql = { 0 };
    const PgQuery__Node *node = NULL;
    PgQuery__ParseResult *tree = NULL;
    enum status status;

    if (text.length && memchr(text.at, 0, text.length))
        return error_set(err, STATUS_BAD_INPUT, "the call has a zero byte in it");
    a.piece = &piece;
    heap_init(&a.heap, HEAP_LIMIT);
    buffer_text(&sql, TEXT("SELECT "));
    buffer_text(&sql, text);
    buffer_byte(&sql, '\0');
    piece.text = sql.at;
    status = buffer_status(&sql, err);
    if (status == STATUS_OK)
        status = analyze_parse_piece(&a, &tree, &node);
    if (status == STATUS_OK)
        status = read_call(&a, node, call);
    sql_tree_close(tree);
    heap_close(&a.heap);
    buffer_close(&sql);
    return status;
}

/*
 * Single statements, each as a function that returns the rows that it gives. A
 * client that sends its statements one by one is such a sequence of calls.
 */

static enum status refuse_statement(struct analysis *a, const PgQuery__Node *node)
{
    switch ((int)node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        return STATUS_OK;
    default:
        return analyze_refuse(a, -1, "%s is not supported here: a SELECT, INSERT, UPDATE or DELETE is",
                              sql_node_name(node));
    }
}

/* What gives no rows is just done. */
static struct action action_of(const struct query *query)
{
    struct action action = { .kind = ACTION_QUERY, .line = query->line };
    const struct output *outputs;

    if (analyze_query_outputs(query, &outputs) > 0) {
        action.kind = ACTION_RETURN_ROWS;
        action.as.returned = query;
    } else {
        action.as.query.query = query;
    }
    return action;
}

static enum status build_function(struct analysis *a, const struct query *query,
                                  struct program_function *function)
{
    struct variable *found;
    struct action *action;
    void *memory;

    TRY(analyze_keep(a, 1, sizeof *found, &memory));
    found = memory;
    *found = (struct variable){ .name = TEXT("found"), .type = type_of(TYPE_BOOLEAN) };
    TRY(analyze_keep(a, 1, sizeof *action, &memory));
    action = memory;
    *action = action_of(query);
    *function = (struct program_function){
        .line = query->line,
        .variables = found,
        .variable_count = 1,
        .result = type_of(TYPE_VOID),
        .body = { action, 1 },
    };
    return STATUS_OK;
}

static enum status analyze_statement(struct analysis *a, struct text sql,
                                     struct program_function *function)
{
    PgQuery__ParseResult *tree = NULL;
    const PgQuery__Node *node = NULL;
    const struct query *query;
    struct text text;
    enum status status;

    if (sql.length && memchr(sql.at, 0, sql.length))
        return analyze_refuse(a, -1, "the statement has a zero byte in it");
    TRY(analyze_keep_text(a, sql, &text));
    a->whole.text = text.at;
    TRY(analyze_parse_piece(a, &tree, &node));
    status = refuse_statement(a, node);
    if (status == STATUS_OK)
        status = analyze_query(a, NULL, node, &query);
    sql_tree_close(tree);
    TRY(status);
    return build_function(a, query, function);
}

/* Behind the functions that are there, which statements may call. */
static enum status add_functions(struct analysis *a, const struct program_statement *statements,
                                 uint32_t count)
{
    struct program_function *functions;
    void *memory;

    TRY(analyze_keep(a, a->function_count + (size_t)count, sizeof *functions, &memory));
    functions = memory;
    if (a->function_count > 0)
        memcpy(functions, a->functions, a->function_count * sizeof *functions);
    a->functions = functions;
    for (uint32_t i = 0; i < count; i++) {
        a->whole.line = statements[i].line;
        TRY(analyze_statement(a, statements[i].sql, &functions[a->function_count]));
        a->function_count++;
    }
    return STATUS_OK;
}

enum status analyze_statements(struct program_tree *tree,
                               const struct program_statement *statements, uint32_t count,
                               struct arena *arena, struct error *err)
{
    /* What is looked up in is not written to. */
    struct analysis a = {
        .arena = arena,
        .err = err,
        .tables = (struct schema_table *)tree->schema.tables,
        .table_count = tree->schema.table_count,
        .sequences = (struct schema_sequence *)tree->schema.sequences,
        .sequence_count = tree->schema.sequence_count,
        .functions = (struct program_function *)tree->functions,
        .function_count = tree->function_count,
    };
    enum status status;

    a.piece = &a.whole;
    heap_init(&a.heap, HEAP_LIMIT);
    status = add_functions(&a, statements, count);
    heap_close(&a.heap);
    tree->functions = a.functions;
    tree->function_count = a.function_count;
    return status;
}
