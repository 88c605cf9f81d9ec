
#include "programs/plpgsql/plpgsql_piece_private.h"
#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"

#include <stdlib.h>
#include <string.h>

static const struct text select_word = { "SELECT ", sizeof "SELECT " - 1 };

/* --- JSON ---------------------------------------------------------------------- */

const char *plpgsql_json_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

uint32_t plpgsql_json_number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) && item->valueint > 0 ? (uint32_t)item->valueint : 0;
}

bool plpgsql_json_is(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* --- Places -------------------------------------------------------------------- */

void plpgsql_read_line(struct plpgsql_reader *r, const cJSON *statement)
{
    uint32_t line = plpgsql_json_number(statement, "lineno");

    if (line > 0)
        r->here.line = r->body_line + line - 1;
    r->a->piece = &r->here;
}

uint32_t plpgsql_line_here(const struct plpgsql_reader *r)
{
    return r->here.line;
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Whether it stands at this byte of the body. Blanks match anything: INTO is blanked out. */
static bool stands_at(struct text body, size_t at, struct text wanted)
{
    if (at > 0 && is_of_word(wanted.at[0]) && is_of_word(body.at[at - 1]))
        return false;
    for (size_t i = 0; i < wanted.length; i++)
        if (wanted.at[i] != ' ' && wanted.at[i] != body.at[at + i])
            return false;
    at += wanted.length;
    return at == body.length || !is_of_word(body.at[at - 1]) || !is_of_word(body.at[at]);
}

/* Looks for a text from the line of the statement on, behind what was found before. */
static bool find_text(struct plpgsql_reader *r, struct text wanted, size_t *offset)
{
    size_t line_start, at;

    if (wanted.length == 0 || r->here.line > r->a->line_starts.count)
        return false;
    line_start = r->a->line_starts.at[r->here.line - 1];
    at = line_start > r->body_offset ? line_start - r->body_offset : 0;
    if (at < r->cursor)
        at = r->cursor;
    for (; at + wanted.length <= r->body.length; at++)
        if (stands_at(r->body, at, wanted)) {
            r->cursor = at + wanted.length;
            *offset = r->body_offset + at;
            return true;
        }
    return false;
}

/* Makes a piece of the text behind its first `skip` bytes; `prefix` goes before it. */
static enum status open_piece(struct plpgsql_reader *r, struct text prefix, const char *text,
                              struct piece *piece)
{
    size_t length, blanks = strspn(text, " \t\r\n\f");
    char *copy;

    text += blanks;
    length = strlen(text);
    copy = malloc(prefix.length + length + 1);
    if (!copy)
        return error_set(r->a->err, STATUS_OVER_LIMIT, "no memory");
    memcpy(copy, prefix.at, prefix.length);
    memcpy(copy + prefix.length, text, length + 1);
    *piece =
        (struct piece){ .text = copy, .prefix = (uint32_t)prefix.length, .line = r->here.line };
    piece->is_placed = find_text(r, (struct text){ text, length }, &piece->offset);
    if (piece->is_placed)
        piece->line = analyze_line_at(r->a, piece->offset);
    r->a->piece = piece;
    return STATUS_OK;
}

static void close_piece(struct plpgsql_reader *r, struct piece *piece)
{
    free((char *)piece->text);
    r->a->piece = &r->here;
}

/* --- Expressions ----------------------------------------------------------------- */

/* The one thing that "SELECT ..." selects. */
static enum status analyze_selected(struct plpgsql_reader *r, const PgQuery__Node *node,
                                    const struct type *to, const struct expression **out)
{
    struct name_scope scope = { .routine = &r->routine,
                                .allows_calls = true,
                                .place = "an expression without a query" };
    const PgQuery__SelectStmt *stmt = node->select_stmt;
    struct analysis *a = r->a;
    int32_t location = (int32_t)select_word.length;

    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return analyze_refuse(a, location, "an expression is expected here");
    ONLY(a, location, stmt, "target_list limit_option");
    if (stmt->n_target_list != 1)
        return analyze_refuse(a, location, "an expression of %zu columns is not supported",
                              stmt->n_target_list);
    ONLY(a, location, stmt->target_list[0]->res_target, "val");
    TRY(analyze_expression(a, &scope, stmt->target_list[0]->res_target->val, out));
    if (!to)
        return analyze_build_settled(a, location, out);
    return analyze_build_cast(a, *to, CAST_VARIABLE, location, out);
}

static enum status parse_expression(struct plpgsql_reader *r, const char *text, const struct type *to,
                                    const struct expression **out)
{
    PgQuery__ParseResult *tree = NULL;
    const PgQuery__Node *node;
    struct piece piece;
    enum status status;

    TRY(open_piece(r, select_word, text, &piece));
    status = analyze_parse_piece(r->a, &tree, &node);
    if (status == STATUS_OK)
        status = analyze_selected(r, node, to, out);
    sql_tree_close(tree);
    close_piece(r, &piece);
    return status;
}

static enum status text_of_expr(struct plpgsql_reader *r, const cJSON *object, const char **text)
{
    const cJSON *expr = cJSON_GetObjectItemCaseSensitive(object, "PLpgSQL_expr");

    *text = plpgsql_json_text(expr, "query");
    if (!*text)
        return analyze_refuse(r->a, -1, "libpg_query says nothing of an expression");
    return STATUS_OK;
}

enum status plpgsql_read_expression(struct plpgsql_reader *r, const cJSON *object, const struct type *to,
                                    const struct expression **out)
{
    const char *text;

    TRY(text_of_expr(r, object, &text));
    return parse_expression(r, text, to, out);
}

/* Where the value begins in "x := value", "x = value"; NULL where x is no plain variable. */
static enum status find_value(struct plpgsql_reader *r, const char *text, const char **value)
{
    struct sql_tokens tokens;
    struct sql_fault fault;

    *value = NULL;
    if (sql_scan(text, &tokens, &fault) != STATUS_OK) {
        fault.at = SQL_NOWHERE;
        return analyze_refuse_fault(r->a, &fault);
    }
    for (uint32_t i = 0; i < tokens.count && !*value; i++) {
        PgQuery__Token kind = tokens.at[i].kind;

        if (kind == PG_QUERY__TOKEN__ASCII_91)
            break;
        if (kind == PG_QUERY__TOKEN__COLON_EQUALS || kind == PG_QUERY__TOKEN__ASCII_61)
            *value = text + tokens.at[i].end;
    }
    sql_tokens_close(&tokens);
    if (!*value)
        return analyze_refuse(r->a, -1, "assignment to an element of an array is not supported");
    return STATUS_OK;
}

enum status plpgsql_read_assigned(struct plpgsql_reader *r, const cJSON *object, struct type to,
                                  const struct expression **out)
{
    const char *text, *value;

    TRY(text_of_expr(r, object, &text));
    TRY(find_value(r, text, &value));
    return parse_expression(r, value, &to, out);
}

/* --- Queries --------------------------------------------------------------------- */

enum status plpgsql_read_query(struct plpgsql_reader *r, const cJSON *object, const struct query **query)
{
    PgQuery__ParseResult *tree = NULL;
    const PgQuery__Node *node;
    struct text prefix = { "", 0 };
    struct piece piece;
    const char *text;
    enum status status;

    TRY(text_of_expr(r, object, &text));
    /* PERFORM comes with SELECT in its place. */
    if (strncmp(text, "SELECT", select_word.length - 1) == 0) {
        prefix = select_word;
        text += select_word.length - 1;
    }
    TRY(open_piece(r, prefix, text, &piece));
    status = analyze_parse_piece(r->a, &tree, &node);
    if (status == STATUS_OK)
        status = analyze_query(r->a, &r->routine, node, query);
    sql_tree_close(tree);
    close_piece(r, &piece);
    return status;
}
