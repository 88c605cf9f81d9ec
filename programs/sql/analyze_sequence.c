#include "programs/sql/analyze_sequence_private.h"

#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- Options ------------------------------------------------------------------------ */

struct sequence_draft {
    struct schema_sequence *sequence;
    int64_t least, greatest; /* of its type */
    bool has_low, has_high, has_start, has_type;
};

static void take_type(struct sequence_draft *draft, enum type_kind kind)
{
    draft->least = kind == TYPE_SMALLINT ? INT16_MIN : kind == TYPE_INTEGER ? INT32_MIN : INT64_MIN;
    draft->greatest = kind == TYPE_SMALLINT ? INT16_MAX : kind == TYPE_INTEGER ? INT32_MAX : INT64_MAX;
}

static enum status read_integer(struct analysis *a, const PgQuery__DefElem *option, int64_t *out)
{
    const char *text = NULL;
    char *end;

    if (option->arg && option->arg->node_case == PG_QUERY__NODE__NODE_INTEGER) {
        *out = option->arg->integer->ival;
        return STATUS_OK;
    }
    if (option->arg && option->arg->node_case == PG_QUERY__NODE__NODE_FLOAT)
        text = option->arg->float_->fval;
    errno = 0;
    *out = text ? strtoll(text, &end, 10) : 0;
    if (!text || errno != 0 || *end)
        return analyze_refuse(a, option->location, "such a number of a sequence is not supported");
    return STATUS_OK;
}

static enum status read_type(struct analysis *a, const PgQuery__DefElem *option,
                             struct sequence_draft *draft)
{
    struct type type;

    if (!option->arg || option->arg->node_case != PG_QUERY__NODE__NODE_TYPE_NAME)
        return analyze_refuse(a, option->location, "such a type of a sequence is not supported");
    TRY(analyze_type(a, option->arg->type_name, &type));
    if (!type_is_integer(type.kind))
        return analyze_refuse(a, option->location,
                              "sequence type must be smallint, integer, or bigint");
    take_type(draft, type.kind);
    return STATUS_OK;
}

/* NO MINVALUE is an option without a value. */
static enum status read_bound(struct analysis *a, const PgQuery__DefElem *option, int64_t *bound, bool *has)
{
    *has = option->arg != NULL;
    return *has ? read_integer(a, option, bound) : STATUS_OK;
}

static enum status read_option(struct analysis *a, const PgQuery__DefElem *option,
                               struct sequence_draft *draft)
{
    struct schema_sequence *s = draft->sequence;
    const char *name = option->defname;
    int64_t cache;

    if (strcmp(name, "as") == 0)
        return read_type(a, option, draft);
    if (strcmp(name, "increment") == 0)
        return read_integer(a, option, &s->increment);
    if (strcmp(name, "minvalue") == 0)
        return read_bound(a, option, &s->low, &draft->has_low);
    if (strcmp(name, "maxvalue") == 0)
        return read_bound(a, option, &s->high, &draft->has_high);
    if (strcmp(name, "start") == 0) {
        draft->has_start = true;
        return read_integer(a, option, &s->start);
    }
    if (strcmp(name, "cycle") == 0) {
        s->cycles = option->arg && option->arg->node_case == PG_QUERY__NODE__NODE_BOOLEAN
                        ? option->arg->boolean->boolval
                        : option->arg && option->arg->node_case == PG_QUERY__NODE__NODE_INTEGER &&
                              option->arg->integer->ival != 0;
        return STATUS_OK;
    }
    if (strcmp(name, "cache") == 0) {
        TRY(read_integer(a, option, &cache));
        return cache == 1 ? STATUS_OK
                          : analyze_refuse(a, option->location, "CACHE of a sequence is not supported");
    }
    if (strcmp(name, "owned_by") == 0)
        return STATUS_OK;
    return analyze_refuse(a, option->location, "%s of a sequence is not supported", name);
}

static enum status check_bounds(struct analysis *a, const struct sequence_draft *draft, int32_t location)
{
    const struct schema_sequence *s = draft->sequence;

