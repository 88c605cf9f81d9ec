#include "programs/sql/analyze.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum aggregate_kind kind;
} aggregates[] = {
    { "count", AGGREGATE_COUNT }, { "sum", AGGREGATE_SUM }, { "min", AGGREGATE_MIN },
    { "max", AGGREGATE_MAX },     { "avg", AGGREGATE_AVG },
};

/* "f(integer, text)", as PostgreSQL says which function there is not. */
static enum status refuse_signature(struct analysis *a, int32_t location, const char *name,
                                    const struct expression **arguments, size_t count)
{
    char text[256];
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? ", " : "",
                                   type_name(arguments[i]->type.kind));
    return refuse(a, location, "function %s(%s) does not exist", name, text);
}

/* The function's name; SUBSTRING(x FROM y) and its like come as pg_catalog.substring. */
static enum status read_name(struct analysis *a, const PgQuery__FuncCall *call, const char **name)
{
    struct text schema = sql_string(call->funcname[0]);

    *name = sql_string(call->funcname[call->n_funcname - 1]).at;
    if (call->n_funcname > 2 || (call->n_funcname == 2 && !text_equal(schema, TEXT("pg_catalog"))))
        return refuse(a, call->location, "a schema before a function's name is not supported");
    return STATUS_OK;
}

/* --- Aggregates ----------------------------------------------------------------- */

static enum status check_aggregate(struct analysis *a, struct name_scope *scope,
                                   const PgQuery__FuncCall *call)
{
    if (scope->aggregates == AGGREGATES_WITHIN)
        return refuse(a, call->location, "aggregate function calls cannot be nested");
    if (scope->aggregates == AGGREGATES_REFUSED)
        return refuse(a, call->location, "aggregate functions are not allowed in %s", scope->place);
    if (scope->end_visible == 0)
        return refuse(a, call->location, "an aggregate without FROM is not supported");
    ONLY(a, call->location, call, "funcname args agg_star agg_distinct funcformat");
    if (call->n_args + (size_t)call->agg_star != 1)
        return refuse(a, call->location, "an aggregate takes one argument, or count(*) none");
    return STATUS_OK;
}

static enum status analyze_aggregate(struct analysis *a, struct name_scope *scope,
                                     const PgQuery__FuncCall *call, enum aggregate_kind kind,
                                     const struct expression **out)
{
    const struct expression *argument = NULL;
    struct aggregate_choice choice;
    struct expression *made;
    struct sql_error error;

    TRY(check_aggregate(a, scope, call));
    if (call->agg_star) {
        if (kind != AGGREGATE_COUNT)
            return refuse(a, call->location, "* is only for count");
        kind = AGGREGATE_COUNT_ROWS;
    } else {
        scope->aggregates = AGGREGATES_WITHIN;
        TRY(analyze_expression(a, scope, call->args[0], &argument));
        TRY(build_settled(a, call->location, &argument));
    }
    scope->aggregates = AGGREGATES_FOUND;
    if (aggregate_resolve(kind, argument ? argument->type : type_of(TYPE_BIGINT), &choice,
                          &error) != STATUS_OK)
        return refuse_sql(a, call->location, &error);
    TRY(build(a, EXPRESSION_AGGREGATE, choice.result, call->location, argument != NULL, &made));
    made->as.aggregate.kind = choice.kind;
    made->as.aggregate.distinct = call->agg_distinct;
    if (argument) {
        TRY(build_cast(a, choice.takes, CAST_IMPLICIT, call->location, &argument));
        set_argument(made, 0, argument);
    }
    return build_end(a, made, call->location, out);
}

/* --- Functions of the program ------------------------------------------------------ */

static enum status analyze_user_call(struct analysis *a, struct name_scope *scope,
                                     const PgQuery__FuncCall *call, uint32_t number,
                                     const struct expression **arguments,
                                     const struct expression **out)
{
    const struct function *function = &a->functions[number];
    struct expression *made;
    struct sql_error error;

    if (call->n_args != function->parameter_count)
        return refuse_signature(a, call->location, function->name.at, arguments, call->n_args);
    TRY(build(a, EXPRESSION_CALL, function->result, call->location, function->parameter_count,
              &made));
    made->as.function = number;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        struct operator_choice cast;

        if (operator_cast(arguments[i]->type, function->variables[i].type, CAST_IMPLICIT, &cast,
                          &error) != STATUS_OK)
            return refuse_signature(a, call->location, function->name.at, arguments, call->n_args);
        TRY(build_choice(a, &cast, call->location, &arguments[i]));
        set_argument(made, i, arguments[i]);
    }
    if (!scope->allows_calls)
        return refuse(a, call->location, "a call of %.*s in %s is not supported%s",
                      TEXT_PRINT(function->name), scope->place,
                      scope->routine ? ": assign it to a variable before" : "");
    return build_end(a, made, call->location, out);
}

enum status analyze_call(struct analysis *a, struct name_scope *scope,
                         const PgQuery__FuncCall *call, const struct expression **out)
{
    const struct expression **arguments;
    const char *name;
    uint32_t function;

    TRY(read_name(a, call, &name));
    for (size_t i = 0; i < ROW_COUNT(aggregates); i++)
        if (strcmp(aggregates[i].name, name) == 0)
            return analyze_aggregate(a, scope, call, aggregates[i].kind, out);
    ONLY(a, call->location, call, "funcname args funcformat");
    TRY(analyze_list(a, scope, call->args, call->n_args, &arguments));
    function = find_function(a, text_of(name));
    if (function != UINT32_MAX)
        return analyze_user_call(a, scope, call, function, arguments, out);
    if (!operator_is_function(name))
        return refuse_signature(a, call->location, name, arguments, call->n_args);
    return build_apply(a, name, arguments, (uint32_t)call->n_args, call->location, out);
}
