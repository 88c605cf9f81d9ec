#include "checkers/search/polygraph/distill.h"

#include <assert.h>
#include <string.h>

#include "checkers/values/appends.h"
#include "checkers/values/writers.h"

/* The last write of a key by one transaction, which may yet turn out not to matter. */
struct final {
    uint32_t txn, key, op;
};

struct outside_read {
    uint32_t txn, key, op;
    uint32_t length, own_count;                /* of a list: elements of others, and of its own */
    uint32_t candidate_start, candidate_count; /* finals, in `candidates`; NOBODY: initial */
};

/* What the transaction at hand has done with a key. */
struct own {
    uint32_t stamp; /* the transaction, plus one */
    uint32_t final, read;
};

struct distiller {
    struct distilled *d;
    const struct history *history;
    const struct places *places;
    struct arena *arena;
    const atomic_bool *stop;
    bool knows_whole_order; /* what version-order lines leave out did not commit */
    ARRAY(struct final) finals;
    ARRAY(struct outside_read) reads;
    ARRAY(uint32_t) candidates;
    struct own *own;
    uint32_t *final_of_op; /* by write: its transaction's final of the key; or NOBODY: aborted */
    uint8_t *is_read_from; /* by transaction: of unknown ones */
    struct writers writers; /* of values: finals */
    struct appends appends;
    uint32_t *shown_by; /* by append: the read that has it, plus one */
};

/* The final that a version of a version order is; NOBODY: none, or the initial one. */
static inline uint32_t distill_final_at(const struct distiller *s, uint32_t op)
{
    uint32_t final = op == VERSION_INITIAL ? NOBODY : s->final_of_op[op];

    return final != NOBODY && s->finals.at[final].op == op ? final : NOBODY;
}

/* --- Values -------------------------------------------------------------------- */

static uint32_t op_of_final(const void *context, uint32_t key, uint32_t final)
{
    const struct distiller *s = context;

    (void)key;
    return s->finals.at[final].op;
}

static enum status distill_index_values(struct distiller *s, struct error *err)
{
    TRY(writers_init(&s->writers, s->history, s->finals.count, err));
    s->writers.op_of = op_of_final;
    s->writers.context = s;
    for (uint32_t i = 0; i < s->finals.count; i++) {
        const struct final *f = &s->finals.at[i];

        if (appends_kind(&s->appends, f->key) == WRITTEN_REGISTER)
            TRY(writers_add(&s->writers, f->key, history_value(s->history, f->op), i, NULL, err));
    }
    return STATUS_OK;
}

/* --- Version order ------------------------------------------------------------- */

/*
 * What is given of the version order: pairs of versions next to each other, all or a share.
 */

struct sampling {
    struct ratio share;
    struct random_key key;
    uint64_t ordinal;
    bool takes_all;
};

static bool is_drawn(struct sampling *sampling)
{
    uint64_t word = random_draw_at(&sampling->key, sampling->ordinal++);

    return sampling->takes_all || random_word_below(word, sampling->share);
}

static void add_line(struct distiller *s, size_t line, struct sampling *sampling,
                     const uint32_t *version_of_final)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    uint32_t key = h->order_key[line], before = NOBODY, count = 0, kept = 0;

    for (uint64_t i = h->order_start[line]; i < h->order_start[line + 1]; i++) {
        uint32_t final = distill_final_at(s, h->order_version[i]);
        uint32_t version = final == NOBODY ? NOBODY : version_of_final[final];

        if (version == NOBODY)
            continue;
        if (before != NOBODY && is_drawn(sampling)) {
            d->pair_first[d->pair_count] = before;
            d->pair_second[d->pair_count++] = version;
            kept++;
        }
        before = version;
        count++;
    }
    d->key_is_ordered[key] =
        kept + 1 == count && count + 1 == d->key_start[key + 1] - d->key_start[key];
}

static enum status distill_version_order(struct distiller *s, const struct distill_options *options,
                                         const uint32_t *version_of_final, struct error *err)
{
    const struct history *h = s->history;
    struct distilled *d = s->d;
    struct random_key root = random_key_of_seed(options->seed);
    struct sampling sampling = { .share = options->version_order };

    sampling.key = random_key_fork(&root, "blackbox/version-order");
    sampling.takes_all = options->version_order.numerator == options->version_order.denominator;
    TAKE(s->arena, d->key_is_ordered, d->key_count, err);
    TAKE(s->arena, d->pair_first, h->order_version_count, err);
    TAKE(s->arena, d->pair_second, h->order_version_count, err);
    /* Drawn one after the other: without any to draw there is nothing to do. */
    for (size_t line = 0;
         line < h->order_count && (sampling.takes_all || sampling.share.numerator > 0); line++)
        add_line(s, line, &sampling, version_of_final);
    return STATUS_OK;
}

/* --- Lists --------------------------------------------------------------------- */

