/*
 * Verifies a refutation: each step is a fact of the history, or follows from steps before it, and
 * the last one is a contradiction. docs/format-witness.md, "refutation".
 */
#include "verify/invalid/refutation_private.h"

#include <assert.h>
#include <inttypes.h>

#include "verify/invalid/cycle_private.h"
#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/steps.h"

/* --- Claims ------------------------------------------------------------------ */

/*
 * What the steps of a refutation say, and what is known at the moment.
 *
 * A literal is two times a variable, plus one if it is the opposite; variables are
 * "this point before that one" and "this read from that version". Those that the
 * history decides alone are LITERAL_TRUE or LITERAL_FALSE. A claim is literals of which
 * one is true. To prove one, its literals are supposed to be false, and claims that
 * have been proved are used one after another, until they contradict each other:
 *
 *     suppose not a    known: not a
 *     use  a or b      known: not a, b
 *     use  c or not b  known: not a, b, c
 *     use  not c       a contradiction
 *
 * Using a claim takes no longer than what is known has literals of it, and what
 * was known is forgotten behind each proof: so all of them together are linear in
 * the length of the refutation.
 */
#define LITERAL_TRUE UINT32_MAX
#define LITERAL_FALSE (UINT32_MAX - 1)

enum truth { TRUTH_OPEN, TRUTH_YES, TRUTH_NO };

/* What a claim taught. */
enum lesson { LESSON_NOTHING, LESSON_LITERAL, LESSON_CHOICE, LESSON_CONTRADICTION };

struct claim {
    uint64_t start; /* in `literals` */
    uint32_t count;
    uint32_t reading; /* not HISTORY_NONE: all sources of this one besides */
    uint32_t used;    /* in which proof, last */
    bool is_true;     /* for everybody */
};

struct claims {
    struct verifier *v;
    struct map orders, sources; /* variables, by two points, by reading and version */
    ARRAY(uint8_t) truths;      /* by variable */
    ARRAY(uint32_t) trail;      /* variables that are not open */
    ARRAY(uint32_t) literals;
    ARRAY(struct claim) claims;
    uint32_t proof; /* how many there were before */
};

static uint32_t literal_opposite(uint32_t literal)
{
    return literal ^ 1; /* not of those that the history decides */
}

#define VARIABLE_COUNT_MAX (LITERAL_FALSE / 2)

static void claims_close(struct claims *c)
{
    map_close(&c->orders);
    map_close(&c->sources);
    array_close(&c->truths);
    array_close(&c->trail);
    array_close(&c->literals);
    array_close(&c->claims);
}

static enum status find_variable(struct claims *c, struct map *map, uint32_t a, uint32_t b,
                                 uint32_t *variable, struct error *err)
{
    size_t place;

    if (c->truths.count == VARIABLE_COUNT_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "too many literals in a refutation");
    TRY(map_add(map, (uint64_t)a << 32 | b, c->truths.count, &place, err));
    *variable = (uint32_t)map->values.at[place];
    return *variable < c->truths.count ? STATUS_OK : array_push(&c->truths, TRUTH_OPEN, err);
}

static enum status claims_order(struct claims *c, uint32_t before, uint32_t after,
                                uint32_t *literal, struct error *err)
{
    bool is_opposite = before > after;
    uint32_t first = is_opposite ? after : before, second = is_opposite ? before : after;
    uint32_t variable = 0;

    TRY(find_variable(c, &c->orders, first, second, &variable, err));
    *literal = 2 * variable + is_opposite;
    return STATUS_OK;
}

static enum status claims_source(struct claims *c, const struct reading *reading, uint32_t version,
                                 bool is_opposite, uint32_t *literal, struct error *err)
{
    bool is_possible = source_is_possible(c->v, reading, version);
    uint32_t variable = 0;

    *literal = is_possible != is_opposite ? LITERAL_TRUE : LITERAL_FALSE;
    if (!is_possible || reading->source_count == 1)
        return STATUS_OK;
    TRY(find_variable(c, &c->sources, reading->number, version, &variable, err));
    *literal = 2 * variable + is_opposite;
    return STATUS_OK;
}

static enum truth claims_truth(const struct claims *c, uint32_t literal)
{
    enum truth truth;

