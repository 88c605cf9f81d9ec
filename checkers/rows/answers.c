#include "checkers/rows/answers.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "checkers/check_private.h"
#include "checkers/rows/answers_private.h"

/* --- Orders and aggregates ----------------------------------------------------- */

/*
 * The little SQL that stands behind ORDER BY and in front of an aggregate's value.
 */

#define NAME_BYTES_MAX 128

static void skip_blanks(struct text *rest)
{
    while (rest->length > 0 && isspace((unsigned char)*rest->at))
        rest->at++, rest->length--;
}

static bool take_byte(struct text *rest, char byte)
{
    skip_blanks(rest);
    if (rest->length == 0 || *rest->at != byte)
        return false;
    rest->at++, rest->length--;
    return true;
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* An identifier, folded as PostgreSQL does. */
static bool take_name(struct text *rest, char name[NAME_BYTES_MAX])
{
    size_t length = 0, from = 0;
    bool is_quoted;

    skip_blanks(rest);
    is_quoted = rest->length > 0 && *rest->at == '"';
    from = is_quoted;
    while (from + length < rest->length &&
           (is_quoted ? rest->at[from + length] != '"' : is_of_name(rest->at[from + length])))
        length++;
    if (length == 0 || length >= NAME_BYTES_MAX || isdigit((unsigned char)*rest->at) ||
        (is_quoted && from + length == rest->length))
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = rest->at[from + i];
        name[i] = is_quoted ? c : (char)tolower((unsigned char)c);
    }
    name[length] = '\0';
    rest->at += length + 2 * from;
    rest->length -= length + 2 * from;
    return true;
}

static bool take_word(struct text *rest, const char *word)
{
    struct text ahead = *rest;
    char name[NAME_BYTES_MAX];

    skip_blanks(&ahead);
    if (ahead.length == 0 || *ahead.at == '"' || !take_name(&ahead, name) ||
        strcasecmp(name, word) != 0)
        return false;
    *rest = ahead;
    return true;
}

static bool find_column(const struct history *h, uint32_t table, const char *name, uint16_t *column)
{
    uint32_t first = h->table_column_start[table];

    for (uint32_t i = first; i < h->table_column_start[table + 1]; i++)
        if (text_equal(history_text(h, h->table_column_name[i]), text_of(name))) {
            *column = (uint16_t)(i - first);
            return i - first <= UINT16_MAX;
        }
    return false;
}

static bool take_term(struct text *rest, const struct history *h, uint32_t table,
                      struct order_term *term)
{
    char name[NAME_BYTES_MAX];

    if (!take_name(rest, name) || !find_column(h, table, name, &term->column))
        return false;
    term->descends = take_word(rest, "desc");
    if (!term->descends)
        (void)take_word(rest, "asc");
    term->nulls_first = term->descends;
    if (!take_word(rest, "nulls"))
        return true;
    term->nulls_first = take_word(rest, "first");
    return term->nulls_first || take_word(rest, "last");
}

/* "balance DESC NULLS LAST, id": false, if it is more than columns. */
static bool answer_parse_order(const struct history *h, uint32_t table, struct text text,
                               struct order_term terms[ORDER_TERMS_MAX], unsigned *count)
{
    *count = 0;
    do {
        if (*count == ORDER_TERMS_MAX || !take_term(&text, h, table, &terms[*count]))
            return false;
        ++*count;
    } while (take_byte(&text, ','));
    skip_blanks(&text);
    return text.length == 0;
}

bool answer_parse_aggregate(const struct history *h, uint32_t table, struct text text,
                            enum aggregate_function *function, uint16_t *column)
{
    static const char *const names[] = { "", "count", "sum", "min", "max", "avg" };
    char name[NAME_BYTES_MAX];
    bool is_known = false;

    if (!take_name(&text, name) || !take_byte(&text, '('))
        return false;
    for (int i = FUNCTION_COUNT; i <= FUNCTION_AVG && !is_known; i++) {
        is_known = strcmp(name, names[i]) == 0;
        *function = (enum aggregate_function)i;
    }
    if (!is_known)
        return false;
    if (*function == FUNCTION_COUNT && take_byte(&text, '*'))
        *function = FUNCTION_COUNT_ROWS;
    else if (!take_name(&text, name) || !find_column(h, table, name, column))
        return false;
    if (!take_byte(&text, ')'))
        return false;
    skip_blanks(&text);
    return text.length == 0;
}

