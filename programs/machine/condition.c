#include "programs/machine/condition.h"

#include <assert.h>

#include "programs/machine/code_private.h"

static bool is_in_set(const struct restriction *r, const struct datum *value)
{
    uint32_t from = 0, to = r->value_count;

    if (datum_is_null(value))
        return false;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        int order = datum_compare(&r->values[middle], value);

        if (order == 0)
            return true;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

enum status filter_evaluate(const struct filter *f, const struct datum *row, struct heap *scratch,
                            bool *matches, struct sql_error *err)
{
    struct datum registers[CONDITION_REGISTERS_MAX];
    struct scope scope;
    const struct step *stop;

    *matches = false;
    for (uint32_t i = 0; i < f->restriction_count; i++)
        if (!is_in_set(&f->restrictions[i], &row[f->restrictions[i].column]))
            return STATUS_OK;

    scope.base[PLACE_CONSTANT] = f->condition->constants;
    scope.base[PLACE_PARAMETER] = f->parameters;
    scope.base[PLACE_SLOT] = scope.slots = registers;
    scope.base[PLACE_ROW] = row;
    scope.heap = scratch;
    scope.error = err;
    heap_reset(scratch);
    TRY(code_run(f->condition->steps, 0, &scope, &stop));
    *matches = stop->kind == STEP_STOP;
    return STATUS_OK;
}

bool filter_matches(const struct filter *f, const struct datum *row, struct heap *scratch)
{
    struct sql_error err;
    bool matches;

    return filter_evaluate(f, row, scratch, &matches, &err) != STATUS_OK || matches;
}

static const struct datum *value_of(const struct filter *f, const struct condition_bound *bound)
{
    return bound->is_parameter ? &f->parameters[bound->index]
                               : &f->condition->constants[bound->index];
}

static void raise_low(struct range *r, const struct datum *low, bool is_open)
{
    int order = r->has_low ? datum_compare(low, &r->low) : 1;

    if (order < 0 || (order == 0 && !is_open))
        return;
    r->has_low = true;
    r->low = *low;
    r->low_is_open = is_open;
}

static void lower_high(struct range *r, const struct datum *high, bool is_open)
{
    int order = r->has_high ? datum_compare(high, &r->high) : -1;

    if (order > 0 || (order == 0 && !is_open))
        return;
    r->has_high = true;
    r->high = *high;
    r->high_is_open = is_open;
}

static void narrow(struct range *r, enum comparison_kind comparison, const struct datum *value)
{
    bool is_open = comparison == COMPARISON_LESS || comparison == COMPARISON_MORE;

    if (comparison == COMPARISON_EQUAL || comparison == COMPARISON_MORE ||
        comparison == COMPARISON_AT_LEAST)
        raise_low(r, value, is_open);
    if (comparison == COMPARISON_EQUAL || comparison == COMPARISON_LESS ||
        comparison == COMPARISON_AT_MOST)
        lower_high(r, value, is_open);
}

struct range filter_range(const struct filter *f, uint16_t column)
{
    const struct restriction *r = filter_restriction(f, column);
    struct range range = { .has_low = false };

    for (uint32_t i = 0; i < f->condition->bound_count; i++) {
        const struct condition_bound *bound = &f->condition->bounds[i];

        if (bound->column == column && !datum_is_null(value_of(f, bound)))
            narrow(&range, bound->comparison, value_of(f, bound));
    }
    if (r && r->value_count > 0) {
        narrow(&range, COMPARISON_AT_LEAST, &r->values[0]);
        narrow(&range, COMPARISON_AT_MOST, &r->values[r->value_count - 1]);
    }
    return range;
}

bool filter_pin(const struct filter *f, uint16_t column, struct datum *value)
{
    const struct restriction *r = filter_restriction(f, column);

    for (uint32_t i = 0; i < f->condition->bound_count; i++) {
        const struct condition_bound *bound = &f->condition->bounds[i];

        if (bound->column == column && bound->comparison == COMPARISON_EQUAL) {
            *value = *value_of(f, bound);
            return true;
        }
    }
    if (!r || r->value_count != 1)
        return false;
    *value = r->values[0];
    return true;
}

const struct restriction *filter_restriction(const struct filter *f, uint16_t column)
{
    for (uint32_t i = 0; i < f->restriction_count; i++)
        if (f->restrictions[i].column == column)
            return &f->restrictions[i];
    return NULL;
}

static bool is_turned_round(const struct range *r)
{
    int order = r->has_low && r->has_high ? datum_compare(&r->low, &r->high) : -1;

    return order > 0 || (order == 0 && (r->low_is_open || r->high_is_open));
}

bool filter_is_empty(const struct filter *f)
{
    for (uint32_t i = 0; i < f->restriction_count; i++)
        if (f->restrictions[i].value_count == 0)
            return true;
    for (uint32_t i = 0; i < f->condition->bound_count; i++) {
        const struct condition_bound *bound = &f->condition->bounds[i];
        struct range range;

        if (datum_is_null(value_of(f, bound)))
            return true;
        range = filter_range(f, bound->column);
        if (is_turned_round(&range))
            return true;
    }
    return false;
}