    if (literal >= LITERAL_FALSE)
        return literal == LITERAL_TRUE ? TRUTH_YES : TRUTH_NO;
    truth = (enum truth)c->truths.at[literal / 2];
    if (truth == TRUTH_OPEN)
        return TRUTH_OPEN;
    return (truth == TRUTH_YES) == (literal % 2 == 0) ? TRUTH_YES : TRUTH_NO;
}

static enum status claims_learn(struct claims *c, uint32_t literal, struct error *err)
{
    assert(claims_truth(c, literal) == TRUTH_OPEN);
    TRY(array_push(&c->trail, literal / 2, err));
    c->truths.at[literal / 2] = literal % 2 == 0 ? TRUTH_YES : TRUTH_NO;
    return STATUS_OK;
}

static void claims_forget(struct claims *c)
{
    for (size_t i = 0; i < c->trail.count; i++)
        c->truths.at[c->trail.at[i]] = TRUTH_OPEN;
    c->trail.count = 0;
    c->proof++;
}

static enum status claims_begin(struct claims *c, struct error *err)
{
    struct claim claim = { .start = c->literals.count,
                           .reading = HISTORY_NONE,
                           .used = UINT32_MAX };

    if (c->claims.count == UINT32_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "too many steps in a refutation");
    return array_push(&c->claims, claim, err);
}

static enum status claims_add(struct claims *c, uint32_t literal, struct error *err)
{
    struct claim *last = &c->claims.at[c->claims.count - 1];

    last->is_true |= literal == LITERAL_TRUE;
    if (literal >= LITERAL_FALSE)
        return STATUS_OK;
    last->count++;
    return array_push(&c->literals, literal, err);
}

static void claims_set_sources(struct claims *c, const struct reading *reading)
{
    c->claims.at[c->claims.count - 1].reading = reading->number;
}

static bool claims_end_empty(const struct claims *c)
{
    const struct claim *last;

    if (c->claims.count == 0)
        return false;
    last = &c->claims.at[c->claims.count - 1];
    return !last->is_true && last->count == 0 &&
           (last->reading == HISTORY_NONE ||
            sources_reading(c->v, last->reading)->source_count == 0);
}

/* The literals of a claim, as far as they have been looked at. */
struct outlook {
    bool is_true;
    uint32_t open_count, open; /* different ones; the last of them */
};

static void look_at(const struct claims *c, uint32_t literal, struct outlook *outlook)
{
    enum truth truth = claims_truth(c, literal);

    outlook->is_true |= truth == TRUTH_YES;
    if (truth != TRUTH_OPEN || (outlook->open_count > 0 && outlook->open == literal))
        return;
    outlook->open_count++;
    outlook->open = literal;
}

static bool goes_on(const struct outlook *outlook)
{
    return !outlook->is_true && outlook->open_count < 2;
}

static enum status look_at_sources(struct claims *c, const struct reading *reading,
                                   struct outlook *outlook, struct error *err)
{
    for (uint64_t n = 0; n < source_end(reading) && goes_on(outlook); n++) {
        uint32_t version = source_at(c->v, reading, n), literal = 0;

        if (source_is_own(reading, version))
            continue;
        TRY(claims_source(c, reading, version, false, &literal, err));
        look_at(c, literal, outlook);
    }
    return STATUS_OK;
}

static enum status claims_use(struct claims *c, size_t number, enum lesson *lesson,
                              struct error *err)
{
    struct claim *claim = &c->claims.at[number];
    struct outlook outlook = { .is_true = claim->is_true };

    *lesson = LESSON_NOTHING;
    if (claim->used == c->proof) /* it has taught what it can */
        return STATUS_OK;
    for (uint32_t i = 0; i < claim->count && goes_on(&outlook); i++)
        look_at(c, c->literals.at[claim->start + i], &outlook);
    if (claim->reading != HISTORY_NONE)
        TRY(look_at_sources(c, sources_reading(c->v, claim->reading), &outlook, err));
    claim->used = c->proof;
    if (outlook.is_true)
        return STATUS_OK;
    *lesson = outlook.open_count == 0   ? LESSON_CONTRADICTION
              : outlook.open_count == 1 ? LESSON_LITERAL
                                        : LESSON_CHOICE;
    return *lesson == LESSON_LITERAL ? claims_learn(c, outlook.open, err) : STATUS_OK;
}

/* --- The refutation ---------------------------------------------------------- */

struct refutation {
    struct verifier *v;
    struct claims claims; /* one for each step so far */
    bool has_session, has_realtime, has_look;
    uint32_t
        key; /* that the steps so far are of; of which there is one where keys are on their own */
};

