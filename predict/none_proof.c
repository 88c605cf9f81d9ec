#include "predict/none_proof.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "base/sort.h"
#include "checkers/search/solver/search.h"
#include "predict/bit_rows_private.h"
#include "predict/predict_private.h"
#include "predict/serialize_private.h"

#define VARIABLES_MAX (UINT32_C(1) << 24)
#define LITERALS_MAX (UINT64_C(1) << 25)
#define TXNS_MAX 2000

struct prover {
    const struct dataflow *t;
    const struct predict_options *options;
    struct arena *arena;
    struct none_proof *proof;
    bool is_strict, is_too_large;
    struct bit_rows past;      /* by transaction: who happens before it, as observed */
    uint32_t *full, *boundary; /* variables, by transaction */
    uint32_t *cut,
        *from; /* by event, of reads: the latter of the initial state, and behind it the writers */
    uint32_t before, sees; /* variables: so many times so many */
    uint32_t variable_count;
    ARRAY(uint8_t) phases; /* by variable: what is tried first */
    ARRAY(uint32_t) literals;
    ARRAY(uint32_t) clause_start;
    ARRAY(uint32_t) clause;
    ARRAY(struct search_edge) edges;
    struct map ordered;   /* pairs that have an edge */
    struct map conflicts; /* a from-variable and another writer */
    uint32_t *place;
    bool *floats;
    ARRAY(uint32_t) main, slots;
    struct json_writer lemmas;
    struct buffer lemma_text;
};

/* Levels at which that there is none has a proof: LEVEL_BIT of each. */
static uint64_t none_proof_levels(void)
{
    return LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_READ_ATOMIC) | LEVEL_BIT(LEVEL_CAUSAL);
}

static uint32_t positive(uint32_t variable)
{
    return 2 * variable;
}

static uint32_t negative(uint32_t variable)
{
    return 2 * variable + 1;
}

static enum status push(struct prover *p, uint32_t literal, struct error *err)
{
    return array_push(&p->clause, literal, err);
}

static enum status end_clause(struct prover *p, struct error *err)
{
    p->is_too_large |= p->literals.count > LITERALS_MAX;
    for (size_t i = 0; i < p->clause.count && !p->is_too_large; i++)
        TRY(array_push(&p->literals, p->clause.at[i], err));
    p->clause.count = 0;
    return array_push(&p->clause_start, (uint32_t)p->literals.count, err);
}

static enum status add_pair(struct prover *p, uint32_t a, uint32_t b, struct error *err)
{
    TRY(push(p, a, err));
    TRY(push(p, b, err));
    return end_clause(p, err);
}

/* --- Variables ----------------------------------------------------------------------------------- */

static uint32_t key_of(const struct prover *p, uint32_t event)
{
    return p->t->events[event].key;
}

/* Writers of the key, of which the reader may be one. */
static uint32_t writer_count(const struct prover *p, uint32_t key)
{
    return p->t->writer_start[key + 1] - p->t->writer_start[key];
}

static uint32_t writer_at(const struct prover *p, uint32_t key, uint32_t n)
{
    return p->t->writers[p->t->writer_start[key] + n];
}

/* The choices of a read: the initial state, and each writer but the reader. */
struct choice_of {
    uint32_t writer, variable;
    uint32_t next; /* 0: the initial state; else one more than the place of a writer */
};

static bool next_choice(const struct prover *p, uint32_t txn, uint32_t event,
                        struct choice_of *choice)
{
    uint32_t key = key_of(p, event), count = writer_count(p, key);

    if (choice->next++ == 0) {
        choice->variable = p->from[event];
        choice->writer = DATAFLOW_INITIAL;
        return true;
    }
    while (choice->next - 2 < count && writer_at(p, key, choice->next - 2) == txn)
        choice->next++;
    if (choice->next - 2 >= count)
        return false;
    choice->writer = writer_at(p, key, choice->next - 2);
    choice->variable++;
    return true;
}

