#include "verify/witness/instant_steps.h"

#include <assert.h>
#include <stddef.h>

#include "verify/witness/fields_private.h"

static const char *const step_names[INSTANT_STEP_COUNT + 1] = {
    [INSTANT_PROGRAM] = "program",
    [INSTANT_READS] = "reads",
    [INSTANT_FINDS] = "finds",
    [INSTANT_OVERWRITES] = "overwrites",
    [INSTANT_INSTALLED] = "installed",
    [INSTANT_PRECEDES] = "precedes",
    [INSTANT_FOUND] = "found",
    [INSTANT_NOT_FOUND] = "not-found",
    [INSTANT_LOCKS] = "locks",
    [INSTANT_FIRST_WINS] = "first-wins",
    [INSTANT_UNREAD] = "unread",
    [INSTANT_UNLOCKED] = "unlocked",
    [INSTANT_LOST] = "lost",
    [INSTANT_OWN] = "own",
    [INSTANT_ROW] = "row",
    [INSTANT_STRUCTURE] = "structure",
};

const char *instant_step_name(enum instant_step_kind kind)
{
    assert(kind < INSTANT_STEP_COUNT);
    return step_names[kind];
}

/* --- Names ------------------------------------------------------------------- */

/* "b12" or "c12" */
static enum status read_point(struct json *json, struct instant_name *name, struct error *err)
{
    struct text text;

    TRY(json_string(json, "an instant", &text, err));
    if (text.length > 0 && (text.at[0] == 'b' || text.at[0] == 'c')) {
        name->kind = text.at[0] == 'b' ? NAMED_VIEW : NAMED_COMMIT;
        if (text_to_int64((struct text){ text.at + 1, text.length - 1 }, &name->txn))
            return STATUS_OK;
    }
    return json_refuse_token(json, err, "\"%.*s\" is no instant", TEXT_PRINT(text));
}

/* [12,0] or [12,0,"t/7"] */
static enum status read_place(struct json *json, struct instant_name *name, struct error *err)
{
    bool more;

    name->kind = NAMED_PLACE;
    TRY(json_open(json, '[', "[id,op]", err));
    TRY(json_integer(json, "a transaction's id", &name->txn, err));
    TRY(json_element(json, 1, &more, err));
    if (!more)
        return json_refuse_token(json, err, "an operation is [id,op]");
    TRY(witness_op(json, &name->op, err));
    TRY(json_element(json, 2, &name->has_key, err));
    if (!name->has_key)
        return STATUS_OK;
    TRY(json_string(json, "a key", &name->key, err));
    TRY(json_element(json, 3, &more, err));
    return more ? json_refuse_token(json, err, "the view of a row is [id,op,key]") : STATUS_OK;
}

enum status instant_name_read(struct json *json, struct instant_name *name, struct error *err)
{
    *name = (struct instant_name){ .kind = NAMED_NOBODY };
    if (json_word(json, "null"))
        return STATUS_OK;
    switch (json_peek(json)) {
    case '"':
        return read_point(json, name, err);
    case '[':
        return read_place(json, name, err);
    default:
        name->kind = NAMED_TXN;
        return json_integer(json, "a transaction's id", &name->txn, err);
    }
}

static enum status read_three(struct json *json, int64_t txns[3], struct error *err)
{
    bool more;

    TRY(json_open(json, '[', "three transactions", err));
    for (size_t i = 0;; i++) {
        TRY(json_element(json, i, &more, err));
        if (more != (i < 3))
            return json_refuse_token(json, err, "a structure is of three transactions");
        if (!more)
            return STATUS_OK;
        TRY(json_integer(json, "a transaction's id", &txns[i], err));
    }
}

/* --- Steps ------------------------------------------------------------------- */

enum {
    FIELD_STEP,
    FIELD_READ,
    FIELD_KEY,
    FIELD_FROM,
    FIELD_TO,
    FIELD_FIRST,
    FIELD_SECOND,
    FIELD_OTHER,
    FIELD_TXNS
};

static const char *const field_names[] = { "step",  "read",   "key",   "from",         "to",
                                           "first", "second", "other", "transactions", NULL };

#define BIT(field) (1U << FIELD_##field)
#define OF_READ (BIT(STEP) | BIT(READ) | BIT(KEY))
#define OF_TWO (BIT(STEP) | BIT(KEY) | BIT(FIRST) | BIT(SECOND))

