#include "verify/prediction/absence_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "verify/prediction/absence_formula_private.h"

#define VISITS_MAX                                                                                 \
    UINT64_C(4000000000) /* of clauses: more than an honest proof of this size needs */

/* --- What stands in the witness ------------------------------------------------------------------------------------ */

static enum status read_txn(struct absence *a, struct json *json, uint32_t *t, struct error *err)
{
    int64_t id = 0;
    uint64_t number;

    TRY(json_integer(json, "a transaction's id", &id, err));
    if (!map_find(&a->ids, (uint64_t)id, &number))
        return REFUSE(a, err, "the trace has no transaction %" PRId64, id);
    *t = (uint32_t)number;
    return STATUS_OK;
}

/* All transactions, each once, and those of a session in their order. */
static enum status read_order(struct absence *a, struct json *json, struct error *err)
{
    uint32_t t = 0;
    bool more = true;

    for (t = 0; t < a->txn_count; t++)
        a->place[t] = NOBODY;
    TRY(json_open(json, '[', "an array of transactions", err));
    for (uint32_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more && n == a->txn_count)
            return STATUS_OK;
        if (!more)
            return REFUSE(a, err, "an order has %" PRIu32 " transactions, and there are %" PRIu32,
                          n, a->txn_count);
        TRY(read_txn(a, json, &t, err));
        if (a->place[t] != NOBODY ||
            (a->previous[t] != NOBODY && a->place[a->previous[t]] == NOBODY))
            return REFUSE(a, err,
                          "transaction %" PRId64
                          " stands in an order twice, or before one of its session",
                          a->o->h->txn_id[a->txn[t]]);
        a->place[t] = n;
    }
}

static enum status read_floats(struct absence *a, struct json *json, struct error *err)
{
    bool more = true;
    uint32_t t = 0;

    TRY(json_open(json, '[', "an array of transactions", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(read_txn(a, json, &t, err));
        a->floats[t] = true;
    }
}

static enum status read_lemma(struct absence *a, struct json *json, struct error *err)
{
    static const char *const names[] = { "order", "floats", NULL };
    unsigned field = 0, seen = 0;
    struct text name;

    memset(a->floats, 0, a->txn_count * sizeof *a->floats);
    TRY(json_open(json, '{', "a lemma", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(json_know_field(json, name, names, &field, &seen, err));
        if (field == 0)
            TRY(read_order(a, json, err));
        else
            TRY(read_floats(a, json, err));
    }
    return seen == 3 ? STATUS_OK
                     : json_refuse_token(json, err, "a lemma has an order, and who floats");
}

static enum status read_lemmas(struct absence *a, struct json *json, struct error *err)
{
    bool more = true;

    TAKE(a, a->place, a->txn_count, err);
    TAKE(a, a->floats, a->txn_count, err);
    TRY(json_open(json, '[', "an array of lemmas", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        a->answer->lemmas = n;
        if (!more)
            return STATUS_OK;
        TRY(read_lemma(a, json, err));
        TRY(absence_formula_add_lemma(a, err));
    }
}

static enum status read_clause(struct absence *a, struct json *json, struct error *err)
{
    bool more = true;

    a->clause.count = 0;
    TRY(json_open(json, '[', "a clause", err));
    for (size_t n = 0;; n++) {
        int64_t number = 0;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(json_integer(json, "a literal", &number, err));
        if (number == 0 || number > (int64_t)a->variable_count ||
            number < -(int64_t)a->variable_count)
            return REFUSE(a, err, "there is no variable %" PRId64, number);
        TRY(array_push(&a->clause,
                       number > 0 ? 2 * (uint32_t)(number - 1) : 2 * (uint32_t)(-number - 1) + 1,
                       err));
    }
}

/* Whether the clause says that some edge from the one to the other is not there; or session order is one. */
static bool excludes_edge(const struct absence *a, uint32_t from, uint32_t to)
{
    if (a->previous[to] == from)
        return true;
    for (size_t i = 0; i < a->clause.count; i++) {
        uint32_t variable = a->clause.at[i] / 2;

        if (a->clause.at[i] % 2 == 0)
            continue;
        if (variable == absence_before(a, from, to))
            return true;
        if (variable < a->before && a->from_reader[variable] != NOBODY &&
            a->from_writer[variable] == from && a->reads[a->from_reader[variable]].txn == to)
            return true;
    }
    return false;
}

static enum status check_cycle(struct absence *a, struct json *json, uint32_t *first,
                               uint32_t *last, struct error *err)
{
    bool more = true;
    uint32_t t = 0;

    *first = NOBODY;
    TRY(json_open(json, '[', "an array of transactions", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more)
            break;
        TRY(read_txn(a, json, &t, err));
        if (n > 0 && !excludes_edge(a, *last, t))
            return REFUSE(a, err,
                          "step %" PRIu64 " is about a cycle with an edge that need not be there",
                          a->answer->steps);
        *first = n == 0 ? t : *first;
        *last = t;
    }
    if (*first == NOBODY || !excludes_edge(a, *last, *first))
        return REFUSE(a, err, "step %" PRIu64 " is about a cycle that is not closed",
                      a->answer->steps);
    return STATUS_OK;
}

/* {"clause":[…],"cycle":[…]}, in this order */
static enum status read_cycle_step(struct absence *a, struct json *json, struct error *err)
{
    struct text name;
    uint32_t first, last;

