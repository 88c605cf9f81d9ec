#include "checkers/rows/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "checkers/rows/answers_private.h"
#include "checkers/checker_private.h"

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

struct ordering {
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

static int compare_rows(struct ordering *o, struct value a, struct value b)
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
struct question {
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
static enum answer compare_returned(const struct question *q, struct answer_fault *fault)
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

static enum answer blame_missing(const struct question *q, struct answer_fault *fault)
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

static enum answer compare_count(const struct question *q, struct answer_fault *fault)
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

static struct value row_of(const struct question *q, uint32_t op)
{
    const struct answers *a = q->answers;

    return q->rows[a->place[a->history->op_key[op]]].row;
}

/* The rows came in order, and none was left out that comes before one of them. */
static enum answer compare_order(const struct question *q, struct answer_fault *fault)
{
    struct answers *a = q->answers;
    const struct history *h = a->history;
    uint32_t statement = h->op_key[q->head], order = h->statement_order[statement];
    struct ordering o = { .answers = a, .table = h->statement_table[statement] };
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

static enum answer compare_rows_of(const struct question *q, struct answer_fault *fault)
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
    struct question q = { .answers = a,
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
    struct ordering o = { .answers = a, .table = h->statement_table[statement] };
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
