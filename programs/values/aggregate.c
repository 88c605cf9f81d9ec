#include "programs/values/aggregate.h"

#include <assert.h>

static const char *const names[] = {
    [AGGREGATE_COUNT_ROWS] = "count", [AGGREGATE_COUNT] = "count", [AGGREGATE_SUM] = "sum",
    [AGGREGATE_MIN] = "min",          [AGGREGATE_MAX] = "max",     [AGGREGATE_AVG] = "avg",
};

static enum status refuse(enum aggregate_kind kind, struct type argument, struct sql_error *err)
{
    if (argument.kind == TYPE_UNKNOWN)
        return sql_error_set(err, SQLSTATE_AMBIGUOUS, "function %s(unknown) is not unique",
                             names[kind]);
    return sql_error_set(err, SQLSTATE_UNDEFINED_FUNCTION, "function %s(%s) does not exist",
                         names[kind], type_name(argument.kind));
}

static enum type_kind sum_of(enum type_kind argument)
{
    return argument < TYPE_BIGINT ? TYPE_BIGINT : TYPE_NUMERIC;
}

enum status aggregate_resolve(enum aggregate_kind kind, struct type argument,
                              struct aggregate_choice *choice, struct sql_error *err)
{
    *choice = (struct aggregate_choice){ kind, argument, type_of(TYPE_BIGINT) };
    if (kind == AGGREGATE_COUNT_ROWS || kind == AGGREGATE_COUNT)
        return STATUS_OK;
    if (kind == AGGREGATE_SUM || kind == AGGREGATE_AVG) {
        if (!type_is_number(argument.kind))
            return refuse(kind, argument, err);
        choice->result = type_of(kind == AGGREGATE_AVG ? TYPE_NUMERIC : sum_of(argument.kind));
        return STATUS_OK;
    }
    if (argument.kind == TYPE_BOOLEAN || argument.kind >= TYPE_VOID)
        return refuse(kind, argument, err);
    if (type_is_text(argument.kind) || argument.kind == TYPE_UNKNOWN)
        choice->takes = type_of(TYPE_TEXT);
    choice->result = type_of(choice->takes.kind);
    return STATUS_OK;
}

void aggregate_init(struct aggregate *a, const struct aggregate_choice *choice)
{
    *a = (struct aggregate){ .kind = choice->kind, .result = choice->result.kind };
}

/* Of equal ones the later stays, whose scale may show. */
static void keep_extreme(struct aggregate *a, const struct datum *d)
{
    int sign = a->kind == AGGREGATE_MAX ? 1 : -1;

    if (a->count == 1 || sign * datum_compare(d, &a->extreme) >= 0)
        a->extreme = *d;
}

enum status aggregate_add(struct aggregate *a, const struct datum *d, struct sql_error *err)
{
    struct numeric number;

    if (a->kind == AGGREGATE_COUNT_ROWS) {
        a->count++;
        return STATUS_OK;
    }
    if (datum_is_null(d))
        return STATUS_OK;
    a->count++;
    if (a->kind == AGGREGATE_MIN || a->kind == AGGREGATE_MAX)
        keep_extreme(a, d);
    if (a->kind != AGGREGATE_SUM && a->kind != AGGREGATE_AVG)
        return STATUS_OK;
    number = d->kind == DATUM_NUMERIC ? datum_numeric(d) : numeric_from_int64(d->as.integer);
    return numeric_add(a->sum, number, &a->sum, err);
}

static enum status give_sum(const struct aggregate *a, struct datum *out, struct sql_error *err)
{
    int64_t sum = 0;

    if (a->result == TYPE_NUMERIC) {
        *out = datum_of_numeric(a->sum);
        return STATUS_OK;
    }
    if (!numeric_to_int64(a->sum, &sum))
        return sql_error_set(err, SQLSTATE_NUMERIC_OUT_OF_RANGE, "bigint out of range");
    *out = datum_of_int64(sum);
    return STATUS_OK;
}

static enum status give_average(const struct aggregate *a, struct datum *out, struct sql_error *err)
{
    struct numeric average;

    TRY(numeric_divide(a->sum, numeric_from_int64(a->count), &average, err));
    *out = datum_of_numeric(average);
    return STATUS_OK;
}

enum status aggregate_result(const struct aggregate *a, struct datum *out, struct sql_error *err)
{
    *out = datum_null();
    switch (a->kind) {
    case AGGREGATE_COUNT_ROWS:
    case AGGREGATE_COUNT:
        *out = datum_of_int64(a->count);
        return STATUS_OK;
    case AGGREGATE_SUM:
        return a->count > 0 ? give_sum(a, out, err) : STATUS_OK;
    case AGGREGATE_AVG:
        return a->count > 0 ? give_average(a, out, err) : STATUS_OK;
    case AGGREGATE_MIN:
    case AGGREGATE_MAX:
        *out = a->extreme;
        return STATUS_OK;
    }
    assert(!"an aggregate that does not exist");
    return STATUS_OK;
}
