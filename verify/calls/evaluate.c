#include "verify/calls/run_private.h"

#include <string.h>

typedef const struct place_of_work place;

#define STEPS_MESSAGE "programs that run as long as this"

void run_step(struct run *run, uint64_t steps)
{
    if (run->steps_left < steps)
        trap_unknown(run->trap, STEPS_MESSAGE);
    run->steps_left -= steps;
}

void run_rely_on_order(struct run *run)
{
    if (!run->relied_on_order)
        run->open_line = run->line;
    run->relied_on_order = true;
}

/* --- Leaves -------------------------------------------------------------------------------- */

static struct item column_of(place *p, const struct formula *f)
{
    const struct row_env *env = p->env;

    for (uint32_t i = 0; i < f->as.column.depth; i++)
        env = env->outer;
    if (!env->rows[f->as.column.source])
        return item_null();
    return row_states_unpack(&env->rows[f->as.column.source][f->as.column.column]);
}

static struct item field_of(place *p, const struct formula *f)
{
    const struct item *record = &p->variables[f->as.field.slot];

    if (record->kind != ITEM_RECORD)
        trap_error(p->run->trap, "55000");
    if (p->shapes[f->as.field.slot] != f->as.field.shape)
        trap_unknown(p->run->trap, "a record that was given rows of different queries");
    return record->as.elements[f->as.field.field];
}

static struct item parameter_of(place *p, const struct formula *f)
{
    uint32_t number = f->as.number;

    if (number == 0 || number > p->run->parameter_count)
        trap_unknown(p->run->trap, "a statement whose parameters are not all there");
    return p->run->parameters[number - 1].at ? item_text(p->run->parameters[number - 1]) : item_null();
}

/* --- Logic ----------------------------------------------------------------------------------- */

static struct item junction(place *p, const struct formula *f, bool decides)
{
    bool has_null = false;

    for (uint32_t i = 0; i < f->count; i++) {
        struct item truth = evaluate(p, f->arguments[i]);

        if (item_is_null(&truth))
            has_null = true;
        else if ((truth.as.integer != 0) == decides)
            return item_boolean(decides);
    }
    return has_null ? item_null() : item_boolean(!decides);
}

static struct item compared(char operation, const struct item *a, const struct item *b)
{
    int order;

    if (item_is_null(a) || item_is_null(b))
        return item_null();
    order = item_compare(a, b);
    switch (operation) {
    case '=':
        return item_boolean(order == 0);
    case '!':
        return item_boolean(order != 0);
    case '<':
        return item_boolean(order < 0);
    case '>':
        return item_boolean(order > 0);
    case 'l':
        return item_boolean(order <= 0);
    default:
        return item_boolean(order >= 0);
    }
}

static struct item test_of(place *p, const struct formula *f)
{
    struct item a = evaluate(p, f->arguments[0]), b;
    bool truth;

    switch (f->as.test.test) {
    case TEST_NULL:
        truth = item_is_null(&a);
        break;
    case TEST_TRUE:
        truth = item_is_true(&a);
        break;
    case TEST_FALSE:
        truth = !item_is_null(&a) && !item_is_true(&a);
        break;
    default:
        b = evaluate(p, f->arguments[1]);
        truth = !item_same(&a, &b);
    }
    return item_boolean(truth != f->as.test.negated);
}

/* Whether one is among others: true, false or null. */
struct membership {
    struct item wanted;
    bool has_null, is_in;
};

static void look_at(struct membership *m, const struct item *one)
{
    if (item_is_null(&m->wanted) || item_is_null(one))
        m->has_null = true;
    else if (item_compare(&m->wanted, one) == 0)
        m->is_in = true;
}

static struct item answer_of(const struct membership *m, bool negated)
{
    if (m->is_in)
        return item_boolean(!negated);
    return m->has_null ? item_null() : item_boolean(negated);
}

static struct item among(place *p, const struct formula *f)
{
    struct membership m = { .wanted = evaluate(p, f->arguments[0]) };

