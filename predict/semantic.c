#include "predict/semantic.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "predict/execution_private.h"
#include "predict/predict_private.h"

#define VARIANTS_MAX 200      /* of a transaction */
#define ALL_VARIANTS_MAX 2000 /* of all */

/* A combination of choices: of the first reads; the others are as they were. `choice` in the array of all. */
struct combination {
    size_t start;
    uint32_t count;
};

struct semantic {
    const struct predict_calls *calls;
    const struct dataflow *observed;
    struct semantic_result *result;
    struct execution execution;
    ARRAY(uint32_t) variant_of; /* by number in the store, behind the observed ones */
    /* Of the transaction at hand: what is tried, and of the execution at hand the number of values of each read. */
    ARRAY(struct combination) queue;
    ARRAY(uint32_t) choices;
    const struct combination *at;
    ARRAY(uint32_t) values;
    ARRAY(uint32_t)
    representatives; /* of the read at hand: candidates of different values, the usual one first */
    bool is_short;   /* memory ran out in a callback */
    struct error *err;
};

/* --- One variant ---------------------------------------------------------------------------- */

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

/* Candidates of the observed transactions, one for each value; first the newest. */
static bool find_representatives(struct semantic *s, const struct directed_read *read)
{
    uint32_t columns = s->calls->program->tree.schema.tables[read->table].column_count;

    s->representatives.count = 0;
    for (uint32_t i = read->count; i-- > 0;) {
        bool is_known = read->candidates[i].writer != DIRECTED_INITIAL &&
                        read->candidates[i].writer >= s->observed->txn_count;

        for (size_t k = 0; k < s->representatives.count && !is_known; k++)
            is_known = rows_are_equal(read->candidates[i].row,
                                      read->candidates[s->representatives.at[k]].row, columns);
        if (!is_known && array_push(&s->representatives, i, s->err) != STATUS_OK)
            return false;
    }
    return s->representatives.count > 0;
}

/* Puts the version first that the transaction observed, by the next read of the key that it has not done. */
static void put_observed_first(struct semantic *s, const struct directed_read *read)
{
    struct execution *x = &s->execution;
    const struct dataflow *t = s->observed;
    uint32_t key = intern_find(&x->keys, directed_key_text(read->store, read->key)),
             writer = DATAFLOW_NONE;
    uint32_t columns = s->calls->program->tree.schema.tables[read->table].column_count;
    const struct datum *row = NULL;
    bool is_there = false;

    for (uint32_t e = t->event_start[x->txn]; e < t->event_start[x->txn + 1] && key != INTERN_NONE;
         e++)
        if (dataflow_is_read(t->events[e]) && t->events[e].key == key && !x->is_met[e]) {
            x->is_met[e] = true;
            writer = t->events[e].writer == DATAFLOW_INITIAL ? DIRECTED_INITIAL : t->events[e].writer;
            break;
        }
    for (uint32_t i = 0; i < read->count && writer != DATAFLOW_NONE; i++)
        if (read->candidates[i].writer == writer) {
            row = read->candidates[i].row;
            is_there = true;
        }
    for (size_t k = 1; k < s->representatives.count && is_there; k++)
        if (rows_are_equal(row, read->candidates[s->representatives.at[k]].row, columns)) {
            uint32_t first = s->representatives.at[0];

            s->representatives.at[0] = s->representatives.at[k];
            s->representatives.at[k] = first;
        }
}

static uint32_t semantic_choose(void *context, const struct directed_read *read)
{
    struct semantic *s = context;
    size_t number = s->values.count;
    uint32_t choice = 0;

    if (!find_representatives(s, read) ||
        array_push(&s->values, (uint32_t)s->representatives.count, s->err) != STATUS_OK) {
        s->is_short = true;
        return read->count - 1;
    }
    put_observed_first(s, read);
    if (number < s->at->count)
        choice = s->choices.at[s->at->start + number];
    return s->representatives.at[choice < s->representatives.count ? choice : 0];
}

static enum status run_variant(struct semantic *s, uint32_t txn, const struct combination *at,
                               struct error *err)
{
    struct execution *x = &s->execution;
    const struct predict_call *call = &s->calls->calls.at[x->call[txn]];
    struct director director = { semantic_choose, s };
    struct directed_outcome outcome;

    s->at = at;
    s->values.count = 0;
    s->err = err;
    x->txn = txn;
    for (uint32_t e = s->observed->event_start[txn]; e < s->observed->event_start[txn + 1]; e++)
        x->is_met[e] = false;
    TRY(directed_run(x->store,
                     &(struct directed_call){ call->session, call->function, call->arguments },
                     &director, &outcome, err));
    if (s->is_short)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for variants");
    if (outcome.end != DIRECTED_COMMITTED) {
        directed_undo(x->store);
        return STATUS_OK;
    }
    s->result->variants++;
    return array_push(&s->variant_of, txn, err);
}

