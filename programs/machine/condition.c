#include "programs/machine/condition.h"

#include <assert.h>
#include <string.h>

#include "programs/machine/code_private.h"
#include "programs/machine/compile_expression_private.h"
#include "programs/machine/compile_private.h"

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

enum status condition_evaluate(const struct filter *f, const struct datum *row, struct heap *scratch,
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

bool condition_matches(const struct filter *f, const struct datum *row, struct heap *scratch)
{
    struct sql_error err;
    bool matches;

    return condition_evaluate(f, row, scratch, &matches, &err) != STATUS_OK || matches;
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

struct range condition_range(const struct filter *f, uint16_t column)
{
    const struct restriction *r = condition_restriction(f, column);
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

bool condition_pin(const struct filter *f, uint16_t column, struct datum *value)
{
    const struct restriction *r = condition_restriction(f, column);

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

const struct restriction *condition_restriction(const struct filter *f, uint16_t column)
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

bool condition_is_empty(const struct filter *f)
{
    for (uint32_t i = 0; i < f->restriction_count; i++)
        if (f->restrictions[i].value_count == 0)
            return true;
    for (uint32_t i = 0; i < f->condition->bound_count; i++) {
        const struct condition_bound *bound = &f->condition->bounds[i];
        struct range range;

        if (datum_is_null(value_of(f, bound)))
            return true;
        range = condition_range(f, bound->column);
        if (is_turned_round(&range))
            return true;
    }
    return false;
}

/*
 * Filters as SQL that PostgreSQL's parser reads back with the same meaning:
 * whatever is put together of several stands in parentheses, and a value whose
 * looks do not tell its type has it written behind, where that could matter.
 */

struct printer {
    const struct filter *filter;
    const struct schema_table *table;
    struct buffer *out;
};

static void print(struct printer *, const struct expression *, bool is_compared);
static void print_own(struct printer *, const struct expression *);

/* --- Names and values ------------------------------------------------------------ */

/* What PostgreSQL does not take for a column's name. */
static const char *const reserved[] = {
    "all", "analyse", "analyze", "and", "any", "array", "as", "asc", "asymmetric",
    "authorization", "binary", "both", "case", "cast", "check", "collate", "collation", "column",
    "concurrently", "constraint", "create", "cross", "current_catalog", "current_date",
    "current_role", "current_schema", "current_time", "current_timestamp", "current_user",
    "default", "deferrable", "desc", "distinct", "do", "else", "end", "except", "false", "fetch",
    "for", "foreign", "freeze", "from", "full", "grant", "group", "having", "ilike", "in",
    "initially", "inner", "intersect", "into", "is", "isnull", "join", "lateral", "leading",
    "left", "like", "limit", "localtime", "localtimestamp", "natural", "not", "notnull", "null",
    "offset", "on", "only", "or", "order", "outer", "overlaps", "placing", "primary",
    "references", "returning", "right", "select", "session_user", "similar", "some", "symmetric",
    "table", "tablesample", "then", "to", "trailing", "true", "union", "unique", "user", "using",
    "variadic", "verbose", "when", "where", "window", "with",
};

static bool is_plain_name(struct text name)
{
    for (size_t i = 0; i < name.length; i++) {
        char c = name.at[i];
        bool is_letter = (c >= 'a' && c <= 'z') || c == '_';

        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (text_equal(name, text_of(reserved[i])))
            return false;
    return name.length > 0;
}

static void print_quoted(struct text text, char quote, struct buffer *out)
{
    buffer_byte(out, quote);
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] == quote)
            buffer_byte(out, quote);
        buffer_byte(out, text.at[i]);
    }
    buffer_byte(out, quote);
}

static void print_column(struct printer *p, uint16_t column)
{
    struct text name = p->table->columns[column].name;

    if (is_plain_name(name))
        buffer_text(p->out, name);
    else
        print_quoted(name, '"', p->out);
}

/* Whether the bare value is read as this type. */
static bool looks_like(const struct datum *d, struct type type)
{
    switch (type.kind) {
    case TYPE_INTEGER:
    case TYPE_BIGINT: {
        bool is_integer = d->as.integer >= INT32_MIN && d->as.integer <= INT32_MAX;
        return is_integer == (type.kind == TYPE_INTEGER);
    }
    case TYPE_NUMERIC:
        return d->scale > 0;
    default:
        return type.kind == TYPE_BOOLEAN || type_is_text(type.kind);
    }
}

/* A literal that nothing ever gave a type is one again. */
static bool is_told(const struct datum *d, struct type type, bool is_compared)
{
    if (type.kind == TYPE_UNKNOWN)
        return true;
    return !datum_is_null(d) &&
           (looks_like(d, type) || (is_compared && type_is_number(type.kind)));
}

/* Beside a comparison, numbers and texts take their types from the other side. */
static void print_value(struct printer *p, const struct datum *d, struct type type,
                        bool is_compared)
{
    struct buffer text = { 0 };
    char name[TYPE_PRINT_MAX];

    if (datum_is_null(d)) {
        buffer_text(p->out, TEXT("NULL"));
    } else if (d->kind == DATUM_BOOLEAN) {
        buffer_text(p->out, d->as.integer ? TEXT("true") : TEXT("false"));
    } else {
        bool is_number = d->kind == DATUM_INTEGER || d->kind == DATUM_NUMERIC;

        datum_print(d, &text);
        p->out->out_of_memory |= text.out_of_memory;
        if (!is_number)
            print_quoted((struct text){ text.at, text.count }, '\'', p->out);
        else if (text.count > 0 && *text.at == '-' && !is_compared)
            buffer_print(p->out, "(%.*s)", (int)text.count, text.at);
        else
            buffer_text(p->out, (struct text){ text.at, text.count });
        buffer_close(&text);
    }
    if (!is_told(d, type, is_compared))
        buffer_print(p->out, "::%s", type_print(type_of(type.kind), name));
}

/* --- Expressions ------------------------------------------------------------------- */

static const struct datum *given_value(const struct printer *p, const struct expression *e)
{
    const struct condition *c = p->filter->condition;

    for (uint32_t i = 0; i < c->parameter_count; i++)
        if (c->parameters[i] == e)
            return &p->filter->parameters[i];
    return NULL;
}

/* What is known before there is a row; NULL: nothing. */
static const struct datum *known_value(const struct printer *p, const struct expression *e)
{
    return e->kind == EXPRESSION_CONSTANT ? &e->as.constant : given_value(p, e);
}

/* Its type by what it is made of: one that goes on as a larger integer only says so. */
static struct type own_type(const struct printer *p, const struct expression *e)
{
    switch (e->kind) {
    case EXPRESSION_COLUMN:
        return p->table->columns[e->as.column.column].type;
    case EXPRESSION_APPLY:
        return e->as.apply.result;
    case EXPRESSION_CASE:
    case EXPRESSION_COALESCE:
        return e->arguments[e->argument_count - 1]->type;
    default:
        return e->type;
    }
}

/* Whether a sum of it may be in range where it would not be in its own type. */
static bool is_widened(const struct printer *p, const struct expression *e)
{
    struct type own = own_type(p, e);

    return !known_value(p, e) && type_is_integer(e->type.kind) && own.kind != e->type.kind;
}

/* How an operator is written: between two, before or behind one, or as a function. */
enum form { FORM_BETWEEN, FORM_BEFORE, FORM_BEHIND, FORM_FUNCTION, FORM_CAST };

struct notation {
    enum form form;
    const char *text;
};

#define SIZES(name, form, text)                                                                    \
    [OPERATOR_##name##_SMALLINT] = { form, text }, [OPERATOR_##name##_INTEGER] = { form, text },   \
    [OPERATOR_##name##_BIGINT] = { form, text }, [OPERATOR_##name##_NUMERIC] = { form, text }
#define COMPARISON(name, text)                                                                     \
    [OPERATOR_##name##_INTEGER] = { FORM_BETWEEN, text },                                          \
    [OPERATOR_##name##_OTHER] = { FORM_BETWEEN, text }

static const struct notation notations[OPERATOR_COUNT] = {
    [OPERATOR_NONE] = { FORM_BEFORE, "+" },
    SIZES(ADD, FORM_BETWEEN, "+"),
    SIZES(SUBTRACT, FORM_BETWEEN, "-"),
    SIZES(MULTIPLY, FORM_BETWEEN, "*"),
    SIZES(DIVIDE, FORM_BETWEEN, "/"),
    SIZES(MODULO, FORM_BETWEEN, "%"),
    SIZES(NEGATE, FORM_BEFORE, "-"),
    SIZES(ABS, FORM_FUNCTION, "abs"),
    COMPARISON(EQUAL, "="),
    COMPARISON(UNEQUAL, "<>"),
    COMPARISON(LESS, "<"),
    COMPARISON(AT_MOST, "<="),
    COMPARISON(MORE, ">"),
    COMPARISON(AT_LEAST, ">="),
    [OPERATOR_DISTINCT] = { FORM_BETWEEN, "IS DISTINCT FROM" },
    [OPERATOR_NOT_DISTINCT] = { FORM_BETWEEN, "IS NOT DISTINCT FROM" },
    [OPERATOR_AND] = { FORM_BETWEEN, "AND" },
    [OPERATOR_OR] = { FORM_BETWEEN, "OR" },
    [OPERATOR_NOT] = { FORM_BEFORE, "NOT " },
    [OPERATOR_IS_NULL] = { FORM_BEHIND, "IS NULL" },
    [OPERATOR_IS_NOT_NULL] = { FORM_BEHIND, "IS NOT NULL" },
    [OPERATOR_IS_TRUE] = { FORM_BEHIND, "IS TRUE" },
    [OPERATOR_IS_NOT_TRUE] = { FORM_BEHIND, "IS NOT TRUE" },
    [OPERATOR_IS_FALSE] = { FORM_BEHIND, "IS FALSE" },
    [OPERATOR_IS_NOT_FALSE] = { FORM_BEHIND, "IS NOT FALSE" },
    [OPERATOR_FLOOR] = { FORM_FUNCTION, "floor" },
    [OPERATOR_CEIL] = { FORM_FUNCTION, "ceil" },
    [OPERATOR_SIGN] = { FORM_FUNCTION, "sign" },
    [OPERATOR_ROUND] = { FORM_FUNCTION, "round" },
    [OPERATOR_CONCATENATE] = { FORM_BETWEEN, "||" },
    [OPERATOR_LENGTH] = { FORM_FUNCTION, "length" },
    [OPERATOR_SUBSTRING] = { FORM_FUNCTION, "substr" },
    [OPERATOR_LPAD] = { FORM_FUNCTION, "lpad" },
    [OPERATOR_LIKE] = { FORM_BETWEEN, "LIKE" },
    [OPERATOR_NOT_LIKE] = { FORM_BETWEEN, "NOT LIKE" },
    [OPERATOR_LIKE_ESCAPE] = { FORM_FUNCTION, "like_escape" },
    [OPERATOR_LOWER] = { FORM_FUNCTION, "lower" },
    [OPERATOR_UPPER] = { FORM_FUNCTION, "upper" },
    [OPERATOR_ARRAY_APPEND] = { FORM_FUNCTION, "array_append" },
    [OPERATOR_ARRAY_PREPEND] = { FORM_FUNCTION, "array_prepend" },
    [OPERATOR_ARRAY_CONCATENATE] = { FORM_BETWEEN, "||" },
    [OPERATOR_CARDINALITY] = { FORM_FUNCTION, "cardinality" },
    [OPERATOR_ARRAY_LENGTH] = { FORM_FUNCTION, "array_length" },
    [OPERATOR_GREATEST] = { FORM_FUNCTION, "GREATEST" },
    [OPERATOR_LEAST] = { FORM_FUNCTION, "LEAST" },
    [OPERATOR_NULLIF] = { FORM_FUNCTION, "NULLIF" },
    [OPERATOR_COALESCE] = { FORM_FUNCTION, "COALESCE" },
    [OPERATOR_INTEGER_TO_SMALLINT] = { FORM_CAST, NULL },
    [OPERATOR_INTEGER_TO_INTEGER] = { FORM_CAST, NULL },
    [OPERATOR_INTEGER_TO_NUMERIC] = { FORM_CAST, NULL },
    [OPERATOR_INTEGER_TO_BOOLEAN] = { FORM_CAST, NULL },
    [OPERATOR_BOOLEAN_TO_INTEGER] = { FORM_CAST, NULL },
    [OPERATOR_NUMERIC_TO_SMALLINT] = { FORM_CAST, NULL },
    [OPERATOR_NUMERIC_TO_INTEGER] = { FORM_CAST, NULL },
    [OPERATOR_NUMERIC_TO_BIGINT] = { FORM_CAST, NULL },
    [OPERATOR_NUMERIC_FIT] = { FORM_CAST, NULL },
    [OPERATOR_TEXT_FIT] = { FORM_CAST, NULL },
    [OPERATOR_PRINT] = { FORM_CAST, NULL },
    [OPERATOR_PARSE] = { FORM_CAST, NULL },
    [OPERATOR_REPARSE] = { FORM_CAST, NULL },
};

static void print_list(struct printer *p, const struct expression *const *at, uint32_t count,
                       bool is_compared)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_text(p->out, TEXT(", "));
        print(p, at[i], is_compared);
    }
}

static void print_special(struct printer *p, const struct expression *e)
{
    switch (e->as.apply.code) {
    case OPERATOR_ARRAY:
        buffer_text(p->out, TEXT("ARRAY["));
        print_list(p, e->arguments, e->argument_count, false);
        buffer_text(p->out, TEXT("]::bigint[]"));
        break;
    case OPERATOR_SUBSCRIPT:
        /* '{1}'::bigint[][1] would be another type. */
        if (compile_peel(e->arguments[0])->kind == EXPRESSION_COLUMN) {
            print(p, e->arguments[0], false);
        } else {
            buffer_byte(p->out, '(');
            print(p, e->arguments[0], false);
            buffer_byte(p->out, ')');
        }
        buffer_byte(p->out, '[');
        print(p, e->arguments[1], true);
        buffer_byte(p->out, ']');
        break;
    default:
        assert(e->as.apply.code == OPERATOR_EQUAL_ANY);
        print(p, e->arguments[0], true);
        buffer_text(p->out, TEXT(" = ANY ("));
        print(p, e->arguments[1], false);
        buffer_byte(p->out, ')');
    }
}

static bool is_comparison(enum operator_code code)
{
    return code >= OPERATOR_EQUAL_INTEGER && code <= OPERATOR_NOT_DISTINCT;
}

/* Beside another that has the type that both are computed in, it is widened anyway. */
static void print_operand(struct printer *p, const struct expression *e,
                          const struct expression *other, bool is_compared)
{
    if (is_widened(p, e) && !is_widened(p, other))
        print_own(p, e);
    else
        print(p, e, is_compared);
}

static void print_between(struct printer *p, const struct expression *e, const char *how)
{
    const struct expression *left = e->arguments[0], *right = e->arguments[1];
    bool is_compared = is_comparison(e->as.apply.code);

    print_operand(p, left, right, is_compared);
    buffer_print(p->out, " %s ", how);
    print_operand(p, right, left, is_compared);
}

/* A text in quotes behind a cast would be a literal of its type, and read as one at once. */
static void print_cast(struct printer *p, const struct expression *argument, struct type type)
{
    char name[TYPE_PRINT_MAX];

    print(p, argument, false);
    if (known_value(p, argument) && type_is_text(argument->type.kind))
        buffer_text(p->out, TEXT("::text"));
    buffer_print(p->out, "::%s", type_print(type, name));
}

/* A minus and a number would be read as one number, of whatever type that has. */
static void print_before(struct printer *p, const struct expression *argument, const char *how)
{
    buffer_text(p->out, text_of(how));
    if (known_value(p, argument) && type_is_number(argument->type.kind))
        print_cast(p, argument, type_of(argument->type.kind));
    else
        print(p, argument, false);
}

static void print_apply(struct printer *p, const struct expression *e)
{
    const struct operator_choice *choice = &e->as.apply;
    const struct notation *how = &notations[choice->code];

    if (!how->text && how->form != FORM_CAST) {
        print_special(p, e);
        return;
    }
    switch (how->form) {
    case FORM_BETWEEN:
        print_between(p, e, how->text);
        break;
    case FORM_BEFORE:
        print_before(p, e->arguments[0], how->text);
        break;
    case FORM_BEHIND:
        print(p, e->arguments[0], false);
        buffer_print(p->out, " %s", how->text);
        break;
    case FORM_FUNCTION:
        buffer_print(p->out, "%s(", how->text);
        print_list(p, e->arguments, e->argument_count, false);
        buffer_byte(p->out, ')');
        break;
    case FORM_CAST:
        print_cast(p, e->arguments[0], choice->result);
        break;
    }
}

static void print_case(struct printer *p, const struct expression *e)
{
    buffer_text(p->out, TEXT("CASE"));
    for (uint32_t i = 0; i + 1 < e->argument_count; i += 2) {
        buffer_text(p->out, TEXT(" WHEN "));
        print(p, e->arguments[i], false);
        buffer_text(p->out, TEXT(" THEN "));
        print(p, e->arguments[i + 1], false);
    }
    buffer_text(p->out, TEXT(" ELSE "));
    print(p, e->arguments[e->argument_count - 1], false);
    buffer_text(p->out, TEXT(" END"));
}

static void print_bare(struct printer *p, const struct expression *e)
{
    switch (e->kind) {
    case EXPRESSION_APPLY:
        print_apply(p, e);
        break;
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        for (uint32_t i = 0; i < e->argument_count; i++) {
            if (i > 0)
                buffer_text(p->out, e->kind == EXPRESSION_AND ? TEXT(" AND ") : TEXT(" OR "));
            print(p, e->arguments[i], false);
        }
        break;
    case EXPRESSION_CASE:
        print_case(p, e);
        break;
    case EXPRESSION_COALESCE:
        buffer_text(p->out, TEXT("COALESCE("));
        print_list(p, e->arguments, e->argument_count, false);
        buffer_byte(p->out, ')');
        break;
    default:
        assert(e->kind == EXPRESSION_IN);
        print(p, e->arguments[0], true);
        buffer_text(p->out, e->as.in.negated ? TEXT(" NOT IN (") : TEXT(" IN ("));
        print_list(p, e->arguments + 1, e->argument_count - 1, true);
        buffer_byte(p->out, ')');
    }
}

/* Functions bring parentheses of their own, and nothing binds closer than a cast. */
static bool stands_alone(const struct expression *e)
{
    const struct notation *how;

    if (e->kind != EXPRESSION_APPLY)
        return e->kind == EXPRESSION_COALESCE;
    how = &notations[e->as.apply.code];
    return how->form == FORM_CAST || (how->form == FORM_FUNCTION && how->text) ||
           e->as.apply.code == OPERATOR_SUBSCRIPT || e->as.apply.code == OPERATOR_ARRAY;
}

static void print_own(struct printer *p, const struct expression *e)
{
    if (e->kind == EXPRESSION_COLUMN) {
        print_column(p, e->as.column.column);
    } else if (stands_alone(e)) {
        print_bare(p, e);
    } else {
        buffer_byte(p->out, '(');
        print_bare(p, e);
        buffer_byte(p->out, ')');
    }
}

static void print(struct printer *p, const struct expression *e, bool is_compared)
{
    const struct datum *value = known_value(p, e);
    char name[TYPE_PRINT_MAX];

    if (value)
        print_value(p, value, e->type, is_compared);
    else
        print_own(p, e);
    if (!is_compared && is_widened(p, e))
        buffer_print(p->out, "::%s", type_print(type_of(e->type.kind), name));
}

/* Only conjuncts are spared their parentheses, unless they are a list themselves. */
static void print_conjunct(struct printer *p, const struct expression *e)
{
    bool is_plain = !given_value(p, e) && (e->kind == EXPRESSION_IN ||
                                           (e->kind == EXPRESSION_APPLY &&
                                            e->as.apply.code != OPERATOR_OR));

    if (is_plain)
        print_bare(p, e);
    else
        print(p, e, false);
}

static void print_restriction(struct printer *p, const struct restriction *r)
{
    if (r->value_count == 0) {
        buffer_text(p->out, TEXT("false"));
        return;
    }
    print_column(p, r->column);
    buffer_text(p->out, TEXT(" IN ("));
    for (uint32_t i = 0; i < r->value_count; i++) {
        if (i > 0)
            buffer_text(p->out, TEXT(", "));
        print_value(p, &r->values[i], p->table->columns[r->column].type, true);
    }
    buffer_byte(p->out, ')');
}

void condition_print_filter(const struct filter *f, const struct schema *schema, struct buffer *out)
{
    struct printer p = { f, &schema->tables[f->condition->table], out };
    bool is_first = true;

    for (uint32_t i = 0; i < f->condition->conjunct_count; i++, is_first = false) {
        if (!is_first)
            buffer_text(out, TEXT(" AND "));
        print_conjunct(&p, f->condition->conjuncts[i]);
    }
    for (uint32_t i = 0; i < f->restriction_count; i++, is_first = false) {
        if (!is_first)
            buffer_text(out, TEXT(" AND "));
        print_restriction(&p, &f->restrictions[i]);
    }
}
