/*
 * The graph of a level: its components first, and only within them what the edges
 * are.
 *
 * At the levels of snapshot each transaction has two nodes, its beginning and its
 * commit. Whoever depends on another begins after that commits; whoever read what
 * another overwrote begins before that commits. If all these can be put in an
 * order, there is a run that has them in it.
 *
 * Most edges lead forward in time, and far: they are of no cycle if nothing leads
 * back as far. Let all edges be in the graph that lead forward by less than a span,
 * or backward, and suppose that in it no path ends earlier by a span or more than it
 * began. Take any path with the other edges as well: before the first of those it has
 * lost less than a span, and then it gains one, so it is ahead of where it began;
 * and so on after each. So the whole path, too, ends less than a span before it
 * began, and none leads from the end of a long edge back to where that began: no
 * cycle has a long edge. That no path leads so far back is looked up in the graph; if
 * one does, the span was too short.
 */
#include <stdlib.h>

#include "checkers/certificate/certificate_private.h"
#include "checkers/certificate/edges_private.h"
#include "checkers/graph/cycles.h"
#include "checkers/graph/graph.h"
#include "checkers/lattice.h"
#include "checkers/proof/witness.h"

/* Edges that are kept to be told of: where there are more, only early transactions count. */
#define EDGES_KEPT_MAX ((size_t)1 << 22)
#define SPAN_LEAST 4
#define SPAN_SEEN 4 /* times as far as transactions look back, on average */
#define SPAN_GROWTH 4

struct making {
    struct certificate *certificate;
    bool has_moments; /* beginnings and commits */
    bool is_adding;   /* edges, that have been counted */
    uint32_t rank_nodes;
    struct listing listing;
    struct barriers barriers;
    int64_t *barrier_time;
    struct graph graph;
    struct components components;
    uint32_t *by_component; /* nodes, by falling component */
    int64_t *latest;        /* by component: the time of the latest node that leads to it */
    bool *skips;            /* by transaction: it is in no cycle */
    uint32_t txn_end;       /* edges of later transactions are not kept */
    ARRAY(struct edge) kept;
    struct cycles cycles;
};

/* Transactions, and behind them barriers, as nodes. */
static uint32_t node_of(const struct making *m, uint32_t who, bool is_commit)
{
    uint32_t txn_count = (uint32_t)m->certificate->history->txn_count, rank;

    if (who >= txn_count)
        return m->rank_nodes + (who - txn_count);
    rank = m->certificate->rank[who];
    return m->has_moments ? 2 * rank + is_commit : rank;
}

static int64_t time_of(const struct making *m, uint32_t node)
{
    return node < m->rank_nodes ? listing_time(&m->listing, node)
                                : m->barrier_time[node - m->rank_nodes];
}

/* --- Edges ------------------------------------------------------------------------ */

static enum status add(void *context, const struct edge *e, struct error *err)
{
    struct making *m = context;
    bool is_anti = edge_is_anti(e->kind);
    uint32_t from = node_of(m, e->from, !is_anti), to = node_of(m, e->to, is_anti);

    (void)err;
    if (m->listing.span != LISTING_ALL && time_of(m, to) - time_of(m, from) >= m->listing.span)
        return STATUS_OK;
    m->listing.has_loop |= from == to;
    if (m->is_adding)
        graph_add(&m->graph, from, to);
    else
        graph_count(&m->graph, from);
    return STATUS_OK;
}

static enum status keep(void *context, const struct edge *e, struct error *err)
{
    struct making *m = context;
    bool is_anti = edge_is_anti(e->kind);
    uint32_t from = node_of(m, e->from, !is_anti), to = node_of(m, e->to, is_anti);
    uint32_t txn_count = (uint32_t)m->certificate->history->txn_count;

    if (m->components.of_node[from] != m->components.of_node[to] ||
        m->kept.count > EDGES_KEPT_MAX || (e->from < txn_count && e->from >= m->txn_end) ||
        (e->to < txn_count && e->to >= m->txn_end))
        return STATUS_OK;
    return array_push(&m->kept, *e, err);
}

typedef enum status hear_edge(void *context, const struct edge *, struct error *);

