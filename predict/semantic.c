#include "predict/semantic.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "predict/execution_private.h"
#include "predict/predict_private.h"

#define RUNS_MAX_FIRST 300  /* of a transaction */
#define RUNS_MAX 20000      /* likewise, if these do not find anything */
#define ALL_RUNS_MAX 400000 /* of all */
#define ALL_VARIANTS_MAX 2000

/* A combination of choices: of the first reads; the others are as they were. `start` in the array of all. */
struct combination {
    size_t start;
    uint32_t count;
};

/* A read of an execution: its values, the usual one first, and which was chosen. */
struct valued_read {
    uint32_t key;           /* the store's number */
    uint32_t start, values; /* the values' sets of writers, in `sets` */
    uint32_t chosen;
};

/* Executions of a transaction that read and write the same keys. */
struct variant {
    uint32_t of, number; /* number: in the store */
    uint64_t shape;
    size_t reads, read_count; /* in `sources` */
};

/* From whom a read of a variant may come. */
struct variant_source {
    uint32_t key;
    size_t set;
};

struct semantic {
    const struct predict_calls *calls;
    const struct dataflow *observed;
    const struct predict_options *options;
    struct semantic_result *result;
    struct execution execution;
    uint32_t runs_max; /* of a transaction */
    uint32_t
        words; /* of a set of writers: a bit for each observed transaction, and one for the initial state */
    ARRAY(struct variant) variants;
    ARRAY(struct variant_source) sources;
    ARRAY(uint64_t) source_sets;
    size_t first; /* variant of the transaction at hand */
    uint32_t runs;
    /* What is tried of the transaction at hand, and the execution at hand. */
    ARRAY(struct combination) queue;
    ARRAY(uint32_t) choices;
    const struct combination *at;
    ARRAY(struct valued_read) reads;
    ARRAY(uint64_t) sets;
    ARRAY(uint32_t) representatives; /* of the read at hand: a candidate of each value */
    bool is_short;                   /* memory ran out in a callback */
    struct error *err;
};

/* --- One execution ----------------------------------------------------------------------------- */

static bool rows_are_equal(const struct datum *a, const struct datum *b, uint32_t columns)
{
    if (!a || !b)
        return a == b;
    for (uint32_t i = 0; i < columns; i++)
        if (datum_is_null(&a[i]) != datum_is_null(&b[i]) ||
            (!datum_is_null(&a[i]) && !datum_equal(&a[i], &b[i])))
            return false;
    return true;
}

/* UINT32_MAX: of another variant. */
static uint32_t bit_of(const struct semantic *s, uint32_t writer)
{
    if (writer == DIRECTED_INITIAL)
        return s->observed->txn_count;
    return writer < s->observed->txn_count ? writer : UINT32_MAX;
}

/* Candidates of the observed transactions by their values, with a set of writers for each; first the newest. */
static enum status find_values(struct semantic *s, const struct directed_read *read,
                               struct valued_read *r)
{
    uint32_t columns = s->calls->program->tree.schema.tables[read->table].column_count;

    s->representatives.count = 0;
    *r = (struct valued_read){ .key = read->key, .start = (uint32_t)s->sets.count };
    for (uint32_t i = read->count; i-- > 0;) {
        const struct directed_version *v = &read->candidates[i];
        uint32_t value = 0, bit = bit_of(s, v->writer);

        /* Not of other variants, and not of what it is itself instead of. */
        if (bit == UINT32_MAX || bit == s->execution.txn)
            continue;
        while (value < r->values &&
               !rows_are_equal(v->row, read->candidates[s->representatives.at[value]].row, columns))
            value++;
        if (value == r->values) {
            TRY(array_push(&s->representatives, i, s->err));
            TRY(array_reserve(&s->sets, s->words, s->err));
            memset(s->sets.at + s->sets.count, 0, s->words * sizeof *s->sets.at);
            s->sets.count += s->words;
            r->values++;
        }
        s->sets.at[r->start + value * s->words + bit / 64] |= UINT64_C(1) << bit % 64;
    }
    return STATUS_OK;
}

static void swap_values(struct semantic *s, const struct valued_read *r, uint32_t a, uint32_t b)
{
    uint32_t first = s->representatives.at[a];

    s->representatives.at[a] = s->representatives.at[b];
    s->representatives.at[b] = first;
    for (uint32_t word = 0; word < s->words; word++) {
        uint64_t *x = &s->sets.at[r->start + a * s->words + word],
                 *y = &s->sets.at[r->start + b * s->words + word];
        uint64_t kept = *x;

        *x = *y;
        *y = kept;
    }
}

