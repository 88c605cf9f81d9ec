#include "verify/calls/read_uses_private.h"

/* --- Columns ------------------------------------------------------------------------------ */

/* Which of the query's sources, and of their columns, are named. */
struct named {
    uint64_t sources;
    uint64_t *columns; /* by source; or NULL */
};

static void name_in(struct named *, const struct formula *, uint32_t depth);

/* A selection that stands so many queries within. */
static void name_in_selection(struct named *n, const struct selection *s, uint32_t depth)
{
    if (s->left) {
        name_in_selection(n, s->left, depth);
        name_in_selection(n, s->right, depth);
        return;
    }
    name_in(n, s->where, depth);
    name_in(n, s->having, depth);
    for (uint32_t i = 0; s->outputs && i < s->shape->count; i++)
        name_in(n, s->outputs[i], depth);
    for (uint32_t i = 0; i < s->group_count; i++)
        name_in(n, s->groups[i], depth);
    for (uint32_t i = 0; i < s->order_count; i++)
        name_in(n, s->order[i].by, depth);
    for (uint32_t i = 0; i < s->source_count; i++)
        name_in(n, s->sources[i].on, depth);
}

static void name_in(struct named *n, const struct formula *formula, uint32_t depth)
{
    if (!formula)
        return;
    if (formula->kind == FORMULA_COLUMN && formula->as.column.depth == depth) {
        n->sources |= UINT64_C(1) << formula->as.column.source;
        if (n->columns)
            n->columns[formula->as.column.source] |= column_bit(formula->as.column.column);
    }
    for (uint32_t i = 0; i < formula->count; i++)
        name_in(n, formula->arguments[i], depth);
    if (formula->kind == FORMULA_SUBQUERY)
        name_in_selection(n, formula->as.subquery.selection, depth + 1);
}

static uint64_t needs_of(const struct formula *formula, uint32_t depth)
{
    struct named n = { .sources = 0 };

    name_in(&n, formula, depth);
    return n.sources;
}

void read_unused(struct selection *s)
{
    uint64_t columns[READ_SOURCES_MAX] = { 0 };
    struct named n = { .columns = columns };

    name_in(&n, s->where, 0);
    for (uint32_t i = 0; i < s->order_count; i++)
        name_in(&n, s->order[i].by, 0);
    for (uint32_t i = 0; i < s->source_count; i++)
        name_in(&n, s->sources[i].on, 0);
    for (uint32_t i = 0; i < s->source_count; i++)
        s->sources[i].unsought = ~columns[i];
    name_in_selection(&n, s, 0);
    for (uint32_t i = 0; i < s->source_count; i++)
        s->sources[i].unused = ~columns[i];
}

/* --- Pins --------------------------------------------------------------------------------- */

static bool calls_routine(const struct formula *formula)
{
    for (uint32_t i = 0; i < formula->count; i++)
        if (calls_routine(formula->arguments[i]))
            return true;
    return formula->kind == FORMULA_CALL || formula->kind == FORMULA_SUBQUERY;
}

static void add_pin(struct pin *pins, uint32_t *count, const struct formula *column, char operation,
                    const struct formula *value)
{
    uint64_t needs = needs_of(value, 0);

    if (column->kind != FORMULA_COLUMN || column->as.column.depth != 0 ||
        (needs >> column->as.column.source & 1) || calls_routine(value))
        return;
    pins[(*count)++] = (struct pin){ column->as.column.source, column->as.column.column, operation,
                                     value, needs };
}

/* Of conditions that are all to hold, also those of the LEFT JOIN of the source itself. */
static void find_pins(const struct formula *condition, struct pin *pins, uint32_t *count)
{
    static const char turned[][2] = { { '=', '=' }, { '<', '>' }, { '>', '<' }, { 'l', 'g' }, { 'g', 'l' } };

    if (condition->kind == FORMULA_AND) {
        for (uint32_t i = 0; i < condition->count; i++)
            find_pins(condition->arguments[i], pins, count);
        return;
    }
    if (condition->kind != FORMULA_COMPARE)
        return;
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++) {
        if (turned[i][0] != condition->as.operation)
            continue;
        add_pin(pins, count, condition->arguments[0], turned[i][0], condition->arguments[1]);
        add_pin(pins, count, condition->arguments[1], turned[i][1], condition->arguments[0]);
    }
}

static uint32_t count_comparisons(const struct formula *condition)
{
    uint32_t count = condition->kind == FORMULA_COMPARE;

    for (uint32_t i = 0; condition->kind == FORMULA_AND && i < condition->count; i++)
        count += count_comparisons(condition->arguments[i]);
    return count;
}

void read_pins(struct reader *r, struct selection *s)
{
    uint32_t room = s->where ? 2 * count_comparisons(s->where) : 0, count = 0;
    struct pin *pins;

    for (uint32_t i = 0; i < s->source_count; i++)
        room += s->sources[i].on ? 2 * count_comparisons(s->sources[i].on) : 0;
    pins = reader_take(r, room, sizeof *pins);
    for (uint32_t i = 0; i < s->source_count; i++) {
        uint32_t from = count, kept;

        if (!s->sources[i].on)
            continue;
        find_pins(s->sources[i].on, pins, &count);
        kept = from;
        for (uint32_t p = from; p < count; p++)
            if (pins[p].source == i)
                pins[kept++] = pins[p];
        count = kept;
    }
    /* What WHERE says of an optional source holds only where there is a row of it. */
    if (s->where) {
        uint32_t from = count, kept = count;

        find_pins(s->where, pins, &count);
        for (uint32_t p = from; p < count; p++)
            if (!s->sources[pins[p].source].is_optional)
                pins[kept++] = pins[p];
        count = kept;
    }
    s->pins = pins;
    s->pin_count = count;
}
