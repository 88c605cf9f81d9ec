#include "tests/programs/values/sql_row.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "programs/values/aggregate.h"
#include "programs/values/operator_evaluate.h"

#define ARGUMENTS_MAX 8
#define HEAP_BYTES ((size_t)1 << 20)

struct operand {
    struct type type;
    struct datum value;
};

struct reader {
    const char *at;
    struct heap heap;
    struct sql_error err;
    struct operand arguments[ARGUMENTS_MAX];
    uint32_t count;
};

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool take(struct reader *r, const char *word)
{
    skip_blanks(r);
    if (strncmp(r->at, word, strlen(word)) != 0)
        return false;
    r->at += strlen(word);
    return true;
}

static void expect(struct reader *r, const char *word)
{
    bool taken = take(r, word);

    if (!taken)
        fprintf(stderr, "expected %s at: %s\n", word, r->at);
    assert(taken);
}

static enum status cast(struct reader *r, struct operand *o, struct type to,
                        enum cast_context context)
{
    struct operator_choice choice;

    TRY(operator_cast(o->type, to, context, &choice, &r->err));
    TRY(operator_evaluate(&choice, &o->value, &o->value, &r->heap, &r->err));
    o->type = to;
    return STATUS_OK;
}

static struct text take_type_text(struct reader *r)
{
    const char *from = r->at;

    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    if (*r->at == '(')
        r->at = strchr(r->at, ')') + 1;
    if (strncmp(r->at, "[]", 2) == 0)
        r->at += 2;
    return (struct text){ from, (size_t)(r->at - from) };
}

/* 'it''s', without the quotes that are doubled. */
static enum status take_quoted(struct reader *r, struct datum *out)
{
    void *room;
    char *to;

    TRY(heap_push(&r->heap, strlen(r->at), &room, &r->err));
    to = room;
    while (*r->at != '\'' || r->at[1] == '\'') {
        r->at += *r->at == '\'';
        *to++ = *r->at++;
    }
    r->at++;
    *out = datum_of_text((struct text){ room, (size_t)(to - (char *)room) });
    return STATUS_OK;
}

static enum status take_operand(struct reader *r)
{
    struct operand *o = &r->arguments[r->count++];

    assert(r->count <= ARGUMENTS_MAX);
    *o = (struct operand){ .type = type_of(TYPE_UNKNOWN) };
    if (!take(r, "NULL")) {
        expect(r, "'");
        TRY(take_quoted(r, &o->value));
    }
    while (take(r, "::")) {
        struct type to;

        TRY(type_parse(take_type_text(r), &to, &r->err));
        TRY(cast(r, o, to, CAST_EXPLICIT));
    }
    return STATUS_OK;
}

/* Up to the closing bracket, which is taken, too. */
static enum status take_operands(struct reader *r, const char *close)
{
    if (take(r, close))
        return STATUS_OK;
    do
        TRY(take_operand(r));
    while (take(r, ","));
    expect(r, close);
    return STATUS_OK;
}

/* What stands behind the first operand, if anything. */
static enum status take_rest(struct reader *r, char name[static 64])
{
    static const char *const infix[] = {
        "IS DISTINCT FROM",
        "IS NOT DISTINCT FROM",
        "LIKE",
        "NOT LIKE",
        "AND",
        "OR",
        "||",
        "<=",
        ">=",
        "<>",
        "=",
        "<",
        ">",
        "+",
        "-",
        "*",
        "/",
        "%",
    };

    skip_blanks(r);
    if (take(r, "= ANY")) {
        strcpy(name, "= ANY");
        expect(r, "(");
        return take_operands(r, ")");
    }
    for (size_t i = 0; i < sizeof infix / sizeof *infix; i++)
        if (take(r, infix[i])) {
            strcpy(name, infix[i]);
            return take_operand(r);
        }
    snprintf(name, 64, "%s", r->at); /* "IS NULL" */
    r->at += strlen(r->at);
    return STATUS_OK;
}

static enum status read_call(struct reader *r, char name[static 64])
{
    size_t length = strcspn(r->at, "([");
    bool is_array = r->at[length] == '[';

    assert(length < 64 && r->at[length] != '\0');
    memcpy(name, r->at, length);
    name[length] = '\0';
    r->at += length + 1;
    return take_operands(r, is_array ? "]" : ")");
}

