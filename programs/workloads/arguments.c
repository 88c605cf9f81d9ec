#include "programs/workloads/arguments_private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "programs/values/operator_evaluate.h"
#include "programs/workloads/zipf.h"

#define ARGUMENT_PARTS_MAX 64 /* of a choice, of a function */
#define ARGUMENT_ARRAY_MAX 10000

enum argument_kind {
    ARGUMENT_CONSTANT,
    ARGUMENT_APPLY, /* an operator, function or cast on its parts */
    ARGUMENT_UNIFORM,
    ARGUMENT_ZIPF,
    ARGUMENT_NURAND,
    ARGUMENT_CHOOSE, /* one of its parts */
    ARGUMENT_ARRAY,  /* of its only part */
    ARGUMENT_TEXT,
    ARGUMENT_FRESH,
    ARGUMENT_NOW,
};

struct argument {
    enum argument_kind kind;
    struct type type;
    union {
        struct datum constant;
        struct operator_choice apply;
        struct {
            int64_t a, low, high; /* a: of nurand */
        } range;
        struct {
            struct zipf ranks;
            int64_t low;
        } zipf;
        const uint64_t *weight_ends; /* of a choice: sums up to and with each part's */
        uint32_t count;              /* of an array, of a text */
    } as;
    const struct argument *const *parts;
    uint32_t part_count;
};

/*
 * Parsing is by recursive descent: PostgreSQL's parser knows neither `choose(85: 0, 15: 1)` nor a
 * bare `fresh`. Names, operators and casts are resolved by the programs' own rules.
 */

#define NESTING_MAX 64
#define TEXT_MAX 1000000

struct parser {
    struct text text;
    size_t at;
    unsigned depth;
    struct arena *arena;
    struct error *err;
};

static enum status parse_sum(struct parser *, const struct argument **);

/* --- Words ------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char look(const struct parser *p, size_t ahead)
{
    return p->at + ahead < p->text.length ? p->text.at[p->at + ahead] : '\0';
}

static void skip_blanks(struct parser *p)
{
    while (look(p, 0) == ' ' || look(p, 0) == '\t' || look(p, 0) == '\n')
        p->at++;
}

static enum status refuse(struct parser *p, const char *expected)
{
    return error_set(p->err, STATUS_BAD_INPUT, "argument '%.*s', byte %zu: expected %s",
                     TEXT_PRINT(p->text), p->at + 1, expected);
}

static enum status refuse_sql(struct parser *p, const struct sql_error *error)
{
    return error_set(p->err, STATUS_BAD_INPUT, "argument '%.*s': %s", TEXT_PRINT(p->text),
                     error->text);
}

static enum status out_of_memory(struct parser *p)
{
    return error_set(p->err, STATUS_OVER_LIMIT, "no memory for the arguments of a workload");
}

/* Takes this symbol if it stands here. */
static bool take(struct parser *p, const char *symbol)
{
    size_t length = strlen(symbol);

    skip_blanks(p);
    if (p->text.length - p->at < length || memcmp(p->text.at + p->at, symbol, length) != 0)
        return false;
    p->at += length;
    return true;
}

static enum status expect(struct parser *p, const char *symbol)
{
    char what[16] = "'";

    if (take(p, symbol))
        return STATUS_OK;
    strncat(what, symbol, 8);
    strcat(what, "'");
    return refuse(p, what);
}

static struct text take_name(struct parser *p)
{
    size_t from;

    skip_blanks(p);
    from = p->at;
    while (is_letter(look(p, 0)) || (p->at > from && is_digit(look(p, 0))))
        p->at++;
    return (struct text){ p->text.at + from, p->at - from };
}

static bool is(struct text name, const char *word)
{
    return text_equal(name, text_of(word));
}

/* --- Nodes ------------------------------------------------------------------------------------ */