/* --- All variants of a transaction ------------------------------------------------------------ */

/* The combinations in which one more read differs, behind the last that does. */
static enum status queue_next(struct semantic *s, struct combination at, struct error *err)
{
    for (size_t read = at.count; read < s->values.count; read++)
        for (uint32_t value = 1; value < s->values.at[read]; value++) {
            struct combination next = { s->choices.count, (uint32_t)read + 1 };

            if (s->queue.count >= VARIANTS_MAX) {
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
    TRY(array_push(&s->queue, ((struct combination){ 0, 0 }), err));
    for (size_t i = 0; i < s->queue.count; i++) {
        struct combination at = s->queue.at[i];

        if (s->result->variants >= ALL_VARIANTS_MAX) {
            s->result->has_more = true;
            return STATUS_OK;
        }
        TRY(run_variant(s, txn, &at, err));
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

/* Variants stand in their sessions where the transactions stand that they are of, and in no list. */
static enum status mark_variants(struct semantic *s, struct dataflow *t, struct arena *arena,
                                 struct error *err)
{
    uint32_t observed = s->observed->txn_count, count = 0;

    PREDICT_TAKE(arena, t->variant_of, t->txn_count, err);
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        t->variant_of[txn] = DATAFLOW_NONE;
        if (txn < observed)
            continue;
        t->variant_of[txn] = s->variant_of.at[txn - observed];
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
static uint32_t observed_writer(const struct dataflow *observed, int64_t id, struct text key, int64_t *writer)
{
    const struct history *h = observed->history;

    for (uint32_t txn = 0; txn < observed->txn_count; txn++) {
        if (h->txn_id[observed->txn[txn]] != id)
            continue;
        for (uint32_t e = observed->event_start[txn]; e < observed->event_start[txn + 1]; e++) {
            struct dataflow_event event = observed->events[e];

            if (!dataflow_is_read(event) || !text_equal(history_key(h, observed->key[event.key]), key))
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

static enum status tell_execution(const struct dataflow *observed, struct semantic_result *r, struct arena *arena,
                                  struct error *err)
{
    const struct prediction *found = &r->found;
    struct prediction *p = &r->prediction;
    struct dataflow *t = &r->executed;

    TRY(dataflow_of_history(t, &r->validation.history, arena, err));
    PREDICT_TAKE(arena, p->full, t->session_count, err);
    PREDICT_TAKE(arena, p->boundary, t->session_count, err);
    PREDICT_TAKE(arena, p->included, t->session_count, err);
    PREDICT_TAKE(arena, p->writer, t->event_count, err);
    for (uint32_t e = 0; e < t->event_count; e++)
        p->writer[e] = t->events[e].writer;
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

static enum status confirm(const struct predict_calls *calls, const struct dataflow *observed,
                           const struct predict_options *options, struct arena *arena, struct semantic_result *r,
                           struct error *err)
{
    struct prediction *p = &r->prediction;

    *p = (struct prediction){ .kind = r->found.kind, .is_saturated = r->found.is_saturated, .counts = r->found.counts };
    snprintf(p->reason, sizeof p->reason, "%s", r->found.reason);
    if (p->kind == PREDICTION_NONE && r->has_more) {
        p->kind = PREDICTION_UNKNOWN;
        snprintf(p->reason, sizeof p->reason,
                 "none among %" PRIu64 " other executions of the transactions, and there are more", r->variants);
    }
    if (p->kind != PREDICTION_FOUND)
        return STATUS_OK;
    TRY(validate(calls, &r->all, &r->found, options, arena, &r->validation, err));
    r->is_validated = true;
    if (r->validation.kind != VALIDATION_NOT_REPRODUCED)
        return tell_execution(observed, r, arena, err);
    p->kind = PREDICTION_UNKNOWN;
    snprintf(p->reason, sizeof p->reason, "what was found did not happen when it was executed: %.200s",
             r->validation.reason);
    return STATUS_OK;
}

enum status predict_semantic(const struct predict_calls *calls, const struct dataflow *observed,
                             const struct predict_options *options, struct arena *arena, struct semantic_result *r,
                             struct error *err)
{
    struct semantic s = { .calls = calls, .observed = observed, .result = r };
    enum status status;

    *r = (struct semantic_result){ 0 };
    status = gather(&s, arena, err);
    execution_close(&s.execution);
    array_close(&s.variant_of);
    array_close(&s.queue);
    array_close(&s.choices);
    array_close(&s.values);
    array_close(&s.representatives);
    if (status == STATUS_OK)
        status = predict_native(&r->all, options, arena, &r->found, err);
    return status == STATUS_OK ? confirm(calls, observed, options, arena, r, err) : status;
}

void semantic_close(struct semantic_result *r)
{
    validation_close(&r->validation);
    history_close(&r->history);
}
