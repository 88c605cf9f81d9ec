#include "predict/z3/boundary_private.h"

#include "predict/predict_private.h"

static bool is_before_in_session(const struct dataflow *trace, uint32_t a, uint32_t b)
{
    return a < b && trace->session[a] == trace->session[b];
}

/* --- Tables ------------------------------------------------------------------------------- */

static enum status list_readers(struct encoding *e, struct error *err)
{
    const struct dataflow *trace = e->trace;

    PREDICT_TAKE(e->arena, e->reader_start, trace->key_count + 2, err);
    PREDICT_TAKE(e->arena, e->readers, trace->event_count, err);
    for (uint32_t event = 0; event < trace->event_count; event++)
        if (dataflow_is_read(trace->events[event]))
            e->reader_start[trace->events[event].key + 2]++;
    array_sum_prefixes(e->reader_start, trace->key_count + 2);
    for (uint32_t event = 0; event < trace->event_count; event++)
        if (dataflow_is_read(trace->events[event]))
            e->readers[e->reader_start[trace->events[event].key + 1]++] = event;
    return STATUS_OK;
}

static enum status make_tables(struct encoding *e, struct error *err)
{
    const struct dataflow *trace = e->trace;
    size_t choices = 0;

    PREDICT_TAKE(e->arena, e->txn_of, trace->event_count, err);
    PREDICT_TAKE(e->arena, e->full, trace->txn_count, err);
    PREDICT_TAKE(e->arena, e->included, trace->event_count, err);
    PREDICT_TAKE(e->arena, e->choice_start, trace->event_count + 1, err);
    PREDICT_TAKE(e->arena, e->write_event, trace->event_count, err);
    PREDICT_TAKE(e->arena, e->direct, (size_t)trace->txn_count * trace->txn_count, err);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++) {
            uint32_t key = trace->events[i].key;

            e->txn_of[i] = txn;
            if (dataflow_is_read(trace->events[i]))
                choices += trace->writer_start[key + 1] - trace->writer_start[key] + 1;
        }
    PREDICT_TAKE(e->arena, e->choices, choices, err);
    for (uint32_t key = 0; key < trace->key_count; key++)
        for (uint32_t i = trace->writer_start[key]; i < trace->writer_start[key + 1]; i++)
            e->write_event[i] = dataflow_write_of(trace, trace->writers[i], key);
    return list_readers(e, err);
}

/* --- What is left ------------------------------------------------------------------------- */

/* From the last event to the first: `behind` is the literal of the next read that is left. */
static void include_strict(struct encoding *e, uint32_t txn)
{
    const struct dataflow *trace = e->trace;
    uint32_t behind = e->full[txn];

    for (uint32_t i = trace->event_start[txn + 1]; i-- > trace->event_start[txn];) {
        if (dataflow_is_read(trace->events[i])) {
            uint32_t literal = clauses_variable(&e->clauses);

            clauses_implies(&e->clauses, &behind, 1, literal);
            behind = literal;
        }
        e->included[i] = behind;
    }
}

static void include_relaxed(struct encoding *e, uint32_t txn)
{
    const struct dataflow *trace = e->trace;
    bool reads = false;
    uint32_t literal = e->full[txn];

    for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++)
        reads |= dataflow_is_read(trace->events[i]);
    if (reads)
        literal = clauses_variable(&e->clauses);
    clauses_implies(&e->clauses, &e->full[txn], 1, literal);
    for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++)
        e->included[i] = literal;
}

static void include(struct encoding *e)
{
    const struct dataflow *trace = e->trace;

    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        e->full[txn] = clauses_variable(&e->clauses);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        uint32_t first = e->full[txn];

        if (e->is_relaxed)
            include_relaxed(e, txn);
        else
            include_strict(e, txn);
        if (trace->event_start[txn] < trace->event_start[txn + 1])
            first = e->included[trace->event_start[txn]];
        if (trace->previous[txn] != DATAFLOW_NONE)
            clauses_implies(&e->clauses, &first, 1, e->full[trace->previous[txn]]);
    }
}

/* --- Who reads from whom ------------------------------------------------------------------ */

/* `kept`: the literal that it is as observed. */
static void choose(struct encoding *e, uint32_t read, uint32_t kept, uint32_t *count)
{
    const struct dataflow *trace = e->trace;
    struct clauses *f = &e->clauses;
    uint32_t key = trace->events[read].key, first = trace->writer_start[key];
    uint32_t writers = trace->writer_start[key + 1] - first;

    for (uint32_t i = 0; i <= writers; i++) {
        uint32_t writer = i < writers ? trace->writers[first + i] : DATAFLOW_INITIAL, literal;

        if (writer == e->txn_of[read])
            continue;
        literal = clauses_variable(f);
        clauses_implies(f, &literal, 1, e->included[read]);
        if (writer != DATAFLOW_INITIAL)
            clauses_implies(f, &literal, 1, e->full[writer]);
        if (writer == trace->events[read].writer)
            clauses_implies(f, &kept, 1, literal);
        clauses_gather(f, literal);
        e->choices[(*count)++] = (struct encoding_choice){ writer, literal };
    }
    clauses_at_most_one_gathered(f);
    clauses_gather(f, clauses_not(e->included[read]));
    clauses_some_gathered(f);
    clauses_forget_gathered(f);
}

static void choose_all(struct encoding *e)
{
    const struct dataflow *trace = e->trace;
    uint32_t count = 0;

    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        for (uint32_t i = trace->event_start[txn]; i < trace->event_start[txn + 1]; i++) {
            uint32_t next = i + 1;

            e->choice_start[i] = count;
            if (!dataflow_is_read(trace->events[i]))
                continue;
            while (next < trace->event_start[txn + 1] && !dataflow_is_read(trace->events[next]))
                next++;
            choose(e, i,
                   e->is_relaxed || next == trace->event_start[txn + 1] ? e->full[txn]
                                                                        : e->included[next],
                   &count);
        }
    e->choice_start[trace->event_count] = count;
}

/* Session order, or some read of t has w. */
static void relate(struct encoding *e, uint32_t w, uint32_t t)
{
    const struct dataflow *trace = e->trace;
    struct clauses *f = &e->clauses;
    uint32_t *direct = encoding_at(e, e->direct, w, t);

    *direct = CLAUSES_FALSE;
    if (w == t)
        return;
    if (is_before_in_session(trace, w, t)) {
        *direct = CLAUSES_TRUE;
        return;
    }
    for (uint32_t c = e->choice_start[trace->event_start[t]];
         c < e->choice_start[trace->event_start[t + 1]]; c++) {
        if (e->choices[c].writer != w)
            continue;
        if (*direct == CLAUSES_FALSE)
            *direct = clauses_variable(f);
        clauses_implies(f, &e->choices[c].literal, 1, *direct);
        clauses_gather(f, e->choices[c].literal);
    }
    clauses_gather(f, clauses_not(*direct));
    clauses_some_gathered(f);
    clauses_forget_gathered(f);
}

enum status boundary_encode(struct encoding *e, struct error *err)
{
    const struct dataflow *trace = e->trace;

    TRY(make_tables(e, err));
    include(e);
    choose_all(e);
    for (uint32_t w = 0; w < trace->txn_count; w++)
        for (uint32_t t = 0; t < trace->txn_count; t++)
            relate(e, w, t);
    return clauses_status(&e->clauses, err);
}
