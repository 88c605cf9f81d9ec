/*
 * Casts: which of them PostgreSQL has where, and what they do.
 *
 * Between sizes of integers, and between text, varchar and literals, nothing
 * has to be done unless something may not fit.
 */
#include "programs/values/operator_private.h"

#include <assert.h>
#include <string.h>

bool operator_can_cast_implicitly(enum type_kind from, enum type_kind to)
{
    return from == to || from == TYPE_UNKNOWN ||
           (type_is_number(from) && type_is_number(to) && from < to) ||
           (type_is_text(from) && type_is_text(to));
}

static enum operator_code choose_number_cast(struct type from, struct type to)
{
    static const enum operator_code from_integer[] = { OPERATOR_INTEGER_TO_SMALLINT,
                                                       OPERATOR_INTEGER_TO_INTEGER };
    static const enum operator_code from_numeric[] = { OPERATOR_NUMERIC_TO_SMALLINT,
                                                       OPERATOR_NUMERIC_TO_INTEGER,
                                                       OPERATOR_NUMERIC_TO_BIGINT };

    if (from.kind == TYPE_NUMERIC && to.kind == TYPE_NUMERIC)
        return to.precision == 0 || type_equal(from, to) ? OPERATOR_NONE : OPERATOR_NUMERIC_FIT;
    if (from.kind == TYPE_NUMERIC)
        return from_numeric[to.kind - TYPE_SMALLINT];
    if (to.kind == TYPE_NUMERIC)
        return OPERATOR_INTEGER_TO_NUMERIC;
    return from.kind <= to.kind ? OPERATOR_NONE : from_integer[to.kind - TYPE_SMALLINT];
}

/* From which context on there is this cast, and which it is. False: there is none anywhere. */
static bool find_cast(struct type from, struct type to, enum cast_context *least,
                      enum operator_code *code)
{
    *least = CAST_IMPLICIT;
    if (from.kind >= TYPE_VOID || to.kind >= TYPE_VOID || to.kind == TYPE_UNKNOWN) {
        *code = OPERATOR_NONE;
        return from.kind == to.kind;
    }
    if (type_is_number(from.kind) && type_is_number(to.kind)) {
        *code = choose_number_cast(from, to);
        *least = from.kind <= to.kind ? CAST_IMPLICIT : CAST_ASSIGNMENT;
        return true;
    }
    if (type_is_text(to.kind)) {
        bool is_text = type_is_text(from.kind) || from.kind == TYPE_UNKNOWN;
        bool fits = to.length == 0 || (from.kind == TYPE_VARCHAR && from.length == to.length);

        *code = !is_text ? OPERATOR_PRINT : fits ? OPERATOR_NONE : OPERATOR_TEXT_FIT;
        *least = is_text ? CAST_IMPLICIT : CAST_ASSIGNMENT;
        return true;
    }
    *code = from.kind == to.kind ? OPERATOR_NONE : OPERATOR_PARSE;
    if (from.kind == to.kind || from.kind == TYPE_UNKNOWN)
        return true;
    *least = CAST_EXPLICIT;
    if (from.kind == TYPE_INTEGER && to.kind == TYPE_BOOLEAN)
        *code = OPERATOR_INTEGER_TO_BOOLEAN;
    else if (from.kind == TYPE_BOOLEAN && to.kind == TYPE_INTEGER)
        *code = OPERATOR_BOOLEAN_TO_INTEGER;
    else
        return type_is_text(from.kind);
    return true;
}

enum status operator_cast(struct type from, struct type to, enum cast_context context,
                          struct operator_choice *choice, struct sql_error *err)
{
    enum cast_context least;
    enum operator_code code;
    bool is_declared = from.kind < TYPE_VOID && to.kind < TYPE_VOID && to.kind != TYPE_UNKNOWN;
    bool exists = find_cast(from, to, &least, &code);

    if (is_declared && context == CAST_VARIABLE && (!exists || least > CAST_VARIABLE))
        code = type_is_text(from.kind) ? OPERATOR_PARSE : OPERATOR_REPARSE;
    else if (!exists || least > context)
        return sql_error_set(err, SQLSTATE_CANNOT_COERCE, "cannot cast type %s to %s",
                             type_name(from.kind), type_name(to.kind));
    *choice = (struct operator_choice){
        .code = code,
        .is_explicit = context == CAST_EXPLICIT,
        .argument_count = 1,
        .result = to,
        .takes = { from },
    };
    return STATUS_OK;
}

