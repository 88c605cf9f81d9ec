#include "verify/witness/steps.h"

#include <assert.h>

#include "verify/witness/fields_private.h"

static const char *const step_names[STEP_KIND_COUNT] = {
    [STEP_PROGRAM] = "program",       [STEP_SESSION] = "session",
    [STEP_REALTIME] = "realtime",     [STEP_VERSION_ORDER] = "version-order",
    [STEP_READS] = "reads",           [STEP_FOLLOWS] = "follows",
    [STEP_OVERWRITES] = "overwrites", [STEP_EXCLUSIVE] = "exclusive",
    [STEP_PREFIX] = "prefix",         [STEP_ABSENT] = "absent",
    [STEP_EXTREME] = "extreme",
    /* STEP_DERIVED has none, which ends the list. */
};

const char *step_name(enum refutation_step_kind kind)
{
    assert(kind < STEP_KIND_COUNT);
    return kind == STEP_DERIVED ? "a derived step" : step_names[kind];
}

/* --- Parts ------------------------------------------------------------------- */

static enum status read_writer(struct json *json, struct step_writer *writer, struct error *err)
{
    *writer = (struct step_writer){ .is_initial = json_word(json, "null") };
    return writer->is_initial ? STATUS_OK
                              : json_integer(json, "a transaction's id", &writer->txn, err);
}

/* 12, "b12" or "c12" */
static enum status read_point(struct json *json, struct step_point *point, struct error *err)
{
    struct text name;

    *point = (struct step_point){ .side = 0 };
    if (json_peek(json) != '"')
        return json_integer(json, "a point", &point->txn, err);
    TRY(json_string(json, "a point", &name, err));
    if (name.length > 0 && (name.at[0] == 'b' || name.at[0] == 'c')) {
        point->side = name.at[0];
        if (text_to_int64((struct text){ name.at + 1, name.length - 1 }, &point->txn))
            return STATUS_OK;
    }
    return json_refuse_token(json, err, "\"%.*s\" is no point", TEXT_PRINT(name));
}

static enum status read_order(struct json *json, struct step_point *points, struct error *err)
{
    bool more;

    TRY(json_open(json, '[', "two points", err));
    for (size_t i = 0;; i++) {
        TRY(json_element(json, i, &more, err));
        if (more != (i < 2))
            return json_refuse_token(json, err, "an order is of two points");
        if (!more)
            return STATUS_OK;
        TRY(read_point(json, &points[i], err));
    }
}

enum { LITERAL_READ, LITERAL_KEY, LITERAL_FROM, LITERAL_NOT_FROM };

static enum status read_source(struct json *json, struct step_literal *literal, struct error *err)
{
    static const char *const names[] = { "read", "key", "from", "not-from", NULL };
    struct fields fields = { .names = names };
    unsigned field;

    TRY(json_open(json, '{', "a literal", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        if (field == LITERAL_READ)
            TRY(witness_place(json, &literal->read.txn, &literal->read.op, err));
        else if (field == LITERAL_KEY)
            TRY(json_string(json, "a key", &literal->key, err));
        else
            TRY(read_writer(json, &literal->from, err));
    }
    literal->is_negated = fields.seen >> LITERAL_NOT_FROM & 1;
    if (literal->is_negated == (fields.seen >> LITERAL_FROM & 1))
        return json_refuse_token(json, err, "a literal has \"from\" or \"not-from\"");
    return witness_fields_need(&fields, json, 1U << LITERAL_READ | 1U << LITERAL_KEY, err);
}

static enum status read_literal(struct json *json, struct step_literal *literal, struct error *err)
{
    *literal = (struct step_literal){ .is_order = json_peek(json) == '[' };
    return literal->is_order ? read_order(json, literal->points, err)
                             : read_source(json, literal, err);
}

static enum status read_clause(struct json *json, struct refutation_step *step, struct error *err)
{
    struct step_literal literal;

    TRY(json_open(json, '[', "an array of literals", err));
    for (size_t n = 0;; n++) {
        ELEMENT_OR_BREAK(json, n, err);
        TRY(read_literal(json, &literal, err));
        TRY(array_push(&step->clause, literal, err));
    }
    return STATUS_OK;
}

static enum status read_cycle(struct json *json, struct refutation_step *step, struct error *err)
{
    struct step_point point;

