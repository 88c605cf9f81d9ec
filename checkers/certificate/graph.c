/*
 * Builds the graph of a level: its components first, and what the edges are only within them.
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
#include "checkers/certificate/graph_private.h"

#include <stdlib.h>

#include "checkers/certificate/edge_listing_private.h"
#include "checkers/certificate/walk_private.h"
#include "checkers/graph/cycles.h"
#include "checkers/graph/level_graph.h"
#include "history/level.h"

/* --- Sessions and real time ---------------------------------------------------- */

/*
 * Sessions and real time against the order of places.
 */

/* Whether all have places, and begin before they commit, so that there is such an order. */
static bool certificate_is_placed(const struct certificate *c)
{
    const struct places *places = &c->places;

    if (places->sequence_count != places->in_count)
        return false;
    for (uint32_t i = 0; level_is_snapshot(c->options->level) && i < places->sequence_count; i++)
        if (c->txn_seen[places->sequence[i]] > i)
            return false;
    return true;
}

/* So many of the sequence have committed when it begins. */
static uint32_t begin_of(const struct certificate *c, uint32_t txn)
{
    return level_is_snapshot(c->options->level) ? c->txn_seen[txn] : c->places.position[txn];
}

static enum status scan_sessions(struct certificate *c, bool *is_forward, struct error *err)
{
    const struct history *h = c->history;
    uint32_t *last = NULL; /* by session */

    TRY(check_memory((void **)&last, h->session_count, sizeof *last, 0xff, err));
    for (uint32_t t = 0; t < h->txn_count && *is_forward; t++) {
        uint32_t *before = &last[h->txn_session[t]];

        if (!places_is_in(&c->places, t))
            continue;
        *is_forward = *before == HISTORY_NONE || c->places.position[*before] < begin_of(c, t);
        if (h->txn_status[t] == TXN_OK)
            *before = t;
    }
    free(last);
    return STATUS_OK;
}

/* When the first to complete did, of those that are not among the first so many. */
static enum status find_completions(const struct certificate *c, int64_t **completed,
                                    struct error *err)
{
    const struct history *h = c->history;
    const struct places *places = &c->places;

    TRY(memory_resize((void **)completed, (size_t)places->sequence_count + 1, sizeof **completed,
                      err));
    (*completed)[places->sequence_count] = TIME_NEVER;
    for (uint32_t i = places->sequence_count; i-- > 0;) {
        uint32_t txn = places->sequence[i];
        int64_t at = h->txn_completed[txn];
        bool is_known = h->txn_status[txn] == TXN_OK && at != TIME_ABSENT;

        (*completed)[i] = is_known && at < (*completed)[i + 1] ? at : (*completed)[i + 1];
    }
    return STATUS_OK;
}

/* Nobody may begin after one has completed that he is before. */
static enum status scan_times(struct certificate *c, bool *is_forward, struct error *err)
{
    const struct history *h = c->history;
    int64_t *completed = NULL;

    if (!h->txn_invoked || !h->txn_completed)
        return STATUS_OK;
    TRY(find_completions(c, &completed, err));
    for (uint32_t i = 0; i < c->places.sequence_count && *is_forward; i++) {
        uint32_t txn = c->places.sequence[i];

        *is_forward = h->txn_invoked[txn] == TIME_ABSENT ||
                      completed[begin_of(c, txn)] >= h->txn_invoked[txn];
    }
    free(completed);
    return STATUS_OK;
}

enum status certificate_scan_times(struct certificate *c, bool *is_forward, struct error *err)
{
    *is_forward = true;
    switch (level_closing(c->options->level)) {
    case CLOSING_DATA:
        return c->options->level == LEVEL_CAUSAL ? scan_sessions(c, is_forward, err) : STATUS_OK;
    case CLOSING_SESSION:
        return scan_sessions(c, is_forward, err);
    case CLOSING_TIME:
        return scan_times(c, is_forward, err);
    }
    return STATUS_OK;
}

/* Edges that are kept to be told of: where there are more, only early transactions count. */
#define EDGES_KEPT_MAX ((size_t)1 << 22)
#define SPAN_LEAST 4
#define SPAN_SEEN 4 /* times as far as transactions look back, on average */
#define SPAN_GROWTH 4

