#include "programs/sql/sql_private.h"

#include <assert.h>
#include <pg_query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"

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

static enum status take_error(const PgQueryError *error, const char *text, struct sql_fault *fault)
{
    return fault_set(fault, STATUS_BAD_INPUT, byte_of(text, error->cursorpos),
                     error->message ? error->message : "syntax error");
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
    result = pg_query_scan(text);
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
        result = pg_query_parse_protobuf(text);
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
static uint32_t line_of(const char *context)
{
    const char *near = context ? strstr(context, " near line ") : NULL;

    return near ? (uint32_t)strtoul(near + strlen(" near line "), NULL, 10) : 0;
}

enum status sql_parse_body(const char *statement, char **json, struct sql_fault *fault)
{
    PgQueryPlpgsqlParseResult result = pg_query_parse_plpgsql(statement);
    enum status status = STATUS_OK;

    *json = NULL;
    if (result.error) {
        status = take_error(result.error, statement, fault);
        fault->line = line_of(result.error->context);
    } else {
        *json = strdup(result.plpgsql_funcs);
        if (!*json)
            status = fault_set(fault, STATUS_OVER_LIMIT, SQL_NOWHERE, "no memory");
    }
    pg_query_free_plpgsql_parse_result(result);
    return status;
}
