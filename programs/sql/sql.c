#include "programs/sql/sql_private.h"

#include <assert.h>
#include <pg_query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/foreign.h"

#define WIRE_LENGTH_DELIMITED 2

static enum status fault_set(struct sql_fault *fault, enum status status, uint32_t at,
                             const char *text)
{
    fault->status = status;
    fault->at = at;
    fault->line = 0;
    snprintf(fault->text, sizeof fault->text, "%s", text);
    for (char *c = fault->text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return status;
}

#define OPERATOR_RUN_MAX 1000
#define PARSER "the parser of SQL"

/* libpg_query counts characters from 1. */
static uint32_t byte_of(const char *text, int character)
{
    const char *at = text;

    if (character <= 0)
        return SQL_NOWHERE;
    for (int i = 1; i < character && *at; i++)
        do
            at++;
        while (((unsigned char)*at & 0xc0) == 0x80);
    return (uint32_t)(at - text);
}

/*
 * Where libpg_query itself fails, and not PostgreSQL's parser in it, it sets only the message:
 * "Failed to output PL/pgSQL functions due to asprintf failure".
 */
static void settle_error(PgQueryError *error)
{
    if (!error->message || strncmp(error->message, "Failed to ", strlen("Failed to ")) == 0)
        *error = (PgQueryError){ .message = error->message };
}

static enum status take_error(PgQueryError *error, const char *text, struct sql_fault *fault)
{
    settle_error(error);
    if (!error->message || strcmp(error->message, "out of memory") == 0 ||
        strstr(error->message, "asprintf failure"))
        return fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "no memory");
    return fault_set(fault, STATUS_BAD_INPUT, byte_of(text, error->cursorpos), error->message);
}

/*
 * PostgreSQL's scanner takes time with the square of how many characters of
 * operators stand in a row: a minute for 400 KB of opening comments.
 */
static bool has_long_run(const char *text)
{
    size_t run = 0;

    for (; *text; text++) {
        run = strchr("+-*/<>=~!@#%^&|`?", *text) ? run + 1 : 0;
        if (run > OPERATOR_RUN_MAX)
            return true;
    }
    return false;
}

static enum status check_text(const char *text, struct sql_fault *fault)
{
    size_t length = strlen(text);

    if (length > SQL_TEXT_MAX)
        return fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "more than 1 MB of SQL");
    if (!text_is_utf8((struct text){ text, length }))
        return fault_set(fault, STATUS_BAD_INPUT, SQL_NOWHERE, "the text is not UTF-8");
    if (has_long_run(text))
        return fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE,
                         "more than 1000 characters of operators in a row");
    return STATUS_OK;
}

/* --- Tokens ----------------------------------------------------------------- */

static enum status keep_tokens(const PgQuery__ScanResult *scan, struct sql_tokens *tokens,
                               struct sql_fault *fault)
{
    tokens->at = calloc(scan->n_tokens ? scan->n_tokens : 1, sizeof *tokens->at);
    if (!tokens->at)
        return fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "no memory");
    for (size_t i = 0; i < scan->n_tokens; i++) {
        const PgQuery__ScanToken *token = scan->tokens[i];

        if (token->token == PG_QUERY__TOKEN__SQL_COMMENT ||
            token->token == PG_QUERY__TOKEN__C_COMMENT)
            continue;
        tokens->at[tokens->count++] =
            (struct sql_token){ (uint32_t)token->start, (uint32_t)token->end, token->token };
    }
    return STATUS_OK;
}

enum status sql_scan(const char *text, struct sql_tokens *tokens, struct sql_fault *fault)
{
    PgQueryScanResult result;
    PgQuery__ScanResult *scan = NULL;
    enum status status;

    *tokens = (struct sql_tokens){ 0 };
    TRY(check_text(text, fault));
    foreign_begin(PARSER);
    result = pg_query_scan(text);
    foreign_end();
    if (result.error) {
        status = take_error(result.error, text, fault);
    } else {
        scan =
            pg_query__scan_result__unpack(NULL, result.pbuf.len, (const uint8_t *)result.pbuf.data);
        status = scan ? keep_tokens(scan, tokens, fault)
                      : fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "no memory");
    }
    if (scan)
        pg_query__scan_result__free_unpacked(scan, NULL);
    pg_query_free_scan_result(result);
    return status;
}

void sql_tokens_close(struct sql_tokens *tokens)
{
    free(tokens->at);
    *tokens = (struct sql_tokens){ 0 };
}

