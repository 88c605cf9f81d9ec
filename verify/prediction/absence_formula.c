#include "verify/prediction/absence_formula_private.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"

static uint32_t yes(uint32_t variable)
{
    return 2 * variable;
}

static uint32_t no(uint32_t variable)
{
    return 2 * variable + 1;
}

static enum status put(struct absence *a, uint32_t literal, struct error *err)
{
    return array_push(&a->clause, literal, err);
}

/* The clause that was put together is one of those that hold. */
static enum status end_clause(struct absence *a, struct error *err)
{
    TRY(array_reserve(&a->literals, a->clause.count, err));
    for (size_t i = 0; i < a->clause.count; i++)
        a->literals.at[a->literals.count++] = a->clause.at[i];
    a->clause.count = 0;
    if (a->literals.count > LITERALS_MAX)
        return REFUSE(a, err, "the history is too large for a proof that there is none");
    return array_push(&a->ends, a->literals.count, err);
}

static enum status add_clause(struct absence *a, const uint32_t *literals, size_t count,
                              struct error *err)
{
    for (size_t i = 0; i < count; i++)
        TRY(put(a, literals[i], err));
    return end_clause(a, err);
}

#define ADD(a, err, ...)                                                                           \
    TRY(add_clause((a), (const uint32_t[]){ __VA_ARGS__ },                                         \
                   sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), (err)))

static enum status new_variable(struct absence *a, uint32_t *variable, struct error *err)
{
    *variable = a->variable_count++;
    return a->variable_count < VARIABLES_MAX
               ? STATUS_OK
               : REFUSE(a, err, "the history is too large for a proof that there is none");
}

/* --- The trace --------------------------------------------------------------------------------- */

static enum status number_txns(struct absence *a, uint32_t *number, struct error *err)
{
    const struct observed *o = a->o;
    const struct history *h = o->h;
    uint32_t *last;
    size_t place;

    TAKE(a, a->txn, h->txn_count, err);
    TAKE(a, a->previous, h->txn_count, err);
    TAKE(a, a->next, h->txn_count, err);
    TAKE(a, last, h->session_count, err);
    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        uint32_t t = a->txn_count, session = h->txn_session[txn];

        number[txn] = NOBODY;
        if (!o->takes_part[txn])
            continue;
        number[txn] = t;
        a->txn[t] = txn;
        a->next[t] = NOBODY;
        a->previous[t] = last[session] > 0 ? last[session] - 1 : NOBODY;
        if (last[session] > 0)
            a->next[last[session] - 1] = t;
        last[session] = t + 1;
        a->txn_count++;
        TRY(map_add(&a->ids, (uint64_t)h->txn_id[txn], t, &place, err));
    }
    return STATUS_OK;
}

static enum status list_events(struct absence *a, const uint32_t *number, uint32_t *key_number,
                               struct error *err)
{
    const struct observed *o = a->o;
    uint32_t write_count = 0;

    TAKE(a, a->read_start, a->txn_count + 1, err);
    TAKE(a, a->write_start, a->txn_count + 1, err);
    TAKE(a, a->reads, o->events.count, err);
    TAKE(a, a->writes, o->events.count, err);
    for (uint32_t t = 0; t < a->txn_count; t++) {
        uint32_t from = o->start[a->txn[t]], end = o->start[a->txn[t] + 1];

        a->read_start[t] = a->read_count;
        a->write_start[t] = write_count;
        for (uint32_t e = from; e < end; e++) {
            struct observed_event event = o->events.at[e];

            if (key_number[event.key] == 0)
                key_number[event.key] = ++a->key_count;
            if (event.from == FROM_NOBODY)
                a->writes[write_count++] =
                    (struct write_event){ key_number[event.key] - 1, e - from };
            else
                a->reads[a->read_count++] = (struct read_event){
                    .txn = t,
                    .key = key_number[event.key] - 1,
                    .event = e - from,
                    .observed = event.from == FROM_INITIAL ? INITIAL : number[event.from],
                };
        }
    }
    a->read_start[a->txn_count] = a->read_count;
    a->write_start[a->txn_count] = write_count;
    return STATUS_OK;
}

static enum status list_writers(struct absence *a, struct error *err)
{
    uint32_t count = a->write_start[a->txn_count];