    if (s->increment == 0)
        return analyze_refuse(a, location, "INCREMENT must not be zero");
    if (s->low < draft->least || s->high > draft->greatest)
        return analyze_refuse(a, location, "a bound of sequence \"%.*s\" is out of range for its type",
                              TEXT_PRINT(s->name));
    if (s->low >= s->high)
        return analyze_refuse(a, location,
                              "MINVALUE (%" PRId64 ") must be less than MAXVALUE (%" PRId64 ")", s->low,
                              s->high);
    if (s->start < s->low)
        return analyze_refuse(a, location,
                              "START value (%" PRId64 ") cannot be less than MINVALUE (%" PRId64 ")",
                              s->start, s->low);
    if (s->start > s->high)
        return analyze_refuse(a, location,
                              "START value (%" PRId64 ") cannot be greater than MAXVALUE (%" PRId64 ")",
                              s->start, s->high);
    return STATUS_OK;
}

/* --- Sequences --------------------------------------------------------------------------- */

uint32_t analyze_find_sequence(const struct analysis *a, struct text name)
{
    for (uint32_t i = 0; i < a->sequence_count; i++)
        if (text_equal(a->sequences[i].name, name))
            return i;
    return UINT32_MAX;
}

enum status analyze_add_sequence(struct analysis *a, struct text name, enum type_kind type,
                                 struct sequence_options options, int32_t location, uint32_t *number)
{
    struct schema_sequence *s = &a->sequences[a->sequence_count];
    struct sequence_draft draft = { .sequence = s };

    assert(a->sequence_count < a->sequence_room);
    *s = (struct schema_sequence){ .name = name, .increment = 1 };
    take_type(&draft, type);
    for (size_t i = 0; i < options.count; i++)
        TRY(read_option(a, options.nodes[i]->def_elem, &draft));
    if (!draft.has_low)
        s->low = s->increment > 0 ? 1 : draft.least;
    if (!draft.has_high)
        s->high = s->increment > 0 ? draft.greatest : -1;
    if (!draft.has_start)
        s->start = s->increment > 0 ? s->low : s->high;
    TRY(check_bounds(a, &draft, location));
    *number = a->sequence_count++;
    return STATUS_OK;
}

enum status analyze_sequence(struct analysis *a, const PgQuery__CreateSeqStmt *stmt, int32_t location)
{
    const PgQuery__RangeVar *range = stmt->sequence;
    struct text name = text_of(range->relname);
    uint32_t number;

    ONLY(a, location, stmt, "sequence options");
    ONLY(a, location, range, "relname inh relpersistence");
    if (strcmp(range->relpersistence, "p") != 0)
        return analyze_refuse(a, location, "a temporary or unlogged sequence is not supported");
    if (analyze_find_table(a, name) != UINT32_MAX || analyze_find_sequence(a, name) != UINT32_MAX)
        return analyze_refuse(a, location, "relation \"%s\" already exists", range->relname);
    TRY(analyze_keep_text(a, name, &name));
    return analyze_add_sequence(a, name, TYPE_BIGINT,
                                (struct sequence_options){ stmt->options, stmt->n_options }, location,
                                &number);
}

/* --- nextval and its like -------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum number_kind kind;
    uint32_t arguments_min, arguments_max;
} functions[] = {
    { "nextval", NUMBER_NEXT, 1, 1 },
    { "currval", NUMBER_CURRENT, 1, 1 },
    { "lastval", NUMBER_LAST, 0, 0 },
    { "setval", NUMBER_SET, 2, 3 },
};

bool analyze_is_number(const char *name, enum number_kind *kind)
{
    for (size_t i = 0; i < ROW_COUNT(functions); i++)
        if (strcmp(functions[i].name, name) == 0) {
            *kind = functions[i].kind;
            return true;
        }
    return false;
}

/* 'name', or 'name'::regclass. */
static enum status read_sequence(struct analysis *a, const PgQuery__Node *node, uint32_t *sequence)
{
    int32_t location = sql_node_location(node);
    char name[NAME_MAX_BYTES + 1];
    const char *at;
    size_t length = 0;