static enum status push(struct parser *p, enum argument_kind kind, struct type type,
                        struct argument **out)
{
    *out = arena_push(p->arena, 1, sizeof **out);
    if (!*out)
        return out_of_memory(p);
    (*out)->kind = kind;
    (*out)->type = type;
    return STATUS_OK;
}

static enum status set_parts(struct parser *p, struct argument *e,
                             const struct argument *const *parts, uint32_t count)
{
    const struct argument **at = arena_push(p->arena, count + (size_t)1, sizeof *at);

    if (!at)
        return out_of_memory(p);
    memcpy(at, parts, count * sizeof *at);
    e->parts = at;
    e->part_count = count;
    return STATUS_OK;
}

static enum status cast(struct parser *p, const struct argument *from,
                        const struct operator_choice *choice, const struct argument **out)
{
    struct argument *e;

    *out = from;
    if (choice->code == OPERATOR_NONE)
        return STATUS_OK;
    TRY(push(p, ARGUMENT_APPLY, choice->result, &e));
    e->as.apply = *choice;
    *out = e;
    return set_parts(p, e, &from, 1);
}

static enum status cast_to(struct parser *p, const struct argument *from, struct type type,
                           enum cast_context context, const struct argument **out)
{
    struct operator_choice choice;
    struct sql_error error;

    if (operator_cast(from->type, type, context, &choice, &error) != STATUS_OK)
        return refuse_sql(p, &error);
    return cast(p, from, &choice, out);
}

static enum status apply(struct parser *p, const char *name, const struct argument **parts,
                         uint32_t count, const struct argument **out)
{
    struct type types[ARGUMENT_PARTS_MAX] = { { 0 } };
    struct operator_choice choice;
    struct sql_error error;
    struct argument *e;

    for (uint32_t i = 0; i < count; i++)
        types[i] = parts[i]->type;
    if (operator_resolve(name, types, count, &choice, &error) != STATUS_OK)
        return refuse_sql(p, &error);
    for (uint32_t i = 0; i < count; i++) {
        struct operator_choice argument_cast = operator_argument_cast(&choice, i, types[i]);

        TRY(cast(p, parts[i], &argument_cast, &parts[i]));
    }
    TRY(push(p, ARGUMENT_APPLY, choice.result, &e));
    e->as.apply = choice;
    TRY(set_parts(p, e, parts, count));
    *out = e; /* which may be the place of a part */
    return STATUS_OK;
}

/* --- Literals --------------------------------------------------------------------------------- */

static enum status push_literal(struct parser *p, struct text text, enum type_kind kind,
                                const struct argument **out)
{
    struct argument *e;
    struct sql_error error;
    struct heap heap;
    enum status status;

    TRY(push(p, ARGUMENT_CONSTANT, type_of(kind), &e));
    heap_init(&heap, (size_t)1 << 20);
    status = datum_parse(text, kind, &heap, &e->as.constant, &error);
    /* An array would be in the heap that goes away here: they are made by array(). */
    if (status == STATUS_OK && e->as.constant.kind == DATUM_ARRAY)
        status = refuse(p, "no array between quotes: array(n, x) makes one");
    else if (status != STATUS_OK)
        status = refuse_sql(p, &error);
    heap_close(&heap);
    *out = e;
    return status;
}

static enum status parse_number(struct parser *p, const struct argument **out)
{
    size_t from = p->at;
    struct text text;
    int64_t number;
    bool is_decimal = false;

    while (is_digit(look(p, 0)) || (look(p, 0) == '.' && is_digit(look(p, 1)))) {
        is_decimal |= look(p, 0) == '.';
        p->at++;
    }
    text = (struct text){ p->text.at + from, p->at - from };
    if (is_decimal || !text_to_int64(text, &number))
        return push_literal(p, text, TYPE_NUMERIC, out);
    return push_literal(p, text, number > INT32_MAX ? TYPE_BIGINT : TYPE_INTEGER, out);
}

/* Between quotes; a quote within stands twice. In the arena. */
static enum status take_quoted(struct parser *p, struct text *out)
{
    char *at = arena_push(p->arena, p->text.length + 1, 1);
    size_t length = 0;