#define FOR_CHOICES(p, txn, event, choice)                                                         \
    for ((choice) = (struct choice_of){ 0, 0, 0 }; next_choice((p), (txn), (event), &(choice));)

/* The reads of a transaction. */
#define FOR_READS(p, txn, e)                                                                       \
    for (uint32_t e = (p)->t->event_start[txn]; e < (p)->t->event_start[(txn) + 1]; e++)           \
        if (dataflow_is_read((p)->t->events[e]))

static enum status number_variables(struct prover *p, struct error *err)
{
    const struct dataflow *t = p->t;
    uint64_t next = 0;

    PREDICT_TAKE(p->arena, p->full, t->txn_count, err);
    PREDICT_TAKE(p->arena, p->boundary, t->txn_count, err);
    PREDICT_TAKE(p->arena, p->cut, t->event_count, err);
    PREDICT_TAKE(p->arena, p->from, t->event_count, err);
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        p->full[txn] = (uint32_t)next++;
        p->boundary[txn] = (uint32_t)next++;
        FOR_READS(p, txn, e)
        {
            struct choice_of choice = { 0, 0, 0 };

            if (p->is_strict)
                p->cut[e] = (uint32_t)next++;
            p->from[e] = (uint32_t)next;
            FOR_CHOICES(p, txn, e, choice)
            next++;
            p->is_too_large |= next > VARIABLES_MAX;
            if (p->is_too_large)
                return STATUS_OK;
        }
    }
    p->before = (uint32_t)next;
    p->sees = p->before + t->txn_count * t->txn_count;
    next += 2 * (uint64_t)t->txn_count * t->txn_count;
    p->is_too_large |= next > VARIABLES_MAX;
    p->variable_count = (uint32_t)next;
    return STATUS_OK;
}

/* Whether that was not known yet. */
static bool add_past(struct prover *p, uint32_t txn, uint32_t before)
{
    const uint64_t *its = bit_rows_row(&p->past, before), *row = bit_rows_row(&p->past, txn);
    bool is_new = !bit_rows_has(&p->past, txn, before);

    for (uint32_t i = 0; i < p->past.words; i++)
        is_new |= (its[i] & ~row[i]) != 0;
    bit_rows_add(&p->past, txn, before);
    bit_rows_join(&p->past, txn, before);
    return is_new;
}

static enum status find_past(struct prover *p, struct error *err)
{
    const struct dataflow *t = p->t;
    bool has_grown = true;

    TRY(bit_rows_init(&p->past, t->txn_count, p->arena, err));
    while (has_grown) {
        has_grown = false;
        for (uint32_t txn = 0; txn < t->txn_count; txn++) {
            if (t->previous[txn] != DATAFLOW_NONE)
                has_grown |= add_past(p, txn, t->previous[txn]);
            FOR_READS(p, txn, e)
            if (t->events[e].writer != DATAFLOW_INITIAL)
                has_grown |= add_past(p, txn, t->events[e].writer);
        }
    }
    return STATUS_OK;
}

/* --- What a prediction is -------------------------------------------------------------------------- */

static enum status add_standing(struct prover *p, uint32_t txn, struct error *err)
{
    uint32_t previous = p->t->previous[txn];

    TRY(add_pair(p, negative(p->full[txn]), negative(p->boundary[txn]), err));
    if (previous == DATAFLOW_NONE)
        return STATUS_OK;
    TRY(add_pair(p, negative(p->full[txn]), positive(p->full[previous]), err));
    TRY(array_push(&p->edges, ((struct search_edge){ previous, txn, { SEARCH_NONE, SEARCH_NONE } }),
                   err));
    return add_pair(p, negative(p->boundary[txn]), positive(p->full[previous]), err);
}

static enum status add_cuts(struct prover *p, uint32_t txn, struct error *err)
{
    uint32_t end = p->t->event_start[txn + 1];

