#include "verify/calls/reader_private.h"

#include <pg_query.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"

#define TEXT_LENGTH_MAX ((size_t)1 << 20)
#define NESTING_MAX 2000 /* words of one statement: more than any tree of them is deep */
#define PARSER "the parser of SQL"

struct reader_tree {
    PgQuery__ParseResult *tree;
    struct reader_tree *next;
};

void reader_close(struct reader *r)
{
    for (struct reader_tree *tree = r->trees; tree; tree = tree->next)
        if (tree->tree)
            pg_query__parse_result__free_unpacked(tree->tree, NULL);
    r->trees = NULL;
    cJSON_Delete(r->json);
    r->json = NULL;
}

_Noreturn void reader_refuse(struct reader *r, const char *what)
{
    trap_unknown(r->trap, "%s", what);
}

void *reader_take(struct reader *r, size_t count, size_t size)
{
    return arena_take(r->arena, count > 0 ? count : 1, size);
}

struct text reader_keep(struct reader *r, struct text text)
{
    char *copy = reader_take(r, text.length + 1, 1);

    if (text.length > 0)
        memcpy(copy, text.at, text.length);
    return (struct text){ copy, text.length };
}

struct text reader_keep_buffer(struct reader *r, struct buffer *buffer)
{
    struct text kept = buffer->out_of_memory ? TEXT("") : reader_keep(r, (struct text){ buffer->at, buffer->count });

    buffer_close(buffer);
    return kept;
}

const char *reader_string(const PgQuery__Node *node)
{
    return node && node->node_case == PG_QUERY__NODE__NODE_STRING ? node->string->sval : "";
}

/* Whether the words of a statement, values left out, could make a tree too deep for whoever recurses over it. */
static bool may_be_deep(const char *sql)
{
    PgQueryScanResult scanned;
    PgQuery__ScanResult *words = NULL;
    size_t count = 0;
    bool can_be_read, is_deep = false;

    foreign_begin(PARSER);
    scanned = pg_query_scan(sql);
    foreign_end();
    can_be_read = !scanned.error;
    if (can_be_read)
        words = pg_query__scan_result__unpack(NULL, scanned.pbuf.len,
                                              (const uint8_t *)scanned.pbuf.data);
    pg_query_free_scan_result(scanned);
    if (!words)
        return can_be_read; /* what cannot be read does not parse either */
    for (size_t i = 0; i < words->n_tokens; i++) {
        switch (words->tokens[i]->token) {
        case PG_QUERY__TOKEN__ASCII_59: /* ; */
            count = 0;
            break;
        case PG_QUERY__TOKEN__ASCII_44: /* , */
        case PG_QUERY__TOKEN__ICONST:
        case PG_QUERY__TOKEN__FCONST:
        case PG_QUERY__TOKEN__SCONST:
            break;
        default:
            count++;
        }
        is_deep = is_deep || count > NESTING_MAX;
    }
    pg_query__scan_result__free_unpacked(words, NULL);
    return is_deep;
}

PgQuery__ParseResult *reader_parse_all(struct reader *r, struct text sql)
{
    struct reader_tree *kept = reader_take(r, 1, sizeof *kept);
    struct text copy = reader_keep(r, sql);
    PgQueryProtobufParseResult parsed;
    bool has_error;

    if (sql.length > TEXT_LENGTH_MAX || may_be_deep(copy.at))
        reader_refuse(r, "SQL as long or as deep as this");
    kept->next = r->trees;
    r->trees = kept;
    foreign_begin(PARSER);
    parsed = pg_query_parse_protobuf(copy.at);
    foreign_end();
    has_error = parsed.error != NULL;
    if (!has_error)
        kept->tree = pg_query__parse_result__unpack(NULL, parsed.parse_tree.len,
                                                    (const uint8_t *)parsed.parse_tree.data);
    pg_query_free_protobuf_parse_result(parsed);
    if (!kept->tree)
        trap_unknown(r->trap, "SQL that does not parse: %.*s", TEXT_PRINT(sql));
    return kept->tree;
}

PgQuery__Node *reader_parse(struct reader *r, struct text sql)
{
    PgQuery__ParseResult *tree = reader_parse_all(r, sql);

    if (tree->n_stmts != 1)
        reader_refuse(r, "several statements in one text");
    return tree->stmts[0]->stmt;
}

static int32_t modifier(struct reader *r, const PgQuery__TypeName *type, size_t i)
{
    const PgQuery__Node *node = i < type->n_typmods ? type->typmods[i] : NULL;

    if (!node)
        return 0;
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        node->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL || node->a_const->ival->ival < 0)
        reader_refuse(r, "a type with such a modifier");
    return node->a_const->ival->ival;
}

struct item_type reader_type(struct reader *r, const PgQuery__TypeName *type)
{
    static const struct {
        const char *name;
        enum kind kind;
    } names[] = {
        { "int2", KIND_SMALLINT }, { "smallint", KIND_SMALLINT }, { "int4", KIND_INTEGER },
        { "int", KIND_INTEGER },   { "integer", KIND_INTEGER },   { "int8", KIND_BIGINT },
        { "bigint", KIND_BIGINT }, { "numeric", KIND_NUMERIC },   { "decimal", KIND_NUMERIC },
        { "text", KIND_TEXT },     { "varchar", KIND_VARCHAR },   { "bool", KIND_BOOLEAN },
        { "boolean", KIND_BOOLEAN }, { "timestamp", KIND_TIMESTAMP }, { "void", KIND_VOID },
        { "record", KIND_RECORD },
    };
    const char *name = type->n_names > 0 ? reader_string(type->names[type->n_names - 1]) : "";
    struct item_type found = { .kind = KIND_UNKNOWN };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            found.kind = names[i].kind;
    if (found.kind == KIND_UNKNOWN || type->setof || type->pct_type || type->n_array_bounds > 1)
        trap_unknown(r->trap, "the type %s", name);
    if (found.kind == KIND_NUMERIC) {
        if (modifier(r, type, 0) > 38 || modifier(r, type, 1) > 38)
            trap_unknown(r->trap, "numeric of more than 38 digits");
        found.precision = (uint8_t)modifier(r, type, 0);
        found.scale = (uint8_t)modifier(r, type, 1);
    } else if (found.kind == KIND_VARCHAR) {
        found.length = (uint32_t)modifier(r, type, 0);
    } else if (type->n_typmods > 0) {
        trap_unknown(r->trap, "the type %s with a modifier", name);
    }
    if (type->n_array_bounds == 1) {
        if (found.kind != KIND_BIGINT)
            trap_unknown(r->trap, "the type %s[]", name);
        found.kind = KIND_ARRAY;
    }
    return found;
}