    if (!at)
        return out_of_memory(p);
    p->at++;
    for (;; p->at++) {
        if (p->at == p->text.length)
            return refuse(p, "a quote that ends the text");
        if (look(p, 0) == '\'' && look(p, 1) != '\'')
            break;
        p->at += look(p, 0) == '\'';
        at[length++] = look(p, 0);
    }
    p->at++;
    *out = (struct text){ at, length };
    return STATUS_OK;
}

static enum status parse_quoted(struct parser *p, enum type_kind kind, const struct argument **out)
{
    struct text text = { 0 };

    TRY(take_quoted(p, &text));
    return push_literal(p, text, kind, out);
}

/* --- Generators ------------------------------------------------------------------------------- */

static bool is_constant(const struct argument *e)
{
    if (e->kind != ARGUMENT_CONSTANT && e->kind != ARGUMENT_APPLY)
        return false;
    for (uint32_t i = 0; i < e->part_count; i++)
        if (!is_constant(e->parts[i]))
            return false;
    return true;
}

/* A whole number, which may be computed of others: what distributions are made of. */
static enum status parse_integer(struct parser *p, int64_t low, int64_t high, int64_t *number)
{
    const struct argument *e;
    struct argument_source nobody = { .key = NULL };
    struct sql_error error;
    struct datum value;
    struct heap heap;
    enum status status;

    TRY(parse_sum(p, &e));
    if (!type_is_integer(e->type.kind))
        return refuse(p, "an integer before this");
    if (!is_constant(e))
        return refuse(p, "an integer before this that is always the same");
    heap_init(&heap, (size_t)1 << 16);
    status = argument_draw(e, &nobody, &heap, &value, &error);
    heap_close(&heap);
    if (status != STATUS_OK)
        return refuse_sql(p, &error);
    *number = value.as.integer;
    if (value.kind == DATUM_INTEGER && *number >= low && *number <= high)
        return STATUS_OK;
    return error_set(p->err, STATUS_BAD_INPUT,
                     "argument '%.*s', byte %zu: must be from %" PRId64 " to %" PRId64,
                     TEXT_PRINT(p->text), p->at + 1, low, high);
}

static enum status parse_limits(struct parser *p, int64_t *low, int64_t *high)
{
    TRY(parse_integer(p, INT64_MIN, INT64_MAX, low));
    TRY(expect(p, ","));
    return parse_integer(p, *low, INT64_MAX, high);
}

static enum status parse_uniform(struct parser *p, const struct argument **out)
{
    struct argument *e;

    TRY(push(p, ARGUMENT_UNIFORM, type_of(TYPE_BIGINT), &e));
    *out = e;
    return parse_limits(p, &e->as.range.low, &e->as.range.high);
}

static enum status parse_nurand(struct parser *p, const struct argument **out)
{
    struct argument *e;

    TRY(push(p, ARGUMENT_NURAND, type_of(TYPE_BIGINT), &e));
    *out = e;
    TRY(parse_integer(p, 0, INT64_C(1) << 40, &e->as.range.a));
    TRY(expect(p, ","));
    TRY(parse_integer(p, 0, INT64_C(1) << 40, &e->as.range.low));
    TRY(expect(p, ","));
    return parse_integer(p, e->as.range.low, INT64_C(1) << 40, &e->as.range.high);
}

static enum status parse_theta(struct parser *p, struct ratio *theta)
{
    size_t from;

    *theta = (struct ratio){ 99, 100 };
    if (!take(p, ","))
        return STATUS_OK;
    skip_blanks(p);
    from = p->at;
    while (is_digit(look(p, 0)) || look(p, 0) == '.')
        p->at++;
    if (random_ratio_of_text((struct text){ p->text.at + from, p->at - from }, theta) &&
        theta->numerator <= ZIPF_THETA_MAX * (unsigned __int128)theta->denominator)
        return STATUS_OK;
    p->at = from;
    return refuse(p, "a decimal from 0 to 4");
}

