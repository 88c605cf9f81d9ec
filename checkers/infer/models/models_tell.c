/*
 * Finds a cycle that a model forbids, for a finding.
 *
 * It begins with an anti-dependency (or, where dependencies alone go round, with any
 * edge), and goes back to where that began by what the model lets it: breadth first,
 * in two phases.
 *
 *                      first phase                     second phase
 *     views            dependencies                    -
 *     prefix           any, but rw only behind wr, so  (how the last edge was)
 *     updates          any, through writers            -
 *     missing          later versions of the key       how the reader sees the writer
 *
 * Versions that follow each other are told as one edge: from what was read to
 * what was missed.
 */
#include "checkers/infer/models/models_tell_private.h"

#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/infer/models/models_graph_private.h"
#include "history/anomaly.h"
#include "history/level.h"

#define NO_KEY (HISTORY_NONE - 1) /* edges without a key have HISTORY_NONE or whatever */
#define REFUSED 2

enum rule {
    RULE_CIRCLE,
    RULE_VIEW,
    RULE_MONOTONIC,
    RULE_PREFIX,
    RULE_UPDATE,
    RULE_MISS,
};

struct telling {
    struct ties ties;
    const struct history *history;
    enum rule rule;
    enum seeing seeing;
    struct budget *budget;
    uint32_t first;    /* the edge that it begins with */
    uint32_t back_key; /* of what the reader wrote over, at SEEING_WRITTEN */
    uint32_t *round, *parent, *by; /* by state: 2 * node + phase */
    uint32_t *queue, rounds;
    ARRAY(uint32_t) path; /* edges */
};

static const struct edge *edge_at(const struct telling *t, uint32_t edge)
{
    return &t->ties.cycles->edges[edge];
}

static uint32_t op_out(const struct telling *t)
{
    return models_head(t->history, edge_at(t, t->first)->op);
}

static bool is_reading(const struct edge *e)
{
    return e->kind == EDGE_WR || (e->kind == EDGE_PREDICATE_WR && e->version == e->other);
}

static bool writes_something(const struct telling *t, uint32_t node)
{
    const struct history *h = t->history;
    uint32_t txn = t->ties.cycles->nodes[node];

    if (txn >= h->txn_count)
        return true;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op))
            return true;
    return false;
}

/* How the reader sees: the phase behind the edge, which may be its last one. */
static unsigned see(const struct telling *t, unsigned phase, const struct edge *e, bool is_last)
{
    switch (t->seeing) {
    case SEEING_OP:
        return is_last && is_reading(e) && models_op_in(t->history, e) < op_out(t) ? 1 : REFUSED;
    case SEEING_READ:
        if (e->kind == EDGE_PROCESS)
            return 1;
        return phase == 0 && is_last && is_reading(e) ? 1 : REFUSED;
    case SEEING_WRITTEN:
        if (phase == 0 && is_last && is_reading(e))
            return 1;
        return e->key == t->back_key && (e->kind == EDGE_WW || e->by == SOURCE_UPDATE) &&
                       !edge_is_anti(e->kind)
                   ? 1
                   : REFUSED;
    case SEEING_CAUSAL:
        return e->kind == EDGE_PROCESS || is_reading(e) ? 1 : REFUSED;
    default:
        return REFUSED;
    }
}

