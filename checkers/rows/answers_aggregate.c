/*
 * Aggregates, computed again: integers and decimals exactly, whatever SQL type the
 * store gave the sum.
 */
#include "checkers/rows/answers_private.h"

#include <inttypes.h>
#include <stdio.h>

/* What has been seen of a column so far. */
struct tally {
    int64_t count;
    struct numeric sum;
    struct datum least, most;
};

static enum status add(struct tally *tally, enum aggregate_function function, const struct datum *d,
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
                                   const struct tally *tally)
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

static struct datum result_of(enum aggregate_function function, const struct tally *tally)
{
    if (function == FUNCTION_COUNT || function == FUNCTION_COUNT_ROWS)
        return datum_of_int64(tally->count);
    if (tally->count == 0)
        return datum_null();
    return function == FUNCTION_MIN   ? tally->least
           : function == FUNCTION_MAX ? tally->most
                                      : datum_of_numeric(tally->sum);
}

static enum status tally_rows(struct answers *a, uint32_t table, enum aggregate_function function,
                              uint16_t column, const struct matched_row *rows, size_t count,
                              struct tally *tally)
{
    for (size_t i = 0; i < count; i++) {
        struct sql_error unsaid;
        struct datum d = datum_of_bool(true);

        if (function != FUNCTION_COUNT_ROWS)
            TRY(predicates_read(a->predicates, table, rows[i].row, column, &d, &unsaid));
        TRY(add(tally, function, &d, &unsaid));
    }
    return STATUS_OK;
}

enum answer answer_compare_aggregate(struct answers *a, uint32_t head, uint32_t aggregate,
                                     const struct matched_row *rows, size_t count,
                                     struct answer_fault *fault)
{
    const struct history *h = a->history;
    uint32_t table = h->statement_table[h->op_key[head]];
    struct value value = { h->aggregate_kind[aggregate], h->aggregate_value[aggregate] };
    struct tally tally = { .count = 0 };
    enum aggregate_function function;
    struct datum result;
    uint16_t column = 0;

    if (!answer_parse_aggregate(h, table, history_text(h, h->aggregate_name[aggregate]), &function,
                                &column) ||
        tally_rows(a, table, function, column, rows, count, &tally) != STATUS_OK)
        return ANSWER_UNDECIDED;
    if (function == FUNCTION_AVG)
        return compare_average(h, value, &tally);
    result = result_of(function, &tally);
    if (result.kind == DATUM_ARRAY)
        return ANSWER_UNDECIDED;
    if (result.kind == DATUM_NUMERIC || (function == FUNCTION_SUM && !datum_is_null(&result))
            ? is_number(h, value, datum_numeric(&result))
            : is_datum(h, value, &result))
        return ANSWER_AGREES;
    *fault =
        (struct answer_fault){ .kind = FAULT_NUMBER, .key = HISTORY_NONE, .aggregate = aggregate };
    print_datum(fault->should_be, sizeof fault->should_be, &result);
    return ANSWER_DIFFERS;
}