    FOR_READS(p, txn, e)
    {
        TRY(add_pair(p, negative(p->cut[e]), positive(p->boundary[txn]), err));
        for (uint32_t later = e + 1; later < end; later++)
            if (dataflow_is_read(p->t->events[later]))
                TRY(add_pair(p, negative(p->cut[e]), negative(p->cut[later]), err));
    }
    TRY(push(p, negative(p->boundary[txn]), err));
    FOR_READS(p, txn, e)
    TRY(push(p, positive(p->cut[e]), err));
    return end_clause(p, err);
}

static enum status add_some_choice(struct prover *p, uint32_t txn, uint32_t event, uint32_t reason,
                                   struct error *err)
{
    struct choice_of choice = { 0, 0, 0 };

    TRY(push(p, negative(reason), err));
    FOR_CHOICES(p, txn, event, choice)
    TRY(push(p, positive(choice.variable), err));
    return end_clause(p, err);
}

/* Literals that say that the event is in. */
static enum status push_in(struct prover *p, uint32_t txn, uint32_t event, struct error *err)
{
    TRY(push(p, positive(p->full[txn]), err));
    if (!p->is_strict)
        return push(p, positive(p->boundary[txn]), err);
    for (uint32_t cut = event; cut < p->t->event_start[txn + 1]; cut++)
        if (dataflow_is_read(p->t->events[cut]))
            TRY(push(p, positive(p->cut[cut]), err));
    return STATUS_OK;
}

static enum status add_choice(struct prover *p, uint32_t txn, uint32_t event,
                              struct choice_of choice, struct error *err)
{
    struct choice_of other = { 0, 0, 0 };

    TRY(push(p, negative(choice.variable), err));
    TRY(push_in(p, txn, event, err));
    TRY(end_clause(p, err));
    FOR_CHOICES(p, txn, event, other)
    if (other.variable > choice.variable)
        TRY(add_pair(p, negative(choice.variable), negative(other.variable), err));
    if (choice.writer == DATAFLOW_INITIAL)
        return STATUS_OK;
    TRY(array_push(
        &p->edges,
        ((struct search_edge){ choice.writer, txn, { positive(choice.variable), SEARCH_NONE } }),
        err));
    return add_pair(p, negative(choice.variable), positive(p->full[choice.writer]), err);
}

static enum status add_read(struct prover *p, uint32_t txn, uint32_t event, struct error *err)
{
    struct choice_of choice = { 0, 0, 0 };
    uint32_t observed = 0;

    FOR_CHOICES(p, txn, event, choice)
    {
        TRY(add_choice(p, txn, event, choice, err));
        if (choice.writer == p->t->events[event].writer)
            observed = choice.variable;
    }
    TRY(add_pair(p, negative(p->full[txn]), positive(observed), err));
    if (!p->is_strict)
        return add_some_choice(p, txn, event, p->boundary[txn], err);
    TRY(add_some_choice(p, txn, event, p->cut[event], err));
    for (uint32_t cut = event + 1; cut < p->t->event_start[txn + 1]; cut++)
        if (dataflow_is_read(p->t->events[cut]))
            TRY(add_pair(p, negative(p->cut[cut]), positive(observed), err));
    return STATUS_OK;
}

/* --- What the level asks for -------------------------------------------------------------------------- */

static enum status find_before(struct prover *p, uint32_t first, uint32_t second,
                               uint32_t *variable, struct error *err)
{
    size_t count = p->ordered.keys.count, place;

    *variable = p->before + first * p->t->txn_count + second;
    TRY(map_add(&p->ordered, *variable, 0, &place, err));
    if (p->ordered.keys.count == count)
        return STATUS_OK;
    return array_push(&p->edges,
                      ((struct search_edge){ first, second, { positive(*variable), SEARCH_NONE } }),
                      err);
}

static enum status add_axiom(struct prover *p, struct choice_of choice, uint32_t reason, uint32_t c,
                             struct error *err)
{
    uint32_t variable;

    if (choice.writer == c)
        return STATUS_OK;
    TRY(push(p, negative(choice.variable), err));
    if (reason != DATAFLOW_NONE)
        TRY(push(p, negative(reason), err));
    if (choice.writer != DATAFLOW_INITIAL) {
        TRY(find_before(p, c, choice.writer, &variable, err));
        TRY(push(p, positive(variable), err));
    }
    return end_clause(p, err);
}