/*
 * Lists that are only appended to, and have no element twice: what a read shows is whose
 * append came last, and the order of all before it.
 */

/* --- Reads ------------------------------------------------------------------------ */

/* How many of the read's elements are the transaction's own, for the one that is passed through;
 * false: they contradict it. */
static bool distill_own_elements(const struct distiller *s, uint32_t txn, uint32_t op, uint32_t *count)
{
    const struct history *h = s->history;
    struct elements list;
    uint32_t own = 0;

    *count = 0;
    if (!values_elements(h, history_value(h, op), &list))
        return false;
    if (s->own[h->op_key[op]].final == NOBODY)
        return true; /* it has not appended: transactions may be long */
    for (uint32_t i = op; i-- > h->txn_op[txn];) {
        if (h->op_kind[i] != OP_APPEND || !history_makes_version(h, i) ||
            h->op_key[i] != h->op_key[op])
            continue;
        if (own == list.count || list.at[list.count - 1 - own] != h->op_value[i])
            return false;
        own++;
    }
    *count = own;
    return true;
}

/* The final that the list ends with, as candidate; false: there is none. */
static bool distill_find_list(struct distiller *s, const struct outside_read *r, uint32_t *final)
{
    struct elements list, initial = values_initial(s->history, r->key);
    uint32_t before = NOBODY;

    *final = NOBODY;
    (void)values_elements(s->history, history_value(s->history, r->op), &list);
    list.count = r->length;
    if (!values_begin(list, initial))
        return false;
    for (uint32_t i = initial.count; i < list.count; i++) {
        const struct append *a = appends_find(&s->appends, r->key, list.at[i]);
        bool is_whole = *final == NOBODY || s->finals.at[*final].op == before;

        if (a->op >= APPEND_INITIAL || s->shown_by[a->op] == r->op + 1)
            return false; /* of nobody, or here twice */
        s->shown_by[a->op] = r->op + 1;
        /* What a transaction appends is seen as a whole: each behind the one before it. */
        if (a->before != (is_whole ? HISTORY_NONE : before) ||
            (is_whole && *final != NOBODY && s->finals.at[*final].txn == a->txn))
            return false;
        *final = a->txn == r->txn ? NOBODY : s->final_of_op[a->op];
        if (*final == NOBODY)
            return false;
        s->is_read_from[a->txn] = 1;
        before = a->op;
    }
    return *final == NOBODY || s->finals.at[*final].op == before;
}

/* --- What they show ---------------------------------------------------------------- */

struct show {
    struct distiller *s;
    const uint32_t *version_of_final;
    ARRAY(struct shown) shown;
    uint32_t *place; /* by version: where it stands in the longest list, from 1; initial: 0 */
    uint32_t *seen;  /* by version: the read, plus one, whose list it was last seen in */
};

/* The version that put the element there which stands at this place of the read's list. */
static uint32_t version_at(const struct show *w, uint32_t read, uint32_t at)
{
    const struct distilled *d = w->s->d;
    const struct history *h = w->s->history;
    uint32_t key = d->read_key[read], op;

    op = appends_find(&w->s->appends, key,
                      h->list_element[h->list_start[h->op_value[d->read_op[read]]] + at])->op;
    if (op == APPEND_INITIAL)
        return d->key_start[key];
    return w->version_of_final[w->s->final_of_op[op]];
}

static enum status show_longest(struct show *w, uint32_t read, struct error *err)
{
    const struct distilled *d = w->s->d;
    uint32_t key = d->read_key[read], before = d->key_start[key], place = 0;

    for (uint32_t i = 0; i < d->read_length[read]; i++) {
        uint32_t version = version_at(w, read, i);

        if (version == before)
            continue;
        TRY(array_push(&w->shown, ((struct shown){ read, before, version, true }), err));
        w->place[version] = ++place;
        before = version;
    }
    for (uint32_t version = d->key_start[key] + 1; version < d->key_start[key + 1]; version++)
        if (w->place[version] == 0 && d->version_actor[version] != d->read_actor[read])
            TRY(array_push(&w->shown, ((struct shown){ read, NOBODY, version, false }), err));
    return STATUS_OK;
}

static bool is_beginning(const struct distilled *d, uint32_t read, uint32_t longest)
{
    const struct history *h = d->history;
    uint32_t length = d->read_length[read];

    return length == 0 || memcmp(h->list_element + h->list_start[h->op_value[d->read_op[read]]],
                                 h->list_element + h->list_start[h->op_value[d->read_op[longest]]],
                                 length * sizeof *h->list_element) == 0;
}

/* Of one that is no beginning of the longest list: where it differs, they refute each other. */
static enum status show_another(struct show *w, uint32_t read, struct error *err)
{
    const struct distilled *d = w->s->d;
    uint32_t key = d->read_key[read], before = d->key_start[key];

