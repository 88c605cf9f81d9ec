
#include "programs/machine/predicate_shape_private.h"

#include <assert.h>
#include <string.h>

#include "programs/machine/compile_expression_private.h"
#include "programs/machine/compile_private.h"
#include "programs/sql/analyze.h"
#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"

#define PREFIX "SELECT WHERE "
#define LITERALS_BYTES_MAX ((size_t)16 << 20) /* of what is computed while literals are cast */

/* --- Lifting the numbers out of a text ------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_of_word(char c)
{
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A text that is read byte by byte, and copied but for its numbers. */
struct lifting {
    struct text text;
    size_t at;
    struct lifted *lifted;
};

static void copy_to(struct lifting *l, size_t end)
{
    memcpy(l->lifted->shape + l->lifted->length, l->text.at + l->at, end - l->at);
    l->lifted->length += end - l->at;
    l->at = end;
}

static void copy_word(struct lifting *l)
{
    size_t end = l->at;

    while (end < l->text.length && is_of_word(l->text.at[end]))
        end++;
    copy_to(l, end);
}

/*
 * A string or a name in quotes. Where a string has quotes that are escaped with
 * a backslash (e'it\'s'), some backslash is left outside of what looks quoted.
 */
static bool copy_quoted(struct lifting *l)
{
    const char *from = l->text.at + l->at;
    const char *end = memchr(from + 1, *from, l->text.length - l->at - 1);

    if (!end)
        return false;
    copy_to(l, (size_t)(end + 1 - l->text.at));
    return true;
}

/*
 * Digits alone, which are an integer to PostgreSQL as well: and of the same type
 * with a minus sign before them as without, which 2147483648 is not.
 */
static bool lift_number(struct lifting *l)
{
    struct lifted *lifted = l->lifted;
    size_t end = l->at;
    int64_t number;

    while (end < l->text.length && is_of_word(l->text.at[end]))
        end++;
    if (lifted->number_count == LIFT_NUMBERS_MAX ||
        !text_to_int64((struct text){ l->text.at + l->at, end - l->at }, &number) ||
        number == -(int64_t)INT32_MIN)
        return false;
    lifted->numbers[lifted->number_count++] = datum_of_int64(number);
    lifted->shape[lifted->length++] = number <= INT32_MAX ? MARK_INTEGER : MARK_BIGINT;
    l->at = end;
    return true;
}

/* What stands alone, and begins nothing in which digits would be no number. */
static bool copy_symbol(struct lifting *l)
{
    char c = l->text.at[l->at], next = l->at + 1 < l->text.length ? l->text.at[l->at + 1] : ' ';
    bool is_comment = (c == '-' && next == '-') || (c == '/' && next == '*');
    bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';

    if (is_comment || !(is_blank || (c > ' ' && c < '\x7f')) || c == '.' || c == '$' || c == '\\')
        return false;
    copy_to(l, l->at + 1);
    return true;
}

bool predicate_lift(struct text text, struct lifted *lifted)
{
    struct lifting l = { text, 0, lifted };

    lifted->length = lifted->number_count = 0;
    if (text.length == 0 || text.length > LIFT_BYTES_MAX ||
        memchr(text.at, MARK_INTEGER, text.length) || memchr(text.at, MARK_BIGINT, text.length))
        return false;
    while (l.at < text.length) {
        char c = text.at[l.at];

        if (is_digit(c)) {
            if (!lift_number(&l))
                return false;
        } else if (is_of_word(c)) {
            copy_word(&l);
        } else if (c == '\'' || c == '"') {
            if (!copy_quoted(&l))
                return false;
        } else if (!copy_symbol(&l)) {
            return false;
        }
    }
    return lifted->number_count > 0;
}

/* --- Parsing ---------------------------------------------------------------------- */

/* What the parser gets, with a zero byte behind; and the marks in it, as variables. */
struct predicate_where {
    struct text text;
    struct buffer sql;
    struct variable variables[LIFT_NUMBERS_MAX];
    uint32_t variable_count;
};