static enum status parse_zipf(struct parser *p, const struct argument **out)
{
    struct argument *e;
    struct ratio theta;
    int64_t low, high;

    TRY(push(p, ARGUMENT_ZIPF, type_of(TYPE_BIGINT), &e));
    *out = e;
    TRY(parse_limits(p, &low, &high));
    if ((uint64_t)high - (uint64_t)low >= ZIPF_RANKS_MAX)
        return refuse(p, "fewer numbers for zipf before this");
    TRY(parse_theta(p, &theta));
    e->as.zipf.low = low;
    return zipf_init(&e->as.zipf.ranks, (uint32_t)(high - low + 1), theta, p->arena, p->err);
}

/* `85:` before an alternative; without, the weight is 1. */
static enum status parse_weight(struct parser *p, uint64_t *weight)
{
    size_t from;
    int64_t number;

    skip_blanks(p);
    from = p->at;
    *weight = 1;
    while (is_digit(look(p, 0)))
        p->at++;
    if (p->at == from || look(p, 0) != ':' || look(p, 1) == ':') {
        p->at = from;
        return STATUS_OK;
    }
    if (!text_to_int64((struct text){ p->text.at + from, p->at - from }, &number) || number < 1 ||
        number > INT32_MAX)
        return refuse(p, "a weight from 1 to 2147483647 before this");
    p->at++;
    *weight = (uint64_t)number;
    return STATUS_OK;
}

static enum status common_type(struct parser *p, const struct argument **parts, uint32_t count,
                               struct type *type)
{
    struct type types[ARGUMENT_PARTS_MAX];
    struct sql_error error;

    for (uint32_t i = 0; i < count; i++)
        types[i] = parts[i]->type;
    if (operator_common_type("choose", types, count, type, &error) != STATUS_OK)
        return refuse_sql(p, &error);
    for (uint32_t i = 0; i < count; i++)
        TRY(cast_to(p, parts[i], *type, CAST_IMPLICIT, &parts[i]));
    return STATUS_OK;
}

static enum status parse_choose(struct parser *p, const struct argument **out)
{
    uint64_t *ends = arena_push(p->arena, ARGUMENT_PARTS_MAX, sizeof *ends), sum = 0, weight;
    const struct argument *parts[ARGUMENT_PARTS_MAX];
    struct argument *e;
    uint32_t count = 0;

    if (!ends)
        return out_of_memory(p);
    TRY(push(p, ARGUMENT_CHOOSE, type_of(TYPE_UNKNOWN), &e));
    *out = e;
    do {
        if (count == ARGUMENT_PARTS_MAX)
            return refuse(p, "no more alternatives");
        TRY(parse_weight(p, &weight));
        TRY(parse_sum(p, &parts[count]));
        sum += weight;
        ends[count++] = sum;
    } while (take(p, ","));
    e->as.weight_ends = ends;
    TRY(common_type(p, parts, count, &e->type));
    return set_parts(p, e, parts, count);
}

static enum status parse_array(struct parser *p, const struct argument **out)
{
    const struct argument *part;
    struct argument *e;
    int64_t count;

    TRY(push(p, ARGUMENT_ARRAY, type_of(TYPE_BIGINT_ARRAY), &e));
    *out = e;
    TRY(parse_integer(p, 0, ARGUMENT_ARRAY_MAX, &count));
    TRY(expect(p, ","));
    TRY(parse_sum(p, &part));
    TRY(cast_to(p, part, type_of(TYPE_BIGINT), CAST_IMPLICIT, &part));
    e->as.count = (uint32_t)count;
    return set_parts(p, e, &part, 1);
}

static enum status parse_text(struct parser *p, const struct argument **out)
{
    struct argument *e;
    int64_t count;