static bool sees_surely(const struct prover *p, uint32_t txn, uint32_t c)
{
    uint32_t previous = p->t->previous[txn];

    if (p->options->level == LEVEL_CAUSAL)
        return previous != DATAFLOW_NONE && (previous == c || bit_rows_has(&p->past, previous, c));
    while (previous != DATAFLOW_NONE && previous != c)
        previous = p->t->previous[previous];
    return previous != DATAFLOW_NONE;
}

static uint32_t sees(const struct prover *p, uint32_t txn, uint32_t c)
{
    return p->sees + txn * p->t->txn_count + c;
}

static enum status add_sights(struct prover *p, uint32_t txn, struct choice_of choice,
                              struct error *err)
{
    if (choice.writer == DATAFLOW_INITIAL)
        return STATUS_OK;
    TRY(add_pair(p, negative(choice.variable), positive(sees(p, txn, choice.writer)), err));
    for (uint32_t c = 0; c < p->t->txn_count && p->options->level == LEVEL_CAUSAL; c++)
        if (c != choice.writer && bit_rows_has(&p->past, choice.writer, c))
            TRY(add_pair(p, negative(choice.variable), positive(sees(p, txn, c)), err));
    return STATUS_OK;
}

static enum status add_visibility(struct prover *p, uint32_t txn, struct error *err)
{
    struct choice_of choice = { 0, 0, 0 };

    FOR_READS(p, txn, e)
    FOR_CHOICES(p, txn, e, choice)
    TRY(add_sights(p, txn, choice, err));
    FOR_READS(p, txn, e)
    for (uint32_t w = 0; w < writer_count(p, key_of(p, e)); w++) {
        uint32_t c = writer_at(p, key_of(p, e), w);
        uint32_t reason = c != txn && sees_surely(p, txn, c) ? DATAFLOW_NONE : sees(p, txn, c);

        if (c != txn)
            FOR_CHOICES(p, txn, e, choice)
        TRY(add_axiom(p, choice, reason, c, err));
    }
    return STATUS_OK;
}

static bool writes(const struct prover *p, uint32_t txn, uint32_t key)
{
    for (uint32_t w = 0; w < writer_count(p, key); w++)
        if (writer_at(p, key, w) == txn)
            return true;
    return false;
}

static enum status add_committed(struct prover *p, uint32_t txn, struct error *err)
{
    struct choice_of seen = { 0, 0, 0 }, choice = { 0, 0, 0 };

    FOR_READS(p, txn, e)
    for (uint32_t earlier = p->t->event_start[txn]; earlier < e; earlier++)
        if (dataflow_is_read(p->t->events[earlier]))
            FOR_CHOICES(p, txn, earlier, seen)
    if (seen.writer != DATAFLOW_INITIAL && writes(p, seen.writer, key_of(p, e)))
        FOR_CHOICES(p, txn, e, choice)
    TRY(add_axiom(p, choice, seen.variable, seen.writer, err));
    return STATUS_OK;
}

static enum status add_base(struct prover *p, struct error *err)
{
    TRY(array_push(&p->clause_start, 0, err));
    for (uint32_t txn = 0; txn < p->t->txn_count && !p->is_too_large; txn++) {
        TRY(add_standing(p, txn, err));
        if (p->is_strict)
            TRY(add_cuts(p, txn, err));
        FOR_READS(p, txn, e)
        TRY(add_read(p, txn, e, err));
        if (p->options->level == LEVEL_READ_COMMITTED)
            TRY(add_committed(p, txn, err));
        else
            TRY(add_visibility(p, txn, err));
    }
    return STATUS_OK;
}

/* --- Lemmas ------------------------------------------------------------------------------------------- */