/* Of the claim at hand. */
static enum status add_order(struct refutation *r, uint32_t before, uint32_t after,
                             struct error *err)
{
    uint32_t literal = 0;

    TRY(claims_order(&r->claims, before, after, &literal, err));
    return claims_add(&r->claims, literal, err);
}

/* --- What steps name --------------------------------------------------------- */

static uint32_t begin_of(const struct refutation *r, uint32_t txn)
{
    return r->v->is_snapshot ? 2 * txn : txn;
}

static uint32_t end_of(const struct refutation *r, uint32_t txn)
{
    return r->v->is_snapshot ? 2 * txn + 1 : txn;
}

/*
 * Where a writer comes before another one: it is in the other's snapshot, or, where writers do not
 * exclude each other, it commits before the other does.
 */
static uint32_t after_writer(const struct refutation *r, uint32_t txn)
{
    return r->v->is_exclusive ? begin_of(r, txn) : end_of(r, txn);
}

/* Where a read was: of a list that the reader has appended to, at its own commit. */
static uint32_t point_of_read(const struct refutation *r, const struct reading *read)
{
    bool is_at_end = r->v->basis->saturates && lookup_own_before(r->v, read->op) != HISTORY_NONE;

    return is_at_end ? end_of(r, read->txn) : begin_of(r, read->txn);
}

/* One that has points. */
static enum status find_txn(struct refutation *r, int64_t id, uint32_t *txn, struct error *err)
{
    struct verifier *v = r->v;

    TRY(lookup_txn(v, id, txn, err));
    if (v->h->txn_status[*txn] == TXN_ABORT)
        return verify_refuse(v, err, "transaction %" PRId64 " did not commit", id);
    return STATUS_OK;
}

static enum status find_point(struct refutation *r, const struct witness_name *named,
                              uint32_t *point, struct error *err)
{
    uint32_t txn = 0;

    TRY(find_txn(r, named->txn, &txn, err));
    if ((named->kind != NAMED_TXN) != r->v->is_snapshot)
        return verify_refuse(r->v, err, "the level has no such points of transaction %" PRId64,
                             named->txn);
    *point = named->kind == NAMED_VIEW ? begin_of(r, txn) : end_of(r, txn);
    return STATUS_OK;
}

/* Of an axiom: who takes part. */
static enum status find_part(struct refutation *r, int64_t id, uint32_t *txn, struct error *err)
{
    TRY(find_txn(r, id, txn, err));
    (void)verify_add_part(r->v, *txn);
    return STATUS_OK;
}

/* Someone who wrote the key, or NO_TXN. */
static enum status find_writer(struct refutation *r, const struct witness_name *named, uint32_t key,
                               uint32_t *txn, uint32_t *version, struct error *err)
{
    *txn = NO_TXN;
    *version = VERSION_INITIAL;
    if (named->kind == NAMED_NOBODY)
        return STATUS_OK;
    TRY(find_txn(r, named->txn, txn, err));
    *version = lookup_left(r->v, *txn, key);
    if (*version == HISTORY_NONE)
        return verify_refuse(r->v, err, "transaction %" PRId64 " left no version of %.*s",
                             named->txn, TEXT_PRINT(history_key(r->v->h, key)));
    return STATUS_OK;
}

static enum status find_reading(struct refutation *r, const struct witness_name *named,
                                uint32_t key, struct reading *reading, struct error *err)
{
    struct verifier *v = r->v;
    uint32_t txn = 0, op = 0;
    bool is_sight = false;

    TRY(find_txn(r, named->txn, &txn, err));
    TRY(lookup_op(v, txn, named->op, &op, err));
    *reading = (struct reading){ .txn = txn, .op = op, .key = key };
    TRY(sources_sight(v, reading, &is_sight, err));
    if (is_sight)
        return STATUS_OK;
    if (op_is_head(v->h->op_kind[op]))
        op = lookup_row_of(v, op, key);
    if (op == HISTORY_NONE || v->h->op_key[op] != key)
        return verify_refuse(v, err,
                             "operation %" PRId64 " of transaction %" PRId64 " did not read %.*s",
                             named->op, named->txn, TEXT_PRINT(history_key(v->h, key)));
    return sources_read(v, txn, op, reading, err);
}