struct certified_graph {
    struct certificate *certificate;
    struct level_graph of; /* a transaction's nodes are by its rank */
    struct edge_listing listing;
    struct barriers barriers;
    int64_t *barrier_time;
    uint32_t *by_component; /* nodes, by falling component */
    int64_t *latest;        /* by component: the time of the latest node that leads to it */
    bool *skips;            /* by transaction: it is in no cycle */
    struct cycles cycles;
};

static int64_t time_of(const struct certified_graph *g, uint32_t node)
{
    return node < g->of.txn_nodes ? edge_listing_time(&g->listing, node)
                                  : g->barrier_time[node - g->of.txn_nodes];
}

/* --- Edges ------------------------------------------------------------------------ */

/* An edge that leads far forward is of no cycle. */
static bool leads_far(const void *context, uint32_t from, uint32_t to)
{
    const struct certified_graph *g = context;

    return g->of.work != LEVEL_GRAPH_KEEPS && g->listing.span != LISTING_ALL &&
           time_of(g, to) - time_of(g, from) >= g->listing.span;
}

static enum status hear(void *context, const struct edge *e, struct error *err)
{
    struct certified_graph *g = context;

    return level_graph_hear(&g->of, e, err);
}

static enum status hear_walk(struct certified_graph *g, struct error *err)
{
    struct walk walk = { .certificate = g->certificate,
                         .skips = g->skips,
                         .kinds = g->of.kinds,
                         .context = g,
                         .edge = hear };

    return certificate_walk(&walk, err);
}

static enum status hear_closing(struct certified_graph *g, struct error *err)
{
    TRY(level_graph_hear_sessions(&g->of, err));
    return level_graph_hear_times(&g->of, &g->barriers, err);
}

/* --- Making ----------------------------------------------------------------------- */

/* All edges of the level, and from each beginning to its commit. */
static enum status add_all(struct certified_graph *g, enum level_graph_work work, struct error *err)
{
    bool is_adding = work == LEVEL_GRAPH_LAYS;

    TRY(level_graph_begin(&g->of, work, err));
    g->listing.counts_in = is_adding ? NULL : &g->of.graph;
    g->listing.adds_to = is_adding ? &g->of.graph : NULL;
    if (check_wants(g->certificate->options, CHECK_SLOWLY))
        TRY(hear_walk(g, err));
    else
        TRY(edge_listing_run(&g->listing, err));
    TRY(hear_closing(g, err));
    level_graph_hear_moments(&g->of);
    return STATUS_OK;
}

/* A barrier stands behind the last of those that have passed it. */
static enum status place_barriers(struct certified_graph *g, struct error *err)
{
    struct certificate *c = g->certificate;

    TRY(barriers_init(&g->barriers, &c->places, err));
    TRY(check_memory((void **)&g->barrier_time, g->barriers.count, sizeof *g->barrier_time, 0,
                     err));
    for (uint32_t rank = 0; rank < c->places.in_count; rank++) {
        uint32_t after = g->barriers.after[c->ranked[rank]];

        if (after != BARRIER_NONE)
            g->barrier_time[after] = 2 * (int64_t)rank + 1; /* ranks rise */
    }
    for (uint32_t i = 1; i < g->barriers.count; i++)
        if (g->barrier_time[i] < g->barrier_time[i - 1])
            g->barrier_time[i] = g->barrier_time[i - 1];
    return STATUS_OK;
}

static enum status certified_graph_init(struct certified_graph *g, struct certificate *c,
                                        struct error *err)
{
    *g = (struct certified_graph){ .certificate = c };
    g->of = (struct level_graph){ .history = c->history,
                                  .places = &c->places,
                                  .rank = c->rank,
                                  .ranked = c->ranked,
                                  .kinds = cycles_kinds(c->options->level),
                                  .sources = UINT32_MAX,
                                  .has_moments = level_is_snapshot(c->options->level),
                                  .leaves_out = leads_far,
                                  .context = g,
                                  .kept_max = EDGES_KEPT_MAX };
    return level_closing(c->options->level) == CLOSING_TIME ? place_barriers(g, err)
                                                                : STATUS_OK;
}

/* How far before it began some path ends. */
static enum status find_furthest(struct certified_graph *g, int64_t *furthest, struct error *err)
{
    const uint32_t *component = g->of.components.of_node;