uint32_t sql_tokens_find(const struct sql_tokens *tokens, uint32_t at)
{
    uint32_t place;

    BISECT(place, 0, tokens->count, tokens->at[place].start < at);
    return place;
}

static enum status check_statement_sizes(const struct sql_tokens *tokens, struct sql_fault *fault)
{
    uint32_t size = 0;

    for (uint32_t i = 0; i < tokens->count; i++) {
        size = tokens->at[i].kind == PG_QUERY__TOKEN__ASCII_59 ? 0 : size + 1;
        if (size > SQL_TOKENS_MAX)
            return fault_set(fault, STATUS_OVER_LIMIT, tokens->at[i].start,
                             "more than 10000 words in one statement");
    }
    return STATUS_OK;
}

/* --- Trees ------------------------------------------------------------------ */

/* A message in the packed tree that has not been read to its end. */
struct packed {
    const uint8_t *at, *end;
    const ProtobufCMessageDescriptor *kind;
};

static uint64_t read_varint(struct packed *packed)
{
    uint64_t value = 0;

    for (unsigned shift = 0; packed->at < packed->end && shift < 64; shift += 7) {
        uint8_t byte = *packed->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            break;
    }
    return value;
}

/* Reads one field. Where it is a message, returns it; its reader is behind it already. */
static bool read_field(struct packed *packed, struct packed *inner)
{
    uint64_t tag = read_varint(packed), length = read_varint(packed);
    const ProtobufCFieldDescriptor *field;

    if ((tag & 7) != WIRE_LENGTH_DELIMITED)
        return false; /* libpg_query's trees have no fixed-size fields: that was a varint */
    assert(length <= (uint64_t)(packed->end - packed->at));
    field = protobuf_c_message_descriptor_get_field(packed->kind, (unsigned)(tag >> 3));
    *inner = (struct packed){ packed->at, packed->at + length, NULL };
    packed->at += length;
    if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
        return false;
    inner->kind = field->descriptor;
    return true;
}

/* Looks before anything recurses into it. */
static bool is_shallow(const PgQueryProtobuf *tree)
{
    struct packed stack[SQL_DEPTH_MAX];
    size_t depth = 1;

    stack[0] =
        (struct packed){ (const uint8_t *)tree->data, (const uint8_t *)tree->data + tree->len,
                         &pg_query__parse_result__descriptor };
    while (depth > 0) {
        struct packed *top = &stack[depth - 1], inner;

        if (top->at == top->end) {
            depth--;
            continue;
        }
        if (!read_field(top, &inner))
            continue;
        if (depth == SQL_DEPTH_MAX)
            return false;
        stack[depth++] = inner;
    }
    return true;
}

static enum status unpack(const PgQueryProtobuf *packed, PgQuery__ParseResult **tree,
                          struct sql_fault *fault)
{
    if (!is_shallow(packed))
        return fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "the nesting is too deep");
    *tree = pg_query__parse_result__unpack(NULL, packed->len, (const uint8_t *)packed->data);
    if (!*tree)
        return fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "no memory");
    return STATUS_OK;
}

enum status sql_parse(const char *text, PgQuery__ParseResult **tree, struct sql_tokens *tokens,
                      struct sql_fault *fault)
{
    PgQueryProtobufParseResult result;
    struct sql_tokens own;
    enum status status;

    *tree = NULL;
    if (!tokens)
        tokens = &own;
    TRY(sql_scan(text, tokens, fault));
    status = check_statement_sizes(tokens, fault);
    if (status == STATUS_OK) {
        foreign_begin(PARSER);
        result = pg_query_parse_protobuf(text);
        foreign_end();
        status = result.error ? take_error(result.error, text, fault)
                              : unpack(&result.parse_tree, tree, fault);
        pg_query_free_protobuf_parse_result(result);
    }
    if (status != STATUS_OK || tokens == &own)
        sql_tokens_close(tokens);
    return status;
}

void sql_tree_close(PgQuery__ParseResult *tree)
{
    if (tree)
        pg_query__parse_result__free_unpacked(tree, NULL);
}

/* "compilation of PL/pgSQL function "f" near line 2" */
static uint32_t analyze_line_of(const char *context)
{
    const char *near = context ? strstr(context, " near line ") : NULL;

    return near ? (uint32_t)strtoul(near + strlen(" near line "), NULL, 10) : 0;
}

enum status sql_parse_body(const char *statement, char **json, struct sql_fault *fault)
{
    PgQueryPlpgsqlParseResult result;
    enum status status = STATUS_OK;