/* --- Aggregates ---------------------------------------------------------------- */

/*
 * Aggregates, computed again: integers and decimals exactly, whatever SQL type the
 * store gave the sum.
 */

/* What has been seen of a column so far. */
struct row_tally {
    int64_t count;
    struct numeric sum;
    struct datum least, most;
};

static enum status add(struct row_tally *tally, enum aggregate_function function, const struct datum *d,
                       struct sql_error *err)
{
    bool sums = function == FUNCTION_SUM || function == FUNCTION_AVG;

    if (datum_is_null(d))
        return STATUS_OK;
    if (sums && d->kind != DATUM_INTEGER && d->kind != DATUM_NUMERIC)
        return STATUS_BAD_INPUT;
    if (sums)
        TRY(numeric_add(tally->sum,
                        d->kind == DATUM_INTEGER ? numeric_from_int64(d->as.integer)
                                                 : datum_numeric(d),
                        &tally->sum, err));
    else if (tally->count == 0)
        tally->least = tally->most = *d;
    else if (datum_compare(d, &tally->least) < 0)
        tally->least = *d;
    else if (datum_compare(d, &tally->most) > 0)
        tally->most = *d;
    tally->count++;
    return STATUS_OK;
}

/* Whether a value of the history is that number. */
static bool is_number(const struct history *h, struct value value, struct numeric number)
{
    struct sql_error unsaid;
    struct numeric read;

    if (value.kind == VALUE_INTEGER)
        return numeric_compare(numeric_from_int64(value.bits), number) == 0;
    return value.kind == VALUE_TEXT &&
           numeric_parse(history_text(h, (uint32_t)value.bits), &read, &unsaid) == STATUS_OK &&
           numeric_compare(read, number) == 0;
}

static bool is_datum(const struct history *h, struct value value, const struct datum *d)
{
    switch ((enum datum_kind)d->kind) {
    case DATUM_NULL:
        return value.kind == VALUE_NULL;
    case DATUM_INTEGER:
    case DATUM_TIMESTAMP:
        return value.kind == VALUE_INTEGER && value.bits == d->as.integer;
    case DATUM_BOOLEAN:
        return value.kind == VALUE_BOOLEAN && (value.bits != 0) == (d->as.integer != 0);
    case DATUM_NUMERIC:
        return is_number(h, value, datum_numeric(d));
    case DATUM_TEXT:
        return value.kind == VALUE_TEXT &&
               text_equal(history_text(h, (uint32_t)value.bits), datum_text(d));
    case DATUM_ARRAY:
        return false;
    }
    return false;
}

static void print_datum(char *to, size_t size, const struct datum *d)
{
    struct buffer text = { 0 };

    if (datum_is_null(d))
        buffer_text(&text, TEXT("null"));
    else
        datum_print(d, &text);
    snprintf(to, size, "%.*s", text.at ? (int)(text.count < size ? text.count : size - 1) : 0,
             text.at ? text.at : "");
    buffer_close(&text);
}

/* The average has more digits than any two stores agree on: only equality tells something. */
static enum answer compare_average(const struct history *h, struct value value,
                                   const struct row_tally *tally)
{
    struct sql_error unsaid;
    struct numeric average;

    if (tally->count == 0 || value.kind == VALUE_NULL)
        return (tally->count == 0) == (value.kind == VALUE_NULL) ? ANSWER_AGREES : ANSWER_DIFFERS;
    if (numeric_divide(tally->sum, numeric_from_int64(tally->count), &average, &unsaid) !=
        STATUS_OK)
        return ANSWER_UNDECIDED;
    return is_number(h, value, average) ? ANSWER_AGREES : ANSWER_UNDECIDED;
}