/* Puts the value first that the transaction observed, by the next read of the key that it has not done. */
static void put_observed_first(struct semantic *s, const struct directed_read *read,
                               const struct valued_read *r)
{
    struct execution *x = &s->execution;
    const struct dataflow *t = s->observed;
    uint32_t key = intern_find(&x->keys, directed_key_text(read->store, read->key));

    for (uint32_t e = t->event_start[x->txn]; e < t->event_start[x->txn + 1] && key != INTERN_NONE;
         e++) {
        uint32_t bit = t->events[e].writer == DATAFLOW_INITIAL ? t->txn_count : t->events[e].writer;

        if (!dataflow_is_read(t->events[e]) || t->events[e].key != key || x->is_met[e])
            continue;
        x->is_met[e] = true;
        for (uint32_t value = 1; value < r->values; value++)
            if (s->sets.at[r->start + value * s->words + bit / 64] >> bit % 64 & 1)
                swap_values(s, r, 0, value);
        return;
    }
}

/* A key that was read before has the same value, unless the level lets it change. */
static const struct valued_read *read_before(const struct semantic *s, uint32_t key)
{
    for (size_t i = 0; i < s->reads.count && s->options->level != LEVEL_READ_COMMITTED; i++)
        if (s->reads.at[i].key == key)
            return &s->reads.at[i];
    return NULL;
}

static uint32_t find_again(const struct semantic *s, const struct directed_read *read,
                           const struct valued_read *r)
{
    const uint64_t *set = s->sets.at + r->start + r->chosen * s->words;

    for (uint32_t i = read->count; i-- > 0;) {
        uint32_t bit = bit_of(s, read->candidates[i].writer);

        if (bit != UINT32_MAX && set[bit / 64] >> bit % 64 & 1)
            return i;
    }
    return read->count - 1;
}

static uint32_t semantic_choose(void *context, const struct directed_read *read)
{
    struct semantic *s = context;
    const struct valued_read *before = read_before(s, read->key);
    size_t number = s->reads.count;
    struct valued_read r;

    if (before)
        return find_again(s, read, before);
    if (find_values(s, read, &r) != STATUS_OK || r.values == 0) {
        s->is_short = true;
        return read->count - 1;
    }
    put_observed_first(s, read, &r);
    if (number < s->at->count && s->choices.at[s->at->start + number] < r.values)
        r.chosen = s->choices.at[s->at->start + number];
    if (array_push(&s->reads, r, s->err) != STATUS_OK)
        s->is_short = true;
    return s->representatives.at[r.chosen];
}

/* --- Variants ---------------------------------------------------------------------------------- */

/* Which keys the last execution read, in order, and which it wrote. */
static uint64_t find_shape(const struct semantic *s, uint32_t number)
{
    uint64_t shape = 0;
    uint32_t count;
    const uint32_t *writes = directed_writes(s->execution.store, number, &count);

    for (size_t i = 0; i < s->reads.count; i++)
        shape = hash_number(shape + s->reads.at[i].key + 1);
    shape = hash_number(shape);
    for (uint32_t i = 0; i < count; i++)
        shape = hash_number(shape + writes[i] + 1);
    return shape;
}

/* The writers of the values that were chosen may be read, too. */
static void join_sources(struct semantic *s, const struct variant *v)
{
    for (size_t i = 0; i < v->read_count; i++)
        for (uint32_t word = 0; word < s->words; word++)
            s->source_sets.at[s->sources.at[v->reads + i].set + word] |=
                s->sets.at[s->reads.at[i].start + s->reads.at[i].chosen * s->words + word];
}

static enum status add_variant(struct semantic *s, uint32_t txn, uint32_t number, uint64_t shape,
                               struct error *err)
{
    struct variant v = { txn, number, shape, s->sources.count, s->reads.count };

    for (size_t i = 0; i < s->reads.count; i++) {
        TRY(array_push(&s->sources,
                       ((struct variant_source){ s->reads.at[i].key, s->source_sets.count }), err));
        TRY(array_reserve(&s->source_sets, s->words, err));
        memset(s->source_sets.at + s->source_sets.count, 0, s->words * sizeof *s->source_sets.at);
        s->source_sets.count += s->words;
    }
    join_sources(s, &v);
    return array_push(&s->variants, v, err);
}

/* What was executed last becomes a variant, or part of one. */
static enum status take_execution(struct semantic *s, uint32_t txn, uint32_t number,
                                  struct error *err)
{
    uint64_t shape = find_shape(s, number);