    TAKE(a, a->writer_start, a->key_count + 1, err);
    TAKE(a, a->writers, count, err);
    for (uint32_t i = 0; i < count; i++)
        a->writer_start[a->writes[i].key + 2]++;
    array_sum_prefixes(a->writer_start, a->key_count + 2);
    for (uint32_t t = 0; t < a->txn_count; t++)
        for (uint32_t i = a->write_start[t]; i < a->write_start[t + 1]; i++)
            a->writers[a->writer_start[a->writes[i].key + 1]++] = t;
    return STATUS_OK;
}

static bool is_past(const struct absence *a, uint32_t first, uint32_t second)
{
    return a->past[(size_t)second * a->past_words + first / 64] >> first % 64 & 1;
}

/* Whether it added anything. */
static bool join_past(struct absence *a, uint32_t txn, uint32_t before)
{
    uint64_t *row = a->past + (size_t)txn * a->past_words;
    const uint64_t *its = a->past + (size_t)before * a->past_words;
    bool is_new = !is_past(a, before, txn);

    row[before / 64] |= UINT64_C(1) << before % 64;
    for (uint32_t i = 0; i < a->past_words; i++) {
        is_new |= (its[i] & ~row[i]) != 0;
        row[i] |= its[i];
    }
    return is_new;
}

/* By session order and observed reads, over any number of steps. */
static enum status find_past(struct absence *a, struct error *err)
{
    bool has_grown = true;

    a->past_words = (a->txn_count + 63) / 64;
    TAKE(a, a->past, (size_t)a->txn_count * a->past_words, err);
    while (has_grown) {
        has_grown = false;
        for (uint32_t t = 0; t < a->txn_count; t++) {
            if (a->previous[t] != NOBODY)
                has_grown |= join_past(a, t, a->previous[t]);
            for (uint32_t r = a->read_start[t]; r < a->read_start[t + 1]; r++)
                if (a->reads[r].observed != INITIAL)
                    has_grown |= join_past(a, t, a->reads[r].observed);
        }
    }
    return STATUS_OK;
}

static enum status read_trace(struct absence *a, struct error *err)
{
    const struct history *h = a->o->h;
    uint32_t *number, *key_number;

    TAKE(a, number, h->txn_count, err);
    TAKE(a, key_number, h->key_count, err);
    TRY(number_txns(a, number, err));
    if (a->txn_count > TXNS_MAX)
        return REFUSE(a, err, "the history is too large for a proof that there is none");
    TRY(list_events(a, number, key_number, err));
    TRY(list_writers(a, err));
    return find_past(a, err);
}

/* --- Variables ------------------------------------------------------------------------------------- */

/* Writers that a read may be from: 0 is the initial state, and the others follow. */
static uint32_t choice_count(const struct absence *a, const struct read_event *r)
{
    uint32_t count = 1;

    for (uint32_t i = a->writer_start[r->key]; i < a->writer_start[r->key + 1]; i++)
        count += a->writers[i] != r->txn;
    return count;
}

static enum status number_variables(struct absence *a, struct error *err)
{
    uint64_t total = 0;
    uint32_t next = 0;

    TAKE(a, a->full, a->txn_count, err);
    TAKE(a, a->boundary, a->txn_count, err);
    for (uint32_t t = 0; t < a->txn_count; t++) {
        a->full[t] = next++;
        a->boundary[t] = next++;
        for (uint32_t i = a->read_start[t]; i < a->read_start[t + 1]; i++) {
            struct read_event *r = &a->reads[i];

            if (a->claim->is_strict)
                r->cut = next++;
            r->from = next;
            next += choice_count(a, r);
            if (next > VARIABLES_MAX)
                return REFUSE(a, err, "the history is too large for a proof that there is none");
        }
    }
    a->before = next;
    a->sees = next + a->txn_count * a->txn_count;
    total = (uint64_t)next + 2 * (uint64_t)a->txn_count * a->txn_count;
    a->variable_count = (uint32_t)total - 1;
    TRY(new_variable(a, &next, err));
    TAKE(a, a->from_reader, a->before, err);
    TAKE(a, a->from_writer, a->before, err);
    memset(a->from_reader, 0xff, ((size_t)a->before + 1) * sizeof *a->from_reader);
    for (uint32_t i = 0; i < a->read_count; i++) {
        const struct read_event *r = &a->reads[i];
        uint32_t variable = r->from;

        a->from_reader[variable] = i;
        a->from_writer[variable++] = INITIAL;
        for (uint32_t k = a->writer_start[r->key]; k < a->writer_start[r->key + 1]; k++)
            if (a->writers[k] != r->txn) {
                a->from_reader[variable] = i;
                a->from_writer[variable++] = a->writers[k];
            }
    }
    return STATUS_OK;
}