static enum status hear_sessions(struct making *m, hear_edge *hear, struct error *err)
{
    const struct certificate *c = m->certificate;
    const struct history *h = c->history;
    uint32_t *last = NULL; /* by session */
    enum status status = check_memory((void **)&last, h->session_count, sizeof *last, 0xff, err);

    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++) {
        uint32_t *before = &last[h->txn_session[t]];
        struct edge edge = { .kind = EDGE_PROCESS, .from = *before, .to = t };

        if (!places_is_in(&c->places, t))
            continue;
        if (*before != HISTORY_NONE)
            status = hear(m, &edge, err);
        if (h->txn_status[t] == TXN_OK)
            *before = t;
    }
    free(last);
    return status;
}

static enum status hear_times(struct making *m, hear_edge *hear, struct error *err)
{
    uint32_t txn_count = (uint32_t)m->certificate->history->txn_count;
    struct edge edge = { .kind = EDGE_REALTIME };

    for (uint32_t t = 0; t < txn_count; t++) {
        if (m->barriers.after[t] != BARRIER_NONE) {
            edge.from = t;
            edge.to = txn_count + m->barriers.after[t];
            TRY(hear(m, &edge, err));
        }
        if (m->barriers.before[t] != BARRIER_NONE) {
            edge.from = txn_count + m->barriers.before[t];
            edge.to = t;
            TRY(hear(m, &edge, err));
        }
    }
    for (uint32_t i = 1; i < m->barriers.count; i++) {
        edge.from = txn_count + i - 1;
        edge.to = txn_count + i;
        TRY(hear(m, &edge, err));
    }
    return STATUS_OK;
}

static enum status hear_closing(struct making *m, hear_edge *hear, struct error *err)
{
    switch (lattice_closing(m->certificate->options->level)) {
    case CLOSED_BY_DATA:
        return STATUS_OK;
    case CLOSED_BY_SESSION:
        return hear_sessions(m, hear, err);
    case CLOSED_BY_TIME:
        return hear_times(m, hear, err);
    }
    return STATUS_OK;
}

/* --- Making ----------------------------------------------------------------------- */

/* All edges of the level, and from each beginning to its commit. */
static enum status add_all(struct making *m, bool is_adding, struct error *err)
{
    struct certificate *c = m->certificate;
    struct walk walk = {
        .certificate = c, .kinds = cycles_kinds(c->options->level), .context = m, .edge = add
    };

    m->is_adding = is_adding;
    m->listing.counts_in = is_adding ? NULL : &m->graph;
    m->listing.adds_to = is_adding ? &m->graph : NULL;
    if (check_wants(c->options, CHECK_SLOWLY))
        TRY(certificate_walk(&walk, err));
    else
        TRY(listing_run(&m->listing, err));
    TRY(hear_closing(m, add, err));
    for (uint32_t n = 0; m->has_moments && n < m->rank_nodes; n += 2) {
        if (is_adding)
            graph_add(&m->graph, n, n + 1);
        else
            graph_count(&m->graph, n);
    }
    return STATUS_OK;
}

/* A barrier stands behind the last of those that have passed it. */
static enum status place_barriers(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;

    TRY(barriers_init(&m->barriers, &c->places, err));
    TRY(check_memory((void **)&m->barrier_time, m->barriers.count, sizeof *m->barrier_time, 0,
                     err));
    for (uint32_t rank = 0; rank < c->places.in_count; rank++) {
        uint32_t after = m->barriers.after[c->ranked[rank]];

        if (after != BARRIER_NONE)
            m->barrier_time[after] = 2 * (int64_t)rank + 1; /* ranks rise */
    }
    for (uint32_t i = 1; i < m->barriers.count; i++)
        if (m->barrier_time[i] < m->barrier_time[i - 1])
            m->barrier_time[i] = m->barrier_time[i - 1];
    return STATUS_OK;
}

static enum status open_making(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;
    size_t nodes = (size_t)c->places.in_count * (m->has_moments ? 2 : 1);

    if (nodes >= UINT32_MAX / 2)
        return error_set(err, STATUS_OVER_LIMIT, "a graph of %zu nodes is too large", nodes);
    m->rank_nodes = (uint32_t)nodes;
    return lattice_closing(c->options->level) == CLOSED_BY_TIME ? place_barriers(m, err)
                                                                : STATUS_OK;
}

