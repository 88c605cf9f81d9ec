#include "checkers/search/polygraph/distill.h"

#include <assert.h>
#include <string.h>

#include "checkers/search/polygraph/distill_private.h"
#include "checkers/values/values.h"

#define CANDIDATES_MAX ((size_t)1 << 28) /* 1 GiB: beyond that nobody has the memory */

enum status distill_take(struct arena *arena, void **at, size_t count, size_t size,
                         struct error *err)
{
    void *taken = arena_push(arena, count, size);

    if (!taken)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu elements of %zu bytes", count,
                         size);
    /* Copied as bytes, because the caller's pointer has a type of its own. */
    memcpy(at, &taken, sizeof taken);
    return STATUS_OK;
}

void distilled_close(struct distilled *d)
{
    array_close(&d->faults);
}

/* --- Within transactions ---------------------------------------------------------- */

static enum status add_fault(struct distiller *s, uint32_t txn, uint32_t op, enum fault_kind kind,
                             struct error *err)
{
    struct fault fault = { txn, op, (uint8_t)kind,
                           s->key_kind[s->history->op_key[op]] == KEY_LIST,
                           s->history->op_key[op] };

    return array_push(&s->d->faults, fault, err);
}

static struct own *own_of(struct distiller *s, uint32_t txn, uint32_t key)
{
    struct own *own = &s->own[key];

    if (own->stamp != txn + 1)
        *own = (struct own){ txn + 1, NOBODY, NOBODY };
    return own;
}

static enum status pass_write(struct distiller *s, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = s->history->op_key[op];
    struct own *own = own_of(s, txn, key);

    if (own->final != NOBODY) {
        s->finals.at[own->final].op = op;
        s->final_of_op[op] = own->final;
        return STATUS_OK;
    }
    own->final = s->final_of_op[op] = (uint32_t)s->finals.count;
    return array_push(&s->finals, ((struct final){ txn, key, op, NOBODY }), err);
}

static bool agrees_with_earlier(const struct distiller *s, const struct own *own, uint32_t op,
                                uint32_t length)
{
    const struct history *h = s->history;
    const struct outside_read *r = &s->reads.at[own->read];

    if (s->key_kind[h->op_key[op]] == KEY_REGISTER)
        return values_same(h, history_value(h, r->op), history_value(h, op));
    return r->length == length &&
           (length == 0 || memcmp(h->list_element + h->list_start[h->op_value[r->op]],
                                  h->list_element + h->list_start[h->op_value[op]],
                                  length * sizeof *h->list_element) == 0);
}

static enum status pass_read(struct distiller *s, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = s->history;
    uint32_t key = h->op_key[op], own_count = 0, length = 0;
    struct own *own = own_of(s, txn, key);
    struct outside_read read = { .txn = txn, .key = key, .op = op };

    if (s->key_kind[key] == KEY_STRANGE) {
        s->d->strange_key = key;
        return STATUS_OK;
    }
    if (s->key_kind[key] == KEY_REGISTER && own->final != NOBODY) {
        bool is_own = values_same(h, history_value(h, s->finals.at[own->final].op),
                                         history_value(h, op));

        return is_own ? STATUS_OK : add_fault(s, txn, op, FAULT_OF_ITS_OWN, err);
    }
    if (s->key_kind[key] == KEY_LIST) {
        if (!distill_own_elements(s, txn, op, &own_count))
            return add_fault(s, txn, op, own->final != NOBODY ? FAULT_OF_ITS_OWN : FAULT_NO_WRITER,
                             err);
        if (h->op_value_kind[op] == VALUE_LIST)
            length =
                (uint32_t)(h->list_start[h->op_value[op] + 1] - h->list_start[h->op_value[op]]) -
                own_count;
    }
    if (own->read != NOBODY && s->reads.at[own->read].own_count == own_count) {
        if (agrees_with_earlier(s, own, op, length))
            return STATUS_OK;
        /* Behind appends of its own, two reads are two reads of what others appended. */
        if (own_count == 0)
            return add_fault(s, txn, op, FAULT_OF_ITS_OWN, err);
    }
    own->read = (uint32_t)s->reads.count;
    read.length = length;
    read.own_count = own_count;
    return array_push(&s->reads, read, err);
}

static enum status pass_txn(struct distiller *s, uint32_t txn, struct error *err)
{
    const struct history *h = s->history;
    bool is_judged = h->txn_status[txn] == TXN_OK;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (h->op_flags[op] & OP_ERROR)
            continue;
        if (op_is_write(h->op_kind[op]))
            TRY(pass_write(s, txn, op, err));
        else if (is_judged && op_is_read(h->op_kind[op]) && h->op_value_kind[op] != VALUE_NONE)
            TRY(pass_read(s, txn, op, err));
    }
    return STATUS_OK;
}

