#include "predict/z3/recheck_private.h"

#include <assert.h>
#include <string.h>

#include "predict/predict_private.h"

#define STATES_MAX (UINT64_C(1) << 24)

struct recheck {
    const struct dataflow *trace;
    const struct prediction *p;
    const uint32_t *place;
    enum level level;
    bool is_relaxed;
    bool *is_full, *is_in; /* by transaction */
    uint32_t *end;         /* by transaction: behind its last event that is left */
    bool *edge, *forced;   /* by two transactions */
    /* Of the search. */
    uint32_t *next;    /* by session: how many of it have come */
    uint64_t *stride;  /* by session, of a state's number */
    uint8_t *was_seen; /* by state: a bit */
    bool *has_come;    /* by transaction */
};

static uint32_t session_size(const struct dataflow *trace, uint32_t session)
{
    return trace->session_start[session + 1] - trace->session_start[session];
}

static uint32_t session_txn(const struct dataflow *trace, uint32_t session, uint32_t place)
{
    return trace->session_txns[trace->session_start[session] + place];
}

static bool *edge(const struct recheck *r, uint32_t a, uint32_t b)
{
    return &r->edge[(size_t)a * r->trace->txn_count + b];
}

/* Whether its write of the key is left. */
static bool writes(const struct recheck *r, uint32_t txn, uint32_t key)
{
    uint32_t event = dataflow_write_of(r->trace, txn, key);

    return event != DATAFLOW_NONE && event < r->end[txn];
}

static bool is_read(const struct recheck *r, uint32_t event)
{
    return dataflow_is_read(r->trace->events[event]);
}

/* --- Form --------------------------------------------------------------------------------- */

static const char *check_sessions(struct recheck *r)
{
    const struct dataflow *trace = r->trace;
    const struct prediction *p = r->p;

    for (uint32_t s = 0; s < trace->session_count; s++) {
        uint32_t boundary = p->boundary[s], start;

        assert(p->full[s] <= session_size(trace, s));
        for (uint32_t i = 0; i < p->full[s]; i++) {
            uint32_t txn = session_txn(trace, s, i);

            r->is_in[txn] = r->is_full[txn] = true;
            r->end[txn] = trace->event_start[txn + 1];
        }
        if (boundary == DATAFLOW_NONE)
            continue;
        if (p->full[s] == session_size(trace, s) || boundary != session_txn(trace, s, p->full[s]))
            return "a boundary transaction is out of its place";
        start = trace->event_start[boundary];
        r->is_in[boundary] = true;
        r->end[boundary] = start + p->included[s];
        if (p->included[s] == 0 || r->end[boundary] > trace->event_start[boundary + 1] ||
            (r->is_relaxed ? r->end[boundary] < trace->event_start[boundary + 1]
                           : !is_read(r, r->end[boundary] - 1)))
            return "a boundary transaction is cut at a wrong place";
    }
    return NULL;
}

static const char *check_reads(const struct recheck *r)
{
    const struct dataflow *trace = r->trace;

    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        for (uint32_t e = trace->event_start[txn]; e < r->end[txn]; e++) {
            uint32_t writer = r->p->writer[e];
            bool is_free = !r->is_full[txn] && (r->is_relaxed || e + 1 == r->end[txn]);

            if (!is_read(r, e))
                continue;
            if (!is_free && writer != trace->events[e].writer)
                return "a read that is none of a boundary has another writer";
            if (writer != DATAFLOW_INITIAL &&
                (writer == txn || !r->is_full[writer] || !writes(r, writer, trace->events[e].key)))
                return "a read has a writer that is not full, or did not write its key";
        }
    return NULL;
}

/* --- Edges -------------------------------------------------------------------------------- */

static void begin_edges(struct recheck *r)
{
    const struct dataflow *trace = r->trace;

    memset(r->edge, 0, (size_t)trace->txn_count * trace->txn_count * sizeof *r->edge);
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        if (r->is_in[txn] && trace->previous[txn] != DATAFLOW_NONE)
            *edge(r, trace->previous[txn], txn) = true;
        for (uint32_t e = trace->event_start[txn]; e < r->end[txn]; e++)
            if (is_read(r, e) && r->p->writer[e] != DATAFLOW_INITIAL)
                *edge(r, r->p->writer[e], txn) = true;
    }
}

/* Whether there is a cycle among them. */
static bool close_edges(struct recheck *r)
{
    uint32_t count = r->trace->txn_count;
    bool is_cyclic = false;

    for (uint32_t k = 0; k < count; k++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; *edge(r, a, k) && b < count; b++)
                *edge(r, a, b) |= *edge(r, k, b);
    for (uint32_t a = 0; a < count; a++)
        is_cyclic |= *edge(r, a, a);
    return is_cyclic;
}