static enum status find_conflict(struct prover *p, struct choice_of choice, uint32_t other,
                                 uint32_t key, uint32_t *conflict, struct error *err)
{
    uint64_t name = (uint64_t)choice.variable << 32 | other, known;
    size_t place;

    if (map_find(&p->conflicts, name, &known)) {
        *conflict = (uint32_t)known;
        return STATUS_OK;
    }
    *conflict = p->variable_count++;
    TRY(map_add(&p->conflicts, name, *conflict, &place, err));
    TRY(add_pair(p, negative(*conflict), positive(choice.variable), err));
    TRY(push(p, negative(*conflict), err));
    TRY(push_in(p, other, dataflow_write_of(p->t, other, key), err));
    return end_clause(p, err);
}

static enum status put_conflicts_of(struct prover *p, uint32_t txn, uint32_t event,
                                    struct choice_of choice, uint32_t slot, struct error *err)
{
    uint32_t key = key_of(p, event), writer = choice.writer, conflict;

    if (writer != DATAFLOW_INITIAL && p->place[writer] >= slot)
        return array_push(&p->main, positive(choice.variable), err);
    for (uint32_t w = 0; w < writer_count(p, key); w++) {
        uint32_t c = writer_at(p, key, w);

        if (c == txn || c == writer || p->place[c] >= slot ||
            (writer != DATAFLOW_INITIAL && p->place[c] < p->place[writer]))
            continue;
        TRY(find_conflict(p, choice, c, key, &conflict, err));
        TRY(array_push(&p->main, positive(conflict), err));
    }
    return STATUS_OK;
}

/* If the transaction stands behind so many. */
static enum status put_conflicts(struct prover *p, uint32_t txn, uint32_t slot, struct error *err)
{
    struct choice_of choice = { 0, 0, 0 };

    FOR_READS(p, txn, e)
    FOR_CHOICES(p, txn, e, choice)
    TRY(put_conflicts_of(p, txn, e, choice, slot, err));
    return STATUS_OK;
}

static enum status find_slots(struct prover *p, uint32_t txn, struct error *err)
{
    uint32_t previous = p->t->previous[txn],
             least = previous == DATAFLOW_NONE ? 0 : p->place[previous] + 1;

    p->slots.count = 0;
    TRY(array_push(&p->slots, least, err));
    FOR_READS(p, txn, e)
    for (uint32_t w = 0; w < writer_count(p, key_of(p, e)); w++) {
        uint32_t writer = writer_at(p, key_of(p, e), w);

        if (writer != txn && p->place[writer] >= least)
            TRY(array_push(&p->slots, p->place[writer] + 1, err));
    }
    p->slots.count = sort_once(p->slots.at, p->slots.count);
    return STATUS_OK;
}

static enum status end_with_conflicts(struct prover *p, size_t from, struct error *err)
{
    for (size_t i = from; i < p->main.count; i++)
        TRY(push(p, p->main.at[i], err));
    p->main.count = from;
    return end_clause(p, err);
}

static enum status add_floating(struct prover *p, uint32_t txn, struct error *err)
{
    const struct dataflow *t = p->t;
    uint32_t stuck = p->variable_count++, session = t->session[txn];
    uint32_t place = t->ordinal[txn] + 1, next = DATAFLOW_NONE;
    size_t from = p->main.count;

    if (t->session_start[session] + place < t->session_start[session + 1])
        next = t->session_txns[t->session_start[session] + place];
    TRY(put_conflicts(p, txn, p->place[txn], err));
    TRY(push(p, negative(stuck), err));
    TRY(end_with_conflicts(p, from, err));
    TRY(find_slots(p, txn, err));
    for (size_t i = 0; i < p->slots.count; i++) {
        TRY(put_conflicts(p, txn, p->slots.at[i], err));
        TRY(push(p, negative(stuck), err));
        if (next != DATAFLOW_NONE) {
            TRY(push(p, positive(p->full[next]), err));
            TRY(push(p, positive(p->boundary[next]), err));
        }
        for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
            if (!dataflow_is_read(t->events[e])) {
                TRY(push_in(p, txn, e, err));
                break;
            }
        TRY(end_with_conflicts(p, from, err));
    }
    return array_push(&p->main, positive(stuck), err);
}