static struct datum result_of(enum aggregate_function function, const struct row_tally *tally)
{
    if (function == FUNCTION_COUNT || function == FUNCTION_COUNT_ROWS)
        return datum_of_int64(tally->count);
    if (tally->count == 0)
        return datum_null();
    return function == FUNCTION_MIN   ? tally->least
           : function == FUNCTION_MAX ? tally->most
                                      : datum_of_numeric(tally->sum);
}

/* An aggregate of a column of a table's rows. */
struct column_aggregate {
    uint32_t table;
    enum aggregate_function function;
    uint16_t column;
};

static enum status tally_rows(struct answers *a, const struct column_aggregate *of,
                              const struct matched_row *rows, size_t count, struct row_tally *tally)
{
    for (size_t i = 0; i < count; i++) {
        struct sql_error unsaid;
        struct datum d = datum_of_bool(true);

        if (of->function != FUNCTION_COUNT_ROWS)
            TRY(predicates_read(a->predicates, of->table, rows[i].row, of->column, &d, &unsaid));
        TRY(add(tally, of->function, &d, &unsaid));
    }
    return STATUS_OK;
}

/* One aggregate of the head's statement. */
static enum answer answer_compare_aggregate(struct answers *a, uint32_t head, uint32_t aggregate,
                                            const struct matched_row *rows, size_t count,
                                            struct answer_fault *fault)
{
    const struct history *h = a->history;
    struct column_aggregate of = { .table = h->statement_table[h->op_key[head]] };
    struct value value = { h->aggregate_kind[aggregate], h->aggregate_value[aggregate] };
    struct row_tally tally = { .count = 0 };
    struct datum result;

    if (!answer_parse_aggregate(h, of.table, history_text(h, h->aggregate_name[aggregate]),
                                &of.function, &of.column) ||
        tally_rows(a, &of, rows, count, &tally) != STATUS_OK)
        return ANSWER_UNDECIDED;
    if (of.function == FUNCTION_AVG)
        return compare_average(h, value, &tally);
    result = result_of(of.function, &tally);
    if (result.kind == DATUM_ARRAY)
        return ANSWER_UNDECIDED;
    if (result.kind == DATUM_NUMERIC || (of.function == FUNCTION_SUM && !datum_is_null(&result))
            ? is_number(h, value, datum_numeric(&result))
            : is_datum(h, value, &result))
        return ANSWER_AGREES;
    *fault =
        (struct answer_fault){ .kind = FAULT_NUMBER, .key = HISTORY_NONE, .aggregate = aggregate };
    print_datum(fault->should_be, sizeof fault->should_be, &result);
    return ANSWER_DIFFERS;
}

enum status answers_init(struct answers *a, const struct history *h,
                         const struct predicates *predicates, struct error *err)
{
    *a = (struct answers){ .history = h, .predicates = predicates };
    if (h->statement_count == 0)
        return STATUS_OK;
    TRY(check_memory((void **)&a->stamp, h->key_count, sizeof *a->stamp, 0, err));
    return memory_resize((void **)&a->place, h->key_count, sizeof *a->place, err);
}

void answers_close(struct answers *a)
{
    free(a->stamp);
    free(a->place);
    *a = (struct answers){ 0 };
}

bool answers_read_all(const struct history *h, uint32_t head)
{
    uint32_t statement = h->op_key[head], end = h->statement_aggregate_start[statement + 1];

    if (h->statement_limit[statement] >= 0)
        return true;
    for (uint32_t i = h->statement_aggregate_start[statement]; i < end; i++) {
        struct text name = history_text(h, h->aggregate_name[i]);
        enum aggregate_function function;
        uint16_t column;

        if (!answer_parse_aggregate(h, h->statement_table[statement], name, &function, &column) ||
            function != FUNCTION_COUNT_ROWS)
            return true;
    }
    return false;
}

/* --- Order ------------------------------------------------------------------------ */

struct row_ordering {
    const struct answers *answers;
    uint32_t table;
    unsigned term_count;
    struct order_term terms[ORDER_TERMS_MAX];
    bool is_lost; /* something could not be read */
};