/* The key that a step or a literal names. */
static enum status find_key(struct refutation *r, struct text name, uint32_t *key,
                            struct error *err)
{
    TRY(lookup_key(r->v, name, key, err));
    if (r->v->w->level == LEVEL_LINEARIZABLE && r->key != HISTORY_NONE && r->key != *key)
        return verify_refuse(r->v, err, "each key is linearizable on its own: %.*s is another one",
                             TEXT_PRINT(name));
    r->key = *key;
    return STATUS_OK;
}

/* --- Axioms ------------------------------------------------------------------ */

/* A step with what it names looked up. */
struct refutation_axiom {
    const struct proof_step *step;
    uint32_t key;
    struct reading read;
    uint32_t first, second; /* transactions, or NO_TXN */
    uint32_t first_version, second_version;
};

static enum status refuse_axiom(struct refutation *r, const struct refutation_axiom *a,
                                const char *why, struct error *err)
{
    return verify_refuse(r->v, err, "%s: %s", step_name(a->step), why);
}

static bool has_read(unsigned kind)
{
    return kind == STEP_READS || kind == STEP_FOLLOWS || kind == STEP_OVERWRITES ||
           kind == STEP_PREFIX || kind == STEP_ABSENT;
}

static enum status find_one(struct refutation *r, const struct refutation_axiom *a,
                            const struct witness_name *named, uint32_t *txn, uint32_t *version,
                            struct error *err)
{
    if (a->key != HISTORY_NONE)
        TRY(find_writer(r, named, a->key, txn, version, err));
    else if (named->kind == NAMED_NOBODY)
        return refuse_axiom(r, a, "nobody began before the history", err);
    return named->kind == NAMED_NOBODY ? STATUS_OK : find_part(r, named->txn, txn, err);
}

/* Looks up all that a step of this kind has; the other fields of a step say nothing. */
static enum status look_up(struct refutation *r, struct refutation_axiom *a, struct error *err)
{
    const struct proof_step *step = a->step;
    unsigned kind = step->kind;
    bool has_key = has_read(kind) || kind == STEP_VERSION_ORDER || kind == STEP_EXCLUSIVE;

    a->key = a->first = a->second = HISTORY_NONE;
    if (kind == STEP_EXTREME)
        return STATUS_OK;
    if (kind == STEP_PROGRAM)
        return find_part(r, step->first.txn, &a->first, err);
    if (has_key)
        TRY(find_key(r, step->key, &a->key, err));
    if (has_read(kind)) {
        TRY(find_part(r, step->read.txn, &a->read.txn, err));
        TRY(find_reading(r, &step->read, a->key, &a->read, err));
        r->has_look |= a->read.is_narrowed;
    }
    if (kind != STEP_READS && kind != STEP_ABSENT)
        TRY(find_one(r, a, &step->first, &a->first, &a->first_version, err));
    if (kind != STEP_READS && kind != STEP_FOLLOWS)
        TRY(find_one(r, a, &step->second, &a->second, &a->second_version, err));
    return STATUS_OK;
}

static enum status take_before(struct refutation *r, const struct refutation_axiom *a,
                               struct error *err)
{
    enum closing closing = a->step->kind == STEP_SESSION ? CLOSED_BY_SESSIONS : CLOSED_BY_TIME;

    if (r->v->closing != closing)
        return refuse_axiom(r, a, "the level does not ask for it", err);
    if (!versions_txn_is_before(r->v, closing, a->first, a->second))
        return refuse_axiom(r, a, "the first was not over when the second began", err);
    r->has_session |= closing == CLOSED_BY_SESSIONS;
    r->has_realtime |= closing == CLOSED_BY_TIME;
    return add_order(r, end_of(r, a->first), begin_of(r, a->second), err);
}

static enum status take_version_order(struct refutation *r, const struct refutation_axiom *a,
                                      struct error *err)
{
    const uint32_t *place = r->v->order_place;

    if (!r->v->basis->searches_orders)
        return refuse_axiom(r, a, "the checker makes no use of version orders", err);
    if (a->first == NO_TXN || a->second == NO_TXN || place[a->first_version] == 0 ||
        place[a->first_version] >= place[a->second_version])
        return refuse_axiom(r, a, "the history does not say so", err);
    return add_order(r, end_of(r, a->first), begin_of(r, a->second), err);
}

