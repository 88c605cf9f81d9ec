#include "programs/values/type.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "programs/values/numeric.h"

#define VARCHAR_LENGTH_MAX 10485760
#define MODIFIER_DIGITS_MAX 8

static const char *const names[TYPE_KIND_COUNT] = {
    [TYPE_UNKNOWN] = "unknown",
    [TYPE_SMALLINT] = "smallint",
    [TYPE_INTEGER] = "integer",
    [TYPE_BIGINT] = "bigint",
    [TYPE_NUMERIC] = "numeric",
    [TYPE_TEXT] = "text",
    [TYPE_VARCHAR] = "character varying",
    [TYPE_BOOLEAN] = "boolean",
    [TYPE_TIMESTAMP] = "timestamp without time zone",
    [TYPE_BIGINT_ARRAY] = "bigint[]",
    [TYPE_VOID] = "void",
    [TYPE_RECORD] = "record",
};

/* The other names of the same. */
static const struct {
    const char *name;
    enum type_kind kind;
} aliases[] = {
    { "int2", TYPE_SMALLINT },       { "int", TYPE_INTEGER },          { "int4", TYPE_INTEGER },
    { "int8", TYPE_BIGINT },         { "decimal", TYPE_NUMERIC },      { "dec", TYPE_NUMERIC },
    { "varchar", TYPE_VARCHAR },     { "char varying", TYPE_VARCHAR }, { "bool", TYPE_BOOLEAN },
    { "timestamp", TYPE_TIMESTAMP }, { "_int8", TYPE_BIGINT_ARRAY },
};

/* What the text of a type says, before it is known whether there is such a type. */
struct description {
    char name[TYPE_PRINT_MAX]; /* lower case, words separated by one blank */
    size_t length;
    int32_t modifiers[2];
    unsigned modifier_count;
    unsigned dimensions;
};

bool type_equal(struct type a, struct type b)
{
    return a.kind == b.kind && a.length == b.length && a.precision == b.precision &&
           a.scale == b.scale;
}

const char *type_name(enum type_kind kind)
{
    assert(kind < TYPE_KIND_COUNT);
    return names[kind];
}

