#include "tests/predict/enumerate.h"

#include <assert.h>
#include <string.h>

/* --- An execution, and its orders ------------------------------------------------------------------------- */

struct read {
    uint32_t key;
    unsigned writer; /* by number in the execution, or INITIAL */
};

#define INITIAL ENUMERATE_TXNS_MAX

struct execution {
    unsigned count;
    unsigned read_count[ENUMERATE_TXNS_MAX];
    struct read reads[ENUMERATE_TXNS_MAX][ENUMERATE_EVENTS_MAX];
    uint64_t writes[ENUMERATE_TXNS_MAX]; /* a bit for each key */
    uint64_t all_writes[ENUMERATE_TXNS_MAX]; /* those behind a cut, too: whoever commits first wins */
    unsigned before[ENUMERATE_TXNS_MAX]; /* session order and writers: a bit for each transaction */
    unsigned past[ENUMERATE_TXNS_MAX];   /* the same, with all before these */
};

/* Transactions in the order in which they are thought to have committed. */
struct order {
    const struct execution *x;
    enum level level;
    unsigned placed, placed_count; /* `placed`: a bit for each */
    unsigned position[ENUMERATE_TXNS_MAX];
};

/* Whether t2 is one of these transactions, or stands before one. */
static bool reaches(const struct order *o, unsigned t2, unsigned txns)
{
    for (unsigned t4 = 0; t4 < o->x->count; t4++)
        if ((txns >> t4 & 1) && o->position[t2] <= o->position[t4])
            return true;
    return false;
}

static unsigned placed_writers_in_conflict(const struct order *o, unsigned t3)
{
    unsigned txns = 0;

    for (unsigned t = 0; t < o->x->count; t++)
        if ((o->placed >> t & 1) && (o->x->all_writes[t] & o->x->all_writes[t3]))
            txns |= 1u << t;
    return txns;
}

/* Whether t2, which is placed, must stand before the transaction that t3 reads from in its read r. */
static bool premise(const struct order *o, unsigned t3, unsigned r, unsigned t2)
{
    const struct execution *x = o->x;

    switch (o->level) {
    case LEVEL_READ_COMMITTED:
        for (unsigned earlier = 0; earlier < r; earlier++)
            if (x->reads[t3][earlier].writer == t2)
                return true;
        return false;
    case LEVEL_READ_ATOMIC:
        return x->before[t3] >> t2 & 1;
    case LEVEL_CAUSAL:
        return x->past[t3] >> t2 & 1;
    case LEVEL_PREFIX:
        return reaches(o, t2, x->before[t3]);
    case LEVEL_SNAPSHOT:
        return reaches(o, t2, x->before[t3] | placed_writers_in_conflict(o, t3));
    default:
        assert(o->level == LEVEL_SERIALIZABLE);
        return true;
    }
}

static bool may_be_next(const struct order *o, unsigned t3)
{
    const struct execution *x = o->x;

    if ((o->placed >> t3 & 1) || (x->before[t3] & ~o->placed))
        return false;
    for (unsigned r = 0; r < x->read_count[t3]; r++) {
        const struct read *read = &x->reads[t3][r];

        for (unsigned t2 = 0; t2 < x->count; t2++) {
            if (t2 == read->writer || !(o->placed >> t2 & 1) || !(x->writes[t2] >> read->key & 1) ||
                !premise(o, t3, r, t2))
                continue;
            if (read->writer == INITIAL || o->position[read->writer] < o->position[t2])
                return false;
        }
    }
    return true;
}

static bool place_rest(struct order *o)
{
    if (o->placed_count == o->x->count)
        return true;
    for (unsigned t = 0; t < o->x->count; t++) {
        if (!may_be_next(o, t))
            continue;
        o->position[t] = o->placed_count++;
        o->placed |= 1u << t;
        if (place_rest(o))
            return true;
        o->placed &= ~(1u << t);
        o->placed_count--;
    }
    return false;
}

static bool has_order(const struct execution *x, enum level level)
{
    struct order o = { .x = x, .level = level };

    return place_rest(&o);
}

/* --- What a candidate leaves of the trace ------------------------------------------------------------------ */

static uint32_t session_size(const struct dataflow *trace, uint32_t session)
{
    return trace->session_start[session + 1] - trace->session_start[session];
}

static uint32_t session_txn(const struct dataflow *trace, uint32_t session, uint32_t place)
{
    return trace->session_txns[trace->session_start[session] + place];
}