/* By the order of what is in; the others behind them. */
static enum status find_places(struct prover *p, const struct dataflow *predicted,
                               const uint32_t *order, struct error *err)
{
    uint32_t count = p->t->txn_count, placed = 0, *number;

    PREDICT_TAKE(p->arena, number, p->t->history->txn_count, err);
    for (uint32_t txn = 0; txn < count; txn++) {
        number[p->t->txn[txn]] = txn;
        p->place[txn] = DATAFLOW_NONE;
    }
    for (uint32_t i = 0; i < predicted->txn_count; i++)
        p->place[number[predicted->txn[order[i]]]] = placed++;
    for (uint32_t txn = 0; txn < count; txn++)
        if (p->place[txn] == DATAFLOW_NONE)
            p->place[txn] = placed++;
    return STATUS_OK;
}

/* Who writes nothing that is in. */
static void find_floating(struct prover *p, const struct prediction *found)
{
    const struct dataflow *t = p->t;

    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        uint32_t first = t->event_start[txn], session = t->session[txn];

        while (first < t->event_start[txn + 1] && dataflow_is_read(t->events[first]))
            first++;
        p->floats[txn] = first == t->event_start[txn + 1] ||
                         (found->boundary[session] == txn &&
                          first - t->event_start[txn] >= found->included[session]);
    }
}

static enum status write_lemma(struct prover *p, struct error *err)
{
    const struct dataflow *t = p->t;
    struct json_writer *json = &p->lemmas;
    uint32_t *order;

    PREDICT_TAKE(p->arena, order, t->txn_count, err);
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        order[p->place[txn]] = txn;
    json_writer_open(json, NULL, '{');
    json_writer_open(json, "order", '[');
    for (uint32_t i = 0; i < t->txn_count; i++)
        json_writer_int64(json, NULL, t->history->txn_id[t->txn[order[i]]]);
    json_writer_close(json, ']');
    json_writer_open(json, "floats", '[');
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        if (p->floats[txn])
            json_writer_int64(json, NULL, t->history->txn_id[t->txn[txn]]);
    json_writer_close(json, ']');
    json_writer_close(json, '}');
    p->proof->lemmas++;
    return STATUS_OK;
}

static enum status add_lemma(struct prover *p, struct error *err)
{
    TRY(write_lemma(p, err));
    p->main.count = 0;
    for (uint32_t txn = 0; txn < p->t->txn_count; txn++)
        if (p->floats[txn])
            TRY(add_floating(p, txn, err));
        else
            TRY(put_conflicts(p, txn, p->place[txn], err));
    return end_with_conflicts(p, 0, err);
}

/* --- The loop -------------------------------------------------------------------------------------------- */

static bool holds(const uint8_t *values, uint32_t variable)
{
    return values[variable];
}

static void read_boundary(struct prover *p, const uint8_t *values, uint32_t txn,
                          struct prediction *found)
{
    const struct dataflow *t = p->t;
    struct choice_of choice = { 0, 0, 0 };
    uint32_t end = t->event_start[txn + 1];

    FOR_READS(p, txn, e)
    {
        if (p->is_strict && holds(values, p->cut[e]))
            end = e + 1;
        FOR_CHOICES(p, txn, e, choice)
        if (holds(values, choice.variable))
            found->writer[e] = choice.writer;
    }
    found->boundary[t->session[txn]] = txn;
    found->included[t->session[txn]] = end - t->event_start[txn];
}

static enum status read_values(struct prover *p, const uint8_t *values, struct prediction *found,
                               struct error *err)
{
    const struct dataflow *t = p->t;

    *found = (struct prediction){ .kind = PREDICTION_FOUND };
    PREDICT_TAKE(p->arena, found->full, t->session_count, err);
    PREDICT_TAKE(p->arena, found->boundary, t->session_count, err);
    PREDICT_TAKE(p->arena, found->included, t->session_count, err);
    PREDICT_TAKE(p->arena, found->writer, t->event_count, err);
    for (uint32_t e = 0; e < t->event_count; e++)
        found->writer[e] = t->events[e].writer;
    for (uint32_t s = 0; s < t->session_count; s++)
        found->boundary[s] = DATAFLOW_NONE;
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        found->full[t->session[txn]] += holds(values, p->full[txn]);
        if (holds(values, p->boundary[txn]))
            read_boundary(p, values, txn, found);
    }
    return STATUS_OK;
}