/* What stands in first and second: a bit for each kind of name; 0: nothing does. */
struct grammar {
    uint32_t fields;
    unsigned first, second;
};

#define NAMED(kind) (1U << NAMED_##kind)
#define INSTANT (NAMED(VIEW) | NAMED(COMMIT) | NAMED(PLACE))
#define VERSION (NAMED(NOBODY) | NAMED(TXN))

static const struct grammar grammars[INSTANT_STEP_COUNT] = {
    [INSTANT_PROGRAM] = { BIT(STEP) | BIT(FROM) | BIT(TO), INSTANT, INSTANT },
    [INSTANT_READS] = { OF_READ | BIT(FROM), VERSION, 0 },
    [INSTANT_FINDS] = { OF_READ | BIT(FROM), VERSION, 0 },
    [INSTANT_OVERWRITES] = { OF_READ | BIT(OTHER), 0, NAMED(TXN) },
    [INSTANT_INSTALLED] = { OF_READ | BIT(OTHER), 0, NAMED(TXN) },
    [INSTANT_PRECEDES] = { OF_TWO, NAMED(TXN), NAMED(TXN) },
    [INSTANT_FOUND] = { OF_READ | BIT(OTHER), 0, NAMED(TXN) },
    [INSTANT_NOT_FOUND] = { OF_READ | BIT(OTHER), 0, NAMED(TXN) },
    [INSTANT_LOCKS] = { OF_TWO, NAMED(PLACE), NAMED(PLACE) },
    [INSTANT_FIRST_WINS] = { OF_TWO, NAMED(TXN), NAMED(TXN) },
    [INSTANT_UNREAD] = { OF_READ, 0, 0 },
    [INSTANT_UNLOCKED] = { OF_TWO, NAMED(PLACE), NAMED(PLACE) },
    [INSTANT_LOST] = { OF_TWO, NAMED(TXN), NAMED(TXN) },
    [INSTANT_OWN] = { OF_READ, 0, 0 },
    [INSTANT_ROW] = { OF_READ, 0, 0 },
    [INSTANT_STRUCTURE] = { BIT(STEP) | BIT(TXNS), 0, 0 },
};

static enum status read_field(struct json *json, unsigned field, struct instant_step *step,
                              struct error *err)
{
    unsigned kind = 0;

    switch (field) {
    case FIELD_STEP:
        TRY(witness_name(json, step_names, "a step", &kind, err));
        step->kind = (enum instant_step_kind)kind;
        return STATUS_OK;
    case FIELD_READ:
        return instant_name_read(json, &step->read, err);
    case FIELD_KEY:
        return json_string(json, "a key", &step->key, err);
    case FIELD_FROM:
    case FIELD_FIRST:
        return instant_name_read(json, &step->first, err);
    case FIELD_TO:
    case FIELD_SECOND:
    case FIELD_OTHER:
        return instant_name_read(json, &step->second, err);
    default:
        return read_three(json, step->txns, err);
    }
}

/* Only instants name a key with an operation. */
static bool is_named(const struct instant_name *name, unsigned kinds)
{
    if (name->has_key && kinds != INSTANT)
        return false;
    return kinds == 0 || kinds >> name->kind & 1;
}

enum status instant_step_read(struct json *json, struct instant_step *step, struct error *err)
{
    struct fields fields = { .names = field_names };
    const struct grammar *grammar;
    unsigned field;

    *step = (struct instant_step){ .kind = INSTANT_PROGRAM };
    TRY(json_open(json, '{', "a step", err));
    for (;;) {
        TRY(witness_fields_next(&fields, json, &field, err));
        if (field == FIELDS_END)
            break;
        TRY(read_field(json, field, step, err));
    }
    grammar = &grammars[step->kind];
    TRY(witness_fields_need(&fields, json, grammar->fields, err));
    if (fields.seen & ~grammar->fields)
        return json_refuse_token(json, err, "%s has other fields", step_names[step->kind]);
    if (!is_named(&step->first, grammar->first) || !is_named(&step->second, grammar->second) ||
        ((grammar->fields & BIT(READ)) && !is_named(&step->read, NAMED(PLACE))))
        return json_refuse_token(json, err, "%s names other things", step_names[step->kind]);
    return STATUS_OK;
}
