#include "predict/normal_form_private.h"

#include <assert.h>

#include "base/bisect.h"

/*
 * Levels at which a transaction cannot read two versions of a key, so that its later reads of it say nothing. At
 * snapshot it cannot either, but whether it is cut behind one of them says which of its writes are in.
 */
static bool level_reads_once(enum level level)
{
    return level != LEVEL_READ_COMMITTED && level != LEVEL_SNAPSHOT;
}

/* Levels at which all that happens before is seen. */
static bool level_is_causal(enum level level)
{
    return level == LEVEL_CAUSAL || level == LEVEL_PREFIX || level == LEVEL_SNAPSHOT;
}

static void add_past(struct normal_form *n, uint32_t txn, uint32_t before)
{
    bit_rows_add(&n->past, txn, before);
    bit_rows_join(&n->past, txn, before);
}

/* Those before a transaction, as edges: its predecessor, and each writer that it reads from. */
static uint32_t count_waiting(const struct dataflow *t, uint32_t txn, const bool *is_placed)
{
    uint32_t waiting = t->previous[txn] != DATAFLOW_NONE && !is_placed[t->previous[txn]];

    for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1] && waiting == 0; e++)
        waiting += t->events[e].writer < DATAFLOW_INITIAL && !is_placed[t->events[e].writer];
    return waiting;
}

/*
 * The past of each, in an order in which each stands behind its past, and in the trace's where that leaves it open.
 * Nearly always the trace's own order will do, so that one pass places all.
 */
static enum status find_past(struct normal_form *n, struct arena *arena, struct error *err)
{
    const struct dataflow *t = n->trace;
    uint32_t placed = 0, before;
    bool *is_placed;

    PREDICT_TAKE(arena, is_placed, t->txn_count, err);
    do {
        before = placed;
        for (uint32_t txn = 0; txn < t->txn_count; txn++) {
            if (is_placed[txn] || dataflow_is_variant(t, txn) ||
                count_waiting(t, txn, is_placed) > 0)
                continue;
            if (t->previous[txn] != DATAFLOW_NONE)
                add_past(n, txn, t->previous[txn]);
            for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
                if (t->events[e].writer < DATAFLOW_INITIAL)
                    add_past(n, txn, t->events[e].writer);
            is_placed[txn] = true;
            n->sequence[placed++] = txn;
        }
    } while (placed > before);
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        if (!is_placed[txn]) {
            n->is_never_full[txn] = true;
            if (dataflow_is_variant(t, txn) && t->previous[txn] != DATAFLOW_NONE)
                add_past(n, txn, t->previous[txn]);
            n->sequence[placed++] = txn;
        }
    return STATUS_OK;
}

static enum status find_writes(struct normal_form *n, struct arena *arena, struct error *err)
{
    const struct dataflow *t = n->trace;
    uint32_t count = 0;

    PREDICT_TAKE(arena, n->write_start, t->txn_count + 1, err);
    PREDICT_TAKE(arena, n->writes, t->event_count, err);
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        n->write_start[txn] = count;
        for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
            if (!dataflow_is_read(t->events[e]))
                n->writes[count++] = (struct txn_write){ t->events[e].key, e };
    }
    n->write_start[t->txn_count] = count;
    return STATUS_OK;
}

enum status normal_form_init(struct normal_form *n, const struct dataflow *trace,
                             const struct predict_options *options, struct arena *arena,
                             struct error *err)
{
    *n = (struct normal_form){ .trace = trace,
                               .observed = dataflow_observed(trace),
                               .reads_once = level_reads_once(options->level),
                               .level = options->level,
                               .is_relaxed = strategy_is_relaxed(options->strategy) };
    PREDICT_TAKE(arena, n->standing, trace->txn_count, err);
    PREDICT_TAKE(arena, n->is_never_full, trace->txn_count, err);
    PREDICT_TAKE(arena, n->sequence, trace->txn_count, err);
    PREDICT_TAKE(arena, n->next, trace->txn_count, err);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        n->next[txn] = DATAFLOW_NONE;
    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        if (trace->previous[txn] != DATAFLOW_NONE && !dataflow_is_variant(trace, txn))
            n->next[trace->previous[txn]] = txn;
    TRY(bit_rows_init(&n->past, trace->txn_count, arena, err));
    TRY(find_past(n, arena, err));
    return find_writes(n, arena, err);
}

void normal_form_confine(struct normal_form *n, uint32_t window_first, uint32_t window_end)
{
    for (uint32_t i = 0; i < n->trace->txn_count; i++) {
        uint32_t txn = n->sequence[i];
        bool is_full = i < window_first && !n->is_never_full[txn];

        n->standing[txn] = is_full                               ? TXN_IS_FULL
                           : i >= window_first && i < window_end ? TXN_IS_FREE
                                                                 : TXN_IS_OUT;
    }
    for (uint32_t txn = 0; txn < n->trace->txn_count; txn++)
        if (dataflow_is_variant(n->trace, txn))
            n->standing[txn] =
                n->standing[n->trace->variant_of[txn]] == TXN_IS_FREE ? TXN_IS_FREE : TXN_IS_OUT;
}

