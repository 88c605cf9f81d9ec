#include "predict/cycle.h"

#include <assert.h>

#include "base/array.h"
#include "base/bisect.h"
#include "predict/predict_private.h"

struct known_edge {
    struct cycle_edge edge;
    uint32_t next; /* of the same origin, or DATAFLOW_NONE */
};

struct cycle_search {
    const struct dataflow *trace;
    struct arena *arena;
    uint32_t row_words;
    uint64_t *reach; /* a row of bits by transaction: who must come after it */
    uint32_t *first; /* by transaction: its edges */
    ARRAY(struct known_edge) known;
    struct cycle_edge closing; /* its `to` comes before its `from` */
    bool is_closed, has_grown;
};

const char *cycle_edge_name(enum cycle_edge_kind kind)
{
    static const char *const names[] = { "so", "wr", "ww", "rw" };

    return names[kind];
}

/* --- Edges that every order has --------------------------------------------------------------- */

static uint64_t *row_of(const struct cycle_search *s, uint32_t txn)
{
    return s->reach + (size_t)txn * s->row_words;
}

static bool must_precede(const struct cycle_search *s, uint32_t a, uint32_t b)
{
    return row_of(s, a)[b / 64] >> b % 64 & 1;
}

static void reach_through(struct cycle_search *s, uint32_t from, uint32_t to)
{
    const uint64_t *added = row_of(s, to);

    for (uint32_t t = 0; t < s->trace->txn_count; t++) {
        uint64_t *row = row_of(s, t);

        if (t != from && !must_precede(s, t, from))
            continue;
        for (uint32_t i = 0; i < s->row_words; i++)
            row[i] |= added[i];
        row[to / 64] |= UINT64_C(1) << to % 64;
    }
}

/* An edge that others imply already shortens paths all the same, but says nothing new. */
static enum status add_edge(struct cycle_search *s, struct cycle_edge edge, bool is_given,
                            struct error *err)
{
    bool is_new = !must_precede(s, edge.from, edge.to);

    if (s->is_closed || (!is_new && !is_given))
        return STATUS_OK;
    if (edge.from == edge.to || must_precede(s, edge.to, edge.from)) {
        s->closing = edge;
        s->is_closed = true;
        return STATUS_OK;
    }
    TRY(array_push(&s->known, ((struct known_edge){ edge, s->first[edge.from] }), err));
    s->first[edge.from] = (uint32_t)s->known.count - 1;
    if (is_new)
        reach_through(s, edge.from, edge.to);
    s->has_grown = true;
    return STATUS_OK;
}

static enum status add_given(struct cycle_search *s, struct error *err)
{
    const struct dataflow *t = s->trace;

    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        if (t->previous[txn] != DATAFLOW_NONE)
            TRY(add_edge(s,
                         (struct cycle_edge){ CYCLE_SO, t->previous[txn], txn, DATAFLOW_NONE,
                                              DATAFLOW_NONE },
                         true, err));
        for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++) {
            struct dataflow_event event = t->events[e];

            if (dataflow_is_read(event) && event.writer != DATAFLOW_INITIAL)
                TRY(add_edge(
                    s, (struct cycle_edge){ CYCLE_WR, event.writer, txn, event.key, DATAFLOW_NONE },
                    true, err));
        }
    }
    return STATUS_OK;
}

static enum status add_of_read(struct cycle_search *s, uint32_t reader, struct dataflow_event read,
                               struct error *err)
{
    const struct dataflow *t = s->trace;

    for (uint32_t i = t->writer_start[read.key]; i < t->writer_start[read.key + 1] && !s->is_closed;
         i++) {
        uint32_t other = t->writers[i];

        if (other == read.writer || other == reader)
            continue;
        if (read.writer == DATAFLOW_INITIAL || must_precede(s, read.writer, other))
            TRY(add_edge(s, (struct cycle_edge){ CYCLE_RW, reader, other, read.key, read.writer },
                         false, err));
        else if (must_precede(s, other, reader))
            TRY(add_edge(s, (struct cycle_edge){ CYCLE_WW, other, read.writer, read.key, reader },
                         false, err));
    }
    return STATUS_OK;
}

