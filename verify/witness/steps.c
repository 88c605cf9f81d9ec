#include "verify/witness/steps.h"

#include <assert.h>

#include "verify/witness/fields_private.h"

/* --- Grammars ---------------------------------------------------------------- */

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
    FIELD_VALUE,
    FIELD_TXNS,
    FIELD_CLAUSE,
    FIELD_BY,
    FIELD_CYCLE
};

#define BIT(field) (1U << FIELD_##field)
#define OF_READ (BIT(STEP) | BIT(READ) | BIT(KEY))
#define OF_PATH (BIT(STEP) | BIT(FROM) | BIT(TO))
#define OF_TWO (BIT(STEP) | BIT(KEY) | BIT(FIRST) | BIT(SECOND))

#define NAMED(kind) (1U << NAMED_##kind)
#define INSTANT (NAMED(VIEW) | NAMED(COMMIT) | NAMED(PLACE))
#define VERSION (NAMED(NOBODY) | NAMED(TXN))
#define POINT (NAMED(TXN) | NAMED(VIEW) | NAMED(COMMIT))

/* The fields of a step; what its first and second name: a bit for each kind, 0 if it has none. */
struct step_rule {
    uint32_t fields;
    unsigned first, second;
};

struct step_grammar {
    const char *const *names;
    const struct step_rule *rules;
    unsigned unnamed; /* the kind of a step without a name */
};

static const char *const refutation_names[STEP_KIND_COUNT] = {
    [STEP_PROGRAM] = "program",       [STEP_SESSION] = "session",
    [STEP_REALTIME] = "realtime",     [STEP_VERSION_ORDER] = "version-order",
    [STEP_READS] = "reads",           [STEP_FOLLOWS] = "follows",
    [STEP_OVERWRITES] = "overwrites", [STEP_EXCLUSIVE] = "exclusive",
    [STEP_PREFIX] = "prefix",         [STEP_ABSENT] = "absent",
    [STEP_EXTREME] = "extreme",
    /* STEP_DERIVED has none, which ends the list. */
};

static const struct step_rule refutation_rules[STEP_KIND_COUNT] = {
    [STEP_PROGRAM] = { BIT(STEP) | BIT(TXN), NAMED(TXN), 0 },
    [STEP_SESSION] = { OF_PATH, VERSION, VERSION },
    [STEP_REALTIME] = { OF_PATH, VERSION, VERSION },
    [STEP_VERSION_ORDER] = { OF_TWO, VERSION, VERSION },
    [STEP_READS] = { OF_READ, 0, 0 },
    [STEP_FOLLOWS] = { OF_READ | BIT(FROM), VERSION, 0 },
    [STEP_OVERWRITES] = { OF_READ | BIT(FROM) | BIT(OTHER), VERSION, VERSION },
    [STEP_EXCLUSIVE] = { OF_TWO, VERSION, VERSION },
    [STEP_PREFIX] = { OF_READ | BIT(FIRST) | BIT(SECOND), VERSION, VERSION },
    [STEP_ABSENT] = { OF_READ | BIT(OTHER), 0, VERSION },
    [STEP_EXTREME] = { BIT(STEP) | BIT(READ) | BIT(VALUE), 0, 0 },
    [STEP_DERIVED] = { BIT(CLAUSE) | BIT(BY), 0, 0 },
};

