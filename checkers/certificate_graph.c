/*
 * The graph of a level: its components first, and only within them what the edges
 * are.
 *
 * At the levels of snapshot each transaction has two nodes, its beginning and its
 * commit. Whoever depends on another begins after that commits; whoever read what
 * another overwrote begins before that commits. If all these can be put in an
 * order, there is a run that has them in it.
 */
#include <stdlib.h>

#include "checkers/certificate_private.h"
#include "checkers/cycles.h"
#include "checkers/graph.h"
#include "checkers/lattice.h"
#include "checkers/witness.h"

/* Edges that are kept to be told of: where there are more, only early transactions count. */
#define EDGES_KEPT_MAX ((size_t)1 << 22)

enum stage { STAGE_COUNT, STAGE_ADD, STAGE_KEEP };

struct making {
    struct certificate *certificate;
    enum stage stage;
    bool has_moments; /* beginnings and commits */
    uint32_t txn_nodes;
    struct barriers barriers;
    struct graph graph;
    struct components components;
    bool has_loop;    /* an edge from a node to itself */
    uint32_t txn_end; /* edges of later transactions are not kept */
    ARRAY(struct edge) kept;
    struct cycles cycles;
};

/* Transactions, and behind them barriers, as nodes. */
static uint32_t node_of(const struct making *m, uint32_t who, bool is_commit)
{
    uint32_t txn_count = (uint32_t)m->certificate->history->txn_count;

    if (who >= txn_count)
        return m->txn_nodes + (who - txn_count);
    return m->has_moments ? 2 * who + is_commit : who;
}

static enum status hear(void *context, const struct edge *e, struct error *err)
{
    struct making *m = context;
    bool is_anti = edge_is_anti(e->kind);
    uint32_t from = node_of(m, e->from, !is_anti), to = node_of(m, e->to, is_anti);
    uint32_t txn_count = (uint32_t)m->certificate->history->txn_count;

    switch (m->stage) {
    case STAGE_COUNT:
        graph_count(&m->graph, from);
        m->has_loop |= from == to;
        return STATUS_OK;
    case STAGE_ADD:
        graph_add(&m->graph, from, to);
        return STATUS_OK;
    case STAGE_KEEP:
        if (m->components.of_node[from] != m->components.of_node[to] ||
            m->kept.count > EDGES_KEPT_MAX || (e->from < txn_count && e->from >= m->txn_end) ||
            (e->to < txn_count && e->to >= m->txn_end))
            return STATUS_OK;
        return array_push(&m->kept, *e, err);
    }
    return STATUS_OK;
}

static enum status hear_sessions(struct making *m, struct error *err)
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

static enum status hear_times(struct making *m, struct error *err)
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

/* All edges of the level, and from each beginning to its commit. */
static enum status hear_all(struct making *m, enum stage stage, struct error *err)
{
    struct certificate *c = m->certificate;
    enum level level = c->options->level;
    struct walk walk = {
        .certificate = c, .kinds = cycles_kinds(level), .context = m, .edge = hear
    };

    m->stage = stage;
    TRY(certificate_walk(&walk, err));
    if (lattice_closing(level) == CLOSED_BY_SESSION)
        TRY(hear_sessions(m, err));
    if (lattice_closing(level) == CLOSED_BY_TIME)
        TRY(hear_times(m, err));
    for (uint32_t n = 0; m->has_moments && stage != STAGE_KEEP && n < m->txn_nodes; n += 2) {
        if (stage == STAGE_COUNT)
            graph_count(&m->graph, n);
        else
            graph_add(&m->graph, n, n + 1);
    }
    return STATUS_OK;
}

static enum status make(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;
    size_t txn_nodes = c->history->txn_count * (m->has_moments ? 2 : 1);

    if (txn_nodes >= UINT32_MAX / 2)
        return error_set(err, STATUS_OVER_LIMIT, "a graph of %zu nodes is too large", txn_nodes);
    m->txn_nodes = (uint32_t)txn_nodes;
    if (lattice_closing(c->options->level) == CLOSED_BY_TIME)
        TRY(barriers_init(&m->barriers, &c->places, err));
    TRY(graph_init(&m->graph, txn_nodes + m->barriers.count, err));
    TRY(hear_all(m, STAGE_COUNT, err));
    TRY(graph_lay_out(&m->graph, err));
    TRY(hear_all(m, STAGE_ADD, err));
    return graph_find_components(&m->graph, &m->components, err);
}