    TRY(check_memory((void **)&g->latest, g->of.components.count, sizeof *g->latest, 0, err));
    for (uint32_t n = 0; n < g->of.graph.node_count; n++)
        if (time_of(g, n) > g->latest[component[n]])
            g->latest[component[n]] = time_of(g, n);
    *furthest = 0;
    for (uint32_t i = 0; i < g->of.graph.node_count; i++) {
        uint32_t node = g->by_component[i];
        int64_t latest = g->latest[component[node]];

        if (latest - time_of(g, node) > *furthest)
            *furthest = latest - time_of(g, node);
        /* An edge's end is behind the last of those before it: graph_add() has run through. */
        for (uint32_t e = g->of.graph.start[node]; e < g->of.graph.start[node + 1]; e++) {
            int64_t *there = &g->latest[component[g->of.graph.to[e]]];

            if (latest > *there)
                *there = latest;
        }
    }
    return STATUS_OK;
}

static void forget_order(struct certified_graph *g)
{
    free(g->by_component);
    free(g->latest);
    g->by_component = NULL;
    g->latest = NULL;
}

/* The graph without the edges that lead forward by so much. `furthest`: see there; of all, 0. */
static enum status make(struct certified_graph *g, int64_t span, int64_t *furthest,
                        struct error *err)
{
    struct certificate *c = g->certificate;

    *furthest = 0;
    forget_order(g);
    edge_listing_close(&g->listing);
    edge_listing_init(&g->listing, c, span);
    TRY(level_graph_init(&g->of, c->places.in_count, g->barriers.count, err));
    TRY(add_all(g, LEVEL_GRAPH_COUNTS, err));
    if (c->is_stopped)
        return STATUS_OK;
    TRY(add_all(g, LEVEL_GRAPH_LAYS, err));
    edge_listing_close(&g->listing);
    if (c->is_stopped)
        return STATUS_OK;
    TRY(level_graph_find_components(&g->of, err));
    TRY(level_graph_sort(&g->of, &g->by_component, err));
    return span != LISTING_ALL ? find_furthest(g, furthest, err) : STATUS_OK;
}

static bool has_loop(const struct certified_graph *g)
{
    return g->of.has_loop || g->listing.has_loop;
}