/* The phase behind an edge that leads on from a node in this phase. */
static unsigned phase_behind(const struct telling *t, uint32_t node, unsigned phase, uint32_t edge)
{
    const struct edge *e = edge_at(t, edge);
    bool is_last = t->ties.cycles->to[edge] == t->ties.cycles->from[t->first];
    bool is_anti = ties_is_anti(&t->ties, edge);

    switch (t->rule) {
    case RULE_CIRCLE:
    case RULE_VIEW:
        return is_anti ? REFUSED : 0;
    case RULE_MONOTONIC:
        if (is_last && e->kind == EDGE_WW)
            (void)budget_take(t->budget,
                              t->history->txn_op[e->to + 1] - t->history->txn_op[e->to]);
        return is_anti || (is_last && models_op_in(t->history, e) > op_out(t)) ? REFUSED : 0;
    case RULE_UPDATE:
        return is_last || writes_something(t, t->ties.cycles->to[edge]) ? 0 : REFUSED;
    case RULE_PREFIX: /* phase 1: the last edge was a wr or a session's */
        if (is_anti)
            return phase == 1 && !is_last ? 0 : REFUSED;
        if (is_last)
            return e->kind == EDGE_WW || edge_is_anti(e->kind) ? REFUSED : 0;
        return e->kind != EDGE_WW && !edge_is_anti(e->kind);
    case RULE_MISS:
        break;
    }
    /* Behind a predicate it has to be the version that changed what matches. */
    if (phase == 0 &&
        models_is_version_step(t->ties.picture->models, node, e, edge_at(t, t->first)->key) &&
        (edge_at(t, t->first)->kind == EDGE_RW || models_is_hub(t->ties.picture->models, node)) &&
        (!is_last || t->seeing == SEEING_ITSELF))
        return 0;
    if (models_is_hub(t->ties.picture->models, node))
        return REFUSED;
    return see(t, phase, e, is_last);
}

/* --- Searching ---------------------------------------------------------------------- */

static enum status take_path(struct telling *t, uint32_t state, uint32_t last, struct error *err)
{
    t->path.count = 0;
    TRY(array_push(&t->path, last, err));
    for (; t->parent[state] != UINT32_MAX; state = t->parent[state])
        TRY(array_push(&t->path, t->by[state], err));
    TRY(array_push(&t->path, t->first, err));
    for (size_t i = 0; i < t->path.count / 2; i++) {
        uint32_t edge = t->path.at[i];

        t->path.at[i] = t->path.at[t->path.count - 1 - i];
        t->path.at[t->path.count - 1 - i] = edge;
    }
    return STATUS_OK;
}

/* From where the first edge leads back to where it begins; the path is empty if there is none. */
static enum status search(struct telling *t, struct error *err)
{
    const struct ties *ties = &t->ties;
    uint32_t target = ties->cycles->from[t->first], head = 0, tail = 0;
    uint32_t start = 2 * ties->cycles->to[t->first];

    t->rounds++;
    t->queue[tail++] = start;
    t->round[start] = t->rounds;
    t->parent[start] = UINT32_MAX;
    while (head < tail && !t->budget->is_spent) {
        uint32_t state = t->queue[head++], node = state / 2;

        (void)budget_take(t->budget, ties->out_start[node + 1] - ties->out_start[node] + 1);
        for (uint32_t i = ties->out_start[node]; i < ties->out_start[node + 1]; i++) {
            uint32_t edge = ties->out[i], to = ties->cycles->to[edge], next;
            unsigned phase = phase_behind(t, node, state & 1, edge);

            if (phase == REFUSED)
                continue;
            if (to == target)
                return take_path(t, state, edge, err);
            next = 2 * to + phase;
            if (t->round[next] == t->rounds)
                continue;
            t->round[next] = t->rounds;
            t->parent[next] = state;
            t->by[next] = edge;
            t->queue[tail++] = next;
        }
    }
    return STATUS_OK;
}

/* Once for each key of which the reader wrote over a version. */
static enum status search_overwritten(struct telling *t, struct error *err)
{
    const struct ties *ties = &t->ties;
    uint32_t reader = ties->cycles->from[t->first];

    t->back_key = NO_KEY;
    TRY(search(t, err));
    for (uint32_t i = ties->in_start[reader];
         i < ties->in_start[reader + 1] && t->path.count == 0 && !t->budget->is_spent; i++) {
        const struct edge *e = edge_at(t, ties->in[i]);

        if (!models_is_version_step(t->ties.picture->models, reader, e, e->key))
            continue;
        t->back_key = e->key;
        TRY(search(t, err));
    }
    return STATUS_OK;
}

/* Two of the models are of items alone, and one of what is read before it is written. */
static bool begins(const struct telling *t, const struct edge *anti)
{
    uint32_t own = models_last_write(t->history, anti->from, anti->key);

    if (t->seeing == SEEING_ITSELF)
        return anti->kind == EDGE_RW && own > anti->op && own != VERSION_INITIAL;
    return anti->kind == EDGE_RW || t->seeing != SEEING_OP;
}

static enum status search_all(struct telling *t, struct error *err)
{
    const struct ties *ties = &t->ties;
    size_t states = 2 * (size_t)ties->cycles->node_count;