static int compare_cells(const struct order_term *term, const struct datum *a,
                         const struct datum *b)
{
    int order;

    if (datum_is_null(a) || datum_is_null(b)) {
        order = (int)datum_is_null(a) - (int)datum_is_null(b);
        return term->nulls_first ? -order : order;
    }
    order = datum_compare(a, b);
    return term->descends ? -order : order;
}

static int compare_rows(struct row_ordering *o, struct value a, struct value b)
{
    for (unsigned i = 0; i < o->term_count; i++) {
        const struct order_term *term = &o->terms[i];
        struct sql_error unsaid;
        struct datum x, y;
        int order;

        if (predicates_read(o->answers->predicates, o->table, a, term->column, &x, &unsaid) !=
                STATUS_OK ||
            predicates_read(o->answers->predicates, o->table, b, term->column, &y, &unsaid) !=
                STATUS_OK) {
            o->is_lost = true;
            return 0;
        }
        order = compare_cells(term, &x, &y);
        if (order != 0)
            return order;
    }
    return 0;
}

/* --- Rows ------------------------------------------------------------------------- */

/* A statement's answer beside the rows that match. */
struct statement_question {
    struct answers *answers;
    const struct matched_row *rows;
    size_t count;
    uint32_t head, first_op, row_count;
    int64_t limit;
    bool returns_rows; /* else it only matched them */
};

static enum answer blame(struct answer_fault *fault, struct answer_fault found)
{
    *fault = found;
    return ANSWER_DIFFERS;
}

/* Every returned row is among those that match, as it is. */
static enum answer compare_returned(const struct statement_question *q, struct answer_fault *fault)
{
    const struct answers *a = q->answers;
    const struct history *h = a->history;

    for (uint32_t op = q->first_op; op < q->first_op + q->row_count; op++) {
        uint32_t key = h->op_key[op];
        struct value expected;

        if (a->stamp[key] != a->question)
            return blame(fault, (struct answer_fault){ FAULT_EXTRA, key, .op = op });
        expected = q->rows[a->place[key]].row;
        if (q->returns_rows && !history_values_equal(h, history_value(h, op), expected))
            return blame(fault,
                         (struct answer_fault){ FAULT_OTHER, key, .op = op, .expected = expected });
    }
    return ANSWER_AGREES;
}

static enum answer blame_missing(const struct statement_question *q, struct answer_fault *fault)
{
    struct answers *a = q->answers;
    const struct history *h = a->history;

    a->question++;
    for (uint32_t op = q->first_op; op < q->first_op + q->row_count; op++)
        a->stamp[h->op_key[op]] = a->question;
    for (size_t i = 0; i < q->count; i++)
        if (a->stamp[q->rows[i].key] != a->question)
            return blame(fault, (struct answer_fault){ FAULT_MISSING, q->rows[i].key,
                                                       .expected = q->rows[i].row });
    return ANSWER_AGREES;
}

static enum answer compare_count(const struct statement_question *q, struct answer_fault *fault)
{
    size_t wanted = q->count;

    if (q->limit >= 0 && wanted > (uint64_t)q->limit)
        wanted = (size_t)q->limit;
    if (q->row_count == wanted)
        return ANSWER_AGREES;
    if (q->limit < 0)
        return blame_missing(q, fault);
    *fault = (struct answer_fault){ .kind = FAULT_CHOICE, .key = HISTORY_NONE };
    snprintf(fault->should_be, sizeof fault->should_be, "%zu rows", wanted);
    return ANSWER_DIFFERS;
}

static struct value row_of(const struct statement_question *q, uint32_t op)
{
    const struct answers *a = q->answers;

    return q->rows[a->place[a->history->op_key[op]]].row;
}

/* The rows came in order, and none was left out that comes before one of them. */
static enum answer compare_order(const struct statement_question *q, struct answer_fault *fault)
{
    struct answers *a = q->answers;
    const struct history *h = a->history;
    uint32_t statement = h->op_key[q->head], order = h->statement_order[statement];
    struct row_ordering o = { .answers = a, .table = h->statement_table[statement] };
    bool is_wrong = false;