const char *type_print(struct type type, char to[static TYPE_PRINT_MAX])
{
    if (type.kind == TYPE_VARCHAR && type.length > 0)
        snprintf(to, TYPE_PRINT_MAX, "%s(%u)", type_name(type.kind), (unsigned)type.length);
    else if (type.kind == TYPE_NUMERIC && type.precision > 0)
        snprintf(to, TYPE_PRINT_MAX, "%s(%d,%d)", type_name(type.kind), type.precision, type.scale);
    else
        snprintf(to, TYPE_PRINT_MAX, "%s", type_name(type.kind));
    return to;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t skip_blanks(struct text text, size_t at)
{
    while (at < text.length && is_blank(text.at[at]))
        at++;
    return at;
}

/* Returns where the word ends, or 0: the name is too long. */
static size_t take_word(struct text text, size_t at, struct description *d)
{
    if (d->length > 0)
        d->name[d->length++] = ' ';
    for (; at < text.length && is_of_word(text.at[at]); at++) {
        if (d->length + 2 >= sizeof d->name)
            return 0;
        d->name[d->length++] = lower(text.at[at]);
    }
    d->name[d->length] = '\0';
    return at;
}

/* One integer, and what stands behind it: a comma or a parenthesis. 0: it is something else. */
static size_t take_modifier(struct text text, size_t at, struct description *d)
{
    size_t from = at = skip_blanks(text, at);
    int32_t number = 0;
    bool negative = at < text.length && text.at[at] == '-';

    if (d->modifier_count == ROW_COUNT(d->modifiers))
        return 0;
    at += negative;
    from = at;
    for (; at < text.length && text.at[at] >= '0' && text.at[at] <= '9'; at++) {
        if (at - from >= MODIFIER_DIGITS_MAX)
            return 0;
        number = 10 * number + (text.at[at] - '0');
    }
    if (at == from)
        return 0;
    d->modifiers[d->modifier_count++] = negative ? -number : number;
    at = skip_blanks(text, at);
    return at < text.length && (text.at[at] == ',' || text.at[at] == ')') ? at : 0;
}

/* "(10, 2)": at the opening parenthesis. Returns where it ends, or 0. */
static size_t take_modifiers(struct text text, size_t at, struct description *d)
{
    if (d->modifier_count > 0)
        return 0;
    do
        at = take_modifier(text, at + 1, d);
    while (at > 0 && text.at[at] == ',');
    return at > 0 ? at + 1 : 0;
}

/* "[]" or "[3]", whose 3 means nothing. Returns where it ends, or 0. */
static size_t take_brackets(struct text text, size_t at, struct description *d)
{
    at = skip_blanks(text, at + 1);
    while (at < text.length && text.at[at] >= '0' && text.at[at] <= '9')
        at++;
    at = skip_blanks(text, at);
    if (at == text.length || text.at[at] != ']')
        return 0;
    d->dimensions++;
    return at + 1;
}

static bool describe(struct text text, struct description *d)
{
    static const struct text schema = { "pg_catalog.", 11 };
    size_t at = skip_blanks(text, 0);

    if (text.length - at > schema.length &&
        text_equal((struct text){ text.at + at, schema.length }, schema))
        at += schema.length;
    while ((at = skip_blanks(text, at)) < text.length) {
        if (text.at[at] == '(')
            at = take_modifiers(text, at, d);
        else if (text.at[at] == '[')
            at = take_brackets(text, at, d);
        else if (is_of_word(text.at[at]) && d->dimensions == 0)
            at = take_word(text, at, d);
        else
            return false;
        if (at == 0)
            return false;
    }
    return d->length > 0;
}

static bool find_kind(const struct description *d, enum type_kind *kind)
{
    for (size_t i = 0; i < ROW_COUNT(aliases); i++)
        if (strcmp(aliases[i].name, d->name) == 0) {
            *kind = aliases[i].kind;
            return true;
        }
    for (size_t i = 0; i < TYPE_KIND_COUNT; i++)
        if (strcmp(names[i], d->name) == 0) {
            *kind = (enum type_kind)i;
            return true;
        }
    return false;
}

static enum status set_varchar(const struct description *d, struct type *type,
                               struct sql_error *err)
{
    if (d->modifier_count > 1)
        return sql_error_set(err, SQLSTATE_PARAMETER, "invalid type modifier");
    if (d->modifiers[0] < 1)
        return sql_error_set(err, SQLSTATE_PARAMETER, "length for type varchar must be at least 1");
    if (d->modifiers[0] > VARCHAR_LENGTH_MAX)
        return sql_error_set(err, SQLSTATE_PARAMETER, "length for type varchar cannot exceed %d",
                             VARCHAR_LENGTH_MAX);
    type->length = (uint32_t)d->modifiers[0];
    return STATUS_OK;
}

static enum status set_numeric(const struct description *d, struct type *type,
                               struct sql_error *err)
{
    int32_t precision = d->modifiers[0], scale = d->modifier_count > 1 ? d->modifiers[1] : 0;

    if (precision < 1 || precision > 1000)
        return sql_error_set(err, SQLSTATE_PARAMETER,
                             "NUMERIC precision %d must be between 1 and 1000", (int)precision);
    if (scale < -1000 || scale > 1000)
        return sql_error_set(err, SQLSTATE_PARAMETER,
                             "NUMERIC scale %d must be between -1000 and 1000", (int)scale);
    if (precision > NUMERIC_DIGITS_MAX || scale > NUMERIC_DIGITS_MAX || scale < -NUMERIC_DIGITS_MAX)
        return sql_error_set(err, SQLSTATE_NOT_SUPPORTED,
                             "type numeric(%d,%d) is not supported: no more than %d digits",
                             (int)precision, (int)scale, NUMERIC_DIGITS_MAX);
    type->precision = (uint8_t)precision;
    type->scale = (int8_t)scale;
    return STATUS_OK;
}

enum status type_parse(struct text text, struct type *type, struct sql_error *err)
{
    struct description d = { .length = 0 };

    *type = type_of(TYPE_UNKNOWN);
    if (!describe(text, &d) || !find_kind(&d, &type->kind) ||
        (d.modifier_count > 0 && type->kind == TYPE_TIMESTAMP))
        return sql_error_set(err, SQLSTATE_NOT_SUPPORTED, "type %.*s is not supported",
                             TEXT_PRINT(text));
    if (d.dimensions > 0) {
        /* PostgreSQL, too, takes no notice of how many brackets there are. */
        if (type->kind != TYPE_BIGINT || d.modifier_count > 0)
            return sql_error_set(err, SQLSTATE_NOT_SUPPORTED,
                                 "type %.*s is not supported: of arrays there is only bigint[]",
                                 TEXT_PRINT(text));
        type->kind = TYPE_BIGINT_ARRAY;
    }
    if (d.modifier_count == 0)
        return STATUS_OK;
    if (type->kind == TYPE_VARCHAR)
        return set_varchar(&d, type, err);
    if (type->kind == TYPE_NUMERIC)
        return set_numeric(&d, type, err);
    return sql_error_set(err, SQLSTATE_SYNTAX, "type modifier is not allowed for type \"%s\"",
                         d.name);
}