static enum status saturate(struct cycle_search *s, struct error *err)
{
    const struct dataflow *t = s->trace;

    TRY(add_given(s, err));
    do {
        s->has_grown = false;
        for (uint32_t txn = 0; txn < t->txn_count && !s->is_closed; txn++)
            for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
                if (dataflow_is_read(t->events[e]))
                    TRY(add_of_read(s, txn, t->events[e], err));
    } while (s->has_grown && !s->is_closed);
    return STATUS_OK;
}

/* --- The cycle -------------------------------------------------------------------------------- */

/* A search for the way with the fewest edges, where any number of steps within a session is one. */
struct way_search {
    uint32_t *queue, head, tail;
    struct cycle_edge *by; /* by transaction: the edge that led there first */
    bool *is_seen;
};

static void visit(struct way_search *w, struct cycle_edge edge)
{
    if (w->is_seen[edge.to])
        return;
    w->is_seen[edge.to] = true;
    w->by[edge.to] = edge;
    w->queue[w->tail++] = edge.to;
}

static void visit_session(struct cycle_search *s, struct way_search *w, uint32_t txn)
{
    const struct dataflow *t = s->trace;
    uint32_t session = t->session[txn], place, end = t->session_start[session + 1];

    BISECT(place, t->session_start[session], end, t->session_txns[place] <= txn);
    for (; place < end; place++)
        visit(w, (struct cycle_edge){ CYCLE_SO, txn, t->session_txns[place], DATAFLOW_NONE,
                                      DATAFLOW_NONE });
}

/* The way back from where the closing edge leads. */
static enum status close_cycle(struct cycle_search *s, struct cycle *cycle, struct error *err)
{
    uint32_t count = s->trace->txn_count, from = s->closing.to, to = s->closing.from, length = 1;
    struct way_search w = { .head = 0 };

    PREDICT_TAKE(s->arena, w.queue, count, err);
    PREDICT_TAKE(s->arena, w.by, count, err);
    PREDICT_TAKE(s->arena, w.is_seen, count, err);
    w.is_seen[from] = true;
    w.queue[w.tail++] = from;
    while (!w.is_seen[to]) {
        uint32_t txn = w.queue[w.head++];

        assert(w.head <= w.tail);
        visit_session(s, &w, txn);
        for (uint32_t e = s->first[txn]; e != DATAFLOW_NONE; e = s->known.at[e].next)
            visit(&w, s->known.at[e].edge);
    }
    for (uint32_t at = to; at != from; at = w.by[at].from)
        length++;
    PREDICT_TAKE(s->arena, cycle->edges, length, err);
    cycle->count = length;
    cycle->edges[0] = s->closing;
    for (uint32_t at = to; at != from; at = w.by[at].from)
        cycle->edges[--length] = w.by[at];
    assert(length == 1);
    return STATUS_OK;
}

enum status dataflow_find_cycle(const struct dataflow *trace, struct arena *arena,
                                struct cycle *cycle, struct error *err)
{
    struct cycle_search s = { .trace = trace,
                              .arena = arena,
                              .row_words = (trace->txn_count + 63) / 64 };
    enum status status;

    *cycle = (struct cycle){ 0 };
    PREDICT_TAKE(arena, s.reach, (size_t)trace->txn_count * s.row_words, err);
    PREDICT_TAKE(arena, s.first, trace->txn_count, err);
    for (uint32_t t = 0; t < trace->txn_count; t++)
        s.first[t] = DATAFLOW_NONE;
    status = saturate(&s, err);
    if (status == STATUS_OK && s.is_closed)
        status = close_cycle(&s, cycle, err);
    array_close(&s.known);
    return status;
}