    if (order == HISTORY_NONE || q->row_count == 0)
        return ANSWER_AGREES;
    if (!answer_parse_order(h, o.table, history_text(h, order), o.terms, &o.term_count))
        return q->row_count > 1 || q->row_count < q->count ? ANSWER_UNDECIDED : ANSWER_AGREES;
    for (uint32_t op = q->first_op + 1; op < q->first_op + q->row_count; op++)
        is_wrong |= compare_rows(&o, row_of(q, op - 1), row_of(q, op)) > 0;
    if (q->row_count < q->count) {
        struct value last = row_of(q, q->first_op + q->row_count - 1);

        a->question++;
        for (uint32_t op = q->first_op; op < q->first_op + q->row_count; op++)
            a->stamp[h->op_key[op]] = a->question;
        for (size_t i = 0; i < q->count; i++)
            is_wrong |= a->stamp[q->rows[i].key] != a->question &&
                        compare_rows(&o, last, q->rows[i].row) > 0;
    }
    if (o.is_lost)
        return ANSWER_UNDECIDED;
    if (!is_wrong)
        return ANSWER_AGREES;
    *fault = (struct answer_fault){ .kind = FAULT_CHOICE, .key = HISTORY_NONE };
    snprintf(fault->should_be, sizeof fault->should_be, "the first rows in order");
    return ANSWER_DIFFERS;
}

static enum answer compare_rows_of(const struct statement_question *q, struct answer_fault *fault)
{
    struct answers *a = q->answers;
    enum answer answer;

    a->question++;
    for (size_t i = 0; i < q->count; i++) {
        a->stamp[q->rows[i].key] = a->question;
        a->place[q->rows[i].key] = (uint32_t)i;
    }
    answer = compare_returned(q, fault);
    if (answer == ANSWER_AGREES)
        answer = compare_count(q, fault);
    return answer == ANSWER_AGREES ? compare_order(q, fault) : answer;
}

static enum answer compare_aggregates(struct answers *a, uint32_t head,
                                      const struct matched_row *rows, size_t count,
                                      struct answer_fault *fault)
{
    const struct history *h = a->history;
    uint32_t statement = h->op_key[head], end = h->statement_aggregate_start[statement + 1];
    enum answer worst = ANSWER_AGREES;

    if (h->statement_limit[statement] >= 0)
        return ANSWER_UNDECIDED; /* aggregates of a part of the rows are a language of their own */
    for (uint32_t i = h->statement_aggregate_start[statement]; i < end; i++) {
        enum answer answer = answer_compare_aggregate(a, head, i, rows, count, fault);

        if (answer == ANSWER_DIFFERS)
            return answer;
        if (answer == ANSWER_UNDECIDED)
            worst = answer;
    }
    return worst;
}

enum answer answers_compare(struct answers *a, uint32_t head, const struct matched_row *rows,
                            size_t count, struct answer_fault *fault)
{
    const struct history *h = a->history;
    uint32_t statement = h->op_key[head];
    struct statement_question q = { .answers = a,
                          .rows = rows,
                          .count = count,
                          .head = head,
                          .first_op = head + 1,
                          .row_count = h->statement_row_count[statement],
                          .limit = h->statement_limit[statement],
                          .returns_rows = h->op_kind[head] == OP_SELECT };
    enum answer answer = ANSWER_AGREES;

    if (!(h->statement_flags[statement] & STATEMENT_AGGREGATES) || q.row_count > 0)
        answer = compare_rows_of(&q, fault);
    if (answer == ANSWER_AGREES && h->statement_flags[statement] & STATEMENT_AGGREGATES)
        answer = compare_aggregates(a, head, rows, count, fault);
    return answer;
}

/* --- One row ---------------------------------------------------------------------- */

/* Of a row that matches and did not come, though there is a limit. */
static bool may_be_left_out(struct answers *a, uint32_t head, struct value row)
{
    const struct history *h = a->history;
    uint32_t statement = h->op_key[head], count = h->statement_row_count[statement];
    uint32_t order = h->statement_order[statement];
    struct row_ordering o = { .answers = a, .table = h->statement_table[statement] };
    struct value last;

    if (count < (uint64_t)h->statement_limit[statement])
        return false;
    if (order == HISTORY_NONE || count == 0 || h->op_kind[head] != OP_SELECT ||
        !answer_parse_order(h, o.table, history_text(h, order), o.terms, &o.term_count))
        return true;
    last = history_value(h, head + count);
    return last.kind != VALUE_ROW || compare_rows(&o, last, row) <= 0 || o.is_lost;
}