    TRY(push(p, ARGUMENT_TEXT, type_of(TYPE_TEXT), &e));
    *out = e;
    TRY(parse_integer(p, 0, TEXT_MAX, &count));
    e->as.count = (uint32_t)count;
    return STATUS_OK;
}

static enum status parse_function(struct parser *p, struct text name, const struct argument **out)
{
    const struct argument *parts[ARGUMENT_PARTS_MAX];
    char word[32];
    uint32_t count = 0;

    if (name.length >= sizeof word)
        return refuse(p, "a function that there is before this");
    memcpy(word, name.at, name.length);
    word[name.length] = '\0';
    if (!operator_is_function(word))
        return error_set(p->err, STATUS_BAD_INPUT, "argument '%.*s': there is no function '%s'",
                         TEXT_PRINT(p->text), word);
    if (take(p, ")"))
        return apply(p, word, parts, 0, out);
    do {
        if (count == ARGUMENT_PARTS_MAX)
            return refuse(p, "no more arguments");
        TRY(parse_sum(p, &parts[count++]));
    } while (take(p, ","));
    TRY(expect(p, ")"));
    return apply(p, word, parts, count, out);
}

/* Behind `name(`. */
static enum status parse_call(struct parser *p, struct text name, const struct argument **out)
{
    static const struct {
        const char *name;
        enum status (*parse)(struct parser *, const struct argument **);
    } generators[] = {
        { "uniform", parse_uniform }, { "zipf", parse_zipf },     { "nurand", parse_nurand },
        { "choose", parse_choose },   { "choice", parse_choose }, { "array", parse_array },
        { "text", parse_text },
    };

    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++) {
        if (!is(name, generators[i].name))
            continue;
        TRY(generators[i].parse(p, out));
        return expect(p, ")");
    }
    return parse_function(p, name, out);
}

/* --- Expressions ------------------------------------------------------------------------------ */

static enum status parse_word(struct parser *p, const struct argument **out)
{
    struct text name = take_name(p);
    struct argument *e;
    struct sql_error error;
    struct type type;

    skip_blanks(p);
    if (look(p, 0) == '\'') {
        if (type_parse(name, &type, &error) != STATUS_OK)
            return refuse_sql(p, &error);
        return parse_quoted(p, type.kind, out);
    }
    if (take(p, "("))
        return parse_call(p, name, out);
    if (is(name, "true") || is(name, "false"))
        return push_literal(p, name, TYPE_BOOLEAN, out);
    if (is(name, "null") || is(name, "NULL")) {
        TRY(push(p, ARGUMENT_CONSTANT, type_of(TYPE_UNKNOWN), &e));
        *out = e;
        return STATUS_OK;
    }
    if (is(name, "fresh")) {
        TRY(push(p, ARGUMENT_FRESH, type_of(TYPE_BIGINT), &e));
        *out = e;
        return STATUS_OK;
    }
    if (is(name, "now")) {
        TRY(push(p, ARGUMENT_NOW, type_of(TYPE_TIMESTAMP), &e));
        *out = e;
        return STATUS_OK;
    }
    p->at -= name.length;
    return refuse(p, "a literal, a generator or a function");
}

static enum status parse_operand(struct parser *p, const struct argument **out)
{
    skip_blanks(p);
    if (take(p, "(")) {
        TRY(parse_sum(p, out));
        return expect(p, ")");
    }
    if (look(p, 0) == '\'')
        return parse_quoted(p, TYPE_UNKNOWN, out);
    if (is_digit(look(p, 0)))
        return parse_number(p, out);
    if (is_letter(look(p, 0)))
        return parse_word(p, out);
    return refuse(p, "a literal, a generator or a function");
}

/* What stands behind `::`: a name, and perhaps a size. */
static struct text take_type(struct parser *p)
{
    struct text name = take_name(p);
    size_t from = p->at - name.length;

    if (look(p, 0) == '(')
        while (p->at < p->text.length && p->text.at[p->at++] != ')')
            ;
    while (look(p, 0) == '[' || look(p, 0) == ']')
        p->at++;
    return (struct text){ p->text.at + from, p->at - from };
}