static void add_txn(struct execution *x, const struct dataflow *trace, const struct candidate *c,
                    uint32_t txn, uint32_t events, unsigned number_of[ENUMERATE_TXNS_MAX])
{
    unsigned t = x->count++;

    number_of[txn] = t;
    for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn] + events; e++) {
        struct dataflow_event event = trace->events[e];

        if (dataflow_is_read(event))
            x->reads[t][x->read_count[t]++] = (struct read){ event.key, c->writer[e] };
        else
            x->writes[t] |= UINT64_C(1) << event.key;
    }
    for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++)
        if (!dataflow_is_read(trace->events[e]))
            x->all_writes[t] |= UINT64_C(1) << trace->events[e].key;
}

/* Writers are the trace's until all transactions have their numbers. */
static void number_writers(struct execution *x, const unsigned number_of[ENUMERATE_TXNS_MAX])
{
    for (unsigned t = 0; t < x->count; t++)
        for (unsigned r = 0; r < x->read_count[t]; r++) {
            struct read *read = &x->reads[t][r];

            read->writer = read->writer == DATAFLOW_INITIAL ? INITIAL : number_of[read->writer];
            if (read->writer != INITIAL)
                x->before[t] |= 1u << read->writer;
        }
    memcpy(x->past, x->before, sizeof x->past);
    for (unsigned round = 0; round < x->count; round++)
        for (unsigned t = 0; t < x->count; t++)
            for (unsigned u = 0; u < x->count; u++)
                if (x->past[t] >> u & 1)
                    x->past[t] |= x->past[u];
}

static void build(const struct dataflow *trace, const struct candidate *c, struct execution *x,
                  unsigned number_of[ENUMERATE_TXNS_MAX])
{
    memset(x, 0, sizeof *x);
    memset(number_of, 0xff, ENUMERATE_TXNS_MAX * sizeof *number_of);
    for (uint32_t s = 0; s < trace->session_count; s++) {
        unsigned first = x->count;

        for (uint32_t i = 0; i < c->full[s]; i++) {
            uint32_t txn = session_txn(trace, s, i);

            add_txn(x, trace, c, txn, trace->event_start[txn + 1] - trace->event_start[txn],
                    number_of);
        }
        if (c->boundary[s] != DATAFLOW_NONE)
            add_txn(x, trace, c, c->boundary[s], c->included[s], number_of);
        for (unsigned t = first; t < x->count; t++)
            for (unsigned earlier = first; earlier < t; earlier++)
                x->before[t] |= 1u << earlier;
    }
    number_writers(x, number_of);
}

/* --- All candidates ---------------------------------------------------------------------------------------- */

struct enumerator {
    const struct dataflow *trace;
    bool is_relaxed;
    struct enumeration *result;
    struct candidate c;
    bool is_full[ENUMERATE_TXNS_MAX];
};

static bool may_read(const struct enumerator *n, uint32_t writer)
{
    return writer == DATAFLOW_INITIAL || n->is_full[writer];
}

static void judge(struct enumerator *n)
{
    struct execution x;
    unsigned number_of[ENUMERATE_TXNS_MAX];
    uint64_t levels = 0;

    n->result->candidates++;
    build(n->trace, &n->c, &x, number_of);
    if (has_order(&x, LEVEL_SERIALIZABLE))
        return;
    n->result->unserializable++;
    for (unsigned level = 0; level < LEVEL_COUNT; level++)
        if ((ENUMERATE_LEVELS >> level & 1) && has_order(&x, (enum level)level)) {
            levels |= LEVEL_BIT(level);
            n->result->found[level]++;
        }
    n->result->levels |= levels;
    if (levels && n->result->visit)
        n->result->visit(n->result->context, &n->c, levels);
}

static void choose_boundaries(struct enumerator *, uint32_t session);

/* All writers of the read, and then `next`. */
static void choose_writer(struct enumerator *n, uint32_t session, uint32_t event,
                          void (*next)(struct enumerator *, uint32_t session, uint32_t event))
{
    const struct dataflow *trace = n->trace;
    uint32_t key = trace->events[event].key;

    n->c.writer[event] = DATAFLOW_INITIAL;
    next(n, session, event + 1);
    for (uint32_t i = trace->writer_start[key]; i < trace->writer_start[key + 1]; i++)
        if (n->is_full[trace->writers[i]]) {
            n->c.writer[event] = trace->writers[i];
            next(n, session, event + 1);
        }
    n->c.writer[event] = trace->events[event].writer;
}