    for (size_t i = s->first; i < s->variants.count; i++) {
        const struct variant *v = &s->variants.at[i];

        if (v->shape != shape || v->read_count != s->reads.count)
            continue;
        join_sources(s, v);
        directed_undo(s->execution.store);
        return STATUS_OK;
    }
    if (s->variants.count >= ALL_VARIANTS_MAX) {
        s->result->has_more = true;
        directed_undo(s->execution.store);
        return STATUS_OK;
    }
    return add_variant(s, txn, number, shape, err);
}

static enum status run_combination(struct semantic *s, uint32_t txn, const struct combination *at,
                                   struct error *err)
{
    struct execution *x = &s->execution;
    const struct predict_call *call = &s->calls->calls.at[x->call[txn]];
    struct director director = { semantic_choose, s };
    struct directed_outcome outcome;

    s->at = at;
    s->reads.count = s->sets.count = 0;
    s->err = err;
    x->txn = txn;
    for (uint32_t e = s->observed->event_start[txn]; e < s->observed->event_start[txn + 1]; e++)
        x->is_met[e] = false;
    TRY(directed_run(x->store,
                     &(struct directed_call){ call->session, call->function, call->arguments },
                     &director, &outcome, err));
    if (s->is_short)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for variants");
    s->runs++;
    s->result->executions++;
    if (outcome.end == DIRECTED_COMMITTED)
        return take_execution(s, txn, outcome.txn, err);
    directed_undo(x->store);
    return STATUS_OK;
}

/* The combinations in which one more read differs, behind the last that does. */
static enum status queue_next(struct semantic *s, struct combination at, struct error *err)
{
    for (size_t read = at.count; read < s->reads.count; read++)
        for (uint32_t value = 1; value < s->reads.at[read].values; value++) {
            struct combination next = { s->choices.count, (uint32_t)read + 1 };

            if (s->queue.count >= s->runs_max) {
                s->result->has_more = true;
                return STATUS_OK;
            }
            for (size_t i = 0; i < read; i++)
                TRY(array_push(&s->choices, i < at.count ? s->choices.at[at.start + i] : 0, err));
            TRY(array_push(&s->choices, value, err));
            TRY(array_push(&s->queue, next, err));
        }
    return STATUS_OK;
}

static enum status find_variants(struct semantic *s, uint32_t txn, struct error *err)
{
    s->queue.count = s->choices.count = 0;
    s->first = s->variants.count;
    TRY(array_push(&s->queue, ((struct combination){ 0, 0 }), err));
    for (size_t i = 0; i < s->queue.count; i++) {
        struct combination at = s->queue.at[i];

        if (s->runs >= ALL_RUNS_MAX || (s->options->stop && atomic_load(s->options->stop))) {
            s->result->has_more = true;
            return STATUS_OK;
        }
        TRY(run_combination(s, txn, &at, err));
        TRY(queue_next(s, at, err));
    }
    return STATUS_OK;
}

/* --- The trace of all ------------------------------------------------------------------------- */

/* The observed transactions, which must do what they did. */
static enum status run_observed(struct semantic *s, struct error *err)
{
    const struct dataflow *t = s->observed;
    struct execution *x = &s->execution;

    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        bool is_committed;

        TRY(execution_run(x, txn, t->event_start[txn + 1] - t->event_start[txn], &is_committed,
                          err));
        if (x->differences > 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "the programs do not do what the history says: %s", x->difference);
    }
    return STATUS_OK;
}

/*
 * The sets of writers go to the events that read the keys. Keys that others wrote only afterwards were not there yet:
 * what was read of them is that.
 */
static void put_sources(const struct semantic *s, struct dataflow *t, uint32_t txn,
                        const struct variant *v)
{
    for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++) {
        struct text key = history_key(t->history, t->key[t->events[e].key]);
        uint64_t *set = t->sources + (size_t)e * s->words;
        bool was_asked = false;

        for (size_t i = v->reads; i < v->reads + v->read_count && dataflow_is_read(t->events[e]);
             i++) {
            if (!text_equal(directed_key_text(s->execution.store, s->sources.at[i].key), key))
                continue;
            was_asked = true;
            for (uint32_t word = 0; word < s->words; word++)
                set[word] |= s->source_sets.at[s->sources.at[i].set + word];
        }
        if (!was_asked && t->events[e].writer == DATAFLOW_INITIAL)
            set[s->observed->txn_count / 64] |= UINT64_C(1) << s->observed->txn_count % 64;
    }
}

/* Variants stand in their sessions where the transactions stand that they are of, and in no list. */
static enum status mark_variants(struct semantic *s, struct dataflow *t, struct arena *arena,
                                 struct error *err)
{
    uint32_t observed = s->observed->txn_count, count = 0;