/* For each read that is left, and each other transaction that writes its key; says whether any `visit` did. */
static bool for_each_conflict(struct recheck *r, bool (*visit)(struct recheck *, uint32_t read,
                                                               uint32_t reader, uint32_t other))
{
    const struct dataflow *trace = r->trace;
    bool result = false;

    for (uint32_t txn = 0; txn < trace->txn_count; txn++)
        for (uint32_t e = trace->event_start[txn]; e < r->end[txn]; e++) {
            uint32_t key = trace->events[e].key;

            if (!is_read(r, e))
                continue;
            for (uint32_t i = trace->writer_start[key]; i < trace->writer_start[key + 1]; i++) {
                uint32_t other = trace->writers[i];

                if (other != txn && other != r->p->writer[e] && writes(r, other, key))
                    result |= visit(r, e, txn, other);
            }
        }
    return result;
}

/* --- The level ---------------------------------------------------------------------------- */

static bool is_direct(const struct recheck *r, uint32_t a, uint32_t b)
{
    const struct dataflow *trace = r->trace;

    if (trace->session[a] == trace->session[b])
        return a < b;
    for (uint32_t e = trace->event_start[b]; e < r->end[b]; e++)
        if (is_read(r, e) && r->p->writer[e] == a)
            return true;
    return false;
}

/* Behind a cut, too. */
static bool has_common_key(const struct recheck *r, uint32_t a, uint32_t b)
{
    for (uint32_t e = r->trace->event_start[a]; e < r->trace->event_start[a + 1]; e++)
        if (!is_read(r, e) && dataflow_write_of(r->trace, b, r->trace->events[e].key) != DATAFLOW_NONE)
            return true;
    return false;
}

/* Whether the reader has seen the other, in the words of the level. */
static bool premise(const struct recheck *r, uint32_t read, uint32_t reader, uint32_t other)
{
    const struct dataflow *trace = r->trace;

    switch (r->level) {
    case LEVEL_READ_COMMITTED:
        for (uint32_t e = trace->event_start[reader]; e < read; e++)
            if (is_read(r, e) && r->p->writer[e] == other)
                return true;
        return false;
    case LEVEL_READ_ATOMIC:
        return is_direct(r, other, reader);
    case LEVEL_CAUSAL:
        return *edge(r, other, reader);
    default:
        assert(r->level == LEVEL_PREFIX || r->level == LEVEL_SNAPSHOT);
        for (uint32_t t = 0; t < trace->txn_count; t++)
            if (r->is_in[t] && t != reader && r->place[other] <= r->place[t] &&
                (is_direct(r, t, reader) ||
                 (r->level == LEVEL_SNAPSHOT && r->place[t] < r->place[reader] &&
                  has_common_key(r, t, reader))))
                return true;
        return false;
    }
}

/* Whether something stands where it may not, by the places. */
static bool is_misplaced(struct recheck *r, uint32_t read, uint32_t reader, uint32_t other)
{
    uint32_t writer = r->p->writer[read];

    return premise(r, read, reader, other) &&
           (writer == DATAFLOW_INITIAL || r->place[writer] < r->place[other]);
}

/* Edges that the axiom forces are put aside, as it asks for those of session order and reads. */
static bool note_forced(struct recheck *r, uint32_t read, uint32_t reader, uint32_t other)
{
    uint32_t writer = r->p->writer[read];

    if (!premise(r, read, reader, other))
        return false;
    if (writer != DATAFLOW_INITIAL)
        r->forced[(size_t)other * r->trace->txn_count + writer] = true;
    return writer == DATAFLOW_INITIAL;
}

static bool is_of_level(struct recheck *r)
{
    uint32_t count = r->trace->txn_count;

    begin_edges(r);
    if (r->level == LEVEL_PREFIX || r->level == LEVEL_SNAPSHOT) {
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++)
                if (*edge(r, a, b) && r->place[a] >= r->place[b])
                    return false;
        return !for_each_conflict(r, is_misplaced);
    }
    if (close_edges(r) || for_each_conflict(r, note_forced))
        return false;
    for (size_t i = 0; i < (size_t)count * count; i++)
        r->edge[i] |= r->forced[i];
    return !close_edges(r);
}

/* How many stand before it in an order that shows the level. */
static uint32_t rank_of(const struct recheck *r, uint32_t txn)
{
    uint32_t before = 0;

    if (r->place)
        return r->place[txn];
    for (uint32_t t = 0; t < r->trace->txn_count; t++)
        before += *edge(r, t, txn);
    return before;
}

/* While edges are those of the level: who comes before another has fewer before it. */
static void note_order(const struct recheck *r, struct prediction *p)
{
    for (uint32_t txn = 0; txn < r->trace->txn_count; txn++) {
        uint32_t i = p->order_count;

        if (!r->is_in[txn])
            continue;
        for (; i > 0 && rank_of(r, p->order[i - 1]) > rank_of(r, txn); i--)
            p->order[i] = p->order[i - 1];
        p->order[i] = txn;
        p->order_count++;
    }
}