static enum status take_reads(struct refutation *r, const struct refutation_axiom *a,
                              struct error *err)
{
    if (a->read.kind == READING_OF_OWN)
        return refuse_axiom(r, a, "its own transaction had written it", err);
    claims_set_sources(&r->claims, &a->read);
    return STATUS_OK;
}

/* The literal that the read is not of the version. */
static enum status add_not_from(struct refutation *r, const struct refutation_axiom *a,
                                uint32_t version, struct error *err)
{
    uint32_t literal = 0;

    TRY(claims_source(&r->claims, &a->read, version, true, &literal, err));
    return claims_add(&r->claims, literal, err);
}

static enum status take_follows(struct refutation *r, const struct refutation_axiom *a,
                                struct error *err)
{
    if (a->first == NO_TXN || a->first == a->read.txn)
        return refuse_axiom(r, a, "nothing comes before the initial version or itself", err);
    if (!a->read.is_plain || !source_span(r->v, &a->read, a->first))
        TRY(add_not_from(r, a, a->first_version, err));
    return add_order(r, end_of(r, a->first), point_of_read(r, &a->read), err);
}

static enum status take_overwrites(struct refutation *r, const struct refutation_axiom *a,
                                   struct error *err)
{
    if (a->second == NO_TXN || a->second == a->first || a->second == a->read.txn ||
        a->first == a->read.txn)
        return refuse_axiom(r, a, "the other writer is not another one", err);
    TRY(add_not_from(r, a, a->first_version, err));
    if (a->first != NO_TXN)
        TRY(add_order(r, end_of(r, a->second), after_writer(r, a->first), err));
    return add_order(r, point_of_read(r, &a->read), end_of(r, a->second), err);
}

static enum status take_exclusive(struct refutation *r, const struct refutation_axiom *a,
                                  struct error *err)
{
    if (!r->v->is_exclusive || a->first == NO_TXN || a->second == NO_TXN || a->first == a->second)
        return refuse_axiom(r, a, "only snapshots of two writers exclude each other", err);
    TRY(add_order(r, end_of(r, a->first), begin_of(r, a->second), err));
    return add_order(r, end_of(r, a->second), begin_of(r, a->first), err);
}

static enum status take_prefix(struct refutation *r, const struct refutation_axiom *a,
                               struct error *err)
{
    const struct element_span *first = source_span(r->v, &a->read, a->first);
    const struct element_span *second = source_span(r->v, &a->read, a->second);

    if (!a->read.is_plain || a->read.kind != READING_OF_OTHERS || !first || !second ||
        (a->first == a->second ? !first->is_reversed : first->first > second->last))
        return refuse_axiom(r, a, "no such elements were read one before the other", err);
    /* The initial list comes before all; and who follows himself or it, cannot be. */
    if (a->first == NO_TXN && a->second != NO_TXN)
        return claims_add(&r->claims, LITERAL_TRUE, err);
    if (a->first == a->second || a->first == NO_TXN || a->second == NO_TXN)
        return STATUS_OK;
    return add_order(r, end_of(r, a->first), after_writer(r, a->second), err);
}

static enum status take_absent(struct refutation *r, const struct refutation_axiom *a,
                               struct error *err)
{
    const struct element_span *span = source_span(r->v, &a->read, a->second);
    uint32_t count = span ? span->count : 0;

    if (!a->read.is_plain || a->read.kind != READING_OF_OTHERS || a->second == a->read.txn ||
        count >= source_element_count(r->v, a->second, a->key))
        return refuse_axiom(r, a, "nothing of its elements is missing in a right read", err);
    return a->second == NO_TXN
               ? STATUS_OK
               : add_order(r, point_of_read(r, &a->read), end_of(r, a->second), err);
}

/* A greatest or least value came from one of the rows that have it; of its own there is none. */
static enum status list_extreme(struct refutation *r, const struct refutation_axiom *a,
                                uint32_t txn, uint32_t head, const struct statement_query *q,
                                struct error *err)
{
    struct verifier *v = r->v;
    size_t aggregate = 0;