/* Whether the graph that was made has a cycle. */
static bool has_cycle(const struct certified_graph *g)
{
    return level_graph_has_cycle(&g->of) || has_loop(g);
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

static enum status make_shortest(struct certified_graph *g, struct error *err)
{
    struct certificate *c = g->certificate;
    int64_t span = LISTING_ALL, all = 2 * (int64_t)c->places.in_count, furthest = 0;

    if (!check_wants(c->options, CHECK_SLOWLY) && all > SPAN_LEAST)
        span = choose_span(c);
    do {
        TRY(make(g, span, &furthest, err));
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
static enum status sort_by_latest(struct certified_graph *g, struct error *err)
{
    uint32_t node_count = g->of.graph.node_count, *start = NULL, *sorted = NULL;
    size_t times = 2 * (size_t)g->certificate->places.in_count + 3;
    enum status status = check_memory((void **)&start, times, sizeof *start, 0, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&sorted, node_count, sizeof *sorted, err);
    for (uint32_t n = 0; n < node_count && status == STATUS_OK; n++)
        start[g->latest[g->of.components.of_node[n]] + 1]++;
    for (size_t i = 1; i < times && status == STATUS_OK; i++)
        start[i] += start[i - 1];
    for (uint32_t i = 0; i < node_count && status == STATUS_OK; i++) {
        uint32_t node = g->by_component[i];

        sorted[start[g->latest[g->of.components.of_node[node]]]++] = node;
    }
    if (status == STATUS_OK) {
        free(g->by_component);
        g->by_component = sorted;
        sorted = NULL;
    }
    free(sorted);
    free(start);
    return status;
}

static enum status tell_order(struct certified_graph *g, struct error *err)
{
    if (g->latest)
        TRY(sort_by_latest(g, err));
    return level_graph_tell_order(&g->of, g->by_component, g->certificate->check, err);
}

/* --- Cycles ----------------------------------------------------------------------- */

static enum status keep_all(struct certified_graph *g, uint32_t txn_end, struct error *err)
{
    level_graph_keep(&g->of, txn_end);
    TRY(hear_walk(g, err));
    return hear_closing(g, err);
}

/* Transactions whose nodes are components of their own are at the ends of no such edge. */
static enum status find_skipped(struct certified_graph *g, struct error *err)
{
    const struct certificate *c = g->certificate;
    uint32_t *sizes = NULL; /* by component */

    TRY(check_memory((void **)&g->skips, c->history->txn_count, sizeof *g->skips, true, err));
    TRY(check_memory((void **)&sizes, g->of.components.count, sizeof *sizes, 0, err));
    for (uint32_t n = 0; n < g->of.graph.node_count; n++)
        sizes[g->of.components.of_node[n]]++;
    for (uint32_t n = 0; n < g->of.txn_nodes; n++)
        if (sizes[g->of.components.of_node[n]] > 1 || has_loop(g))
            g->skips[c->ranked[g->of.has_moments ? n / 2 : n]] = false;
    free(sizes);
    return STATUS_OK;
}

/* The edges within components: of as many transactions as memory is good for. */
static enum status keep_cyclic(struct certified_graph *g, struct error *err)
{
    const struct certificate *c = g->certificate;
    uint32_t txn_end = (uint32_t)c->history->txn_count;

    TRY(find_skipped(g, err));
    do {
        TRY(keep_all(g, txn_end, err));
        txn_end /= 2;
    } while (g->of.is_too_large);
    return level_graph_take_cycles(&g->of, c->options, &g->cycles, err);
}

static enum status rule_out_weaker(struct certified_graph *g, struct error *err)
{
    struct certificate *c = g->certificate;

    for (int level = 0; level < LEVEL_COUNT; level++) {
        bool violates;

        if (!checker_decides(c->check->checker, (enum level)level) || level == LEVEL_CAUSAL ||
            !level_implies(c->options->level, (enum level)level) || c->ruled_out >> level & 1)
            continue;
        TRY(cycles_violate(&g->cycles, (enum level)level, &violates, err));
        if (violates)
            certificate_rule_out(c, (enum level)level);
    }
    return STATUS_OK;
}

static enum status check_graph(struct certified_graph *g, struct error *err)
{
    struct certificate *c = g->certificate;
    struct cycles_teller teller = { c->check, c->history };

    TRY(make_shortest(g, err));
    if (c->is_stopped)
        return STATUS_OK;
    if (!has_cycle(g))
        return c->check->verdict == VERDICT_VALID && check_wants(c->options, CHECK_WITNESS)
                   ? tell_order(g, err)
                   : STATUS_OK;
    TRY(keep_cyclic(g, err));
    if (c->is_stopped)
        return STATUS_OK;
    TRY(rule_out_weaker(g, err));
    TRY(cycles_tell(&g->cycles, c->options->level, cycles_tell_finding, &teller, err));
    check_doubt(c->check, "there is a cycle, but the search for a short one ran out of steps");
    return STATUS_OK;
}

static void certified_graph_close(struct certified_graph *g)
{
    level_graph_close(&g->of);
    forget_order(g);
    edge_listing_close(&g->listing);
    barriers_close(&g->barriers);
    free(g->barrier_time);
    free(g->skips);
    cycles_close(&g->cycles);
}

enum status certificate_check_graph(struct certificate *c, struct error *err)
{
    struct certified_graph g;
    enum status status = certified_graph_init(&g, c, err);

    if (status == STATUS_OK)
        status = check_graph(&g, err);
    certified_graph_close(&g);
    return status;
}

enum status certificate_graph_violates(struct certificate *c, enum level level, bool *violates,
                                       struct error *err)
{
    const struct check_options *options = c->options;
    struct check_options weaker = *options;
    struct certified_graph g;
    enum status status;

    weaker.level = level;
    c->options = &weaker;
    status = certified_graph_init(&g, c, err);
    if (status == STATUS_OK)
        status = make_shortest(&g, err);
    *violates = has_cycle(&g);
    c->options = options;
    certified_graph_close(&g);
    return status;
}

enum status certificate_leads_forward(struct certificate *c, bool *is_forward, struct error *err)
{
    struct edge_listing l;

    *is_forward = false;
    if (check_wants(c->options, CHECK_SLOWLY) || !certificate_is_placed(c))
        return STATUS_OK;
    TRY(certificate_scan_times(c, is_forward, err));
    if (!*is_forward)
        return STATUS_OK;
    edge_listing_init(&l, c, LISTING_BACKWARD);
    l.stops_backward = true;
    TRY(edge_listing_run(&l, err));
    *is_forward = !l.has_backward && !c->is_stopped;
    return STATUS_OK;
}