static const char *const instant_names[INSTANT_STEP_COUNT + 1] = {
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

static const struct step_rule instant_rules[INSTANT_STEP_COUNT + 1] = {
    [INSTANT_PROGRAM] = { OF_PATH, INSTANT, INSTANT },
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
    [INSTANT_STEP_COUNT] = { BIT(STEP), 0, 0 }, /* one without a name, which all have */
};

const struct step_grammar steps_of_refutation = { refutation_names, refutation_rules,
                                                  STEP_DERIVED };
const struct step_grammar steps_of_instants = { instant_names, instant_rules, INSTANT_STEP_COUNT };

const char *step_name(const struct proof_step *step)
{
    return step->kind == step->grammar->unnamed ? "a derived step"
                                                : step->grammar->names[step->kind];
}

/* Only instants name a key with an operation. */
static bool is_named(const struct witness_name *name, unsigned kinds)
{
    if (name->has_key && kinds != INSTANT)
        return false;
    return kinds == 0 || kinds >> name->kind & 1;
}

static enum status read_named(struct json *json, struct witness_name *name, unsigned kinds,
                              const char *what, struct error *err)
{
    TRY(fields_read_name(json, name, err));
    return is_named(name, kinds) ? STATUS_OK : json_refuse_token(json, err, "that is not %s", what);
}

/* --- Derived steps ----------------------------------------------------------- */

static enum status read_literal_point(struct json *json, size_t n, void *owner, struct error *err)
{
    struct step_literal *literal = owner;

    return read_named(json, &literal->points[n], POINT, "a point", err);
}

enum { LITERAL_READ, LITERAL_KEY, LITERAL_FROM, LITERAL_NOT_FROM };

static enum status read_literal(struct json *json, struct step_literal *literal, struct error *err)
{
    static const struct list order = { "two points", read_literal_point, 2, 2,
                                       "an order is of two points" };
    static const struct field rows[] = {
        [LITERAL_READ] = FIELD("read", FIELD_NAME, struct step_literal, read),
        [LITERAL_KEY] = FIELD("key", FIELD_TEXT, struct step_literal, key, .what = "a key"),
        [LITERAL_FROM] = FIELD("from", FIELD_NAME, struct step_literal, from),
        [LITERAL_NOT_FROM] = FIELD("not-from", FIELD_NAME, struct step_literal, from),
        { .name = NULL },
    };
    static const struct object source = { "a literal", rows,
                                          1U << LITERAL_READ | 1U << LITERAL_KEY };
    uint32_t seen;

    *literal = (struct step_literal){ .is_order = json_peek(json) == '[' };
    if (literal->is_order)
        return fields_read_list(json, &order, literal, err);
    TRY(fields_read(json, &source, literal, &seen, err));
    literal->is_negated = seen >> LITERAL_NOT_FROM & 1;
    if (literal->is_negated == (seen >> LITERAL_FROM & 1))
        return json_refuse_token(json, err, "a literal has \"from\" or \"not-from\"");
    return is_named(&literal->read, NAMED(PLACE)) && is_named(&literal->from, VERSION)
               ? STATUS_OK
               : json_refuse_token(json, err, "a literal is of a read and whose version it read");
}

static enum status add_literal(struct json *json, size_t n, void *owner, struct error *err)
{
    struct proof_step *step = owner;
    struct step_literal literal;

    assert(n == step->clause.count);
    TRY(read_literal(json, &literal, err));
    return array_push(&step->clause, literal, err);
}

static enum status add_point(struct json *json, size_t n, void *owner, struct error *err)
{
    struct proof_step *step = owner;
    struct witness_name point;

    assert(n == step->cycle.count);
    TRY(read_named(json, &point, POINT, "a point", err));
    return array_push(&step->cycle, point, err);
}

/* --- Steps ------------------------------------------------------------------- */

static enum status read_kind(struct json *json, size_t row, void *owner, struct error *err)
{
    struct proof_step *step = owner;

    assert(row == FIELD_STEP);
    return json_one_of(json, step->grammar->names, "a step", &step->kind, err);
}

static enum status read_step(struct json *json, struct proof_step *step, struct error *err)
{
    static const struct list clause = { "an array of literals", add_literal, 0, 0, NULL };
    static const struct list cycle = { "an array of points", add_point, 1, 0,
                                       "a cycle has at least one point" };
    static const struct field rows[] = {
        [FIELD_STEP] = { .name = "step", .type = FIELD_OWN, .read = read_kind },
        [FIELD_TXN] = FIELD("txn", FIELD_NAME, struct proof_step, first),
        [FIELD_READ] = FIELD("read", FIELD_NAME, struct proof_step, read),
        [FIELD_KEY] = FIELD("key", FIELD_TEXT, struct proof_step, key, .what = "a key"),
        [FIELD_FROM] = FIELD("from", FIELD_NAME, struct proof_step, first),
        [FIELD_TO] = FIELD("to", FIELD_NAME, struct proof_step, second),
        [FIELD_FIRST] = FIELD("first", FIELD_NAME, struct proof_step, first),
        [FIELD_SECOND] = FIELD("second", FIELD_NAME, struct proof_step, second),
        [FIELD_OTHER] = FIELD("other", FIELD_NAME, struct proof_step, second),
        [FIELD_VALUE] =
            FIELD("value", FIELD_TEXT, struct proof_step, value, .what = "an aggregate"),
        [FIELD_TXNS] = FIELD("transactions", FIELD_NUMBERS, struct proof_step, txns),
        [FIELD_CLAUSE] = { .name = "clause", .type = FIELD_LIST, .list = &clause },
        [FIELD_BY] = FIELD("by", FIELD_NUMBERS, struct proof_step, by),
        [FIELD_CYCLE] = { .name = "cycle", .type = FIELD_LIST, .list = &cycle },
        { .name = NULL },
    };
    static const struct object object = { "a step", rows, 0 };
    const struct step_rule *rule;
    uint32_t seen, allowed;

    TRY(fields_read(json, &object, step, &seen, err));
    rule = &step->grammar->rules[step->kind];
    TRY(fields_need(&object, json, seen, rule->fields, err));
    allowed = rule->fields | (rule->fields & BIT(CLAUSE) ? BIT(CYCLE) : 0);
    if (seen & ~allowed)
        return json_refuse_token(json, err, "%s has other fields", step_name(step));
    if (!is_named(&step->first, rule->first) || !is_named(&step->second, rule->second) ||
        ((rule->fields & BIT(READ)) && !is_named(&step->read, NAMED(PLACE))))
        return json_refuse_token(json, err, "%s names other things", step_name(step));
    return !(rule->fields & BIT(TXNS)) || step->txns.count == 3
               ? STATUS_OK
               : json_refuse_token(json, err, "a structure is of three transactions");
}

static enum status read_each(struct json *json, struct proof_step *step, step_function *take,
                             void *context, struct error *err)
{
    const struct step_grammar *grammar = step->grammar;
    enum status status;
    bool more;

    TRY(json_open(json, '[', "an array of steps", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        *step = (struct proof_step){ .grammar = grammar,
                                     .kind = grammar->unnamed,
                                     .txns = { step->txns.at, 0, step->txns.room },
                                     .by = { step->by.at, 0, step->by.room },
                                     .cycle = { step->cycle.at, 0, step->cycle.room },
                                     .clause = { step->clause.at, 0, step->clause.room } };
        TRY(read_step(json, step, err));
        status = take ? take(context, step, n, err) : STATUS_OK;
        if (status != STATUS_OK) {
            error_wrap(err, "step %zu", n);
            return status;
        }
    }
}

static enum status read_steps(struct json *json, const struct step_grammar *grammar,
                              step_function *take, void *context, struct error *err)
{
    struct proof_step step = { .grammar = grammar };
    enum status status = read_each(json, &step, take, context, err);

    array_close(&step.txns);
    array_close(&step.by);
    array_close(&step.cycle);
    array_close(&step.clause);
    return status;
}

enum status steps_pass(struct json *json, const struct step_grammar *grammar, struct text *steps,
                       struct error *err)
{
    (void)json_peek(json);
    steps->at = json->at;
    TRY(read_steps(json, grammar, NULL, NULL, err));
    steps->length = (size_t)(json->at - steps->at);
    return STATUS_OK;
}

enum status steps_take(struct text steps, const struct step_grammar *grammar, step_function *take,
                       void *context, struct error *err)
{
    struct json json = { 0 };
    enum status status;

    assert(take);
    json_begin(&json, steps);
    status = read_steps(&json, grammar, take, context, err);
    json_close(&json);
    return status;
}
