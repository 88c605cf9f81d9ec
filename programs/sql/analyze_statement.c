/*
 * Single statements, each as a function that returns the rows that it gives. A
 * client that sends its statements one by one is such a sequence of calls.
 */
#include "programs/sql/analyze.h"

#include <string.h>

#define HEAP_LIMIT ((size_t)16 << 20)

static enum status refuse_statement(struct analysis *a, const PgQuery__Node *node)
{
    switch ((int)node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT:
    case PG_QUERY__NODE__NODE_INSERT_STMT:
    case PG_QUERY__NODE__NODE_UPDATE_STMT:
    case PG_QUERY__NODE__NODE_DELETE_STMT:
        return STATUS_OK;
    default:
        return refuse(a, -1, "%s is not supported here: a SELECT, INSERT, UPDATE or DELETE is",
                      sql_node_name(node));
    }
}

/* What gives no rows is just done. */
static struct action action_of(const struct query *query)
{
    struct action action = { .kind = ACTION_QUERY, .line = query->line };
    const struct output *outputs;

    if (query_outputs(query, &outputs) > 0) {
        action.kind = ACTION_RETURN_ROWS;
        action.as.returned = query;
    } else {
        action.as.query.query = query;
    }
    return action;
}

static enum status build_function(struct analysis *a, const struct query *query,
                                  struct function *function)
{
    struct variable *found;
    struct action *action;
    void *memory;

    TRY(keep(a, 1, sizeof *found, &memory));
    found = memory;
    *found = (struct variable){ .name = TEXT("found"), .type = type_of(TYPE_BOOLEAN) };
    TRY(keep(a, 1, sizeof *action, &memory));
    action = memory;
    *action = action_of(query);
    *function = (struct function){
        .line = query->line,
        .variables = found,
        .variable_count = 1,
        .result = type_of(TYPE_VOID),
        .body = { action, 1 },
    };
    return STATUS_OK;
}

static enum status analyze_statement(struct analysis *a, struct text sql,
                                     struct function *function)
{
    PgQuery__ParseResult *tree = NULL;
    const PgQuery__Node *node;
    const struct query *query;
    struct text text;
    enum status status;

    if (sql.length && memchr(sql.at, 0, sql.length))
        return refuse(a, -1, "the statement has a zero byte in it");
    TRY(keep_text(a, sql, &text));
    a->whole.text = text.at;
    TRY(parse_piece(a, &tree, &node));
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
    struct function *functions;
    void *memory;

    TRY(keep(a, a->function_count + (size_t)count, sizeof *functions, &memory));
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
        .functions = (struct function *)tree->functions,
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