    PREDICT_TAKE(arena, t->variant_of, t->txn_count, err);
    PREDICT_TAKE(arena, t->sources, (size_t)t->event_count * s->words, err);
    t->source_words = s->words;
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        t->variant_of[txn] = DATAFLOW_NONE;
        if (txn < observed)
            continue;
        t->variant_of[txn] = s->variants.at[txn - observed].of;
        put_sources(s, t, txn, &s->variants.at[txn - observed]);
        t->previous[txn] = t->previous[t->variant_of[txn]];
        t->ordinal[txn] = DATAFLOW_NONE;
    }
    for (uint32_t session = 0; session < t->session_count; session++) {
        uint32_t start = count;

        for (uint32_t i = t->session_start[session]; i < t->session_start[session + 1]; i++)
            if (t->session_txns[i] < observed)
                t->session_txns[count++] = t->session_txns[i];
        t->session_start[session] = start;
    }
    t->session_start[t->session_count] = count;
    return STATUS_OK;
}

static enum status make_trace(struct semantic *s, struct arena *arena, struct error *err)
{
    struct semantic_result *r = s->result;
    const struct dataflow *t = s->observed;
    uint32_t count = directed_txn_count(s->execution.store);
    int64_t *ids;

    /* A variant's id is nobody's: it is told by the transaction that it is of. */
    PREDICT_TAKE(arena, ids, count, err);
    for (uint32_t i = 0; i < count; i++)
        ids[i] = i < t->txn_count ? t->history->txn_id[t->txn[i]] : INT64_MAX - count + i;
    TRY(directed_history(s->execution.store, &(struct directed_telling){ .ids = ids }, &r->history,
                         err));
    TRY(dataflow_of_history(&r->all, &r->history, arena, err));
    if (r->all.txn_count != count)
        return error_set(err, STATUS_BAD_INPUT, "the programs do not do what the history says");
    return mark_variants(s, &r->all, arena, err);
}

static enum status gather(struct semantic *s, struct arena *arena, struct error *err)
{
    uint32_t *writers;

    TRY(execution_init(&s->execution, s->calls, s->observed, LEVEL_READ_UNCOMMITTED, arena, err));
    PREDICT_TAKE(arena, writers, s->observed->event_count, err);
    for (uint32_t e = 0; e < s->observed->event_count; e++)
        writers[e] = s->observed->events[e].writer;
    s->execution.writer = writers;
    TRY(run_observed(s, err));
    for (uint32_t txn = 0; txn < s->observed->txn_count; txn++)
        TRY(find_variants(s, txn, err));
    return make_trace(s, arena, err);
}

/* --- What is told of it -------------------------------------------------------------------------- */

/* Whom the transaction read the key from, or DATAFLOW_NONE; by its id and the key's name. */
static uint32_t observed_writer(const struct dataflow *observed, int64_t id, struct text key,
                                int64_t *writer)
{
    const struct history *h = observed->history;

    for (uint32_t txn = 0; txn < observed->txn_count; txn++) {
        if (h->txn_id[observed->txn[txn]] != id)
            continue;
        for (uint32_t e = observed->event_start[txn]; e < observed->event_start[txn + 1]; e++) {
            struct dataflow_event event = observed->events[e];

            if (!dataflow_is_read(event) ||
                !text_equal(history_key(h, observed->key[event.key]), key))
                continue;
            if (event.writer < DATAFLOW_INITIAL)
                *writer = h->txn_id[observed->txn[event.writer]];
            return event.writer;
        }
    }
    return DATAFLOW_NONE;
}

static uint32_t find_txn(const struct dataflow *t, int64_t id)
{
    uint32_t txn = 0;

    while (txn < t->txn_count && t->history->txn_id[t->txn[txn]] != id)
        txn++;
    return txn < t->txn_count ? txn : DATAFLOW_NONE;
}

/* The reads of a boundary transaction get the writers that they had when it was observed, where these take part. */
static void put_observed_writers(const struct dataflow *observed, struct dataflow *t, uint32_t txn)
{
    for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++) {
        struct text key = history_key(t->history, t->key[t->events[e].key]);
        uint32_t writer;
        int64_t id = 0;

        if (!dataflow_is_read(t->events[e]))
            continue;
        writer = observed_writer(observed, t->history->txn_id[t->txn[txn]], key, &id);
        if (writer < DATAFLOW_INITIAL)
            writer = find_txn(t, id);
        if (writer != DATAFLOW_NONE)
            t->events[e].writer = writer;
    }
}

static enum status tell_execution(const struct dataflow *observed, struct semantic_result *r,
                                  struct arena *arena, struct error *err)
{
    const struct prediction *found = &r->found;
    struct prediction *p = &r->prediction;
    struct dataflow *t = &r->executed;