static uint32_t sees(const struct absence *a, uint32_t txn, uint32_t other)
{
    return a->sees + txn * a->txn_count + other;
}

/* --- What a prediction is ------------------------------------------------------------------------------- */

static enum status add_standing(struct absence *a, uint32_t t, struct error *err)
{
    ADD(a, err, no(a->full[t]), no(a->boundary[t]));
    if (a->previous[t] == NOBODY)
        return STATUS_OK;
    ADD(a, err, no(a->full[t]), yes(a->full[a->previous[t]]));
    ADD(a, err, no(a->boundary[t]), yes(a->full[a->previous[t]]));
    return STATUS_OK;
}

/* Strict: a boundary transaction is cut behind one of its reads. */
static enum status add_cuts(struct absence *a, uint32_t t, struct error *err)
{
    for (uint32_t r = a->read_start[t]; r < a->read_start[t + 1]; r++) {
        ADD(a, err, no(a->reads[r].cut), yes(a->boundary[t]));
        for (uint32_t later = r + 1; later < a->read_start[t + 1]; later++)
            ADD(a, err, no(a->reads[r].cut), no(a->reads[later].cut));
    }
    TRY(put(a, no(a->boundary[t]), err));
    for (uint32_t r = a->read_start[t]; r < a->read_start[t + 1]; r++)
        TRY(put(a, yes(a->reads[r].cut), err));
    return end_clause(a, err);
}

static uint32_t observed_variable(const struct absence *a, const struct read_event *r)
{
    uint32_t variable = r->from;

    while (a->from_writer[variable] != r->observed)
        variable++;
    return variable;
}

/* If this literal is true, the read is from somebody. */
static enum status add_some_writer(struct absence *a, const struct read_event *r, uint32_t literal,
                                   struct error *err)
{
    uint32_t count = choice_count(a, r);

    TRY(put(a, literal ^ 1, err));
    for (uint32_t i = 0; i < count; i++)
        TRY(put(a, yes(r->from + i), err));
    return end_clause(a, err);
}

/* Which literals say that the read is in. */
static enum status put_in(struct absence *a, uint32_t read, struct error *err)
{
    const struct read_event *r = &a->reads[read];

    TRY(put(a, yes(a->full[r->txn]), err));
    if (!a->claim->is_strict)
        return put(a, yes(a->boundary[r->txn]), err);
    for (uint32_t cut = read; cut < a->read_start[r->txn + 1]; cut++)
        TRY(put(a, yes(a->reads[cut].cut), err));
    return STATUS_OK;
}

static enum status add_read(struct absence *a, uint32_t read, struct error *err)
{
    const struct read_event *r = &a->reads[read];
    uint32_t count = choice_count(a, r), as_observed = observed_variable(a, r);

    ADD(a, err, no(a->full[r->txn]), yes(as_observed));
    if (!a->claim->is_strict)
        TRY(add_some_writer(a, r, yes(a->boundary[r->txn]), err));
    for (uint32_t cut = read; a->claim->is_strict && cut < a->read_start[r->txn + 1]; cut++)
        if (cut == read)
            TRY(add_some_writer(a, r, yes(a->reads[cut].cut), err));
        else
            ADD(a, err, no(a->reads[cut].cut), yes(as_observed));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t variable = r->from + i, writer = a->from_writer[variable];

        TRY(put(a, no(variable), err));
        TRY(put_in(a, read, err));
        TRY(end_clause(a, err));
        if (writer != INITIAL)
            ADD(a, err, no(variable), yes(a->full[writer]));
        for (uint32_t other = i + 1; other < count; other++)
            ADD(a, err, no(variable), no(r->from + other));
    }
    return STATUS_OK;
}

/* --- What the level asks for -------------------------------------------------------------------------------- */

/* If all of these are so, c comes before whom the read is from. `reason` may be NOBODY. */
static enum status add_axiom(struct absence *a, uint32_t variable, uint32_t reason, uint32_t c,
                             struct error *err)
{
    uint32_t writer = a->from_writer[variable];

    if (writer == c)
        return STATUS_OK;
    TRY(put(a, no(variable), err));
    if (reason != NOBODY)
        TRY(put(a, no(reason), err));
    if (writer != INITIAL)
        TRY(put(a, yes(absence_before(a, c, writer)), err));
    return end_clause(a, err);
}