    TRY(answer_find_extreme(v, q, a->step->value, &aggregate, err));
    for (uint64_t i = v->table_keys.start[q->table]; i < v->table_keys.start[q->table + 1]; i++) {
        uint32_t key = v->table_keys.at[i], own = lookup_own(v, txn, head, key), literal = 0;
        struct reading reading = { .txn = txn, .op = head, .key = key };
        bool is_sight = false;

        TRY(verify_spend(v, chain_length(v, key) + 1, err));
        if (own != HISTORY_NONE && answer_has_extreme(v, q, aggregate, key, own))
            return refuse_axiom(r, a, "its own transaction had written the value", err);
        if (own != HISTORY_NONE)
            continue;
        TRY(sources_sight(v, &reading, &is_sight, err));
        for (uint64_t n = 0; is_sight && n < reading.source_count; n++) {
            uint32_t version = source_at(v, &reading, n);

            if (reading.kind != READING_OF_OTHERS ||
                !answer_has_extreme(v, q, aggregate, key, version))
                continue;
            TRY(claims_source(&r->claims, &reading, version, false, &literal, err));
            TRY(claims_add(&r->claims, literal, err));
        }
    }
    return STATUS_OK;
}

static enum status take_extreme(struct refutation *r, const struct refutation_axiom *a,
                                struct error *err)
{
    struct verifier *v = r->v;
    uint32_t txn = 0, head = 0;
    struct statement_query q;
    enum status status;

    TRY(find_part(r, a->step->read.txn, &txn, err));
    TRY(lookup_op(v, txn, a->step->read.op, &head, err));
    if (!v->basis->searches_orders || !op_is_head(v->h->op_kind[head]) ||
        !answer_is_judged(v, txn, head))
        return refuse_axiom(r, a, "the operation is no statement that was answered", err);
    r->has_look = true;
    TRY(answer_open_statement(v, head, &q, err));
    status = list_extreme(r, a, txn, head, &q, err);
    query_close(&q);
    return status;
}

static enum status take_axiom(struct refutation *r, const struct proof_step *step,
                              struct error *err)
{
    struct refutation_axiom a = { .step = step };

    TRY(look_up(r, &a, err));
    TRY(claims_begin(&r->claims, err));
    switch (step->kind) {
    case STEP_PROGRAM:
        if (!r->v->is_snapshot)
            return refuse_axiom(r, &a, "a transaction is one point", err);
        return add_order(r, begin_of(r, a.first), end_of(r, a.first), err);
    case STEP_SESSION:
    case STEP_REALTIME:
        return take_before(r, &a, err);
    case STEP_VERSION_ORDER:
        return take_version_order(r, &a, err);
    case STEP_READS:
        return take_reads(r, &a, err);
    case STEP_FOLLOWS:
        return take_follows(r, &a, err);
    case STEP_OVERWRITES:
        return take_overwrites(r, &a, err);
    case STEP_EXCLUSIVE:
        return take_exclusive(r, &a, err);
    case STEP_PREFIX:
        return take_prefix(r, &a, err);
    case STEP_EXTREME:
        return take_extreme(r, &a, err);
    default:
        return take_absent(r, &a, err);
    }
}

/* --- Derived steps ----------------------------------------------------------- */

static enum status find_literal(struct refutation *r, const struct step_literal *named,
                                uint32_t *literal, struct error *err)
{
    uint32_t points[2] = { 0 }, key = 0, txn, version = 0;
    struct reading reading = { 0 };

    if (named->is_order) {
        TRY(find_point(r, &named->points[0], &points[0], err));
        TRY(find_point(r, &named->points[1], &points[1], err));
        if (points[0] == points[1])
            return verify_refuse(r->v, err, "a literal has one point twice");
        return claims_order(&r->claims, points[0], points[1], literal, err);
    }
    TRY(find_key(r, named->key, &key, err));
    TRY(find_reading(r, &named->read, key, &reading, err));
    TRY(find_writer(r, &named->from, key, &txn, &version, err));
    return claims_source(&r->claims, &reading, version, named->is_negated, literal, err);
}

/* Supposes that none of its literals is true; if one is the opposite of another, that proves it. */
static enum status suppose(struct refutation *r, const struct proof_step *step, bool *is_proved,
                           struct error *err)
{
    for (size_t i = 0; i < step->clause.count; i++) {
        uint32_t literal = 0;

        TRY(find_literal(r, &step->clause.at[i], &literal, err));
        TRY(claims_add(&r->claims, literal, err));
        if (claims_truth(&r->claims, literal) == TRUTH_OPEN)
            TRY(claims_learn(&r->claims, literal_opposite(literal), err));
        else
            *is_proved |= claims_truth(&r->claims, literal) == TRUTH_YES;
    }
    return STATUS_OK;
}