    TRY(check_memory((void **)&t->round, states, sizeof *t->round, 0, err));
    TRY(memory_resize((void **)&t->parent, states, sizeof *t->parent, err));
    TRY(memory_resize((void **)&t->by, states, sizeof *t->by, err));
    TRY(memory_resize((void **)&t->queue, states, sizeof *t->queue, err));
    for (size_t i = 0; i < ties->edges.at.count && t->path.count == 0 && !t->budget->is_spent;
         i++) {
        t->first = ties->edges.at.at[i];
        if (models_is_hub(ties->picture->models, ties->cycles->from[t->first]) ||
            (t->rule != RULE_CIRCLE && !ties_is_anti(ties, t->first)) ||
            (t->rule == RULE_MISS && !begins(t, edge_at(t, t->first))))
            continue;
        if (t->rule == RULE_CIRCLE && ties->cycles->from[t->first] == ties->cycles->to[t->first])
            TRY(array_push(&t->path, t->first, err));
        else if (t->rule == RULE_MISS && t->seeing == SEEING_WRITTEN)
            TRY(search_overwritten(t, err));
        else
            TRY(search(t, err));
    }
    return STATUS_OK;
}

/* --- What was found ----------------------------------------------------------------- */

/* The version that a step along a key leads to. */
static uint32_t version_behind(const struct telling *t, const struct edge *e)
{
    return e->kind == EDGE_WR ? models_last_write(t->history, e->to, e->key) : e->other;
}

/* One edge in place of two, of which the second goes on where the first ended. */
static bool join(const struct telling *t, struct edge *e, const struct edge *next)
{
    uint32_t txn_count = (uint32_t)t->history->txn_count;
    bool is_step = next->kind == EDGE_WW || (next->kind == EDGE_WR && next->by == SOURCE_UPDATE);

    if (e->to >= txn_count) {
        e->other = next->other;
    } else if (t->rule != RULE_MISS) {
        return false;
    } else if (e->kind == EDGE_PROCESS && next->kind == EDGE_PROCESS &&
               t->seeing == SEEING_READ) {
        /* They go on in the session. */
    } else if (t->seeing != SEEING_ITSELF && e->kind == EDGE_RW && is_step && next->key == e->key &&
               next->to != edge_at(t, t->first)->from) {
        e->other = version_behind(t, next);
    } else if ((e->kind == EDGE_WW || (e->kind == EDGE_WR && e->by == SOURCE_UPDATE)) && is_step &&
               next->key == e->key &&
               (t->seeing == SEEING_ITSELF || t->seeing == SEEING_WRITTEN)) {
        e->kind = EDGE_WW;
        e->other = version_behind(t, next);
    } else {
        return false;
    }
    e->to = next->to;
    e->by = next->by > e->by ? next->by : e->by;
    /* All versions are behind the initial one, by whatever way. */
    if (e->kind == EDGE_RW && e->version == VERSION_INITIAL)
        e->by = SOURCE_CERTAIN;
    return true;
}

static enum anomaly name(const struct edge *edges, size_t count)
{
    unsigned antis = 0, adjacent = 0, predicates = 0, reads = 0;
    enum cycle_closing closing = CLOSING_DATA;

    for (size_t i = 0; i < count; i++) {
        const struct edge *e = &edges[i];

        antis += edge_is_anti(e->kind);
        predicates += e->kind == EDGE_PREDICATE_RW;
        adjacent += edge_is_anti(e->kind) && edge_is_anti(edges[(i + 1) % count].kind);
        reads += e->kind == EDGE_WR || e->kind == EDGE_PREDICATE_WR;
        if (e->kind == EDGE_PROCESS || e->by == SOURCE_SESSION || e->by == SOURCE_SESSION_READS)
            closing = CLOSING_SESSION;
    }
    if (antis == 0)
        return anomaly_of_cycle(reads > 0 ? ANOMALY_G1C : ANOMALY_G0, closing);
    if (antis == 1)
        return anomaly_of_cycle(ANOMALY_G_SINGLE, closing);
    if (adjacent == 0)
        return anomaly_of_cycle(ANOMALY_G_NONADJACENT, closing);
    return anomaly_of_cycle(predicates > 0 ? ANOMALY_G2 : ANOMALY_G2_ITEM, closing);
}