static bool sees_surely(const struct absence *a, uint32_t t, uint32_t c)
{
    uint32_t previous = a->previous[t];

    if (a->claim->level == LEVEL_CAUSAL)
        return previous != NOBODY && (previous == c || is_past(a, c, previous));
    for (; previous != NOBODY; previous = a->previous[previous])
        if (previous == c)
            return true;
    return false;
}

/* Whom a transaction sees, by whom it reads from. */
static enum status add_sights(struct absence *a, uint32_t t, struct error *err)
{
    for (uint32_t i = a->read_start[t]; i < a->read_start[t + 1]; i++) {
        const struct read_event *r = &a->reads[i];
        uint32_t count = choice_count(a, r);

        for (uint32_t k = 1; k < count; k++) {
            uint32_t variable = r->from + k, writer = a->from_writer[variable];

            ADD(a, err, no(variable), yes(sees(a, t, writer)));
            for (uint32_t c = 0; c < a->txn_count && a->claim->level == LEVEL_CAUSAL; c++)
                if (c != writer && is_past(a, c, writer))
                    ADD(a, err, no(variable), yes(sees(a, t, c)));
        }
    }
    return STATUS_OK;
}

/* Causal and read atomic. */
static enum status add_visibility(struct absence *a, uint32_t t, struct error *err)
{
    TRY(add_sights(a, t, err));
    for (uint32_t i = a->read_start[t]; i < a->read_start[t + 1]; i++) {
        const struct read_event *r = &a->reads[i];
        uint32_t count = choice_count(a, r);

        for (uint32_t w = a->writer_start[r->key]; w < a->writer_start[r->key + 1]; w++) {
            uint32_t c = a->writers[w];

            for (uint32_t k = 0; k < count && c != t; k++)
                TRY(add_axiom(a, r->from + k, sees_surely(a, t, c) ? NOBODY : sees(a, t, c), c,
                              err));
        }
    }
    return STATUS_OK;
}

/* Read committed: whom it has read from by then. */
static enum status add_committed(struct absence *a, uint32_t t, struct error *err)
{
    for (uint32_t i = a->read_start[t]; i < a->read_start[t + 1]; i++)
        for (uint32_t earlier = a->read_start[t]; earlier < i; earlier++) {
            const struct read_event *r = &a->reads[i], *e = &a->reads[earlier];
            uint32_t count = choice_count(a, r), seen_count = choice_count(a, e);

            for (uint32_t s = 1; s < seen_count; s++) {
                uint32_t c = a->from_writer[e->from + s];
                bool writes = false;

                for (uint32_t w = a->writer_start[r->key]; w < a->writer_start[r->key + 1]; w++)
                    writes |= a->writers[w] == c;
                for (uint32_t k = 0; k < count && writes; k++)
                    TRY(add_axiom(a, r->from + k, e->from + s, c, err));
            }
        }
    return STATUS_OK;
}

static enum status add_base(struct absence *a, struct error *err)
{
    for (uint32_t t = 0; t < a->txn_count; t++) {
        TRY(add_standing(a, t, err));
        if (a->claim->is_strict)
            TRY(add_cuts(a, t, err));
        for (uint32_t r = a->read_start[t]; r < a->read_start[t + 1]; r++)
            TRY(add_read(a, r, err));
        if (a->claim->level == LEVEL_READ_COMMITTED)
            TRY(add_committed(a, t, err));
        else
            TRY(add_visibility(a, t, err));
    }
    return STATUS_OK;
}

/* --- Lemmas ----------------------------------------------------------------------------------------------------- */

/* Literals that say that a transaction's write, at this event or behind it, is in. */
static enum status put_written(struct absence *a, uint32_t t, uint32_t event, struct error *err)
{
    TRY(put(a, yes(a->full[t]), err));
    if (!a->claim->is_strict)
        return put(a, yes(a->boundary[t]), err);
    for (uint32_t r = a->read_start[t]; r < a->read_start[t + 1]; r++)
        if (a->reads[r].event > event)
            TRY(put(a, yes(a->reads[r].cut), err));
    return STATUS_OK;
}