static enum status take_by(struct refutation *r, const struct proof_step *step, bool *is_proved,
                           struct error *err)
{
    size_t here = r->claims.claims.count - 1;

    for (size_t i = 0; i < step->by.count && !*is_proved; i++) {
        int64_t n = step->by.at[i];
        enum lesson lesson = LESSON_NOTHING;

        if (n < 0 || (uint64_t)n >= here)
            return verify_refuse(r->v, err, "step %" PRId64 " is not before it", n);
        TRY(claims_use(&r->claims, (size_t)n, &lesson, err));
        if (lesson == LESSON_CHOICE)
            return verify_refuse(r->v, err, "step %" PRId64 " leaves a choice", n);
        *is_proved = lesson == LESSON_CONTRADICTION;
    }
    return STATUS_OK;
}

static enum status check_cycle(struct refutation *r, const struct proof_step *step,
                               struct error *err)
{
    size_t count = step->cycle.count;

    if (count == 0)
        return verify_refuse(r->v, err, "nothing contradicts it");
    for (size_t i = 0; i < count; i++) {
        const struct witness_name *from = &step->cycle.at[i],
                                  *to = &step->cycle.at[(i + 1) % count];
        uint32_t before = 0, after = 0, literal = 0;

        TRY(find_point(r, from, &before, err));
        TRY(find_point(r, to, &after, err));
        if (before != after)
            TRY(claims_order(&r->claims, before, after, &literal, err));
        if (before == after || claims_truth(&r->claims, literal) != TRUTH_YES)
            return verify_refuse(r->v, err,
                                 "the cycle's point %zu, of transaction %" PRId64
                                 ", is not known to be before the next",
                                 i + 1, from->txn);
    }
    return STATUS_OK;
}

static enum status take_derived(struct refutation *r, const struct proof_step *step,
                                struct error *err)
{
    bool is_proved = false;

    TRY(claims_begin(&r->claims, err));
    TRY(suppose(r, step, &is_proved, err));
    TRY(take_by(r, step, &is_proved, err));
    if (!is_proved)
        TRY(check_cycle(r, step, err));
    claims_forget(&r->claims);
    return STATUS_OK;
}

/* --- The whole --------------------------------------------------------------- */

static enum status take_step(void *context, const struct proof_step *step, size_t n,
                             struct error *err)
{
    struct refutation *r = context;

    assert(n == r->claims.claims.count);
    return step->kind == STEP_DERIVED ? take_derived(r, step, err) : take_axiom(r, step, err);
}

static enum status check_kind(struct refutation *r, enum anomaly kind, struct error *err)
{
    static const enum anomaly of_snapshot[] = { ANOMALY_G_NONADJACENT,
                                                ANOMALY_G_NONADJACENT_PROCESS,
                                                ANOMALY_G_NONADJACENT_REALTIME };
    static const enum anomaly of_serializable[] = { ANOMALY_G2_ITEM, ANOMALY_G2_ITEM_PROCESS,
                                                    ANOMALY_G2_ITEM_REALTIME };
    static const enum anomaly of_statements[] = { ANOMALY_G2, ANOMALY_G2_PROCESS,
                                                  ANOMALY_G2_REALTIME };
    int closing = r->has_realtime ? 2 : r->has_session ? 1 : 0;
    enum anomaly right = r->v->basis->saturates ? ANOMALY_NO_PREFIX
                         : r->v->is_snapshot    ? of_snapshot[closing]
                         : r->has_look          ? of_statements[closing]
                                                : of_serializable[closing];

    if (r->v->w->level == LEVEL_LINEARIZABLE && kind == ANOMALY_NOT_LINEARIZABLE)
        return STATUS_OK;
    return verify_need(r->v, kind == right, err, "the refutation is no %s, but a %s",
                       anomaly_name(kind), anomaly_name(right));
}

enum status verify_refutation(struct verifier *v, const struct witness_anomaly *a,
                              struct error *err)
{
    struct refutation r = { .v = v, .claims = { .v = v }, .key = HISTORY_NONE };
    enum status status = steps_take(a->steps, &steps_of_refutation, take_step, &r, err);

    if (status == STATUS_OK && !claims_end_empty(&r.claims))
        status = verify_refuse(v, err, "the last step leaves something that may be true");
    if (status == STATUS_OK)
        status = check_kind(&r, a->kind, err);
    claims_close(&r.claims);
    return status;
}