    *json = NULL;
    foreign_begin(PARSER);
    result = pg_query_parse_plpgsql(statement);
    foreign_end();
    if (result.error) {
        status = take_error(result.error, statement, fault);
        fault->line = analyze_line_of(result.error->context);
    } else {
        *json = result.plpgsql_funcs ? strdup(result.plpgsql_funcs) : NULL;
        if (!*json)
            status = fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "no memory");
    }
    pg_query_free_plpgsql_parse_result(result);
    return status;
}

/* What people call a field. Others are called by the parser's names. */
static const struct {
    const char *message, *field, *construct;
} field_names[] = {
    { "SelectStmt", "distinct_clause", "DISTINCT" },
    { "SelectStmt", "into_clause", "SELECT INTO a new table" },
    { "SelectStmt", "from_clause", "FROM in an expression" },
    { "SelectStmt", "where_clause", "WHERE in an expression" },
    { "SelectStmt", "group_clause", "GROUP BY in an expression" },
    { "SelectStmt", "sort_clause", "ORDER BY in an expression" },
    { "SelectStmt", "limit_count", "LIMIT in an expression" },
    { "SelectStmt", "limit_option", "LIMIT in an expression" },
    { "SelectStmt", "locking_clause", "FOR UPDATE in an expression" },
    { "SelectStmt", "group_distinct", "GROUP BY DISTINCT" },
    { "SelectStmt", "having_clause", "HAVING" },
    { "SelectStmt", "window_clause", "WINDOW" },
    { "SelectStmt", "values_lists", "VALUES as a query" },
    { "SelectStmt", "limit_offset", "OFFSET" },
    { "SelectStmt", "with_clause", "WITH" },
    { "SelectStmt", "op", "UNION, INTERSECT or EXCEPT" },
    { "InsertStmt", "with_clause", "WITH" },
    { "InsertStmt", "override", "OVERRIDING" },
    { "UpdateStmt", "with_clause", "WITH" },
    { "UpdateStmt", "from_clause", "FROM in UPDATE" },
    { "DeleteStmt", "with_clause", "WITH" },
    { "DeleteStmt", "using_clause", "USING in DELETE" },
    { "InferClause", "where_clause", "WHERE for the index of ON CONFLICT" },
    { "IndexElem", "expr", "an expression as target of ON CONFLICT" },
    { "IndexElem", "collation", "COLLATE" },
    { "IndexElem", "opclass", "an operator class" },
    { "CreateStmt", "inh_relations", "INHERITS" },
    { "CreateStmt", "partbound", "PARTITION OF" },
    { "CreateStmt", "partspec", "PARTITION BY" },
    { "CreateStmt", "of_typename", "CREATE TABLE OF a type" },
    { "CreateStmt", "options", "WITH (storage parameters)" },
    { "CreateStmt", "oncommit", "ON COMMIT" },
    { "CreateStmt", "tablespacename", "TABLESPACE" },
    { "CreateStmt", "access_method", "USING an access method" },
    { "CreateStmt", "if_not_exists", "IF NOT EXISTS" },
    { "ColumnDef", "compression", "COMPRESSION" },
    { "ColumnDef", "coll_clause", "COLLATE" },
    { "ColumnDef", "fdwoptions", "OPTIONS" },
    { "Constraint", "deferrable", "DEFERRABLE" },
    { "Constraint", "initdeferred", "INITIALLY DEFERRED" },
    { "Constraint", "nulls_not_distinct", "NULLS NOT DISTINCT" },
    { "Constraint", "including", "INCLUDE" },
    { "Constraint", "options", "WITH (storage parameters)" },
    { "Constraint", "indexspace", "USING INDEX TABLESPACE" },
    { "Constraint", "fk_del_set_cols", "ON DELETE SET with columns" },
    { "CreateFunctionStmt", "sql_body", "a body in SQL" },
    { "FunctionParameter", "defexpr", "DEFAULT of a parameter" },
    { "TypeName", "setof", "SETOF" },
    { "TypeName", "pct_type", "%TYPE outside of DECLARE" },
    { "RangeVar", "catalogname", "a database before a table's name" },
    { "RangeVar", "schemaname", "a schema before a table's name" },
    { "Alias", "colnames", "an alias with names of columns" },
    { "JoinExpr", "is_natural", "NATURAL JOIN" },
    { "JoinExpr", "using_clause", "JOIN ... USING" },
    { "JoinExpr", "alias", "an alias of a join" },
    { "ResTarget", "name", "a name (AS) for an expression" },
    { "ResTarget", "indirection", "assignment to an element of an array" },
    { "FuncCall", "agg_order", "ORDER BY in an aggregate" },
    { "FuncCall", "agg_filter", "FILTER" },
    { "FuncCall", "over", "OVER" },
    { "FuncCall", "agg_within_group", "WITHIN GROUP" },
    { "FuncCall", "func_variadic", "VARIADIC" },
    { "FuncCall", "agg_star", "* as an argument" },
    { "FuncCall", "agg_distinct", "DISTINCT in a call" },
    { "SortBy", "use_op", "ORDER BY ... USING" },
    { "AIndices", "is_slice", "a slice of an array" },
    { "AIndices", "lidx", "a slice of an array" },
    { "LockingClause", "locked_rels", "OF in FOR UPDATE or FOR SHARE" },
};