struct operator_choice operator_argument_cast(const struct operator_choice *choice,
                                              uint32_t argument, struct type from)
{
    uint32_t slot = argument < OPERATOR_TAKES_MAX ? argument : OPERATOR_TAKES_MAX - 1;
    struct operator_choice cast = { .code = OPERATOR_NONE };
    struct sql_error err;
    enum status status;

    /* Resolution has decided that there is one, be it implicit or as in 1 || 'a'. */
    status = operator_cast(from, choice->takes[slot], CAST_EXPLICIT, &cast, &err);
    assert(status == STATUS_OK);
    return cast;
}

enum status operator_integer_to_integer(const struct call *c, struct datum *out)
{
    return operator_give_integer(c, c->choice->result.kind, false, c->arguments[0].as.integer, out);
}

static enum status fit_numeric(const struct call *c, struct numeric number, struct datum *out)
{
    struct type to = c->choice->result;

    if (to.precision > 0)
        TRY(numeric_fit(number, to.precision, to.scale, &number, c->err));
    *out = datum_of_numeric(number);
    return STATUS_OK;
}

enum status operator_integer_to_numeric(const struct call *c, struct datum *out)
{
    return fit_numeric(c, numeric_from_int64(c->arguments[0].as.integer), out);
}

enum status operator_numeric_fit(const struct call *c, struct datum *out)
{
    return fit_numeric(c, datum_numeric(&c->arguments[0]), out);
}

enum status operator_integer_to_boolean(const struct call *c, struct datum *out)
{
    *out = datum_of_bool(c->arguments[0].as.integer != 0);
    return STATUS_OK;
}

enum status operator_boolean_to_integer(const struct call *c, struct datum *out)
{
    *out = datum_of_int64(c->arguments[0].as.integer);
    return STATUS_OK;
}

enum status operator_numeric_to_integer(const struct call *c, struct datum *out)
{
    int64_t number = 0;
    bool fits = numeric_to_int64(datum_numeric(&c->arguments[0]), &number);

    return operator_give_integer(c, c->choice->result.kind, !fits, number, out);
}

/* A cast cuts; an assignment may lose blanks only. */
static enum status fit_text(const struct call *c, struct text text, struct datum *out)
{
    uint32_t length = c->choice->result.length;
    size_t clip = length > 0 ? operator_clip(text, length) : text.length;

    for (size_t i = clip; i < text.length && !c->choice->is_explicit; i++)
        if (text.at[i] != ' ')
            return sql_error_set(c->err, SQLSTATE_STRING_TOO_LONG,
                                 "value too long for type character varying(%u)", (unsigned)length);
    *out = datum_of_text((struct text){ text.at, clip });
    return STATUS_OK;
}

enum status operator_text_fit(const struct call *c, struct datum *out)
{
    return fit_text(c, datum_text(&c->arguments[0]), out);
}

static enum status print(const struct call *c, struct text *text)
{
    const struct datum *d = &c->arguments[0];
    void *to;

    TRY(heap_push(c->heap, datum_print_room(d), &to, c->err));
    *text = (struct text){ to, (size_t)(datum_write(to, d) - (char *)to) };
    heap_shrink(c->heap, to, text->length);
    return STATUS_OK;
}

/* A boolean that is cast is written out, unlike one that is shown. */
enum status operator_print(const struct call *c, struct datum *out)
{
    struct text text;

    if (c->arguments[0].kind == DATUM_BOOLEAN)
        text = c->arguments[0].as.integer ? TEXT("true") : TEXT("false");
    else
        TRY(print(c, &text));
    return fit_text(c, text, out);
}

static enum status parse(const struct call *c, struct text text, struct datum *out)
{
    TRY(datum_parse(text, c->choice->result.kind, c->heap, out, c->err));
    return out->kind == DATUM_NUMERIC ? fit_numeric(c, datum_numeric(out), out) : STATUS_OK;
}

enum status operator_parse(const struct call *c, struct datum *out)
{
    return parse(c, datum_text(&c->arguments[0]), out);
}

enum status operator_reparse(const struct call *c, struct datum *out)
{
    struct text text;

    TRY(print(c, &text));
    return parse(c, text, out);
}
