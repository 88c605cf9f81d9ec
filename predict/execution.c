#include "predict/execution_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "predict/predict_private.h"

/* The call of a variant is that of the transaction that it is of. */
static uint32_t call_of(const struct execution *x, uint32_t txn)
{
    const struct dataflow *t = x->trace;

    if (dataflow_is_variant(t, txn))
        txn = t->variant_of[txn];
    return predict_calls_find(x->calls, t->history->txn_id[t->txn[txn]]);
}

enum status execution_init(struct execution *x, const struct predict_calls *calls,
                           const struct dataflow *trace, enum level level, struct arena *arena,
                           struct error *err)
{
    const struct history *h = trace->history;

    *x = (struct execution){ .calls = calls, .trace = trace, .failed = DATAFLOW_NONE };
    PREDICT_TAKE(arena, x->call, trace->txn_count, err);
    PREDICT_TAKE(arena, x->executed, trace->txn_count, err);
    PREDICT_TAKE(arena, x->is_met, trace->event_count, err);
    PREDICT_TAKE(arena, x->is_boundary, trace->txn_count, err);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        x->executed[txn] = DATAFLOW_NONE;
        x->call[txn] = call_of(x, txn);
        if (x->call[txn] == UINT32_MAX)
            return error_set(err, STATUS_BAD_INPUT,
                             "nobody knows what T%" PRId64 " called: it is not in the log",
                             h->txn_id[trace->txn[txn]]);
    }
    for (uint32_t key = 0; key < trace->key_count; key++) {
        uint32_t number;

        TRY(intern_add(&x->keys, history_key(h, trace->key[key]), &number, err));
    }
    return predict_calls_open(calls, level, &x->store, err);
}

void execution_close(struct execution *x)
{
    intern_close(&x->keys);
    directed_close(x->store);
}

static void PRINTF_LIKE(2, 3) differ(struct execution *x, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (x->differences++ == 0)
        vsnprintf(x->difference, sizeof x->difference, format, arguments);
    va_end(arguments);
}

/* Of a variant the id of what it is of. */
static int64_t id_of(const struct execution *x, uint32_t txn)
{
    const struct dataflow *t = x->trace;

    return t->history->txn_id[t->txn[dataflow_is_variant(t, txn) ? t->variant_of[txn] : txn]];
}

/* The candidate that the writer wrote, or the count of them. */
static uint32_t find_candidate(const struct execution *x, const struct directed_read *read,
                               uint32_t writer)
{
    uint32_t wanted = writer == DATAFLOW_INITIAL ? DIRECTED_INITIAL : x->executed[writer], i = 0;

    if (writer != DATAFLOW_INITIAL && wanted == DATAFLOW_NONE)
        return read->count;
    while (i < read->count && read->candidates[i].writer != wanted)
        i++;
    return i;
}

/* Of no boundary transaction, where there is another. */
static uint32_t choose_freely(const struct execution *x, const struct directed_read *read)
{
    uint32_t choice = x->tail == TAIL_OLDEST ? 0 : read->count - 1;

    while (choice > 0 && read->candidates[choice].writer != DIRECTED_INITIAL &&
           x->is_boundary[read->candidates[choice].writer])
        choice--;
    return choice;
}

static uint32_t execution_choose(void *context, const struct directed_read *read)
{
    struct execution *x = context;
    const struct dataflow *t = x->trace;
    struct text name = directed_key_text(read->store, read->key);
    uint32_t key = intern_find(&x->keys, name), e = t->event_start[x->txn], found;

    /*
     * A row that is looked at, and no version of which could have matched, is not in the trace: any version will do.
     * The oldest brings the least with it.
     */
    if (key == INTERN_NONE)
        return 0;
    while (e < t->event_start[x->txn + 1] &&
           (!dataflow_is_read(t->events[e]) || t->events[e].key != key || x->is_met[e]))
        e++;
    if (e == t->event_start[x->txn + 1])
        return 0;
    x->is_met[e] = true;
    if (e >= x->end && x->tail != TAIL_AS_OBSERVED)
        return choose_freely(x, read);
    found = find_candidate(x, read, e < x->end ? x->writer[e] : t->events[e].writer);
    if (found < read->count)
        return found;
    if (e < x->end)
        differ(x, "T%" PRId64 " cannot read %.*s from whom it should", id_of(x, x->txn),
               TEXT_PRINT(name));
    return choose_freely(x, read);
}