static void write_shape(struct predicate_where *where)
{
    for (size_t i = 0; i < where->text.length; i++) {
        char c = where->text.at[i];

        if (c != MARK_INTEGER && c != MARK_BIGINT) {
            buffer_byte(&where->sql, c);
            continue;
        }
        assert(where->variable_count < LIFT_NUMBERS_MAX);
        where->variables[where->variable_count++].type =
            type_of(c == MARK_INTEGER ? TYPE_INTEGER : TYPE_BIGINT);
        buffer_print(&where->sql, "$%u", (unsigned)where->variable_count);
    }
}

/* The text stands behind WHERE, and must have brought nothing but a condition. */
static enum status analyze_condition(struct analysis *a, struct name_scope *scope,
                                     const PgQuery__RawStmt *raw, const struct expression **out)
{
    const PgQuery__SelectStmt *stmt = raw->stmt->select_stmt;

    if (raw->stmt_len > 0)
        return analyze_refuse(a, raw->stmt_location + raw->stmt_len, "; is not supported here");
    ONLY(a, -1, stmt, "where_clause");
    TRY(analyze_expression(a, scope, stmt->where_clause, out));
    return analyze_build_condition(a, "WHERE", sql_node_location(stmt->where_clause), out);
}

static enum status parse_condition(struct analysis *a, struct name_scope *scope,
                                   const struct expression **out)
{
    PgQuery__ParseResult *tree = NULL;
    const PgQuery__Node *statement;
    enum status status = analyze_parse_piece(a, &tree, &statement);

    if (status == STATUS_OK)
        status = analyze_condition(a, scope, tree->stmts[0], out);
    sql_tree_close(tree);
    return status;
}

static enum status read_where(struct predicates *set, uint32_t table, struct predicate_where *where,
                              const struct expression **out, struct error *err)
{
    uint32_t line_start = 0;
    struct piece piece = {
        .text = where->sql.at, .prefix = sizeof PREFIX - 1, .is_placed = true, .line = 1
    };
    struct analysis a = { .arena = &set->arena,
                          .file = where->text,
                          .line_starts = { &line_start, 1, 1 },
                          .piece = &piece,
                          .err = err,
                          .tables = set->tables,
                          .table_count = set->schema.table_count };
    struct query_source source = { .table = table, .alias = set->tables[table].name };
    struct program_function function = { .parameter_count = where->variable_count };
    struct routine routine = { .function = &function,
                               .variables = { where->variables, where->variable_count,
                                              LIFT_NUMBERS_MAX } };
    struct name_scope scope = { .sources = &source,
                                .end_visible = 1,
                                .routine = where->variable_count ? &routine : NULL,
                                .place = "WHERE" };
    enum status status;

    heap_init(&a.heap, LITERALS_BYTES_MAX);
    status = parse_condition(&a, &scope, out);
    heap_close(&a.heap);
    return status;
}

/* --- Compiling -------------------------------------------------------------------- */

struct conjuncts {
    ARRAY(const struct expression *) list;
};

static enum status take_apart(const struct expression *e, struct conjuncts *conjuncts,
                              struct error *err)
{
    if (e->kind != EXPRESSION_AND)
        return array_push(&conjuncts->list, e, err);
    for (uint32_t i = 0; i < e->argument_count; i++)
        TRY(take_apart(e->arguments[i], conjuncts, err));
    return STATUS_OK;
}

/* What the condition is given, computed of variables in the first slots. */
static enum status compile_parameters(struct predicates *set, uint32_t variable_count,
                                      struct predicate_shape *shape, struct error *err)
{
    const struct condition *condition = shape->condition;
    struct formula *formulas =
        arena_push(&set->arena, condition->parameter_count, sizeof *formulas);
    struct compiler c = { .arena = &set->arena,
                          .err = err,
                          .variable_count = variable_count,
                          .next = variable_count,
                          .next_max = variable_count };