/* Likewise of nodes. */
static const struct {
    PgQuery__Node__NodeCase node;
    const char *construct;
} node_names[] = {
#define NODE(name, construct)                                                                      \
    {                                                                                              \
        PG_QUERY__NODE__NODE_##name, construct                                                     \
    }
    NODE(SUB_LINK, "a subquery"),
    NODE(RANGE_SUBSELECT, "a subquery in FROM"),
    NODE(RANGE_FUNCTION, "a function in FROM"),
    NODE(RANGE_TABLE_SAMPLE, "TABLESAMPLE"),
    NODE(ROW_EXPR, "a row value"),
    NODE(MULTI_ASSIGN_REF, "SET of several columns at once"),
    NODE(COLLATE_CLAUSE, "COLLATE"),
    NODE(SQLVALUE_FUNCTION, "CURRENT_TIMESTAMP, CURRENT_USER or the like"),
    NODE(XML_EXPR, "XML"),
    NODE(GROUPING_FUNC, "GROUPING"),
    NODE(GROUPING_SET, "GROUPING SETS, ROLLUP or CUBE"),
    NODE(CURRENT_OF_EXPR, "CURRENT OF a cursor"),
    NODE(A_STAR, "*"),
    NODE(NAMED_ARG_EXPR, "a named argument"),
    NODE(SET_TO_DEFAULT, "DEFAULT"),
    NODE(SELECT_STMT, "SELECT"),
    NODE(INSERT_STMT, "INSERT"),
    NODE(UPDATE_STMT, "UPDATE"),
    NODE(DELETE_STMT, "DELETE"),
    NODE(MERGE_STMT, "MERGE"),
    NODE(TABLE_LIKE_CLAUSE, "LIKE in CREATE TABLE"),
    NODE(CREATE_STMT, "CREATE TABLE"),
    NODE(CREATE_TABLE_AS_STMT, "CREATE TABLE AS"),
    NODE(CREATE_FUNCTION_STMT, "CREATE FUNCTION"),
    NODE(CREATE_TRIG_STMT, "CREATE TRIGGER"),
    NODE(CREATE_SEQ_STMT, "CREATE SEQUENCE"),
    NODE(CREATE_SCHEMA_STMT, "CREATE SCHEMA"),
    NODE(CREATE_DOMAIN_STMT, "CREATE DOMAIN"),
    NODE(CREATE_ENUM_STMT, "CREATE TYPE"),
    NODE(CREATE_RANGE_STMT, "CREATE TYPE"),
    NODE(COMPOSITE_TYPE_STMT, "CREATE TYPE"),
    NODE(DEFINE_STMT, "CREATE AGGREGATE, OPERATOR or TYPE"),
    NODE(CREATE_EXTENSION_STMT, "CREATE EXTENSION"),
    NODE(CREATE_CAST_STMT, "CREATE CAST"),
    NODE(CREATE_ROLE_STMT, "CREATE ROLE"),
    NODE(CREATEDB_STMT, "CREATE DATABASE"),
    NODE(CREATE_POLICY_STMT, "CREATE POLICY"),
    NODE(RULE_STMT, "CREATE RULE"),
    NODE(VIEW_STMT, "CREATE VIEW"),
    NODE(INDEX_STMT, "CREATE INDEX"),
    NODE(ALTER_TABLE_STMT, "ALTER TABLE"),
    NODE(ALTER_FUNCTION_STMT, "ALTER FUNCTION"),
    NODE(RENAME_STMT, "ALTER ... RENAME"),
    NODE(DROP_STMT, "DROP"),
    NODE(TRUNCATE_STMT, "TRUNCATE"),
    NODE(COMMENT_STMT, "COMMENT"),
    NODE(GRANT_STMT, "GRANT or REVOKE"),
    NODE(GRANT_ROLE_STMT, "GRANT or REVOKE"),
    NODE(DO_STMT, "DO"),
    NODE(CALL_STMT, "CALL"),
    NODE(COPY_STMT, "COPY"),
    NODE(LOCK_STMT, "LOCK TABLE"),
    NODE(NOTIFY_STMT, "NOTIFY"),
    NODE(LISTEN_STMT, "LISTEN"),
    NODE(VARIABLE_SET_STMT, "SET of a parameter"),
    NODE(VARIABLE_SHOW_STMT, "SHOW"),
    NODE(TRANSACTION_STMT, "a statement about transactions (BEGIN, COMMIT, ...)"),
    NODE(EXPLAIN_STMT, "EXPLAIN"),
    NODE(VACUUM_STMT, "VACUUM or ANALYZE"),
    NODE(PREPARE_STMT, "PREPARE"),
    NODE(EXECUTE_STMT, "EXECUTE"),
    NODE(DECLARE_CURSOR_STMT, "DECLARE CURSOR"),
#undef NODE
};