static void cut_behind(struct enumerator *n, uint32_t session, uint32_t event)
{
    n->c.included[session] = event - n->trace->event_start[n->c.boundary[session]];
    choose_boundaries(n, session + 1);
}

/* Of a boundary transaction that stays whole, from this event on. */
static void choose_writers(struct enumerator *n, uint32_t session, uint32_t event)
{
    uint32_t end = n->trace->event_start[n->c.boundary[session] + 1];

    while (event < end && !dataflow_is_read(n->trace->events[event]))
        event++;
    if (event == end)
        cut_behind(n, session, end);
    else
        choose_writer(n, session, event, choose_writers);
}

static void choose_cut(struct enumerator *n, uint32_t session)
{
    uint32_t txn = n->c.boundary[session];

    for (uint32_t e = n->trace->event_start[txn]; e < n->trace->event_start[txn + 1]; e++) {
        if (!dataflow_is_read(n->trace->events[e]))
            continue;
        choose_writer(n, session, e, cut_behind);
        if (!may_read(n, n->trace->events[e].writer))
            return;
    }
}

static bool reads_something(const struct dataflow *trace, uint32_t txn)
{
    for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++)
        if (dataflow_is_read(trace->events[e]))
            return true;
    return false;
}

static void choose_boundaries(struct enumerator *n, uint32_t session)
{
    uint32_t txn;

    if (session == n->trace->session_count) {
        judge(n);
        return;
    }
    n->c.boundary[session] = DATAFLOW_NONE;
    n->c.included[session] = 0;
    choose_boundaries(n, session + 1);
    if (n->c.full[session] == session_size(n->trace, session))
        return;
    txn = session_txn(n->trace, session, n->c.full[session]);
    if (!reads_something(n->trace, txn))
        return;
    n->c.boundary[session] = txn;
    if (n->is_relaxed)
        choose_writers(n, session, n->trace->event_start[txn]);
    else
        choose_cut(n, session);
    n->c.boundary[session] = DATAFLOW_NONE;
}

static bool reads_full_ones(const struct enumerator *n, uint32_t txn)
{
    for (uint32_t e = n->trace->event_start[txn]; e < n->trace->event_start[txn + 1]; e++)
        if (dataflow_is_read(n->trace->events[e]) && !may_read(n, n->trace->events[e].writer))
            return false;
    return true;
}

static void choose_full(struct enumerator *n, uint32_t session)
{
    if (session == n->trace->session_count) {
        for (uint32_t txn = 0; txn < n->trace->txn_count; txn++)
            if (n->is_full[txn] && !reads_full_ones(n, txn))
                return;
        choose_boundaries(n, 0);
        return;
    }
    for (uint32_t i = 0; i <= session_size(n->trace, session); i++) {
        n->c.full[session] = i;
        if (i > 0)
            n->is_full[session_txn(n->trace, session, i - 1)] = true;
        choose_full(n, session + 1);
    }
    for (uint32_t i = 0; i < session_size(n->trace, session); i++)
        n->is_full[session_txn(n->trace, session, i)] = false;
}

static void begin(struct enumerator *n, const struct dataflow *trace)
{
    assert(trace->txn_count <= ENUMERATE_TXNS_MAX && trace->event_count <= ENUMERATE_EVENTS_MAX);
    assert(trace->key_count <= 64);
    n->trace = trace;
    for (uint32_t e = 0; e < trace->event_count; e++)
        n->c.writer[e] = trace->events[e].writer;
}

void enumerate(const struct dataflow *trace, bool is_relaxed, struct enumeration *result)
{
    struct enumerator n = { .is_relaxed = is_relaxed, .result = result };

    begin(&n, trace);
    choose_full(&n, 0);
}

/* --- Judging one ------------------------------------------------------------------------------------------- */

static bool is_writer(const struct dataflow *trace, uint32_t txn, uint32_t key)
{
    for (uint32_t i = trace->writer_start[key]; i < trace->writer_start[key + 1]; i++)
        if (trace->writers[i] == txn)
            return true;
    return false;
}