    if (node->node_case == PG_QUERY__NODE__NODE_TYPE_CAST) {
        const PgQuery__TypeName *type = node->type_cast->type_name;

        if (!text_equal(sql_string(type->names[type->n_names - 1]), TEXT("regclass")))
            return analyze_refuse(a, location, "a sequence by another type than a literal is not supported");
        node = node->type_cast->arg;
    }
    if (node->node_case != PG_QUERY__NODE__NODE_A_CONST ||
        node->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL)
        return analyze_refuse(a, location, "a sequence whose name is no literal is not supported");
    for (at = node->a_const->sval->sval; *at && length < NAME_MAX_BYTES; at++)
        name[length++] = (char)tolower((unsigned char)*at);
    name[length] = '\0';
    if (*at || strpbrk(name, ".\""))
        return analyze_refuse(a, location, "such a name of a sequence is not supported");
    *sequence = analyze_find_sequence(a, text_of(name));
    if (*sequence == UINT32_MAX)
        return analyze_refuse(a, location, "relation \"%s\" does not exist", name);
    return STATUS_OK;
}

/* What setval() sets, and whether that was given out already. */
static enum status read_set(struct analysis *a, struct name_scope *scope, const PgQuery__FuncCall *call,
                            struct expression *made)
{
    struct type types[] = { type_of(TYPE_BIGINT), type_of(TYPE_BOOLEAN) };

    for (uint32_t i = 0; i < 2; i++) {
        const struct expression *value;

        if (i + 1 < call->n_args)
            TRY(analyze_expression(a, scope, call->args[i + 1], &value));
        else
            TRY(analyze_build_constant(a, types[1], datum_of_bool(true), call->location, &value));
        TRY(analyze_build_cast(a, types[i], CAST_IMPLICIT, call->location, &value));
        analyze_set_argument(made, i, value);
    }
    return STATUS_OK;
}

enum status analyze_number(struct analysis *a, struct name_scope *scope, const PgQuery__FuncCall *call,
                           enum number_kind kind, const struct expression **out)
{
    struct expression *made;
    uint32_t sequence = UINT32_MAX;

    ONLY(a, call->location, call, "funcname args funcformat");
    for (size_t i = 0; i < ROW_COUNT(functions); i++)
        if (functions[i].kind == kind &&
            (call->n_args < functions[i].arguments_min || call->n_args > functions[i].arguments_max))
            return analyze_refuse(a, call->location, "function %s with %zu arguments does not exist",
                                  functions[i].name, call->n_args);
    if (!scope->allows_calls && (!scope->allows_numbers || kind == NUMBER_SET))
        return analyze_refuse(a, call->location, "a number of a sequence in %s is not supported%s",
                              scope->place, scope->routine ? ": assign it to a variable before" : "");
    if (kind != NUMBER_LAST)
        TRY(read_sequence(a, call->args[0], &sequence));
    TRY(analyze_build(a, EXPRESSION_NUMBER, type_of(TYPE_BIGINT), call->location,
                      kind == NUMBER_SET ? 2 : 0, &made));
    made->as.number.kind = kind;
    made->as.number.sequence = sequence;
    if (kind == NUMBER_SET)
        TRY(read_set(a, scope, call, made));
    return analyze_build_end(a, made, call->location, out);
}

enum status analyze_next_number(struct analysis *a, uint32_t sequence, int32_t location,
                                const struct expression **out)
{
    struct expression *made;

    TRY(analyze_build(a, EXPRESSION_NUMBER, type_of(TYPE_BIGINT), location, 0, &made));
    made->as.number.kind = NUMBER_NEXT;
    made->as.number.sequence = sequence;
    return analyze_build_end(a, made, location, out);
}

bool analyze_has_number(const struct expression *e)
{
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (analyze_has_number(e->arguments[i]))
            return true;
    return e->kind == EXPRESSION_NUMBER;
}

enum status analyze_ask_again(struct analysis *a, const struct expression **e)
{
    const struct expression **arguments;
    struct expression *copy;
    void *memory;

    if (!analyze_has_number(*e))
        return STATUS_OK;
    TRY(analyze_keep(a, 1, sizeof *copy, &memory));
    copy = memory;
    *copy = **e;
    TRY(analyze_keep(a, copy->argument_count, sizeof *arguments, &memory));
    arguments = memory;
    for (uint32_t i = 0; i < copy->argument_count; i++) {
        arguments[i] = copy->arguments[i];
        TRY(analyze_ask_again(a, &arguments[i]));
    }
    copy->arguments = arguments;
    *e = copy;
    return STATUS_OK;
}