    if (!formulas)
        return error_set(err, STATUS_OVER_LIMIT, "the predicates do not fit into memory");
    for (uint32_t i = 0; i < condition->parameter_count && c.status == STATUS_OK; i++)
        formulas[i] = compile_formula(&c, condition->parameters[i]);
    shape->parameters = formulas;
    shape->constants = compile_keep(&c, c.constants.at, c.constants.count, sizeof *c.constants.at);
    shape->number_count = variable_count;
    shape->slot_count = c.next_max;
    compile_close(&c);
    return c.status;
}

/* Some types that a history may declare have no values here; who does not ask need not know. */
static enum status check_types(const struct history *h, const struct condition *condition,
                               struct error *err)
{
    for (uint16_t i = 0; i < condition->columns.count; i++) {
        uint32_t column = h->table_column_start[condition->table] + condition->columns.at[i];
        struct sql_error error;
        struct type type;

        if (predicate_column_type(h, column, &type, &error) != STATUS_OK)
            return error_set(err, STATUS_BAD_INPUT, "column %.*s: %s",
                             TEXT_PRINT(history_text(h, h->table_column_name[column])), error.text);
    }
    return STATUS_OK;
}

static bool is_parameter(const struct condition *condition, const struct expression *e)
{
    for (uint32_t i = 0; i < condition->parameter_count; i++)
        if (condition->parameters[i] == e)
            return true;
    return false;
}

/*
 * Whether all that depends on no column is computed before, or is plain. What
 * only some rows get to (behind OR, in CASE) is not; there a number that is cast
 * is better known when the condition is made.
 */
static bool is_prepared(const struct condition *condition, const struct expression *e)
{
    if (e->argument_count == 0 || is_parameter(condition, e))
        return true;
    if (!compile_has_column(e))
        return false;
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (!is_prepared(condition, e->arguments[i]))
            return false;
    return true;
}

static enum status check_shape(const struct condition *condition, struct error *err)
{
    for (uint32_t i = 0; i < condition->conjunct_count; i++)
        if (!is_prepared(condition, condition->conjuncts[i]))
            return error_set(err, STATUS_BAD_INPUT, "numbers are computed with in some rows only");
    return STATUS_OK;
}

static enum status compile(struct predicates *set, uint32_t table, struct predicate_where *where,
                           struct predicate_shape *shape, struct error *err)
{
    const struct expression *e;
    struct conjuncts conjuncts = { 0 };
    enum status status;

    buffer_byte(&where->sql, '\0');
    TRY(buffer_status(&where->sql, err));
    TRY(read_where(set, table, where, &e, err));
    status = take_apart(e, &conjuncts, err);
    if (status == STATUS_OK)
        status = compile_condition(
            &(struct condition_conjuncts){ conjuncts.list.at, (uint32_t)conjuncts.list.count, 0, table, false },
            &set->arena, &shape->condition, err);
    array_close(&conjuncts.list);
    TRY(status);
    if (where->variable_count > 0)
        TRY(check_shape(shape->condition, err));
    TRY(check_types(set->history, shape->condition, err));
    return compile_parameters(set, where->variable_count, shape, err);
}

static bool is_blank(struct text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!memchr(" \t\n\f\r", text.at[i], 5))
            return false;
    return true;
}

static enum status check_text(struct text text, struct error *err)
{
    if (text.length > SQL_TEXT_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "more than 1 MB of SQL");
    if (memchr(text.at, 0, text.length))
        return error_set(err, STATUS_BAD_INPUT, "the text has a zero byte in it");
    return STATUS_OK;
}

enum status predicate_compile(struct predicates *set, uint32_t table, struct text text,
                              bool has_marks, struct predicate_shape *shape, struct error *err)
{
    struct predicate_where where = { .text = text };
    enum status status;

    *shape = (struct predicate_shape){ .condition = NULL };
    if (is_blank(text))
        return compile_condition(&(struct condition_conjuncts){ NULL, 0, 0, table, false }, &set->arena,
                                 &shape->condition, err);
    TRY(check_text(text, err));
    buffer_text(&where.sql, TEXT(PREFIX));
    if (has_marks)
        write_shape(&where);
    else
        buffer_text(&where.sql, text);
    status = compile(set, table, &where, shape, err);
    buffer_close(&where.sql);
    return status;
}
