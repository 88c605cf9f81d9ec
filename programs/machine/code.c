#include "programs/machine/code_private.h"

#include <assert.h>

#include "programs/values/operator_evaluate.h"

static void move(struct scope *scope, const struct step *step, struct datum value)
{
    scope->slots[step->to] = value;
}

/* Integers, booleans and timestamps, which are no integers' business to tell apart. */
#define COMPARES(X)                                                                                \
    X(EQUAL, ==)                                                                                   \
    X(UNEQUAL, !=)                                                                                 \
    X(LESS, <)                                                                                     \
    X(AT_MOST, <=)                                                                                 \
    X(MORE, >)                                                                                     \
    X(AT_LEAST, >=)

static enum status apply(const struct step *step, struct scope *scope)
{
    const struct datum *a = code_operand(scope, step->a);
    const struct datum *b = step->count > 1 ? code_operand(scope, step->b) : a;

    return operator_evaluate_two(step->as.choice, a, b, &scope->slots[step->to], scope->heap,
                                 scope->error);
}

/* Null where it is not among the others but one of them is null. */
static struct datum is_among(const struct step *step, const struct scope *scope)
{
    const struct datum *others = code_operand(scope, step->a);
    const struct datum *one = code_operand(scope, step->b);
    bool has_null = datum_is_null(one);

    for (uint32_t i = 0; i < step->count && !datum_is_null(one); i++) {
        if (datum_is_null(&others[i]))
            has_null = true;
        else if (datum_compare(one, &others[i]) == 0)
            return datum_of_bool(!step->negated);
    }
    return has_null ? datum_null() : datum_of_bool(step->negated);
}

static bool is_known(const struct datum *d, bool truth)
{
    return d->kind == DATUM_BOOLEAN && d->as.integer == truth;
}

static enum status require_value(const struct step *step, const struct scope *scope)
{
    if (!datum_is_null(code_operand(scope, step->a)))
        return STATUS_OK;
    return sql_error_set(scope->error, SQLSTATE_NULL_NOT_ALLOWED,
                         "null value cannot be assigned to variable \"%.*s\" declared NOT NULL",
                         TEXT_PRINT(step->as.variable->name));
}

static enum status require_one(const struct step *step, const struct scope *scope)
{
    if (!datum_is_true(code_operand(scope, step->a)))
        return STATUS_OK;
    return sql_error_set(scope->error, SQLSTATE_CARDINALITY,
                         "more than one row returned by a subquery used as an expression");
}

static bool jumps(const struct step *step, const struct scope *scope)
{
    const struct datum *a = code_operand(scope, step->a);

    switch (step->kind) {
    case STEP_JUMP:
        return true;
    case STEP_JUMP_IF_TRUE:
        return is_known(a, true);
    case STEP_JUMP_UNLESS_TRUE:
        return !is_known(a, true);
    case STEP_JUMP_IF_FALSE:
        return is_known(a, false);
    default:
        assert(step->kind == STEP_JUMP_IF_VALUE);
        return !datum_is_null(a);
    }
}

enum status code_run(const struct step *steps, uint32_t at, struct scope *scope,
                     const struct step **stop)
{
    static const struct step refused = { .kind = STEP_REFUSE };
    enum status status = STATUS_OK;
    const struct step *step = steps + at;

    for (;; step++) {
        switch ((enum step_kind)step->kind) {
        case STEP_MOVE:
            move(scope, step, *code_operand(scope, step->a));
            break;
        case STEP_APPLY:
            status = apply(step, scope);
            break;
        case STEP_APPLY_MANY:
            status = operator_evaluate(step->as.choice, code_operand(scope, step->a),
                                       &scope->slots[step->to], scope->heap, scope->error);
            break;
#define X(name, relation)                                                                          \
    case STEP_##name: {                                                                            \
        const struct datum *a = code_operand(scope, step->a), *b = code_operand(scope, step->b);   \
        move(scope, step,                                                                          \
             datum_is_null(a) || datum_is_null(b)                                                  \
                 ? datum_null()                                                                    \
                 : datum_of_bool(a->as.integer relation b->as.integer));                           \
        break;                                                                                     \
    }                                                                                              \
    case STEP_REQUIRE_##name: {                                                                    \
        const struct datum *a = code_operand(scope, step->a), *b = code_operand(scope, step->b);   \
        if (datum_is_null(a) || datum_is_null(b) || !(a->as.integer relation b->as.integer)) {     \
            *stop = &refused;                                                                      \
            return STATUS_OK;                                                                      \
        }                                                                                          \
        break;                                                                                     \
    }
            COMPARES(X)
#undef X
        case STEP_IN:
            move(scope, step, is_among(step, scope));
            break;
        case STEP_SUBQUERY:
        case STEP_IN_SET:
            status = scope->ask(scope, step);
            break;
        case STEP_JUMP:
        case STEP_JUMP_IF_TRUE:
        case STEP_JUMP_UNLESS_TRUE:
        case STEP_JUMP_IF_FALSE:
        case STEP_JUMP_IF_VALUE:
            if (jumps(step, scope))
                step = steps + step->target - 1;
            break;
        case STEP_REQUIRE_ONE:
            status = require_one(step, scope);
            break;
        case STEP_REQUIRE_VALUE:
            status = require_value(step, scope);
            break;
        default:
            *stop = step;
            return STATUS_OK;
        }
        if (status != STATUS_OK) {
            *stop = step;
            return status;
        }
    }
}

enum status code_evaluate_formula(const struct formula *formula, struct scope *scope,
                                  const struct datum **value)
{
    const struct step *stop;

    if (formula->steps)
        TRY(code_run(formula->steps, 0, scope, &stop));
    *value = code_operand(scope, formula->result);
    return STATUS_OK;
}