/* A path through two phases may pass a transaction in each: that is no cycle to be told. */
static bool passes_twice(const struct telling *t, const struct found_cycle *found)
{
    if (t->rule != RULE_PREFIX && t->rule != RULE_MISS)
        return false;
    for (size_t i = 1; i < found->edges.count && budget_take(t->budget, i); i++)
        for (size_t j = 0; j < i; j++)
            if (found->edges.at[i].from == found->edges.at[j].from)
                return true;
    return t->budget->is_spent;
}

static enum status take_edges(struct telling *t, struct found_cycle *found, struct error *err)
{
    found->edges.count = 0;
    for (size_t i = 0; i < t->path.count; i++) {
        const struct edge *e = edge_at(t, t->path.at[i]);

        if (found->edges.count == 0 || !join(t, &found->edges.at[found->edges.count - 1], e))
            TRY(array_push(&found->edges, *e, err));
    }
    if (passes_twice(t, found))
        found->edges.count = 0;
    if (found->edges.count > 0)
        found->kind = name(found->edges.at, found->edges.count);
    return STATUS_OK;
}

static enum status find(struct picture *p, enum rule rule, enum seeing seeing,
                        struct budget *budget, struct found_cycle *found, struct error *err)
{
    struct telling t = {
        .history = p->models->history, .rule = rule, .seeing = seeing, .budget = budget
    };
    enum status status = models_ties_init(&t.ties, p, err);

    if (status == STATUS_OK && t.ties.edges.at.count > 0)
        status = search_all(&t, err);
    if (status == STATUS_OK)
        status = take_edges(&t, found, err);
    models_ties_close(&t.ties);
    free(t.round);
    free(t.parent);
    free(t.by);
    free(t.queue);
    array_close(&t.path);
    return status;
}

/* --- Models ------------------------------------------------------------------------- */

static enum rule rule_of(enum level level, enum seeing *seeing)
{
    switch (level) {
    case LEVEL_PREFIX:
        return RULE_PREFIX;
    case LEVEL_UPDATE_SERIALIZABLE:
        return RULE_UPDATE;
    case LEVEL_MONOTONIC_VIEW:
    case LEVEL_MONOTONIC_SNAPSHOT_READ:
        return RULE_MONOTONIC;
    case LEVEL_CURSOR_STABILITY:
        *seeing = SEEING_ITSELF;
        return RULE_MISS;
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
        *seeing = SEEING_OP;
        return RULE_MISS;
    case LEVEL_UPDATE_ATOMIC:
        *seeing = SEEING_WRITTEN;
        return RULE_MISS;
    case LEVEL_READ_ATOMIC:
        *seeing = SEEING_READ;
        return RULE_MISS;
    case LEVEL_CAUSAL:
        *seeing = SEEING_CAUSAL;
        return RULE_MISS;
    default:
        return RULE_VIEW;
    }
}

enum status models_find_cycle(const struct models *m, enum level level, struct budget *budget,
                              struct found_cycle *found, struct error *err)
{
    enum seeing seeing = SEEING_ITSELF;
    enum rule rule = rule_of(level, &seeing);
    struct picture p = models_picture(m, LEVEL_READ_COMMITTED);

    p.of.kinds = KIND(WW) | READS;
    /* All imply read-committed. */
    TRY(find(&p, RULE_CIRCLE, seeing, budget, found, err));
    if (found->edges.count > 0)
        return STATUS_OK;
    p = models_picture(m, level);
    p.of.kinds = KIND(WW) | READS;
    if (models_is_axiomatic(level) || level == LEVEL_PARALLEL_SNAPSHOT) {
        p.of.kinds |= KIND(PROCESS);
        TRY(find(&p, RULE_CIRCLE, seeing, budget, found, err));
    }
    if (found->edges.count > 0)
        return STATUS_OK;
    p.of.kinds |= ANTIS;
    if (rule != RULE_UPDATE)
        p.of.moments = rule == RULE_PREFIX ? MOMENTS_PREFIX : MOMENTS_SNAPSHOT;
    return find(&p, rule, seeing, budget, found, err);
}