static bool is_stopped(struct distiller *s, size_t step)
{
    if (step % 4096 == 0 && s->stop && atomic_load_explicit(s->stop, memory_order_relaxed))
        s->d->is_stopped = true;
    return s->d->is_stopped;
}

/* Only a whole version order can leave somebody out. */
static bool may_have_committed(const struct distiller *s, uint32_t txn)
{
    return s->knows_whole_order ? s->places->standing[txn] != STANDING_OUT
                                : s->history->txn_status[txn] != TXN_ABORT;
}

static enum status pass(struct distiller *s, struct error *err)
{
    const struct history *h = s->history;

    TAKE(s->arena, s->own, h->key_count, err);
    TAKE(s->arena, s->final_of_op, h->op_count, err);
    memset(s->final_of_op, 0xff, h->op_count * sizeof *s->final_of_op);
    for (uint32_t txn = 0; txn < h->txn_count && !is_stopped(s, txn); txn++)
        if (may_have_committed(s, txn))
            TRY(pass_txn(s, txn, err));
    return STATUS_OK;
}

/* --- Candidates ------------------------------------------------------------------- */

static enum status find_candidates(struct distiller *s, struct outside_read *r, struct error *err)
{
    const struct history *h = s->history;
    struct value value = history_value(h, r->op);
    uint32_t final;

    r->candidate_start = (uint32_t)s->candidates.count;
    if (s->key_kind[r->key] == KEY_LIST) {
        if (distill_find_list(s, r, &final))
            TRY(array_push(&s->candidates, final, err));
    } else {
        if (values_same(h, history_initial(h, r->key), value))
            TRY(array_push(&s->candidates, NOBODY, err));
        for (final = distill_find_value(s, r->key, value); final != NOBODY;
             final = s->finals.at[final].same) {
            uint32_t txn = s->finals.at[final].txn;

            if (txn == r->txn)
                continue;
            s->is_read_from[txn] = 1;
            if (s->candidates.count == CANDIDATES_MAX) {
                s->d->is_too_large = true;
                return STATUS_OK;
            }
            TRY(array_push(&s->candidates, final, err));
        }
    }
    r->candidate_count = (uint32_t)s->candidates.count - r->candidate_start;
    return r->candidate_count > 0 ? STATUS_OK : add_fault(s, r->txn, r->op, FAULT_NO_WRITER, err);
}

/* --- The whole -------------------------------------------------------------------- */

/* What a version order lists has committed, and stands where it stands. */
static void note_listed(struct distiller *s)
{
    const struct history *h = s->history;

    for (size_t i = 0; i < h->order_version_count; i++) {
        uint32_t final = distill_final_at(s, h->order_version[i]);

        if (final != NOBODY)
            s->is_read_from[s->finals.at[final].txn] = 1;
    }
}

/* Whatever an unknown transaction left of a row, some statement may have seen. */
static void note_writers_of_rows(struct distiller *s)
{
    for (size_t i = 0; i < s->finals.count; i++)
        if (s->key_kind[s->finals.at[i].key] == KEY_REGISTER)
            s->is_read_from[s->finals.at[i].txn] = 1;
}

static enum status number_actors(struct distiller *s, uint32_t **actor_of, struct error *err)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;

    TAKE(s->arena, *actor_of, h->txn_count, err);
    TAKE(s->arena, d->actor_txn, h->txn_count, err);
    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        bool acts =
            h->txn_status[txn] == TXN_OK || (may_have_committed(s, txn) && s->is_read_from[txn]);

        (*actor_of)[txn] = acts ? d->actor_count : NOBODY;
        if (acts)
            d->actor_txn[d->actor_count++] = txn;
    }
    return STATUS_OK;
}

static enum status lay_out_versions(struct distiller *s, const uint32_t *actor_of,
                                    uint32_t *version_of_final, struct error *err)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    uint32_t *next = NULL;

    d->key_count = (uint32_t)h->key_count;
    TAKE(s->arena, d->key_name, d->key_count, err);
    TAKE(s->arena, d->key_start, (size_t)d->key_count + 1, err);
    TAKE(s->arena, next, d->key_count, err);
    for (size_t i = 0; i < s->finals.count; i++)
        d->key_start[s->finals.at[i].key + 1] += actor_of[s->finals.at[i].txn] != NOBODY;
    for (uint32_t key = 0; key < d->key_count; key++) {
        d->key_name[key] = key;
        d->key_start[key + 1] += d->key_start[key] + 1;
        next[key] = d->key_start[key] + 1;
    }
    d->version_count = d->key_start[d->key_count];
    TAKE(s->arena, d->version_actor, d->version_count, err);
    TAKE(s->arena, d->version_op, d->version_count, err);
    TAKE(s->arena, d->version_key, d->version_count, err);
    for (uint32_t key = 0; key < d->key_count; key++) {
        d->version_actor[d->key_start[key]] = NOBODY;
        d->version_op[d->key_start[key]] = VERSION_INITIAL;
        d->version_key[d->key_start[key]] = key;
    }
    for (size_t i = 0; i < s->finals.count; i++) {
        const struct final *f = &s->finals.at[i];

        version_of_final[i] = NOBODY;
        if (actor_of[f->txn] == NOBODY)
            continue;
        version_of_final[i] = next[f->key]++;
        d->version_actor[version_of_final[i]] = actor_of[f->txn];
        d->version_op[version_of_final[i]] = f->op;
        d->version_key[version_of_final[i]] = f->key;
    }
    return STATUS_OK;
}

