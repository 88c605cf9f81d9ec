#include "verify/sql/clause_private.h"

#include <pg_query.h>
#include <string.h>

#include "base/foreign.h"

#define TEXT_LENGTH_MAX ((size_t)1 << 20)
#define NESTING_MAX 2000 /* words and operators: more than any tree of them is deep */

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* Numbers and commas do not nest: a long list of numbers is shallow. */
static bool may_be_deep(struct text text)
{
    size_t count = 0;
    char before = ' ';

    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];

        if (is_word_byte(c))
            count += !is_word_byte(before);
        else
            count += !strchr(" ,'0123456789.\t\n\r", c);
        before = c;
    }
    return count > NESTING_MAX;
}

static enum status refuse_text(struct text text, const char *why, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "the SQL \"%.*s\" %s",
                     text.length > 80 ? 80 : (int)text.length, text.at, why);
}

/* The part of a select, if the select has no other. */
static bool take_part(PgQuery__SelectStmt *s, enum clause_part part, struct clause *tree)
{
    bool has_where = s->where_clause, has_order = s->n_sort_clause > 0;
    bool has_targets = s->n_target_list > 0;
    bool has_more = s->n_distinct_clause || s->into_clause || s->n_group_clause ||
                    s->having_clause || s->n_window_clause || s->n_values_lists ||
                    s->limit_offset || s->limit_count || s->n_locking_clause || s->with_clause ||
                    s->op > PG_QUERY__SET_OPERATION__SETOP_NONE || s->n_from_clause != 1;

    if (has_more || has_where != (part == CLAUSE_WHERE) || has_order != (part == CLAUSE_ORDER) ||
        has_targets != (part == CLAUSE_TARGETS))
        return false;
    tree->count = 1;
    if (part == CLAUSE_WHERE) {
        tree->nodes = &s->where_clause;
    } else if (part == CLAUSE_ORDER) {
        tree->nodes = s->sort_clause;
        tree->count = s->n_sort_clause;
    } else {
        tree->nodes = s->target_list;
        tree->count = s->n_target_list;
    }
    return true;
}

static enum status unpack(const PgQueryProtobufParseResult *parsed, enum clause_part part,
                          struct text text, struct clause *tree, struct error *err)
{
    const PgQuery__RawStmt *first;

    if (parsed->error && parsed->error->message &&
        strcmp(parsed->error->message, "out of memory") == 0)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a tree of SQL");
    if (parsed->error)
        return refuse_text(text, "does not parse", err);
    tree->result = pg_query__parse_result__unpack(NULL, parsed->parse_tree.len,
                                                  (const uint8_t *)parsed->parse_tree.data);
    if (!tree->result)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a tree of SQL");
    first = tree->result->n_stmts == 1 ? tree->result->stmts[0] : NULL;
    if (!first || first->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT ||
        !take_part(first->stmt->select_stmt, part, tree))
        return refuse_text(text, "is more than what may stand there", err);
    return STATUS_OK;
}

enum status clause_open(struct clause *tree, enum clause_part part, struct text text,
                        struct error *err)
{
    static const char *const before[] = { [CLAUSE_WHERE] = "SELECT FROM t WHERE ",
                                          [CLAUSE_ORDER] = "SELECT FROM t ORDER BY ",
                                          [CLAUSE_TARGETS] = "SELECT " };
    struct buffer sql = { 0 };
    enum status status;

    *tree = (struct clause){ 0 };
    if (text.length > TEXT_LENGTH_MAX || may_be_deep(text))
        return refuse_text(text, "is too long to be judged", err);
    buffer_print(&sql, "%s", before[part]);
    buffer_text(&sql, text);
    /* A line of its own, in case the text ends in a comment. */
    buffer_print(&sql, "%s", part == CLAUSE_TARGETS ? "\nFROM t" : "");
    buffer_byte(&sql, 0);
    status = buffer_status(&sql, err);
    if (status == STATUS_OK) {
        PgQueryProtobufParseResult parsed;

        foreign_begin("the parser of SQL");
        parsed = pg_query_parse_protobuf(sql.at);
        foreign_end();
        status = unpack(&parsed, part, text, tree, err);
        pg_query_free_protobuf_parse_result(parsed);
    }
    buffer_close(&sql);
    return status;
}

void clause_close(struct clause *tree)
{
    if (tree->result)
        pg_query__parse_result__free_unpacked(tree->result, NULL);
    *tree = (struct clause){ 0 };
}