static bool rows_admit(struct answers *a, uint32_t head, uint32_t returned_op,
                       enum predicate_answer matches, struct value row)
{
    const struct history *h = a->history;

    if (returned_op == HISTORY_NONE)
        return matches == PREDICATE_NO ||
               (h->statement_limit[h->op_key[head]] >= 0 && may_be_left_out(a, head, row));
    return matches == PREDICATE_YES &&
           (h->op_kind[head] != OP_SELECT || h->op_value_kind[returned_op] == VALUE_NONE ||
            history_values_equal(h, history_value(h, returned_op), row));
}

static bool is_integer(const struct history *h, uint32_t table, uint16_t column)
{
    struct text type = history_text(h, h->table_column_type[h->table_column_start[table] + column]);

    return text_equal(type, TEXT("bigint")) || text_equal(type, TEXT("integer"));
}

/* A row that matches, and an aggregate. */
static bool aggregate_admits(struct answers *a, uint32_t table, uint32_t aggregate,
                             struct value row)
{
    const struct history *h = a->history;
    struct value told = { (enum value_kind)h->aggregate_kind[aggregate],
                          h->aggregate_value[aggregate] };
    enum aggregate_function function;
    uint16_t column;
    uint64_t cell;

    if (told.kind == VALUE_NONE ||
        !answer_parse_aggregate(h, table, history_text(h, h->aggregate_name[aggregate]), &function,
                                &column))
        return true;
    if (function == FUNCTION_COUNT_ROWS)
        return told.kind != VALUE_INTEGER || told.bits != 0;
    cell = h->row_start[row.bits] + column;
    if (h->cell_kind[cell] == VALUE_NULL)
        return true;
    if (function == FUNCTION_COUNT)
        return told.kind != VALUE_INTEGER || told.bits != 0;
    if (told.kind == VALUE_NULL)
        return function == FUNCTION_AVG; /* which is for the whole answer to say */
    if (told.kind != VALUE_INTEGER || h->cell_kind[cell] != VALUE_INTEGER ||
        !is_integer(h, table, column))
        return true;
    if (function == FUNCTION_MIN)
        return h->cell_value[cell] >= told.bits;
    return function != FUNCTION_MAX || h->cell_value[cell] <= told.bits;
}

bool answers_admit(struct answers *a, uint32_t head, uint32_t returned_op,
                   enum predicate_answer matches, struct value row)
{
    const struct history *h = a->history;
    uint32_t statement = h->op_key[head], end = h->statement_aggregate_start[statement + 1];
    bool has_aggregates = h->statement_flags[statement] & STATEMENT_AGGREGATES;

    if (matches == PREDICATE_UNDECIDED)
        return true;
    if ((!has_aggregates || h->statement_row_count[statement] > 0) &&
        !rows_admit(a, head, returned_op, matches, row))
        return false;
    if (!has_aggregates || matches == PREDICATE_NO || h->statement_limit[statement] >= 0)
        return true;
    for (uint32_t i = h->statement_aggregate_start[statement]; i < end; i++)
        if (!aggregate_admits(a, h->statement_table[statement], i, row))
            return false;
    return true;
}

bool answers_extreme(const struct history *h, uint32_t table, uint32_t aggregate, uint16_t *column,
                     int64_t *extreme, bool *is_least)
{
    enum aggregate_function function = FUNCTION_AVG;

    if (h->aggregate_kind[aggregate] != VALUE_INTEGER ||
        !answer_parse_aggregate(h, table, history_text(h, h->aggregate_name[aggregate]), &function,
                                column) ||
        (function != FUNCTION_MIN && function != FUNCTION_MAX) || !is_integer(h, table, *column))
        return false;
    *extreme = h->aggregate_value[aggregate];
    *is_least = function == FUNCTION_MIN;
    return true;
}