    TRY(json_open(json, '[', "an array of points", err));
    for (size_t n = 0;; n++) {
        ELEMENT_OR_BREAK(json, n, err);
        TRY(read_point(json, &point, err));
        TRY(array_push(&step->cycle, point, err));
    }
    return step->cycle.count > 0 ? STATUS_OK
                                 : json_refuse_token(json, err, "a cycle has at least one point");
}

/* --- Steps ------------------------------------------------------------------- */

enum {
    FIELD_STEP,
    FIELD_TXN,
    FIELD_READ,
    FIELD_KEY,
    FIELD_FROM,
    FIELD_TO,
    FIELD_FIRST,
    FIELD_SECOND,
    FIELD_OTHER,
    FIELD_CLAUSE,
    FIELD_BY,
    FIELD_CYCLE,
    FIELD_VALUE
};

static const char *const field_names[] = { "step", "txn",   "read",   "key",   "from",
                                           "to",   "first", "second", "other", "clause",
                                           "by",   "cycle", "value",  NULL };

#define BIT(field) (1U << FIELD_##field)

static const uint32_t fields_of[STEP_KIND_COUNT] = {
    [STEP_PROGRAM] = BIT(STEP) | BIT(TXN),
    [STEP_SESSION] = BIT(STEP) | BIT(FROM) | BIT(TO),
    [STEP_REALTIME] = BIT(STEP) | BIT(FROM) | BIT(TO),
    [STEP_VERSION_ORDER] = BIT(STEP) | BIT(KEY) | BIT(FIRST) | BIT(SECOND),
    [STEP_READS] = BIT(STEP) | BIT(READ) | BIT(KEY),
    [STEP_FOLLOWS] = BIT(STEP) | BIT(READ) | BIT(KEY) | BIT(FROM),
    [STEP_OVERWRITES] = BIT(STEP) | BIT(READ) | BIT(KEY) | BIT(FROM) | BIT(OTHER),
    [STEP_EXCLUSIVE] = BIT(STEP) | BIT(KEY) | BIT(FIRST) | BIT(SECOND),
    [STEP_PREFIX] = BIT(STEP) | BIT(READ) | BIT(KEY) | BIT(FIRST) | BIT(SECOND),
    [STEP_ABSENT] = BIT(STEP) | BIT(READ) | BIT(KEY) | BIT(OTHER),
    [STEP_EXTREME] = BIT(STEP) | BIT(READ) | BIT(VALUE),
    [STEP_DERIVED] = BIT(CLAUSE) | BIT(BY),
};

static enum status read_field(struct json *json, unsigned field, struct refutation_step *step,
                              struct error *err)
{
    unsigned kind = 0;

    switch (field) {
    case FIELD_STEP:
        TRY(witness_name(json, step_names, "a step", &kind, err));
        step->kind = (enum refutation_step_kind)kind;
        return STATUS_OK;
    case FIELD_TXN:
        return json_integer(json, "a transaction's id", &step->txn, err);
    case FIELD_READ:
        return witness_place(json, &step->read.txn, &step->read.op, err);
    case FIELD_KEY:
        return json_string(json, "a key", &step->key, err);
    case FIELD_VALUE:
        return json_string(json, "an aggregate", &step->value, err);
    case FIELD_FROM:
    case FIELD_FIRST:
        return read_writer(json, &step->first, err);
    case FIELD_TO:
    case FIELD_SECOND:
    case FIELD_OTHER:
        return read_writer(json, &step->second, err);
    case FIELD_CLAUSE:
        return read_clause(json, step, err);
    case FIELD_BY:
        READ_NUMBERS(json, &step->by, "the number of a step", err);
        return STATUS_OK;
    default:
        return read_cycle(json, step, err);
    }
}

enum status step_read(struct json *json, struct refutation_step *step, struct error *err)
{
    struct fields fields = { .names = field_names };
    uint32_t extra;
    unsigned field;

    step->kind = STEP_DERIVED;
    step->clause.count = step->by.count = step->cycle.count = 0;
    TRY(json_open(json, '{', "a step", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        TRY(read_field(json, field, step, err));
    }
    TRY(witness_fields_need(&fields, json, fields_of[step->kind], err));
    extra = fields.seen & ~fields_of[step->kind];
    if (step->kind == STEP_DERIVED)
        extra &= ~BIT(CYCLE);
    return extra == 0 ? STATUS_OK
                      : json_refuse_token(json, err, "%s has other fields", step_name(step->kind));
}

void step_close(struct refutation_step *step)
{
    array_close(&step->clause);
    array_close(&step->by);
    array_close(&step->cycle);
}