    for (uint32_t i = 1; i < f->count && !m.is_in; i++) {
        struct item one = evaluate(p, f->arguments[i]);

        look_at(&m, &one);
    }
    return answer_of(&m, f->as.in.negated);
}

static struct item among_array(place *p, const struct formula *f)
{
    struct membership m = { .wanted = evaluate(p, f->arguments[0]) };
    struct item array = evaluate(p, f->arguments[1]);

    if (item_is_null(&array))
        return item_null();
    for (uint32_t i = 0; i < array.length && !m.is_in; i++)
        look_at(&m, &array.as.elements[i]);
    return answer_of(&m, false);
}

static struct item subquery_of(place *p, const struct formula *f)
{
    const struct selection *selection = f->as.subquery.selection;
    struct membership m;
    struct result result;

    select_rows(p, selection, &result);
    switch (f->as.subquery.kind) {
    case SUBQUERY_EXISTS:
        return item_boolean(result.last > result.first);
    case SUBQUERY_SCALAR:
        result_rely_on_order(p->run, &result, result.last - result.first);
        if (result.last - result.first > 1)
            trap_error(p->run->trap, "21000");
        return result.last > result.first ? result.rows[result.first]->cells[0] : item_null();
    default:
        result_rely_on_order(p->run, &result, UINT32_MAX);
        m = (struct membership){ .wanted = evaluate(p, f->arguments[0]) };
        for (uint32_t i = result.first; i < result.last; i++)
            look_at(&m, &result.rows[i]->cells[0]);
        return answer_of(&m, false);
    }
}

/* --- Choices ------------------------------------------------------------------------------------- */

static struct item chosen(place *p, const struct formula *f)
{
    uint32_t i = 0;

    for (; i + 1 < f->count; i += 2)
        if (evaluate_truth(p, f->arguments[i]))
            return evaluate(p, f->arguments[i + 1]);
    return evaluate(p, f->arguments[i]);
}

static struct item coalesced(place *p, const struct formula *f)
{
    struct item item = item_null();

    for (uint32_t i = 0; i < f->count && item_is_null(&item); i++)
        item = evaluate(p, f->arguments[i]);
    return item;
}

static struct item extreme(place *p, const struct formula *f)
{
    struct item best = item_null();

    for (uint32_t i = 0; i < f->count; i++) {
        struct item one = evaluate(p, f->arguments[i]);
        int order = item_is_null(&one) || item_is_null(&best) ? 0 : item_compare(&one, &best);

        if (!item_is_null(&one) &&
            (item_is_null(&best) || (f->as.is_greatest ? order > 0 : order < 0)))
            best = one;
    }
    return best;
}

/* --- Arrays ---------------------------------------------------------------------------------------- */

static struct item array_of(place *p, const struct formula *f)
{
    struct item *elements = arena_take(p->run->bench.arena, f->count + 1, sizeof *elements);

    for (uint32_t i = 0; i < f->count; i++)
        elements[i] = evaluate(p, f->arguments[i]);
    return (struct item){ .kind = ITEM_ARRAY, .length = f->count, .as.elements = elements };
}

static struct item subscripted(place *p, const struct formula *f)
{
    struct item array = evaluate(p, f->arguments[0]), index = evaluate(p, f->arguments[1]);

    if (item_is_null(&array) || item_is_null(&index) || index.as.integer < 1 ||
        index.as.integer > array.length)
        return item_null();
    return array.as.elements[index.as.integer - 1];
}

/* An array is all of its elements, null no array at all; anything else is one element. */
static uint32_t put_in(const struct item *item, bool is_array, struct item *to)
{
    if (!is_array) {
        to[0] = *item;
        return 1;
    }
    if (item->kind == ITEM_ARRAY && item->length > 0)
        memcpy(to, item->as.elements, item->length * sizeof *to);
    return item->kind == ITEM_ARRAY ? item->length : 0;
}