    TRY(dataflow_of_history(t, &r->validation.history, arena, err));
    PREDICT_TAKE(arena, p->full, t->session_count, err);
    PREDICT_TAKE(arena, p->boundary, t->session_count, err);
    PREDICT_TAKE(arena, p->included, t->session_count, err);
    PREDICT_TAKE(arena, p->writer, t->event_count, err);
    PREDICT_TAKE(arena, p->order, t->txn_count, err);
    for (uint32_t e = 0; e < t->event_count; e++)
        p->writer[e] = t->events[e].writer;
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        p->order[p->order_count++] = txn;
    for (uint32_t session = 0; session < t->session_count; session++) {
        p->full[session] = t->session_start[session + 1] - t->session_start[session];
        p->boundary[session] = DATAFLOW_NONE;
    }
    for (uint32_t session = 0; session < r->all.session_count; session++) {
        uint32_t variant = found->boundary[session], txn;

        if (variant == DATAFLOW_NONE)
            continue;
        txn = find_txn(t, r->all.history->txn_id[r->all.txn[r->all.variant_of[variant]]]);
        if (txn == DATAFLOW_NONE)
            continue; /* it did not commit after all */
        p->full[t->session[txn]] = t->ordinal[txn];
        p->boundary[t->session[txn]] = txn;
        p->included[t->session[txn]] = t->event_start[txn + 1] - t->event_start[txn];
        put_observed_writers(observed, t, txn);
    }
    p->kind = PREDICTION_FOUND;
    return STATUS_OK;
}

static enum status tell(const struct dataflow *observed, struct semantic_result *r,
                        struct arena *arena, struct error *err)
{
    struct prediction *p = &r->prediction;

    *p = (struct prediction){ .kind = r->found.kind,
                              .is_saturated = r->found.is_saturated,
                              .counts = r->found.counts };
    snprintf(p->reason, sizeof p->reason, "%s", r->found.reason);
    if (p->kind == PREDICTION_FOUND)
        return tell_execution(observed, r, arena, err);
    if (p->kind == PREDICTION_NONE && r->has_more) {
        p->kind = PREDICTION_UNKNOWN;
        snprintf(p->reason, sizeof p->reason,
                 "none among %" PRIu64 " other executions of the transactions, and there are more",
                 r->executions);
    }
    return STATUS_OK;
}

/* What is found is executed before it is believed: sources are merged, and a combination may do otherwise. */
static enum status search_variants(const struct predict_calls *calls,
                                   const struct predict_options *options, struct arena *arena,
                                   struct semantic_result *r, struct error *err)
{
    struct validating validating = { calls, &r->all, options, arena, &r->validation };
    struct predict_judge judge = { validating_accept, &validating };
    struct predict_options judged = *options;

    judged.judge = &judge;
    TRY(predict_native(&r->all, &judged, arena, &r->found, err));
    r->is_validated = r->found.kind == PREDICTION_FOUND;
    return STATUS_OK;
}

static enum status try_variants(const struct predict_calls *calls, const struct dataflow *observed,
                                const struct predict_options *options, uint32_t runs_max,
                                struct arena *arena, struct semantic_result *r, struct error *err)
{
    struct semantic s = { .calls = calls,
                          .observed = observed,
                          .options = options,
                          .result = r,
                          .runs_max = runs_max,
                          .words = observed->txn_count / 64 + 1 };
    enum status status;

    *r = (struct semantic_result){ 0 };
    status = gather(&s, arena, err);
    r->variants = s.variants.count;
    execution_close(&s.execution);
    array_close(&s.variants);
    array_close(&s.sources);
    array_close(&s.source_sets);
    array_close(&s.queue);
    array_close(&s.choices);
    array_close(&s.reads);
    array_close(&s.sets);
    array_close(&s.representatives);
    return status == STATUS_OK ? search_variants(calls, options, arena, r, err) : status;
}

enum status predict_semantic(const struct predict_calls *calls, const struct dataflow *observed,
                             const struct predict_options *options, struct arena *arena,
                             struct semantic_result *r, struct error *err)
{
    TRY(try_variants(calls, observed, options, RUNS_MAX_FIRST, arena, r, err));
    if (r->found.kind == PREDICTION_NONE && r->has_more) {
        semantic_close(r);
        TRY(try_variants(calls, observed, options, RUNS_MAX, arena, r, err));
    }
    return tell(observed, r, arena, err);
}

void semantic_close(struct semantic_result *r)
{
    validation_close(&r->validation);
    history_close(&r->history);
}