/* The variable that says that a read is from there, and that another's write of the key is in. */
static enum status find_conflict(struct absence *a, uint32_t variable, uint32_t other,
                                 uint32_t *conflict, struct error *err)
{
    uint32_t key = a->reads[a->from_reader[variable]].key, write = a->write_start[other];
    uint64_t name = (uint64_t)variable << 32 | other, known;
    size_t place;

    if (map_find(&a->conflicts, name, &known)) {
        *conflict = (uint32_t)known;
        return STATUS_OK;
    }
    TRY(new_variable(a, conflict, err));
    TRY(map_add(&a->conflicts, name, *conflict, &place, err));
    ADD(a, err, no(*conflict), yes(variable));
    while (a->writes[write].key != key)
        write++;
    TRY(put(a, no(*conflict), err));
    TRY(put_written(a, other, a->writes[write].event, err));
    return end_clause(a, err);
}

/* What conflicts if the transaction stands behind so many: literals are pushed onto `main`. */
static enum status put_conflicts(struct absence *a, uint32_t t, uint32_t slot, struct error *err)
{
    for (uint32_t i = a->read_start[t]; i < a->read_start[t + 1]; i++) {
        const struct read_event *r = &a->reads[i];
        uint32_t count = choice_count(a, r);

        for (uint32_t k = 0; k < count; k++) {
            uint32_t writer = a->from_writer[r->from + k];

            if (writer != INITIAL && a->place[writer] >= slot) {
                TRY(array_push(&a->main, yes(r->from + k), err));
                continue;
            }
            for (uint32_t w = a->writer_start[r->key]; w < a->writer_start[r->key + 1]; w++) {
                uint32_t c = a->writers[w], conflict = 0;

                if (c == t || c == writer || a->place[c] >= slot ||
                    (writer != INITIAL && a->place[c] < a->place[writer]))
                    continue;
                TRY(find_conflict(a, r->from + k, c, &conflict, err));
                TRY(array_push(&a->main, yes(conflict), err));
            }
        }
    }
    return STATUS_OK;
}

static enum status find_slots(struct absence *a, uint32_t t, struct error *err)
{
    uint32_t least = a->previous[t] == NOBODY ? 0 : a->place[a->previous[t]] + 1;

    a->slots.count = 0;
    TRY(array_push(&a->slots, least, err));
    for (uint32_t r = a->read_start[t]; r < a->read_start[t + 1]; r++) {
        uint32_t key = a->reads[r].key;

        for (uint32_t w = a->writer_start[key]; w < a->writer_start[key + 1]; w++)
            if (a->writers[w] != t && a->place[a->writers[w]] >= least)
                TRY(array_push(&a->slots, a->place[a->writers[w]] + 1, err));
    }
    a->slots.count = sort_once(a->slots.at, a->slots.count);
    return STATUS_OK;
}

/* The literals pushed onto `main` from there on end the clause that begins with what was put. */
static enum status end_with_conflicts(struct absence *a, size_t from, struct error *err)
{
    for (size_t i = from; i < a->main.count; i++)
        TRY(put(a, a->main.at[i], err));
    a->main.count = from;
    return end_clause(a, err);
}

/* One that floats is stuck if it conflicts where it stands, and everywhere else, too, where it may go. */
static enum status add_floating(struct absence *a, uint32_t t, struct error *err)
{
    size_t from = a->main.count;
    uint32_t stuck;

    TRY(new_variable(a, &stuck, err));
    TRY(put_conflicts(a, t, a->place[t], err));
    TRY(put(a, no(stuck), err));
    TRY(end_with_conflicts(a, from, err));
    TRY(find_slots(a, t, err));
    for (size_t i = 0; i < a->slots.count; i++) {
        TRY(put_conflicts(a, t, a->slots.at[i], err));
        TRY(put(a, no(stuck), err));
        if (a->next[t] != NOBODY) {
            TRY(put(a, yes(a->full[a->next[t]]), err));
            TRY(put(a, yes(a->boundary[a->next[t]]), err));
        }
        if (a->write_start[t] < a->write_start[t + 1])
            TRY(put_written(a, t, a->writes[a->write_start[t]].event, err));
        TRY(end_with_conflicts(a, from, err));
    }
    return array_push(&a->main, yes(stuck), err);
}

enum status absence_formula_add_lemma(struct absence *a, struct error *err)
{
    a->main.count = 0;
    for (uint32_t t = 0; t < a->txn_count; t++)
        if (a->floats[t])
            TRY(add_floating(a, t, err));
        else
            TRY(put_conflicts(a, t, a->place[t], err));
    return end_with_conflicts(a, 0, err);
}

enum status absence_formula_build(struct absence *a, struct error *err)
{
    TRY(read_trace(a, err));
    TRY(number_variables(a, err));
    return add_base(a, err);
}