/* The reads of a boundary transaction. */
static const char *refute_boundary(const struct enumerator *n, uint32_t session)
{
    const struct dataflow *trace = n->trace;
    uint32_t txn = n->c.boundary[session], start = trace->event_start[txn];
    uint32_t size = trace->event_start[txn + 1] - start, included = n->c.included[session];

    if (included == 0 || included > size)
        return "a boundary transaction has no events, or more than it had";
    if (n->is_relaxed && included != size)
        return "a boundary transaction is not whole";
    if (!n->is_relaxed && !dataflow_is_read(trace->events[start + included - 1]))
        return "a boundary transaction is not cut behind a read";
    for (uint32_t e = start; e < start + included; e++) {
        uint32_t writer = n->c.writer[e];

        if (!dataflow_is_read(trace->events[e]))
            continue;
        if (!may_read(n, writer) ||
            (writer != DATAFLOW_INITIAL && !is_writer(trace, writer, trace->events[e].key)))
            return "a boundary transaction reads what nobody wrote who is full";
        if (!n->is_relaxed && e + 1 < start + included && writer != trace->events[e].writer)
            return "a read before the last has another writer";
    }
    return NULL;
}

static const char *refute_form(struct enumerator *n, const struct prediction *p)
{
    const struct dataflow *trace = n->trace;

    for (uint32_t s = 0; s < trace->session_count; s++) {
        n->c.full[s] = p->full[s];
        n->c.boundary[s] = p->boundary[s];
        n->c.included[s] = p->boundary[s] == DATAFLOW_NONE ? 0 : p->included[s];
        if (p->full[s] > session_size(trace, s))
            return "more full transactions than there are";
        for (uint32_t i = 0; i < p->full[s]; i++)
            n->is_full[session_txn(trace, s, i)] = true;
        if (p->boundary[s] != DATAFLOW_NONE && (p->full[s] == session_size(trace, s) ||
                                             p->boundary[s] != session_txn(trace, s, p->full[s])))
            return "a boundary transaction is not the one behind the full ones";
    }
    for (uint32_t txn = 0; txn < trace->txn_count; txn++) {
        if (!n->is_full[txn])
            continue;
        if (!reads_full_ones(n, txn))
            return "a full transaction reads from one that is not full";
        for (uint32_t e = trace->event_start[txn]; e < trace->event_start[txn + 1]; e++)
            if (dataflow_is_read(trace->events[e]) && p->writer[e] != trace->events[e].writer)
                return "a full transaction does not read as observed";
    }
    for (uint32_t s = 0; s < trace->session_count; s++) {
        uint32_t start;

        if (p->boundary[s] == DATAFLOW_NONE)
            continue;
        start = trace->event_start[p->boundary[s]];
        for (uint32_t e = start;
             e < start + p->included[s] && e < trace->event_start[p->boundary[s] + 1]; e++)
            n->c.writer[e] = p->writer[e];
    }
    for (uint32_t s = 0; s < trace->session_count; s++) {
        const char *why = p->boundary[s] == DATAFLOW_NONE ? NULL : refute_boundary(n, s);

        if (why)
            return why;
    }
    return NULL;
}

/* An order of all that is left, by the trace's numbers. */
static bool is_order_of(const struct execution *x, const unsigned number_of[ENUMERATE_TXNS_MAX],
                        const struct prediction *p, enum level level)
{
    struct order o = { .x = x, .level = level };

    if (p->order_count != x->count)
        return false;
    for (uint32_t i = 0; i < p->order_count; i++) {
        unsigned t = p->order[i] < ENUMERATE_TXNS_MAX ? number_of[p->order[i]] : ENUMERATE_TXNS_MAX;

        if (t >= x->count || !may_be_next(&o, t))
            return false;
        o.position[t] = o.placed_count++;
        o.placed |= 1u << t;
    }
    return true;
}

const char *enumerate_refute(const struct dataflow *trace, const struct prediction *p,
                             enum level level, bool is_relaxed)
{
    struct enumerator n = { .is_relaxed = is_relaxed };
    struct execution x;
    unsigned number_of[ENUMERATE_TXNS_MAX];
    const char *why;

    begin(&n, trace);
    why = refute_form(&n, p);
    if (why)
        return why;
    build(trace, &n.c, &x, number_of);
    if (has_order(&x, LEVEL_SERIALIZABLE))
        return "it is serializable";
    if (!has_order(&x, level))
        return "it is not of the level";
    return is_order_of(&x, number_of, p, level) ? NULL : "its order does not show the level";
}
