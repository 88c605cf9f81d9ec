/*
 * Predicates, orders and aggregates, as little of SQL as small histories need:
 *
 *     where      v >= 10 AND v <= 20 AND name = 'x' AND open = true
 *     order      v DESC, id
 *     aggregate  count(*), count(v), sum(v), min(v), max(v)
 *
 * What is not understood is refused when the history is loaded. An absent row,
 * a null and a value of another type match nothing.
 */
#include "tests/oracle/oracle_private.h"

#include <string.h>
#include <strings.h>

/* --- Reading ----------------------------------------------------------------- */

static void skip_blanks(struct text *rest)
{
    while (rest->length > 0 && (*rest->at == ' ' || *rest->at == '\n' || *rest->at == '\t'))
        rest->at++, rest->length--;
}

static struct text take(struct text *rest, size_t length)
{
    struct text taken = { rest->at, length };

    rest->at += length;
    rest->length -= length;
    return taken;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_name(struct text *rest, struct text *name)
{
    size_t length = 0;

    skip_blanks(rest);
    while (length < rest->length &&
           (is_letter(rest->at[length]) || (length > 0 && is_digit(rest->at[length]))))
        length++;
    *name = take(rest, length);
    return length > 0;
}

static bool read_symbol(struct text *rest, const char *symbol)
{
    size_t length = strlen(symbol);

    skip_blanks(rest);
    if (rest->length < length || memcmp(rest->at, symbol, length) != 0)
        return false;
    take(rest, length);
    return true;
}

static bool is_word(struct text name, const char *word)
{
    return name.length == strlen(word) && strncasecmp(name.at, word, name.length) == 0;
}

static bool read_relation(struct text *rest, enum oracle_relation *relation)
{
    static const struct {
        const char *symbol;
        enum oracle_relation relation;
    } symbols[] = {
        /* Longer ones first. */
        { "<=", ORACLE_LE }, { ">=", ORACLE_GE }, { "<>", ORACLE_NE }, { "!=", ORACLE_NE },
        { "<", ORACLE_LT },  { ">", ORACLE_GT },  { "=", ORACLE_EQ },
    };

    for (size_t i = 0; i < ROW_COUNT(symbols); i++)
        if (read_symbol(rest, symbols[i].symbol)) {
            *relation = symbols[i].relation;
            return true;
        }
    return false;
}

static bool read_quoted(struct text *rest, struct oracle_literal *literal)
{
    const char *end = memchr(rest->at, '\'', rest->length);

    if (!end)
        return false;
    literal->kind = VALUE_TEXT;
    literal->text = take(rest, (size_t)(end - rest->at));
    take(rest, 1);
    return rest->length == 0 || *rest->at != '\''; /* no quotes within quotes */
}

static bool read_literal(struct text *rest, struct oracle_literal *literal)
{
    struct text word;
    size_t length = 0;

    if (read_symbol(rest, "'"))
        return read_quoted(rest, literal);
    while (length < rest->length && (is_digit(rest->at[length]) || rest->at[length] == '-'))
        length++;
    if (length > 0) {
        literal->kind = VALUE_INTEGER;
        return text_to_int64(take(rest, length), &literal->number);
    }
    literal->kind = VALUE_BOOLEAN;
    if (!read_name(rest, &word))
        return false;
    literal->number = is_word(word, "true");
    return literal->number || is_word(word, "false");
}

bool oracle_parse_where(struct text rest, struct oracle_query *query)
{
    for (;;) {
        struct oracle_comparison *c = &query->comparisons[query->comparison_count];
        struct text word;

        if (query->comparison_count == ORACLE_TERMS_MAX || !read_name(&rest, &c->column) ||
            !read_relation(&rest, &c->relation) || !read_literal(&rest, &c->literal))
            return false;
        query->comparison_count++;
        skip_blanks(&rest);
        if (rest.length == 0)
            return true;
        if (!read_name(&rest, &word) || !is_word(word, "and"))
            return false;
    }
}

bool oracle_parse_order(struct text rest, struct oracle_query *query)
{
    do {
        struct oracle_order_term *term = &query->order[query->order_count];
        struct text word;

        if (query->order_count == ORACLE_TERMS_MAX || !read_name(&rest, &term->column))
            return false;
        if (read_name(&rest, &word)) {
            term->descends = is_word(word, "desc");
            if (!term->descends && !is_word(word, "asc"))
                return false;
        }
        query->order_count++;
    } while (read_symbol(&rest, ","));
    skip_blanks(&rest);
    return rest.length == 0;
}

bool oracle_parse_aggregate(struct text rest, struct oracle_aggregate *aggregate)
{
    static const char *const functions[] = { "count", "sum", "min", "max" };
    struct text name;
    bool known = false;

    if (!read_name(&rest, &name) || !read_symbol(&rest, "("))
        return false;
    for (size_t i = 0; i < ROW_COUNT(functions); i++)
        if (is_word(name, functions[i])) {
            aggregate->function = (enum oracle_function)i;
            known = true;
        }
    if (!known)
        return false;
    aggregate->column = (struct text){ NULL, 0 };
    if (!(aggregate->function == ORACLE_COUNT && read_symbol(&rest, "*")) &&
        !read_name(&rest, &aggregate->column))
        return false;
    return read_symbol(&rest, ")") && rest.length == 0;
}

/* --- Rows -------------------------------------------------------------------- */

/* The column of a row; VALUE_NULL where there is no row or no such column. */
static struct value cell_of(const struct oracle_model *m, uint32_t row, struct text column)
{
    const struct history *h = m->history;
    int64_t number = m->values.at[row].bits;
    uint32_t shape;