/* Nodes with those of the highest component first: no edge leads to one that stands earlier. */
static enum status sort_nodes(struct making *m, struct error *err)
{
    uint32_t node_count = m->graph.node_count, count = m->components.count, *start = NULL;

    TRY(memory_resize((void **)&m->by_component, node_count, sizeof *m->by_component, err));
    TRY(check_memory((void **)&start, (size_t)count + 1, sizeof *start, 0, err));
    for (uint32_t n = 0; n < node_count; n++)
        start[count - m->components.of_node[n]]++;
    for (uint32_t i = 1; i <= count; i++)
        start[i] += start[i - 1];
    for (uint32_t n = 0; n < node_count; n++)
        m->by_component[start[count - 1 - m->components.of_node[n]]++] = n;
    free(start);
    return STATUS_OK;
}

/* How far before it began some path ends. */
static enum status find_furthest(struct making *m, int64_t *furthest, struct error *err)
{
    const uint32_t *component = m->components.of_node;

    TRY(check_memory((void **)&m->latest, m->components.count, sizeof *m->latest, 0, err));
    for (uint32_t n = 0; n < m->graph.node_count; n++)
        if (time_of(m, n) > m->latest[component[n]])
            m->latest[component[n]] = time_of(m, n);
    *furthest = 0;
    for (uint32_t i = 0; i < m->graph.node_count; i++) {
        uint32_t node = m->by_component[i];
        int64_t latest = m->latest[component[node]];

        if (latest - time_of(m, node) > *furthest)
            *furthest = latest - time_of(m, node);
        /* An edge's end is behind the last of those before it: graph_add() has run through. */
        for (uint32_t e = m->graph.start[node]; e < m->graph.start[node + 1]; e++) {
            int64_t *there = &m->latest[component[m->graph.to[e]]];

            if (latest > *there)
                *there = latest;
        }
    }
    return STATUS_OK;
}

static void close_graph(struct making *m)
{
    graph_close(&m->graph);
    components_close(&m->components);
    free(m->by_component);
    free(m->latest);
    m->by_component = NULL;
    m->latest = NULL;
}

/* The graph without the edges that lead forward by so much. `furthest`: see there; of all, 0. */
static enum status make(struct making *m, int64_t span, int64_t *furthest, struct error *err)
{
    *furthest = 0;
    close_graph(m);
    listing_close(&m->listing);
    listing_init(&m->listing, m->certificate, span);
    TRY(graph_init(&m->graph, (size_t)m->rank_nodes + m->barriers.count, err));
    TRY(add_all(m, false, err));
    if (m->certificate->is_stopped)
        return STATUS_OK;
    TRY(graph_lay_out(&m->graph, err));
    TRY(add_all(m, true, err));
    listing_close(&m->listing);
    if (m->certificate->is_stopped)
        return STATUS_OK;
    TRY(graph_find_components(&m->graph, &m->components, err));
    TRY(sort_nodes(m, err));
    return span != LISTING_ALL ? find_furthest(m, furthest, err) : STATUS_OK;
}

static int64_t choose_span(const struct certificate *c)
{
    uint64_t sum = 0;

    for (uint32_t rank = 0; rank < c->places.in_count; rank++) {
        uint32_t seen = c->txn_seen[c->ranked[rank]];

        sum += seen < rank ? rank - seen : 0;
    }
    return SPAN_LEAST + (int64_t)(SPAN_SEEN * 2 * (sum / c->places.in_count));
}

static enum status make_shortest(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;
    int64_t span = LISTING_ALL, all = 2 * (int64_t)c->places.in_count, furthest = 0;

    TRY(open_making(m, err));
    if (!check_wants(c->options, CHECK_SLOWLY) && all > SPAN_LEAST)
        span = choose_span(c);
    do {
        TRY(make(m, span, &furthest, err));
        if (furthest < span)
            return STATUS_OK;
        span = furthest > SPAN_GROWTH * span ? SPAN_GROWTH * furthest : SPAN_GROWTH * span;
        if (span >= all)
            span = LISTING_ALL;
    } while (!c->is_stopped);
    return STATUS_OK;
}