static enum status give_up(struct prover *p, const char *why)
{
    snprintf(p->proof->reason, sizeof p->proof->reason, "%s", why);
    return STATUS_OK;
}

/* One more lemma, by the order in which what was found is serializable. */
static enum status learn(struct prover *p, const uint8_t *values, struct error *err)
{
    enum serialize_answer answer;
    struct prediction found;
    struct dataflow predicted;
    size_t used = p->arena->used;
    uint32_t *order;

    TRY(read_values(p, values, &found, err));
    TRY(prediction_dataflow(&found, p->t, p->arena, &predicted, err));
    TRY(serialize(&predicted, p->arena, p->options->stop, &answer, &order, err));
    if (answer == SERIALIZE_STOPPED)
        return give_up(p, "the time was over");
    p->proof->is_contradicted = answer != SERIALIZE_ORDER;
    if (p->proof->is_contradicted)
        return give_up(
            p, "internal error: the search for a proof that there is no prediction found one");
    TRY(find_places(p, &predicted, order, err));
    find_floating(p, &found);
    TRY(add_lemma(p, err));
    arena_reset_to(p->arena, used);
    return STATUS_OK;
}

static void write_literals(struct json_writer *json, const char *name, const uint32_t *literals,
                           uint32_t count)
{
    json_writer_open(json, name, '[');
    for (uint32_t i = 0; i < count; i++)
        json_writer_int64(json, NULL,
                          literals[i] % 2 ? -(int64_t)(literals[i] / 2 + 1) : literals[i] / 2 + 1);
    json_writer_close(json, ']');
}

/* That not all edges of a cycle can be there. */
static enum status write_cycle(struct prover *p, const uint32_t *edges, uint32_t count,
                               struct json_writer *json, struct error *err)
{
    const struct dataflow *t = p->t;

    p->clause.count = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int g = 0; g < 2; g++)
            if (p->edges.at[edges[i]].guards[g] != SEARCH_NONE)
                TRY(push(p, p->edges.at[edges[i]].guards[g] ^ 1, err));
    json_writer_open(json, NULL, '{');
    write_literals(json, "clause", p->clause.at, (uint32_t)p->clause.count);
    json_writer_open(json, "cycle", '[');
    for (uint32_t i = 0; i < count; i++)
        json_writer_int64(json, NULL, t->history->txn_id[t->txn[p->edges.at[edges[i]].from]]);
    json_writer_close(json, ']');
    json_writer_close(json, '}');
    p->clause.count = 0;
    return STATUS_OK;
}

static enum status write_witness(struct prover *p, const struct search_proof *proof,
                                 struct error *err)
{
    struct buffer *out = &p->proof->witness;
    struct json_writer json = { .out = out };
    struct digest digest = history_digest(p->t->history);
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&digest, hex);
    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "ordeal-prediction", 1);
    json_writer_text(&json, "history", hex);
    json_writer_text(&json, "level", level_name(p->options->level));
    json_writer_text(&json, "boundary", p->is_strict ? "strict" : "relaxed");
    json_writer_text(&json, "verdict", "none");
    json_writer_close(&p->lemmas, ']');
    buffer_text(out, TEXT(",\"lemmas\":"));
    buffer_append(out, &p->lemma_text);
    json_writer_open(&json, "steps", '[');
    for (uint32_t i = 0; i < proof->step_count; i++) {
        const struct search_step *step = &proof->steps[i];

        if (step->cycle_count > 0)
            TRY(write_cycle(p, proof->words + step->cycle, step->cycle_count, &json, err));
        write_literals(&json, NULL, proof->words + step->literals, step->literal_count);
        p->proof->steps += 1 + (step->cycle_count > 0);
    }
    json_writer_close(&json, ']');
    json_writer_close(&json, '}');
    buffer_byte(out, '\n');
    p->proof->is_proven = true;
    return buffer_status(out, err);
}