    TRY(json_open(json, '{', "a step", err));
    TRY(json_field(json, 0, &name, err));
    if (!name.at || !text_equal(name, TEXT("clause")))
        return json_refuse_token(json, err, "a step about a cycle begins with its clause");
    TRY(read_clause(a, json, err));
    TRY(json_field(json, 1, &name, err));
    if (!name.at || !text_equal(name, TEXT("cycle")))
        return json_refuse_token(json, err, "a step about a cycle has a cycle");
    TRY(check_cycle(a, json, &first, &last, err));
    TRY(json_field(json, 2, &name, err));
    return name.at ? json_refuse_token(json, err, "a step about a cycle has nothing more")
                   : STATUS_OK;
}

static enum status read_step(struct absence *a, struct json *json, struct error *err)
{
    if (json_peek(json) == '{')
        return read_cycle_step(a, json, err);
    TRY(read_clause(a, json, err));
    if (!propagation_implies(&a->propagation, a->clause.at, a->clause.count))
        return REFUSE(a, err, "step %" PRIu64 " does not follow", a->answer->steps);
    return a->propagation.visits <= VISITS_MAX
               ? STATUS_OK
               : REFUSE(a, err, "too much of it would have to be searched for");
}

static enum status check_steps(struct absence *a, struct json *json, struct error *err)
{
    bool more = true;

    TRY(json_open(json, '[', "an array of steps", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        a->answer->steps = n;
        if (!more)
            break;
        TRY(read_step(a, json, err));
        TRY(propagation_add(&a->propagation, a->clause.at, a->clause.count, err));
    }
    a->clause.count = 0;
    return propagation_implies(&a->propagation, NULL, 0)
               ? STATUS_OK
               : REFUSE(a, err, "the steps do not end in a contradiction");
}

/* --- The whole ---------------------------------------------------------------------------------------------------------- */

static enum status propagate_all(struct absence *a, struct error *err)
{
    uint64_t from = 0;

    TRY(propagation_init(&a->propagation, a->variable_count, err));
    for (size_t i = 0; i < a->ends.count; i++) {
        TRY(propagation_add(&a->propagation, a->literals.at + from, a->ends.at[i] - from, err));
        from = a->ends.at[i];
    }
    array_close(&a->literals);
    array_close(&a->ends);
    return STATUS_OK;
}

static enum status verify_all(struct absence *a, struct json *json, struct error *err)
{
    TRY(absence_formula_build(a, err));
    a->answer->txns = a->txn_count;
    json_begin(json, a->claim->lemmas);
    TRY(read_lemmas(a, json, err));
    TRY(propagate_all(a, err));
    json_begin(json, a->claim->steps);
    return check_steps(a, json, err);
}

enum status absence_verify(const struct observed *o, const struct absence_claim *claim,
                           struct arena *arena, struct absence_answer *answer, struct error *err)
{
    struct absence a = { .o = o, .claim = claim, .answer = answer, .arena = arena };
    struct json json = { .begin = NULL };
    enum status status;

    *answer = (struct absence_answer){ .is_refused = false };
    status = verify_all(&a, &json, err);
    json_close(&json);
    map_close(&a.ids);
    map_close(&a.conflicts);
    array_close(&a.literals);
    array_close(&a.ends);
    array_close(&a.clause);
    array_close(&a.slots);
    array_close(&a.main);
    propagation_close(&a.propagation);
    return status;
}