/* A row that nobody has written yet is not asked for: it is not there. */
static bool is_absent(const struct execution *x, uint32_t event)
{
    const struct dataflow *t = x->trace;
    uint32_t key = t->events[event].key;

    for (uint32_t i = t->writer_start[key]; i < t->writer_start[key + 1]; i++)
        if (x->executed[t->writers[i]] != DATAFLOW_NONE && t->writers[i] != x->txn)
            return false;
    return x->writer[event] == DATAFLOW_INITIAL &&
           history_initial(t->history, t->key[key]).kind == VALUE_NULL;
}

/* Reads that the transaction should have done. A key that it saw before it need not have asked for again. */
static void find_undone(struct execution *x, uint32_t txn)
{
    const struct dataflow *t = x->trace;

    for (uint32_t e = t->event_start[txn]; e < x->end; e++) {
        bool is_done = !dataflow_is_read(t->events[e]) || x->is_met[e] || is_absent(x, e);

        for (uint32_t before = t->event_start[txn]; before < e && !is_done; before++)
            is_done = x->is_met[before] && t->events[before].key == t->events[e].key &&
                      x->writer[before] == x->writer[e];
        if (!is_done) {
            struct text name = history_key(t->history, t->key[t->events[e].key]);

            differ(x, "T%" PRId64 " does not read %.*s", id_of(x, txn), TEXT_PRINT(name));
        }
    }
}

/* The keys that it wrote, where all of it is wanted. */
static void compare_writes(struct execution *x, uint32_t txn, uint32_t number)
{
    const struct dataflow *t = x->trace;
    uint32_t count, wanted = 0;
    const uint32_t *writes = directed_writes(x->store, number, &count);

    if (x->end < t->event_start[txn + 1])
        return;
    for (uint32_t e = t->event_start[txn]; e < x->end; e++)
        wanted += !dataflow_is_read(t->events[e]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key = intern_find(&x->keys, directed_key_text(x->store, writes[i]));

        if (key == INTERN_NONE || dataflow_write_of(t, txn, key) == DATAFLOW_NONE) {
            struct text name = directed_key_text(x->store, writes[i]);

            differ(x, "T%" PRId64 " writes %.*s", id_of(x, txn), TEXT_PRINT(name));
            return;
        }
    }
    if (count < wanted)
        differ(x, "T%" PRId64 " writes less", id_of(x, txn));
}

enum status execution_run(struct execution *x, uint32_t txn, uint32_t events, bool *is_committed,
                          struct error *err)
{
    const struct predict_call *call = &x->calls->calls.at[x->call[txn]];
    struct director director = { execution_choose, x };
    struct directed_outcome outcome;

    x->txn = txn;
    x->recorder.inner = director;
    if (x->recorder.choices) {
        TRY(array_push(&x->recorder.choices->order, call->session, err));
        director = choice_recorder_director(&x->recorder);
    }
    x->end = x->trace->event_start[txn] + events;
    TRY(directed_run(x->store,
                     &(struct directed_call){ call->session, call->function, call->arguments },
                     &director, &outcome, err));
    *is_committed = outcome.end == DIRECTED_COMMITTED;
    if (*is_committed) {
        x->executed[txn] = outcome.txn;
        x->is_boundary[outcome.txn] = x->is_last;
        find_undone(x, txn);
        compare_writes(x, txn, outcome.txn);
    } else {
        x->failed = x->failed == DATAFLOW_NONE ? txn : x->failed;
        differ(x, "T%" PRId64 " does not commit: %s", id_of(x, txn),
               outcome.message ? outcome.message : "refused");
    }
    return STATUS_OK;
}