static enum status take_reads(struct distilled *d, size_t count, size_t candidate_count,
                              struct arena *arena, struct error *err)
{
    TAKE(arena, d->read_actor, count, err);
    TAKE(arena, d->read_op, count, err);
    TAKE(arena, d->read_key, count, err);
    TAKE(arena, d->read_length, count, err);
    TAKE(arena, d->read_source, count, err);
    TAKE(arena, d->candidate_start, count + 1, err);
    TAKE(arena, d->candidates, candidate_count, err);
    TAKE(arena, d->key_list, d->key_count, err);
    memset(d->key_list, 0xff, d->key_count * sizeof *d->key_list);
    return STATUS_OK;
}

static void note_list(struct distilled *d, uint32_t read)
{
    uint32_t *longest = &d->key_list[d->read_key[read]];

    if (*longest == NOBODY || d->read_length[read] > d->read_length[*longest])
        *longest = read;
}

static enum status lay_out_reads(struct distiller *s, const uint32_t *actor_of,
                                 const uint32_t *version_of_final, struct error *err)
{
    struct distilled *d = s->d;
    uint32_t used = 0;

    TRY(take_reads(d, s->reads.count, s->candidates.count, s->arena, err));
    for (size_t i = 0; i < s->reads.count; i++) {
        const struct outside_read *r = &s->reads.at[i];
        uint32_t read = d->read_count, first = d->key_start[r->key];

        if (r->candidate_count == 0)
            continue;
        d->read_actor[read] = actor_of[r->txn];
        d->read_op[read] = r->op;
        d->read_key[read] = r->key;
        d->read_length[read] = r->length;
        d->read_source[read] = NOBODY;
        d->candidate_start[read] = used;
        for (uint32_t c = r->candidate_start; c < r->candidate_start + r->candidate_count; c++) {
            uint32_t final = s->candidates.at[c];

            d->candidates[used++] = final == NOBODY ? first : version_of_final[final];
        }
        if (r->candidate_count == 1)
            d->read_source[read] = d->candidates[--used];
        d->candidate_start[++d->read_count] = used;
        if (s->key_kind[r->key] == KEY_LIST)
            note_list(d, read);
    }
    return STATUS_OK;
}

static enum status lay_out(struct distiller *s, const struct distill_options *options,
                           struct error *err)
{
    uint32_t *actor_of = NULL, *version_of_final = NULL;

    TRY(number_actors(s, &actor_of, err));
    TAKE(s->arena, version_of_final, s->finals.count, err);
    TRY(lay_out_versions(s, actor_of, version_of_final, err));
    TRY(lay_out_reads(s, actor_of, version_of_final, err));
    TRY(distill_show_lists(s, version_of_final, err));
    return distill_version_order(s, options, version_of_final, err);
}

static enum status distill_all(struct distiller *s, const struct distill_options *options,
                               struct error *err)
{
    const struct history *h = s->history;

    TRY(distill_judge_keys(s, err));
    TRY(pass(s, err));
    if (s->d->is_stopped)
        return STATUS_OK;
    TRY(distill_index_values(s, err));
    TAKE(s->arena, s->is_read_from, h->txn_count, err);
    note_listed(s);
    if (options->takes_statements)
        note_writers_of_rows(s);
    /* One read may have as many candidates as there are transactions: stopped at each. */
    for (size_t i = 0; i < s->reads.count && !s->d->is_too_large && !is_stopped(s, 0); i++)
        TRY(find_candidates(s, &s->reads.at[i], err));
    return s->d->is_stopped || s->d->is_too_large ? STATUS_OK : lay_out(s, options, err);
}

enum status distill(struct distilled *d, const struct history *h, const struct places *places,
                    const struct distill_options *options, struct arena *arena, struct error *err)
{
    struct distiller s = { .d = d, .history = h, .places = places, .arena = arena };
    enum status status;

    s.stop = options->stop;
    s.knows_whole_order = options->keeps_standing ||
                          options->version_order.numerator == options->version_order.denominator;
    *d = (struct distilled){ .history = h, .strange_key = HISTORY_NONE };
    status = distill_all(&s, options, err);
    array_close(&s.finals);
    array_close(&s.reads);
    array_close(&s.candidates);
    return status;
}