/* --- No cycle --------------------------------------------------------------------- */

/*
 * By the latest that leads to each, and where that is the same as the graph goes: so
 * that the edges that were left out lead forward, too.
 */
static enum status sort_by_latest(struct making *m, struct error *err)
{
    uint32_t node_count = m->graph.node_count, *start = NULL, *sorted = NULL;
    size_t times = 2 * (size_t)m->certificate->places.in_count + 3;
    enum status status = check_memory((void **)&start, times, sizeof *start, 0, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&sorted, node_count, sizeof *sorted, err);
    for (uint32_t n = 0; n < node_count && status == STATUS_OK; n++)
        start[m->latest[m->components.of_node[n]] + 1]++;
    for (size_t i = 1; i < times && status == STATUS_OK; i++)
        start[i] += start[i - 1];
    for (uint32_t i = 0; i < node_count && status == STATUS_OK; i++) {
        uint32_t node = m->by_component[i];

        sorted[start[m->latest[m->components.of_node[node]]]++] = node;
    }
    if (status == STATUS_OK) {
        free(m->by_component);
        m->by_component = sorted;
        sorted = NULL;
    }
    free(sorted);
    free(start);
    return status;
}

/* In the order of nodes; a snapshot sees the commits before its beginning. */
static enum status tell_order(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;
    uint32_t node_count = m->graph.node_count, count = 0;
    uint32_t *order = NULL, *seen = NULL, *begun = NULL; /* begun: by rank */
    enum status status = memory_resize((void **)&order, c->places.in_count, sizeof *order, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&seen, c->places.in_count, sizeof *seen, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&begun, c->places.in_count, sizeof *begun, err);
    if (status == STATUS_OK && m->latest)
        status = sort_by_latest(m, err);
    for (uint32_t i = 0; i < node_count && status == STATUS_OK; i++) {
        uint32_t node = m->by_component[i], rank = m->has_moments ? node / 2 : node;

        if (node >= m->rank_nodes)
            continue;
        if (m->has_moments && node % 2 == 0) {
            begun[rank] = count;
            continue;
        }
        seen[count] = m->has_moments ? begun[rank] : 0;
        order[count++] = c->ranked[rank];
    }
    if (status == STATUS_OK) {
        witness_order(c->check, c->history, order, count);
        if (m->has_moments)
            witness_snapshots(c->check, seen, count);
    }
    free(order);
    free(seen);
    free(begun);
    return status;
}

/* --- Cycles ----------------------------------------------------------------------- */

enum status certificate_add_cycle(struct certificate *c, enum anomaly kind,
                                  const struct edge *edges, size_t count, struct error *err)
{
    struct discovery d = { .kind = kind, .proven = kind, .txn_count = count };
    uint32_t *txns = NULL;
    enum status status;

    TRY(memory_resize((void **)&txns, count, sizeof *txns, err));
    for (size_t i = 0; i < count; i++)
        txns[i] = edges[i].from;
    d.txns = txns;
    proof_tell_cycle(&d.why, c->history, edges, count);
    proof_cycle(&d.proof, c->history, edges, count);
    status = check_add(c->check, &d, err);
    free(txns);
    return status;
}

static enum status tell_cycle(void *context, const struct found_cycle *found, bool *goes_on,
                              struct error *err)
{
    struct making *m = context;
    struct certificate *c = m->certificate;

    *goes_on = !check_is_full(c->check);
    return *goes_on ? certificate_add_cycle(c, found->kind, found->edges.at, found->edges.count,
                                            err)
                    : STATUS_OK;
}

static enum status keep_all(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;
    struct walk walk = { .certificate = c,
                         .skips = m->skips,
                         .kinds = cycles_kinds(c->options->level),
                         .context = m,
                         .edge = keep };

    TRY(certificate_walk(&walk, err));
    return hear_closing(m, keep, err);
}

/* Transactions whose nodes are components of their own are at the ends of no such edge. */
static enum status find_skipped(struct making *m, struct error *err)
{
    const struct certificate *c = m->certificate;
    uint32_t *sizes = NULL; /* by component */