    if (is_beginning(d, read, d->key_list[key]))
        return STATUS_OK;
    for (uint32_t i = 0; i < d->read_length[read]; i++) {
        uint32_t version = version_at(w, read, i);

        w->seen[version] = read + 1;
        if (version != before)
            TRY(array_push(&w->shown, ((struct shown){ read, before, version, false }), err));
        before = version;
    }
    for (uint32_t version = d->key_start[key] + 1; version < d->key_start[key + 1]; version++)
        if (w->place[version] > 0 && w->seen[version] != read + 1 &&
            d->version_actor[version] != d->read_actor[read])
            TRY(array_push(&w->shown, ((struct shown){ read, NOBODY, version, false }), err));
    return STATUS_OK;
}

static enum status show_all(struct show *w, struct error *err)
{
    struct distilled *d = w->s->d;
    struct arena *arena = w->s->arena;

    TAKE(arena, w->place, d->version_count, err);
    TAKE(arena, w->seen, d->version_count, err);
    d->list_place = w->place;
    for (uint32_t key = 0; key < d->key_count; key++)
        if (d->key_list[key] != NOBODY)
            TRY(show_longest(w, d->key_list[key], err));
    for (uint32_t read = 0; read < d->read_count; read++)
        if (d->key_list[d->read_key[read]] != NOBODY && d->key_list[d->read_key[read]] != read)
            TRY(show_another(w, read, err));
    TAKE(arena, d->shown, w->shown.count, err);
    if (w->shown.count > 0)
        memcpy(d->shown, w->shown.at, w->shown.count * sizeof *d->shown);
    d->shown_count = (uint32_t)w->shown.count;
    return STATUS_OK;
}

/* What lists show, once versions and reads are numbered. */
static enum status distill_show_lists(struct distiller *s, const uint32_t *version_of_final,
                                      struct error *err)
{
    struct show w = { .s = s, .version_of_final = version_of_final };
    enum status status = show_all(&w, err);

    array_close(&w.shown);
    return status;
}

/* --- Distilling ---------------------------------------------------------------- */

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

void distill_close(struct distilled *d)
{
    array_close(&d->faults);
}

/* --- Within transactions ---------------------------------------------------------- */

static enum status add_fault(struct distiller *s, uint32_t txn, uint32_t op, enum fault_kind kind,
                             struct error *err)
{
    uint32_t key = s->history->op_key[op];
    struct fault fault = { txn, op, (uint8_t)kind,
                           appends_kind(&s->appends, key) == WRITTEN_LIST, key };

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
    return array_push(&s->finals, ((struct final){ txn, key, op }), err);
}

static bool agrees_with_earlier(const struct distiller *s, const struct own *own, uint32_t op,
                                uint32_t length)
{
    const struct history *h = s->history;
    const struct outside_read *r = &s->reads.at[own->read];

    if (appends_kind(&s->appends, h->op_key[op]) == WRITTEN_REGISTER)
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
    uint8_t kind = appends_kind(&s->appends, key);

    if (kind == WRITTEN_STRANGE) {
        s->d->strange_key = key;
        return STATUS_OK;
    }
    if (kind == WRITTEN_REGISTER && own->final != NOBODY) {
        bool is_own = values_same(h, history_value(h, s->finals.at[own->final].op),
                                         history_value(h, op));

        return is_own ? STATUS_OK : add_fault(s, txn, op, FAULT_OF_ITS_OWN, err);
    }
    if (kind == WRITTEN_LIST) {
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
    if (appends_kind(&s->appends, r->key) == WRITTEN_LIST) {
        if (distill_find_list(s, r, &final))
            TRY(array_push(&s->candidates, final, err));
    } else {
        if (values_same(h, history_initial(h, r->key), value))
            TRY(array_push(&s->candidates, NOBODY, err));
        for (struct writer w = writers_find(&s->writers, r->key, value);
             w.number != WRITERS_NOBODY; w = writers_next(&s->writers, w)) {
            uint32_t txn = s->finals.at[w.number].txn;

            if (txn == r->txn)
                continue;
            s->is_read_from[txn] = 1;
            if (s->candidates.count == CANDIDATES_MAX) {
                s->d->is_too_large = true;
                return STATUS_OK;
            }
            TRY(array_push(&s->candidates, w.number, err));
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
        if (appends_kind(&s->appends, s->finals.at[i].key) == WRITTEN_REGISTER)
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
        if (appends_kind(&s->appends, r->key) == WRITTEN_LIST)
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
    struct append_writers writers = { h->txn_status, TXN_ABORT, true };

    TRY(appends_init(&s->appends, h, &writers, err));
    if (s->appends.key_kind)
        TAKE(s->arena, s->shown_by, h->op_count, err);
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
    writers_close(&s.writers);
    appends_close(&s.appends);
    return status;
}