static enum status parse_cast(struct parser *p, const struct argument **out)
{
    struct sql_error error;
    struct type type;

    TRY(parse_operand(p, out));
    while (take(p, "::")) {
        if (type_parse(take_type(p), &type, &error) != STATUS_OK)
            return refuse_sql(p, &error);
        TRY(cast_to(p, *out, type, CAST_EXPLICIT, out));
    }
    return STATUS_OK;
}

static enum status parse_signed(struct parser *p, const struct argument **out)
{
    bool is_negative = take(p, "-");

    if (++p->depth > NESTING_MAX)
        return refuse(p, "less nesting");
    TRY(parse_cast(p, out));
    p->depth--;
    return is_negative ? apply(p, "-", out, 1, out) : STATUS_OK;
}

/* Operators of one strength, from the left. */
static enum status parse_chain(struct parser *p, const char *const *operators,
                               enum status (*parse)(struct parser *, const struct argument **),
                               const struct argument **out)
{
    TRY(parse(p, out));
    for (const char *const *o = operators; *o;) {
        const struct argument *sides[2] = { *out };

        if (!take(p, *o)) {
            o++;
            continue;
        }
        TRY(parse(p, &sides[1]));
        TRY(apply(p, *o, sides, 2, out));
        o = operators;
    }
    return STATUS_OK;
}

static enum status parse_product(struct parser *p, const struct argument **out)
{
    static const char *const operators[] = { "*", "/", "%", NULL };

    return parse_chain(p, operators, parse_signed, out);
}

static enum status parse_addition(struct parser *p, const struct argument **out)
{
    static const char *const operators[] = { "+", "-", NULL };

    return parse_chain(p, operators, parse_product, out);
}

static enum status parse_sum(struct parser *p, const struct argument **out)
{
    static const char *const operators[] = { "||", NULL };

    return parse_chain(p, operators, parse_addition, out);
}

enum status argument_parse(const struct argument **out, struct text text, struct type type,
                           struct arena *arena, struct error *err)
{
    struct parser p = { .text = text, .arena = arena, .err = err };

    TRY(parse_sum(&p, out));
    skip_blanks(&p);
    if (p.at < text.length)
        return refuse(&p, "an operator or the end");
    return cast_to(&p, *out, type, CAST_ASSIGNMENT, out);
}

/* --- Drawing ---------------------------------------------------------------------------------- */

#define DRAW_BITS 16 /* of the ordinal's words: so many draws in a transaction */

static uint64_t draw_word(struct argument_source *source)
{
    assert(source->draw_count < UINT32_C(1) << DRAW_BITS);
    return random_draw_at(source->key, source->ordinal << DRAW_BITS | source->draw_count++);
}

static int64_t draw_between(struct argument_source *source, int64_t low, int64_t high)
{
    uint64_t bound = (uint64_t)high - (uint64_t)low + 1;
    uint64_t word = draw_word(source);

    return (int64_t)((uint64_t)low + (bound ? random_scale(word, bound) : word));
}

/* TPC-C, 2.1.6: the constant C is the same for all that a run draws with this A. */
static int64_t draw_nurand(const struct argument *e, struct argument_source *source)
{
    uint64_t width = (uint64_t)e->as.range.high - (uint64_t)e->as.range.low + 1;
    uint64_t constant =
        random_draw_at(source->run, (uint64_t)e->as.range.a) % ((uint64_t)e->as.range.a + 1);
    uint64_t first = (uint64_t)draw_between(source, 0, e->as.range.a);
    uint64_t second = (uint64_t)draw_between(source, e->as.range.low, e->as.range.high);

    return (int64_t)(((first | second) + constant) % width + (uint64_t)e->as.range.low);
}

static const struct argument *draw_part(const struct argument *e, struct argument_source *source)
{
    uint64_t total = e->as.weight_ends[e->part_count - 1];
    uint64_t at = random_scale(draw_word(source), total);
    uint32_t part = 0;

    while (e->as.weight_ends[part] <= at)
        part++;
    return e->parts[part];
}