/* The same for all: where something stands, and what the parser leaves for later. */
static bool says_nothing(const char *field)
{
    return strcmp(field, "location") == 0 || strcmp(field, "xpr") == 0;
}

static bool is_set(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    const char *base = (const char *)message;
    const void *member = base + field->offset;

    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return *(const size_t *)(base + field->quantifier_offset) > 0;
    switch (field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return *(const void *const *)member != NULL;
    case PROTOBUF_C_TYPE_STRING:
        return *(const char *const *)member && **(const char *const *)member;
    case PROTOBUF_C_TYPE_BOOL:
        return *(const protobuf_c_boolean *)member;
    case PROTOBUF_C_TYPE_ENUM:
        return *(const int *)member > 1; /* 0 is undefined, 1 what is meant by saying nothing */
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_UINT32:
        return *(const int32_t *)member != 0;
    default:
        return *(const int64_t *)member != 0;
    }
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static const ProtobufCFieldDescriptor *field_of(const PgQuery__Node *node)
{
    return protobuf_c_message_descriptor_get_field(&pg_query__node__descriptor,
                                                   (unsigned)node->node_case);
}

/* Where a message begins, or -1. Of a node, where what it holds does. */
static int32_t location_of(const ProtobufCMessage *message)
{
    const ProtobufCFieldDescriptor *field;

    if (!message)
        return -1;
    if (message->descriptor == &pg_query__node__descriptor)
        return sql_node_location((const PgQuery__Node *)message);
    field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "location");
    return field ? *(const int32_t *)((const char *)message + field->offset) : -1;
}

int32_t sql_node_location(const PgQuery__Node *node)
{
    const ProtobufCFieldDescriptor *field = field_of(node);

    if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
        return -1;
    /* All members of the union are pointers to messages. */
    return location_of((const ProtobufCMessage *)node->string);
}

/* Where the first of what a field holds begins, or -1. */
static int32_t location_in(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    const void *member = (const char *)message + field->offset;

    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        return -1;
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return location_of(**(const ProtobufCMessage *const *const *)member);
    return location_of(*(const ProtobufCMessage *const *)member);
}

bool sql_only(const ProtobufCMessage *message, const char *fields, const char **construct,
              int32_t *location)
{
    const ProtobufCMessageDescriptor *kind = message->descriptor;

    for (unsigned i = 0; i < kind->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &kind->fields[i];

        if (says_nothing(field->name) || has_word(fields, field->name) || !is_set(message, field))
            continue;
        *construct = field->name;
        *location = location_in(message, field);
        for (size_t k = 0; k < ROW_COUNT(field_names); k++)
            if (strcmp(field_names[k].message, kind->short_name) == 0 &&
                strcmp(field_names[k].field, field->name) == 0)
                *construct = field_names[k].construct;
        return false;
    }
    return true;
}

const char *sql_node_name(const PgQuery__Node *node)
{
    const ProtobufCFieldDescriptor *field = field_of(node);

    for (size_t i = 0; i < ROW_COUNT(node_names); i++)
        if (node_names[i].node == node->node_case)
            return node_names[i].construct;
    if (!field || field->type != PROTOBUF_C_TYPE_MESSAGE)
        return "an unknown construct";
    return ((const ProtobufCMessageDescriptor *)field->descriptor)->short_name;
}

struct text sql_string(const PgQuery__Node *node)
{
    if (node->node_case != PG_QUERY__NODE__NODE_STRING)
        return (struct text){ "", 0 };
    return text_of(node->string->sval);
}