    TRY(check_memory((void **)&m->skips, c->history->txn_count, sizeof *m->skips, true, err));
    TRY(check_memory((void **)&sizes, m->components.count, sizeof *sizes, 0, err));
    for (uint32_t n = 0; n < m->graph.node_count; n++)
        sizes[m->components.of_node[n]]++;
    for (uint32_t n = 0; n < m->rank_nodes; n++)
        if (sizes[m->components.of_node[n]] > 1 || m->listing.has_loop)
            m->skips[c->ranked[m->has_moments ? n / 2 : n]] = false;
    free(sizes);
    return STATUS_OK;
}

/* The edges within components: of as many transactions as memory is good for. */
static enum status keep_cyclic(struct making *m, struct error *err)
{
    uint32_t txn_count = (uint32_t)m->certificate->history->txn_count;
    struct edge *edges;
    size_t count;

    TRY(find_skipped(m, err));
    m->txn_end = txn_count;
    TRY(keep_all(m, err));
    while (m->kept.count > EDGES_KEPT_MAX) {
        m->txn_end /= 2;
        m->kept.count = 0;
        TRY(keep_all(m, err));
    }
    edges = m->kept.at;
    count = m->kept.count;
    m->kept.at = NULL;
    m->kept.count = m->kept.room = 0;
    return cycles_init(&m->cycles, txn_count, edges, count, err);
}

static enum status rule_out_weaker(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;

    for (int level = 0; level < LEVEL_COUNT; level++) {
        bool violates;

        if (!checker_decides(&checker_certificate, (enum level)level) || level == LEVEL_CAUSAL ||
            !lattice_implies(c->options->level, (enum level)level) || c->ruled_out >> level & 1)
            continue;
        TRY(cycles_violate(&m->cycles, (enum level)level, &violates, err));
        if (violates)
            certificate_rule_out(c, (enum level)level);
    }
    return STATUS_OK;
}

static enum status check(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;

    TRY(make_shortest(m, err));
    if (c->is_stopped)
        return STATUS_OK;
    if (m->components.count == m->graph.node_count && !m->listing.has_loop)
        return c->check->verdict == VERDICT_VALID && check_wants(c->options, CHECK_WITNESS)
                   ? tell_order(m, err)
                   : STATUS_OK;
    TRY(keep_cyclic(m, err));
    if (c->is_stopped)
        return STATUS_OK;
    m->cycles.options = c->options;
    TRY(rule_out_weaker(m, err));
    TRY(cycles_tell(&m->cycles, c->options->level, tell_cycle, m, err));
    check_doubt(c->check, "there is a cycle, but the search for a short one ran out of steps");
    return STATUS_OK;
}

static void close_making(struct making *m)
{
    close_graph(m);
    listing_close(&m->listing);
    barriers_close(&m->barriers);
    free(m->barrier_time);
    free(m->skips);
    array_close(&m->kept);
    cycles_close(&m->cycles);
}

enum status certificate_check_graph(struct certificate *c, struct error *err)
{
    struct making m = { .certificate = c, .has_moments = lattice_is_snapshot(c->options->level) };
    enum status status = check(&m, err);

    close_making(&m);
    return status;
}

enum status certificate_graph_violates(struct certificate *c, enum level level, bool *violates,
                                       struct error *err)
{
    const struct check_options *options = c->options;
    struct check_options weaker = *options;
    struct making m = { .certificate = c };
    enum status status;

    weaker.level = level;
    c->options = &weaker;
    status = make_shortest(&m, err);
    *violates = m.components.count < m.graph.node_count || m.listing.has_loop;
    c->options = options;
    close_making(&m);
    return status;
}

enum status certificate_leads_forward(struct certificate *c, bool *is_forward, struct error *err)
{
    struct listing l;

    *is_forward = false;
    if (check_wants(c->options, CHECK_SLOWLY) || !certificate_is_placed(c))
        return STATUS_OK;
    TRY(certificate_scan_times(c, is_forward, err));
    if (!*is_forward)
        return STATUS_OK;
    listing_init(&l, c, LISTING_BACKWARD);
    l.stops_backward = true;
    TRY(listing_run(&l, err));
    *is_forward = !l.has_backward && !c->is_stopped;
    return STATUS_OK;
}