/* --- Serializability ---------------------------------------------------------------------- */

/* Adds what follows; says whether anything did. */
static bool saturate(struct recheck *r, uint32_t read, uint32_t reader, uint32_t other)
{
    uint32_t writer = r->p->writer[read];
    bool is_new = false;

    if (writer != DATAFLOW_INITIAL && *edge(r, other, reader) && !*edge(r, other, writer))
        is_new = *edge(r, other, writer) = true;
    if ((writer == DATAFLOW_INITIAL || *edge(r, writer, other)) && !*edge(r, reader, other))
        is_new = *edge(r, reader, other) = true;
    return is_new;
}

static bool has_forced_cycle(struct recheck *r)
{
    begin_edges(r);
    do
        if (close_edges(r))
            return true;
    while (for_each_conflict(r, saturate));
    return false;
}

/* Whether the transaction may come behind those that have come. */
static bool may_come(const struct recheck *r, uint32_t txn)
{
    const struct dataflow *trace = r->trace;

    for (uint32_t e = trace->event_start[txn]; e < r->end[txn]; e++)
        if (is_read(r, e) && r->p->writer[e] != DATAFLOW_INITIAL && !r->has_come[r->p->writer[e]])
            return false;
    for (uint32_t t = 0; t < trace->txn_count; t++)
        for (uint32_t e = trace->event_start[t]; e < r->end[t]; e++) {
            uint32_t writer = r->p->writer[e];

            if (t != txn && !r->has_come[t] && is_read(r, e) && writer != txn &&
                (writer == DATAFLOW_INITIAL || r->has_come[writer]) &&
                writes(r, txn, trace->events[e].key))
                return false;
        }
    return true;
}

static bool order_rest(struct recheck *r, uint64_t state)
{
    bool is_done = true;

    if (r->was_seen[state / 8] >> state % 8 & 1)
        return false;
    r->was_seen[state / 8] |= (uint8_t)(1u << state % 8);
    for (uint32_t s = 0; s < r->trace->session_count; s++) {
        uint32_t txn;

        if (r->next[s] == r->p->full[s] + (r->p->boundary[s] != DATAFLOW_NONE))
            continue;
        is_done = false;
        txn = session_txn(r->trace, s, r->next[s]);
        if (!may_come(r, txn))
            continue;
        r->has_come[txn] = true;
        r->next[s]++;
        if (order_rest(r, state + r->stride[s]))
            return true;
        r->next[s]--;
        r->has_come[txn] = false;
    }
    return is_done;
}

static enum status search(struct recheck *r, struct arena *arena, const char **why,
                          struct error *err)
{
    const struct dataflow *trace = r->trace;
    uint64_t states = 1;

    PREDICT_TAKE(arena, r->next, trace->session_count, err);
    PREDICT_TAKE(arena, r->stride, trace->session_count, err);
    PREDICT_TAKE(arena, r->has_come, trace->txn_count, err);
    for (uint32_t s = 0; s < trace->session_count && states <= STATES_MAX; s++) {
        r->stride[s] = states;
        states *= r->p->full[s] + UINT64_C(1) + (r->p->boundary[s] != DATAFLOW_NONE);
    }
    if (states > STATES_MAX) {
        *why = "it is too large for all its orders to be tried";
        return STATUS_OK;
    }
    PREDICT_TAKE(arena, r->was_seen, states / 8 + 1, err);
    if (order_rest(r, 0))
        *why = "it is serializable";
    return STATUS_OK;
}

/* --- All of it ---------------------------------------------------------------------------- */

enum status recheck_prediction(const struct dataflow *trace, struct prediction *p, enum level level,
                               bool is_relaxed, const uint32_t *place, struct arena *arena,
                               const char **why, struct error *err)
{
    struct recheck r = {
        .trace = trace, .p = p, .place = place, .level = level, .is_relaxed = is_relaxed
    };
    size_t pairs = (size_t)trace->txn_count * trace->txn_count;

    PREDICT_TAKE(arena, r.is_full, trace->txn_count, err);
    PREDICT_TAKE(arena, r.is_in, trace->txn_count, err);
    PREDICT_TAKE(arena, r.end, trace->txn_count, err);
    PREDICT_TAKE(arena, r.edge, pairs, err);
    PREDICT_TAKE(arena, r.forced, pairs, err);
    PREDICT_TAKE(arena, p->order, trace->txn_count, err);
    *why = check_sessions(&r);
    if (!*why)
        *why = check_reads(&r);
    if (!*why && !is_of_level(&r))
        *why = "it is not of the level";
    if (*why)
        return STATUS_OK;
    note_order(&r, p);
    p->is_saturated = has_forced_cycle(&r);
    return p->is_saturated ? STATUS_OK : search(&r, arena, why, err);
}