static enum status read_row(struct reader *r, char name[static 64])
{
    name[0] = '\0';
    if (*r->at == '(') {
        r->at++;
        TRY(take_operand(r));
        expect(r, ")[");
        strcpy(name, "[]");
        return take_operands(r, "]");
    }
    if (*r->at == '\'' || strncmp(r->at, "NULL", 4) == 0) {
        TRY(take_operand(r));
        return take_rest(r, name);
    }
    if (*r->at == '-' || *r->at == '+' || strncmp(r->at, "NOT ", 4) == 0) {
        snprintf(name, 64, "%.*s", *r->at == 'N' ? 3 : 1, r->at);
        r->at += strlen(name);
        return take_operand(r);
    }
    return read_call(r, name);
}

static enum status apply(struct reader *r, const char *name, struct operand *out)
{
    struct type types[ARGUMENTS_MAX];
    struct datum values[ARGUMENTS_MAX];
    struct operator_choice choice;

    for (uint32_t i = 0; i < r->count; i++)
        types[i] = r->arguments[i].type;
    TRY(operator_resolve(name, types, r->count, &choice, &r->err));
    for (uint32_t i = 0; i < r->count; i++) {
        struct operator_choice argument_cast = operator_argument_cast(&choice, i, types[i]);

        TRY(operator_evaluate(&argument_cast, &r->arguments[i].value, &values[i], &r->heap,
                              &r->err));
    }
    out->type = choice.result;
    return operator_evaluate(&choice, values, &out->value, &r->heap, &r->err);
}

static enum status take_aggregate(struct reader *r, struct aggregate_choice *choice)
{
    static const struct {
        const char *name;
        enum aggregate_kind kind;
    } aggregates[] = {
        { "count(*)", AGGREGATE_COUNT_ROWS }, { "count(x)", AGGREGATE_COUNT },
        { "sum(x)", AGGREGATE_SUM },          { "min(x)", AGGREGATE_MIN },
        { "max(x)", AGGREGATE_MAX },          { "avg(x)", AGGREGATE_AVG },
    };
    size_t i = 0;

    while (!take(r, aggregates[i].name))
        i++;
    expect(r, "FROM (VALUES");
    do {
        expect(r, "(");
        TRY(take_operand(r));
        expect(r, ")");
    } while (take(r, ","));
    return aggregate_resolve(aggregates[i].kind, r->arguments[0].type, choice, &r->err);
}

static enum status aggregate(struct reader *r, struct operand *out)
{
    struct aggregate_choice choice;
    struct aggregate a;

    TRY(take_aggregate(r, &choice));
    aggregate_init(&a, &choice);
    for (uint32_t i = 0; i < r->count; i++)
        TRY(aggregate_add(&a, &r->arguments[i].value, &r->err));
    out->type = choice.result;
    return aggregate_result(&a, &out->value, &r->err);
}

static enum status assign(struct reader *r, const char *arrow, struct operand *out)
{
    enum cast_context context = arrow[1] == '<' ? CAST_ASSIGNMENT : CAST_VARIABLE;
    struct operator_choice choice;
    struct type to;

    TRY(type_parse((struct text){ r->at, (size_t)(arrow - r->at) }, &to, &r->err));
    r->at = arrow + 4;
    TRY(take_operand(r));
    *out = r->arguments[0];
    if (operator_cast(out->type, to, context, &choice, &r->err) != STATUS_OK)
        return sql_error_set(&r->err, SQLSTATE_MISMATCH,
                             "column \"x\" is of type %s but expression is of type %s",
                             type_name(to.kind), type_name(out->type.kind));
    return cast(r, out, to, context);
}

static enum status compute(struct reader *r, struct operand *out)
{
    const char *column = strstr(r->at, " <- "), *variable = strstr(r->at, " := ");
    char name[64];

    if (column || variable)
        return assign(r, column ? column : variable, out);
    if (take(r, "(SELECT"))
        return aggregate(r, out);
    TRY(read_row(r, name));
    if (name[0] == '\0') {
        *out = r->arguments[0];
        return STATUS_OK;
    }
    return apply(r, name, out);
}

void sql_row_answer(const char *line, char answer[static SQL_ROW_ANSWER_MAX])
{
    struct reader r = { .at = line };
    struct operand out = { .type = type_of(TYPE_UNKNOWN) };
    struct buffer text = { 0 };

    heap_init(&r.heap, HEAP_BYTES);
    if (compute(&r, &out) != STATUS_OK) {
        snprintf(answer, SQL_ROW_ANSWER_MAX, "%s %s", r.err.sqlstate, r.err.text);
    } else {
        datum_print(&out.value, &text);
        snprintf(answer, SQL_ROW_ANSWER_MAX, "%s%s%.*s", type_name(out.type.kind),
                 datum_is_null(&out.value) ? " IS NULL" : "=", (int)text.count,
                 text.at ? text.at : "");
    }
    buffer_close(&text);
    heap_close(&r.heap);
}