    if (m->values.at[row].kind != VALUE_ROW)
        return (struct value){ VALUE_NULL, 0 };
    shape = h->row_shape[number];
    for (uint32_t i = h->shape_start[shape]; i < h->shape_start[shape + 1]; i++)
        if (text_equal(history_text(h, h->shape_column_name[i]), column)) {
            uint64_t cell = h->row_start[number] + (i - h->shape_start[shape]);

            return (struct value){ h->cell_kind[cell], h->cell_value[cell] };
        }
    return (struct value){ VALUE_NULL, 0 };
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Of two cells of one kind. */
static int compare_cells(const struct history *h, struct value a, struct value b)
{
    if (a.kind == VALUE_TEXT)
        return text_compare(history_text(h, (uint32_t)a.bits), history_text(h, (uint32_t)b.bits));
    return compare_numbers(a.bits, b.bits);
}

static bool holds(enum oracle_relation relation, int comparison)
{
    switch (relation) {
    case ORACLE_EQ:
        return comparison == 0;
    case ORACLE_NE:
        return comparison != 0;
    case ORACLE_LT:
        return comparison < 0;
    case ORACLE_LE:
        return comparison <= 0;
    case ORACLE_GT:
        return comparison > 0;
    case ORACLE_GE:
        return comparison >= 0;
    }
    return false;
}

bool oracle_matches(const struct oracle_model *m, const struct oracle_query *query, uint32_t value)
{
    if (value == ORACLE_NULL)
        return false;
    for (unsigned i = 0; i < query->comparison_count; i++) {
        const struct oracle_comparison *c = &query->comparisons[i];
        struct value cell = cell_of(m, value, c->column);
        int comparison;

        if (cell.kind != c->literal.kind)
            return false;
        comparison =
            cell.kind == VALUE_TEXT
                ? text_compare(history_text(m->history, (uint32_t)cell.bits), c->literal.text)
                : compare_numbers(cell.bits, c->literal.number);
        if (!holds(c->relation, comparison))
            return false;
    }
    return true;
}

/* --- Answers ----------------------------------------------------------------- */

/* Rows with a null or a strange value where they are ordered compare as equal. */
static int compare_rows(const struct oracle_model *m, const struct oracle_query *query, uint32_t a,
                        uint32_t b)
{
    for (unsigned i = 0; i < query->order_count; i++) {
        struct value x = cell_of(m, a, query->order[i].column);
        struct value y = cell_of(m, b, query->order[i].column);
        int comparison = x.kind == y.kind ? compare_cells(m->history, x, y) : 0;

        if (comparison != 0)
            return query->order[i].descends ? -comparison : comparison;
    }
    return 0;
}

/* Each returned row matches and is what it is said to be, and they stand in order. */
static bool rows_are_right(const struct oracle_model *m, const struct oracle_query *query,
                           const struct oracle_state *state)
{
    for (unsigned i = 0; i < query->row_count; i++) {
        uint32_t value = state->value[query->row_key[i]];

        if (!(query->keys & bit(query->row_key[i])) || !oracle_matches(m, query, value))
            return false;
        if (query->row_value[i] != ORACLE_UNSEEN && query->row_value[i] != value)
            return false;
        if (i > 0 && compare_rows(m, query, state->value[query->row_key[i - 1]], value) > 0)
            return false;
    }
    return true;
}

/* As many rows as match, or as the limit lets through, and then the first ones. */
static bool rows_are_complete(const struct oracle_model *m, const struct oracle_query *query,
                              const struct oracle_state *state)
{
    unsigned match_count = 0;

    for (unsigned k = 0; k < m->key_count; k++) {
        if (!(query->keys & bit(k)) || !oracle_matches(m, query, state->value[k]))
            continue;
        match_count++;
        if (!(query->returned & bit(k)) && query->row_count > 0 &&
            compare_rows(m, query, state->value[query->row_key[query->row_count - 1]],
                         state->value[k]) > 0)
            return false;
    }
    if ((unsigned)__builtin_popcount(query->returned) != query->row_count)
        return false; /* a row came twice */
    if (query->limit >= 0 && match_count > (uint64_t)query->limit)
        match_count = (unsigned)query->limit;
    return query->row_count == match_count;
}

static bool aggregate_is_right(const struct oracle_model *m, const struct oracle_query *query,
                               const struct oracle_aggregate *aggregate,
                               const struct oracle_state *state)
{
    const struct oracle_value *answer;
    int64_t count = 0, sum = 0, least = INT64_MAX, most = INT64_MIN, wanted;

    if (aggregate->value == ORACLE_UNSEEN)
        return true;
    for (unsigned k = 0; k < m->key_count; k++) {
        struct value cell = { VALUE_INTEGER, 0 };

        if (!(query->keys & bit(k)) || !oracle_matches(m, query, state->value[k]))
            continue;
        if (aggregate->column.length > 0)
            cell = cell_of(m, state->value[k], aggregate->column);
        if (cell.kind == VALUE_NULL)
            continue;
        count++;
        if (__builtin_add_overflow(sum, cell.bits, &sum))
            return false; /* no answer of 64 bits is right */
        least = cell.bits < least ? cell.bits : least;
        most = cell.bits > most ? cell.bits : most;
    }
    if (aggregate->function != ORACLE_COUNT && count == 0)
        return aggregate->value == ORACLE_NULL;
    wanted = aggregate->function == ORACLE_COUNT ? count
             : aggregate->function == ORACLE_SUM ? sum
             : aggregate->function == ORACLE_MIN ? least
                                                 : most;
    answer = &m->values.at[aggregate->value];
    return answer->kind == VALUE_INTEGER && answer->bits == wanted;
}

bool oracle_query_agrees(const struct oracle_model *m, const struct oracle_query *query,
                         const struct oracle_state *state)
{
    if (query->has_rows && !(rows_are_right(m, query, state) && rows_are_complete(m, query, state)))
        return false;
    for (unsigned i = 0; i < query->aggregate_count; i++)
        if (!aggregate_is_right(m, query, &query->aggregates[i], state))
            return false;
    return true;
}

bool oracle_query_admits(const struct oracle_model *m, const struct oracle_query *query,
                         unsigned key, uint32_t value)
{
    if (!query->has_rows)
        return true;
    if (!(query->returned & bit(key)))
        return query->limit >= 0 || !oracle_matches(m, query, value);
    for (unsigned i = 0; i < query->row_count; i++)
        if (query->row_key[i] == key && query->row_value[i] != ORACLE_UNSEEN &&
            query->row_value[i] != value)
            return false;
    return oracle_matches(m, query, value);
}

/*
 * A limit compares every row that matches; a sum or minimum takes a cell of
 * each; a count of all rows and an update only match.
 */
bool oracle_query_reads(const struct oracle_query *query, unsigned key)
{
    if (query->limit >= 0)
        return true;
    for (unsigned i = 0; i < query->aggregate_count; i++)
        if (query->aggregates[i].column.length > 0)
            return true;
    for (unsigned i = 0; i < query->row_count; i++)
        if (query->row_key[i] == key)
            return query->row_value[i] != ORACLE_UNSEEN;
    return false;
}