static struct item joined_arrays(place *p, const struct formula *f, struct item a, struct item b)
{
    bool a_is_array = f->arguments[0]->type.kind == KIND_ARRAY;
    bool b_is_array = f->arguments[1]->type.kind == KIND_ARRAY;
    struct item array = { .kind = ITEM_ARRAY };
    struct item *elements;

    if (a_is_array && b_is_array && (item_is_null(&a) || item_is_null(&b)))
        return item_is_null(&a) ? b : a;
    elements = arena_take(p->run->bench.arena, (size_t)a.length + b.length + 2, sizeof *elements);
    run_step(p->run, (a.length + b.length) / 16);
    array.length = put_in(&a, a_is_array, elements);
    array.length += put_in(&b, b_is_array, elements + array.length);
    array.as.elements = elements;
    return array;
}

/* --- Functions --------------------------------------------------------------------------------------- */

static struct item negated(place *p, enum kind kind, struct item a)
{
    if (kind == KIND_NUMERIC) {
        a = item_to_numeric(a);
        a.as.number = -a.as.number;
        return a;
    }
    return item_fit_integer(&p->run->bench, -(__int128)a.as.integer, kind);
}

static struct item numeric_function(place *p, const struct formula *f, const struct item *a)
{
    struct item number;

    switch (f->as.builtin) {
    case BUILTIN_NEGATE:
        return negated(p, f->type.kind, a[0]);
    case BUILTIN_ABS:
        number = item_to_numeric(a[0]);
        return number.as.number < 0 ? negated(p, f->type.kind, a[0]) : a[0];
    case BUILTIN_FLOOR:
        return item_floor(item_to_numeric(a[0]));
    case BUILTIN_CEIL:
        number = item_to_numeric(a[0]);
        number.as.number = -number.as.number;
        number = item_floor(number);
        number.as.number = -number.as.number;
        return number;
    case BUILTIN_ROUND:
        return item_round(&p->run->bench, item_to_numeric(a[0]), f->count == 2 ? a[1].as.integer : 0);
    default:
        number = item_to_numeric(a[0]);
        return item_numeric((number.as.number > 0) - (number.as.number < 0), 0);
    }
}

static struct item text_function(place *p, const struct formula *f, const struct item *a)
{
    const struct workbench *w = &p->run->bench;
    struct text text = item_text_of(&a[0]);

    switch (f->as.builtin) {
    case BUILTIN_CONCATENATE:
        return item_concatenate(w, text, item_text_of(&a[1]));
    case BUILTIN_LENGTH:
        return item_integer((int64_t)item_characters(text));
    case BUILTIN_SUBSTRING:
        return item_substring(w, text, a[1].as.integer, f->count == 3,
                              f->count == 3 ? a[2].as.integer : 0);
    case BUILTIN_LIKE_ESCAPE:
        return item_like_escape(w, text, item_text_of(&a[1]));
    case BUILTIN_LPAD:
        return item_lpad(w, text, a[1].as.integer, f->count == 3 ? item_text_of(&a[2]) : TEXT(" "));
    case BUILTIN_LOWER:
    case BUILTIN_UPPER:
        return item_change_case(w, text, f->as.builtin == BUILTIN_UPPER);
    case BUILTIN_CARDINALITY:
        return item_integer(a[0].length);
    default: /* BUILTIN_ARRAY_LENGTH: an empty array has no dimensions */
        return a[1].as.integer == 1 && a[0].length > 0 ? item_integer(a[0].length) : item_null();
    }
}

static struct item called(place *p, const struct formula *f)
{
    struct item arguments[3] = { 0 };

    for (uint32_t i = 0; i < f->count; i++)
        arguments[i] = evaluate(p, f->arguments[i]);
    if (f->as.builtin == BUILTIN_ARRAY_JOIN)
        return joined_arrays(p, f, arguments[0], arguments[1]);
    for (uint32_t i = 0; i < f->count; i++)
        if (item_is_null(&arguments[i]))
            return item_null();
    return f->as.builtin <= BUILTIN_SIGN ? numeric_function(p, f, arguments)
                                         : text_function(p, f, arguments);
}