/* --- No cycle --------------------------------------------------------------------- */

/* Falling components are an order; a snapshot sees the commits before its beginning. */
static enum status tell_order(struct making *m, struct error *err)
{
    struct certificate *c = m->certificate;
    uint32_t node_count = m->graph.node_count, count = 0;
    uint32_t *node_of_component = NULL, *order = NULL, *seen = NULL, *begun = NULL;
    enum status status = memory_resize((void **)&node_of_component, node_count, sizeof *order, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&order, c->places.in_count, sizeof *order, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&seen, c->places.in_count, sizeof *seen, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&begun, c->history->txn_count, sizeof *begun, err);
    for (uint32_t n = 0; n < node_count && status == STATUS_OK; n++)
        node_of_component[m->components.of_node[n]] = n;
    for (uint32_t k = node_count; k-- > 0 && status == STATUS_OK;) {
        uint32_t node = node_of_component[k], txn = m->has_moments ? node / 2 : node;

        if (node >= m->txn_nodes || !places_is_in(&c->places, txn))
            continue;
        if (m->has_moments && node % 2 == 0) {
            begun[txn] = count;
            continue;
        }
        seen[count] = m->has_moments ? begun[txn] : 0;
        order[count++] = txn;
    }
    if (status == STATUS_OK) {
        witness_order(c->check, c->history, order, count);
        if (m->has_moments)
            witness_snapshots(c->check, seen, count);
    }
    free(node_of_component);
    free(order);
    free(seen);
    free(begun);
    return status;
}

/* --- Cycles ----------------------------------------------------------------------- */

static enum status tell_cycle(void *context, const struct found_cycle *found, bool *goes_on,
                              struct error *err)
{
    struct making *m = context;
    struct certificate *c = m->certificate;
    struct discovery d = { .kind = found->kind,
                           .proven = found->kind,
                           .txn_count = found->edges.count };
    uint32_t *txns = NULL;
    enum status status;

    *goes_on = !check_is_full(c->check);
    if (!*goes_on)
        return STATUS_OK;
    TRY(memory_resize((void **)&txns, found->edges.count, sizeof *txns, err));
    for (size_t i = 0; i < found->edges.count; i++)
        txns[i] = found->edges.at[i].from;
    d.txns = txns;
    proof_tell_cycle(&d.why, c->history, found->edges.at, found->edges.count);
    proof_cycle(&d.proof, c->history, found->edges.at, found->edges.count);
    status = check_add(c->check, &d, err);
    free(txns);
    return status;
}

/* The edges within components: of as many transactions as memory is good for. */
static enum status keep(struct making *m, struct error *err)
{
    uint32_t txn_count = (uint32_t)m->certificate->history->txn_count;
    struct edge *edges;
    size_t count;

    m->txn_end = txn_count;
    TRY(hear_all(m, STAGE_KEEP, err));
    while (m->kept.count > EDGES_KEPT_MAX) {
        m->txn_end /= 2;
        m->kept.count = 0;
        TRY(hear_all(m, STAGE_KEEP, err));
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

        if (!checker_decides(&checker_certificate, (enum level)level) ||
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

    TRY(make(m, err));
    if (m->components.count == m->graph.node_count && !m->has_loop)
        return c->check->verdict == VERDICT_VALID && check_wants(c->options, CHECK_WITNESS)
                   ? tell_order(m, err)
                   : STATUS_OK;
    TRY(keep(m, err));
    TRY(rule_out_weaker(m, err));
    TRY(cycles_tell(&m->cycles, c->options->level, tell_cycle, m, err));
    check_doubt(c->check, "there is a cycle, but the search for a short one ran out of steps");
    return STATUS_OK;
}

enum status certificate_check_graph(struct certificate *c, struct error *err)
{
    struct making m = { .certificate = c, .has_moments = lattice_is_snapshot(c->options->level) };
    enum status status = check(&m, err);

    barriers_close(&m.barriers);
    graph_close(&m.graph);
    components_close(&m.components);
    array_close(&m.kept);
    cycles_close(&m.cycles);
    return status;
}