static enum status draw_text(const struct argument *e, struct argument_source *source,
                             struct heap *heap, struct datum *value, struct sql_error *err)
{
    char *at;
    void *bytes;

    TRY(heap_push(heap, e->as.count, &bytes, err));
    at = bytes;
    for (uint32_t i = 0; i < e->as.count; i++)
        at[i] = (char)draw_between(source, 'a', 'z');
    *value = datum_of_text((struct text){ at, e->as.count });
    return STATUS_OK;
}

static enum status draw_array(const struct argument *e, struct argument_source *source,
                              struct heap *heap, struct datum *value, struct sql_error *err)
{
    struct datum element;
    int64_t *at;
    void *bytes;

    TRY(heap_push(heap, e->as.count * sizeof *at, &bytes, err));
    at = bytes;
    for (uint32_t i = 0; i < e->as.count; i++) {
        TRY(argument_draw(e->parts[0], source, heap, &element, err));
        if (element.kind != DATUM_INTEGER)
            return sql_error_set(err, SQLSTATE_NULL_NOT_ALLOWED, "an array of integers needs them");
        at[i] = element.as.integer;
    }
    *value = (struct datum){ .kind = DATUM_ARRAY, .length = e->as.count, .as.array.at = at };
    return STATUS_OK;
}

static enum status draw_applied(const struct argument *e, struct argument_source *source,
                         struct heap *heap, struct datum *value, struct sql_error *err)
{
    struct datum parts[ARGUMENT_PARTS_MAX];

    for (uint32_t i = 0; i < e->part_count; i++)
        TRY(argument_draw(e->parts[i], source, heap, &parts[i], err));
    return operator_evaluate(&e->as.apply, parts, value, heap, err);
}

enum status argument_draw(const struct argument *e, struct argument_source *source,
                          struct heap *heap, struct datum *value, struct sql_error *err)
{
    switch (e->kind) {
    case ARGUMENT_CONSTANT:
        *value = e->as.constant;
        return STATUS_OK;
    case ARGUMENT_APPLY:
        return draw_applied(e, source, heap, value, err);
    case ARGUMENT_UNIFORM:
        *value = datum_of_int64(draw_between(source, e->as.range.low, e->as.range.high));
        return STATUS_OK;
    case ARGUMENT_ZIPF:
        *value = datum_of_int64(e->as.zipf.low +
                                (int64_t)zipf_rank(&e->as.zipf.ranks, draw_word(source)));
        return STATUS_OK;
    case ARGUMENT_NURAND:
        *value = datum_of_int64(draw_nurand(e, source));
        return STATUS_OK;
    case ARGUMENT_CHOOSE:
        return argument_draw(draw_part(e, source), source, heap, value, err);
    case ARGUMENT_ARRAY:
        return draw_array(e, source, heap, value, err);
    case ARGUMENT_TEXT:
        return draw_text(e, source, heap, value, err);
    case ARGUMENT_FRESH:
        *value = datum_of_int64(source->fresh + source->fresh_count++);
        return STATUS_OK;
    case ARGUMENT_NOW:
        *value = datum_of_timestamp(source->now_ns);
        return STATUS_OK;
    }
    assert(!"a kind of argument that does not exist");
    return STATUS_BAD_INPUT;
}

uint32_t argument_fresh_max(const struct argument *e)
{
    uint32_t sum = e->kind == ARGUMENT_FRESH, most = 0;

    for (uint32_t i = 0; i < e->part_count; i++) {
        uint32_t of_part = argument_fresh_max(e->parts[i]);

        sum += of_part;
        most = of_part > most ? of_part : most;
    }
    if (e->kind == ARGUMENT_CHOOSE)
        return most;
    return e->kind == ARGUMENT_ARRAY ? sum * e->as.count : sum;
}