static struct item called_routine(place *p, const struct formula *f)
{
    struct item *arguments = arena_take(p->run->bench.arena, f->count + 1, sizeof *arguments);

    for (uint32_t i = 0; i < f->count; i++)
        arguments[i] = evaluate(p, f->arguments[i]);
    return run_routine(p->run, f->as.routine, arguments);
}

static struct item number_of(place *p, const struct formula *f)
{
    struct item value = f->count > 0 ? evaluate(p, f->arguments[0]) : item_null();
    struct item is_called = f->count > 1 ? evaluate(p, f->arguments[1]) : item_boolean(true);

    run_step(p->run, 10);
    return numbering_evaluate(p->run->numbering, &p->run->bench, f, value, is_called);
}

static struct item liked(place *p, const struct formula *f)
{
    struct item a = evaluate(p, f->arguments[0]), b = evaluate(p, f->arguments[1]);

    if (item_is_null(&a) || item_is_null(&b))
        return item_null();
    run_step(p->run, (uint64_t)a.length / 16 * b.length / 16);
    return item_boolean(item_like(&p->run->bench, item_text_of(&a), item_text_of(&b)) !=
                        f->as.in.negated);
}

/* --- All of them ---------------------------------------------------------------------------------------- */

static struct item evaluate_two(place *p, const struct formula *f)
{
    struct item a = evaluate(p, f->arguments[0]), b = evaluate(p, f->arguments[1]);

    if (f->kind == FORMULA_COMPARE)
        return compared(f->as.operation, &a, &b);
    if (f->kind == FORMULA_NULLIF)
        return !item_is_null(&a) && !item_is_null(&b) && item_compare(&a, &b) == 0 ? item_null() : a;
    if (item_is_null(&a) || item_is_null(&b))
        return item_null();
    return item_compute(&p->run->bench, f->as.operation, f->type.kind, a, b);
}

struct item evaluate(place *p, const struct formula *f)
{
    struct item item;

    switch (f->kind) {
    case FORMULA_CONSTANT:
        return f->as.constant;
    case FORMULA_PARAMETER:
        return parameter_of(p, f);
    case FORMULA_VARIABLE:
        return p->variables[f->as.slot];
    case FORMULA_FIELD:
        return field_of(p, f);
    case FORMULA_COLUMN:
        return column_of(p, f);
    case FORMULA_CAST:
        return item_cast(&p->run->bench, evaluate(p, f->arguments[0]), f->type, f->as.cast);
    case FORMULA_COMPUTE:
    case FORMULA_COMPARE:
    case FORMULA_NULLIF:
        return evaluate_two(p, f);
    case FORMULA_AND:
        return junction(p, f, false);
    case FORMULA_OR:
        return junction(p, f, true);
    case FORMULA_NOT:
        item = evaluate(p, f->arguments[0]);
        return item_is_null(&item) ? item : item_boolean(!item.as.integer);
    case FORMULA_TEST:
        return test_of(p, f);
    case FORMULA_CASE:
        return chosen(p, f);
    case FORMULA_COALESCE:
        return coalesced(p, f);
    case FORMULA_EXTREME:
        return extreme(p, f);
    case FORMULA_IN:
        return among(p, f);
    case FORMULA_IN_ARRAY:
        return among_array(p, f);
    case FORMULA_LIKE:
        return liked(p, f);
    case FORMULA_ARRAY:
        return array_of(p, f);
    case FORMULA_SUBSCRIPT:
        return subscripted(p, f);
    case FORMULA_BUILTIN:
        return called(p, f);
    case FORMULA_AGGREGATE:
        return p->env->aggregates[f->as.aggregate.number];
    case FORMULA_CALL:
        return called_routine(p, f);
    case FORMULA_SUBQUERY:
        return subquery_of(p, f);
    case FORMULA_NUMBER:
        return number_of(p, f);
    }
    trap_unknown(p->run->trap, "such an expression");
}

bool evaluate_truth(place *p, const struct formula *f)
{
    struct item truth = evaluate(p, f);

    return item_is_true(&truth);
}