/* Transactions are full rather than not: the more is in, the more a lemma says. */
static enum status set_phases(struct prover *p, struct error *err)
{
    while (p->phases.count < p->variable_count)
        TRY(array_push(&p->phases, 0, err));
    for (uint32_t txn = 0; txn < p->t->txn_count; txn++)
        p->phases.at[p->full[txn]] = 1;
    return STATUS_OK;
}

static enum status solve(struct prover *p, struct search_result *result, struct error *err)
{
    struct search_problem problem = { .node_count = p->t->txn_count,
                                      .variable_count = p->variable_count,
                                      .edges = p->edges.at,
                                      .edge_count = (uint32_t)p->edges.count,
                                      .literals = p->literals.at,
                                      .clause_start = p->clause_start.at,
                                      .clause_count = (uint32_t)p->clause_start.count - 1,
                                      .phases = p->phases.at };
    struct search_options options = { .stop = p->options->stop,
                                      .threads = 1,
                                      .steps_max = p->options->steps_max,
                                      .wants_proof = true };

    return search_solve(&problem, &options, result, err);
}

static enum status run(struct prover *p, struct error *err)
{
    while (!p->proof->is_proven && !p->proof->reason[0]) {
        struct search_result result = { 0 };
        enum status status = set_phases(p, err);

        if (status == STATUS_OK)
            status = solve(p, &result, err);
        if (status == STATUS_OK && result.answer == SEARCH_FOUND)
            status = learn(p, result.values, err);
        else if (status == STATUS_OK && result.answer == SEARCH_UNDECIDED)
            status = give_up(p, "the time was over");
        else if (status == STATUS_OK && !result.has_proof)
            status = give_up(p, "the proof is too long");
        else if (status == STATUS_OK)
            status = write_witness(p, &result.proof, err);
        search_result_close(&result);
        TRY(status);
        if (p->is_too_large || p->variable_count > VARIABLES_MAX)
            return give_up(p, "the history is too large");
    }
    return STATUS_OK;
}

static enum status make(struct prover *p, struct error *err)
{
    if (p->t->txn_count > TXNS_MAX)
        return give_up(p, "the history is too large");
    PREDICT_TAKE(p->arena, p->place, p->t->txn_count, err);
    PREDICT_TAKE(p->arena, p->floats, p->t->txn_count, err);
    TRY(number_variables(p, err));
    if (p->is_too_large)
        return give_up(p, "the history is too large");
    TRY(find_past(p, err));
    TRY(add_base(p, err));
    if (p->is_too_large)
        return give_up(p, "the history is too large");
    p->lemmas = (struct json_writer){ .out = &p->lemma_text };
    json_writer_open(&p->lemmas, NULL, '[');
    return run(p, err);
}

enum status none_proof_make(const struct dataflow *trace, const struct predict_options *options,
                            struct arena *arena, struct none_proof *proof, struct error *err)
{
    struct prover p = { .t = trace,
                        .options = options,
                        .arena = arena,
                        .proof = proof,
                        .is_strict = !strategy_is_relaxed(options->strategy) };
    enum status status;

    *proof = (struct none_proof){ .is_proven = false };
    assert(trace->history && trace->unjudged == 0);
    if (!(none_proof_levels() & LEVEL_BIT(options->level)))
        return give_up(&p, "there is no proof of that at this level");
    status = make(&p, err);
    array_close(&p.phases);
    array_close(&p.literals);
    array_close(&p.clause_start);
    array_close(&p.clause);
    array_close(&p.edges);
    array_close(&p.main);
    array_close(&p.slots);
    map_close(&p.ordered);
    map_close(&p.conflicts);
    buffer_close(&p.lemma_text);
    return status;
}

void none_proof_close(struct none_proof *proof)
{
    buffer_close(&proof->witness);
    *proof = (struct none_proof){ .is_proven = false };
}