/* Whether the version of `writer` is overwritten by something that the reader's predecessors have seen. */
static bool is_overtaken(const struct normal_form *n, uint32_t txn, uint32_t key, uint32_t writer)
{
    const struct dataflow *t = n->trace;
    uint32_t previous = t->previous[txn];

    if (previous == DATAFLOW_NONE || (!level_is_causal(n->level) && !n->keeps_sessions))
        return false;
    for (uint32_t i = t->writer_start[key]; i < t->writer_start[key + 1]; i++) {
        uint32_t other = t->writers[i];

        if (other != writer && (other == previous || happens_before(n, other, previous)) &&
            (!n->keeps_sessions || t->session[other] == t->session[txn]) &&
            (writer == DATAFLOW_INITIAL || happens_before(n, writer, other)))
            return true;
    }
    return false;
}

static void add_candidate(struct normal_form *n, struct choosing_read *r, uint32_t writer)
{
    if (writer == n->trace->events[r->event].writer)
        r->observed = n->candidate_count;
    n->candidates[n->candidate_count++] = writer;
}

/* Another execution does what it did with what it read. */
static bool may_come(const struct normal_form *n, const struct choosing_read *r, uint32_t writer)
{
    const struct dataflow *t = n->trace;
    uint32_t bit = writer == DATAFLOW_INITIAL ? n->observed : writer;

    if (!dataflow_is_variant(t, r->txn))
        return true;
    return bit <= n->observed &&
           t->sources[(size_t)r->event * t->source_words + bit / 64] >> bit % 64 & 1;
}

static void find_candidates(struct normal_form *n, struct choosing_read *r)
{
    const struct dataflow *t = n->trace;

    uint32_t observed = t->events[r->event].writer;

    r->start = n->candidate_count;
    r->observed = DATAFLOW_NONE;
    if (n->standing[r->txn] == TXN_IS_FULL || (t->variant_of && !dataflow_is_variant(t, r->txn))) {
        if (!is_overtaken(n, r->txn, r->key, observed))
            add_candidate(n, r, observed);
        r->end = n->candidate_count;
        return;
    }
    if (!is_overtaken(n, r->txn, r->key, DATAFLOW_INITIAL) && may_come(n, r, DATAFLOW_INITIAL))
        add_candidate(n, r, DATAFLOW_INITIAL);
    for (uint32_t i = t->writer_start[r->key]; i < t->writer_start[r->key + 1]; i++) {
        uint32_t writer = t->writers[i];

        if (writer != r->txn && !n->is_never_full[writer] && n->standing[writer] != TXN_IS_OUT &&
            !happens_before(n, r->txn, writer) && !is_overtaken(n, r->txn, r->key, writer) &&
            may_come(n, r, writer))
            add_candidate(n, r, writer);
    }
    r->end = n->candidate_count;
}

/* Whether an earlier read of the transaction was of the same key; `agrees`: from the same writer. */
static bool is_repeated(const struct normal_form *n, uint32_t txn, uint32_t event, bool *agrees)
{
    const struct dataflow *t = n->trace;

    for (uint32_t e = t->event_start[txn]; e < event; e++)
        if (dataflow_is_read(t->events[e]) && t->events[e].key == t->events[event].key) {
            *agrees = t->events[e].writer == t->events[event].writer;
            return true;
        }
    return false;
}

static bool agrees_with_itself(const struct normal_form *n, uint32_t txn)
{
    const struct dataflow *t = n->trace;
    bool agrees = true;

    for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1] && agrees && n->reads_once;
         e++)
        if (dataflow_is_read(t->events[e]))
            (void)is_repeated(n, txn, e, &agrees);
    return agrees;
}

static uint32_t count_candidates(const struct dataflow *t)
{
    uint64_t count = 0;

    for (uint32_t e = 0; e < t->event_count; e++)
        if (dataflow_is_read(t->events[e]))
            count += t->writer_start[t->events[e].key + 1] - t->writer_start[t->events[e].key] + 1;
    return count < UINT32_MAX / 4 ? (uint32_t)count : UINT32_MAX;
}

enum status normal_form_find_reads(struct normal_form *n, struct arena *arena, struct error *err)
{
    const struct dataflow *t = n->trace;
    uint32_t candidates = count_candidates(t);

    if (candidates == UINT32_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "too many reads of keys with many writers");
    PREDICT_TAKE(arena, n->read_start, t->txn_count + 1, err);
    PREDICT_TAKE(arena, n->reads, t->event_count, err);
    PREDICT_TAKE(arena, n->candidates, candidates, err);
    PREDICT_TAKE(arena, n->is_full_possible, t->txn_count, err);
    n->read_count = n->candidate_count = 0; /* of the window before */
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        n->read_start[txn] = n->read_count;
        n->is_full_possible[txn] = !n->is_never_full[txn] && agrees_with_itself(n, txn);
        for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++) {
            struct choosing_read r = { .txn = txn, .key = t->events[e].key, .event = e };
            bool agrees;

            if (!dataflow_is_read(t->events[e]) || n->standing[txn] == TXN_IS_OUT ||
                (n->reads_once && n->is_full_possible[txn] && is_repeated(n, txn, e, &agrees)))
                continue;
            find_candidates(n, &r);
            n->reads[n->read_count++] = r;
        }
    }
    n->read_start[t->txn_count] = n->read_count;
    return STATUS_OK;
}

uint32_t normal_form_write(const struct normal_form *n, uint32_t txn, uint32_t key)
{
    for (uint32_t i = n->write_start[txn]; i < n->write_start[txn + 1]; i++)
        if (n->writes[i].key == key)
            return i;
    return DATAFLOW_NONE;
}
