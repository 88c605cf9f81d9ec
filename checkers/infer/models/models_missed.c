/*
 * Whether someone misses what it should see:
 *
 *     P --sees--> R --rw x--> W --ww x--> ... --ww x--> P
 *
 * R sees P, and read a version of x older than P's own. What seeing is makes the
 * model. Versions that follow R's are walked as far as those whose writers R may
 * depend on: their rank is above R's.
 */
#include "checkers/infer/models/models_missed_private.h"

#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/infer/models/models_graph_private.h"
#include "checkers/infer/models/models_ties_private.h"

#define QUESTIONS_MAX ((size_t)1 << 22)

struct missing {
    struct ties ties;
    const struct history *history;
    enum seeing seeing;
    struct budget *budget;
    uint32_t *sees;     /* by node: the last R that sees it, plus one */
    uint32_t *by_op;    /* by node: the least operation by which it does */
    uint32_t *walked;   /* by node: the last walk that came by */
    uint32_t walk;      /* walks so far */
    uint32_t *stack;    /* nodes */
    struct arcs causes; /* so and wr; the questions of SEEING_CAUSAL */
};

static const struct edge *edge_at(const struct missing *m, uint32_t edge)
{
    return &m->ties.cycles->edges[edge];
}

/* That a statement saw a change does not say that it saw the one that made it. */
static bool is_reading(const struct edge *e)
{
    return e->kind == EDGE_WR || (e->kind == EDGE_PREDICATE_WR && e->version == e->other);
}

/* From a version of the key to a later one; from a hub to those behind it. */
static bool is_version_step(const struct missing *m, uint32_t node, const struct edge *e,
                            uint32_t key)
{
    if (models_is_hub(m->ties.picture->models, node))
        return true;
    return e->key == key && (e->kind == EDGE_WW || (e->kind == EDGE_WR && e->by == SOURCE_UPDATE));
}

/* --- Seeing ----------------------------------------------------------------------- */

static void see(struct missing *m, uint32_t reader, uint32_t node, uint32_t op)
{
    if (m->sees[node] == reader + 1) {
        m->by_op[node] = op < m->by_op[node] ? op : m->by_op[node];
        return;
    }
    m->sees[node] = reader + 1;
    m->by_op[node] = op;
}

static void see_readings(struct missing *m, uint32_t reader)
{
    const struct ties *t = &m->ties;

    for (uint32_t i = t->in_start[reader]; i < t->in_start[reader + 1]; i++) {
        const struct edge *e = edge_at(m, t->in[i]);

        if (is_reading(e))
            see(m, reader, t->cycles->from[t->in[i]],
                m->seeing == SEEING_OP ? models_head(m->history, e->op) : 0);
    }
}

/* All that leads to the reader by edges of one kind (of one key, where it has one). */
static void see_back(struct missing *m, uint32_t reader, enum edge_kind kind, uint32_t key)
{
    const struct ties *t = &m->ties;
    uint32_t count = 1, walk = ++m->walk;

    m->stack[0] = reader;
    m->walked[reader] = walk;
    while (count > 0 && !m->budget->is_spent) {
        uint32_t node = m->stack[--count];

        (void)budget_take(m->budget, t->in_start[node + 1] - t->in_start[node] + 1);
        for (uint32_t i = t->in_start[node]; i < t->in_start[node + 1]; i++) {
            const struct edge *e = edge_at(m, t->in[i]);
            uint32_t from = t->cycles->from[t->in[i]];

            if (m->walked[from] == walk ||
                (kind == EDGE_WW ? !is_version_step(m, node, e, key) : e->kind != kind))
                continue;
            m->walked[from] = walk;
            see(m, reader, from, 0);
            m->stack[count++] = from;
        }
    }
}

/* Over each key that the reader wrote. */
static void see_overwritten(struct missing *m, uint32_t reader)
{
    const struct ties *t = &m->ties;

    for (uint32_t i = t->in_start[reader]; i < t->in_start[reader + 1]; i++)
        if (is_version_step(m, reader, edge_at(m, t->in[i]), edge_at(m, t->in[i])->key))
            see_back(m, reader, EDGE_WW, edge_at(m, t->in[i])->key);
}

static void see_all(struct missing *m, uint32_t reader)
{
    switch (m->seeing) {
    case SEEING_ITSELF:
        see(m, reader, reader, 0);
        return;
    case SEEING_READ:
        see_back(m, reader, EDGE_PROCESS, HISTORY_NONE);
        break;
    case SEEING_WRITTEN:
        see_overwritten(m, reader);
        break;
    case SEEING_OP:
    case SEEING_CAUSAL:
        break;
    }
    see_readings(m, reader);
}

/* --- Missing ---------------------------------------------------------------------- */

/* Whether the transaction wrote the key of one of its operations behind that. */
static bool writes_later(const struct missing *m, uint32_t node, uint32_t op)
{
    const struct history *h = m->history;
    uint32_t txn = m->ties.cycles->nodes[node];

    for (uint32_t later = op + 1; later < h->txn_op[txn + 1]; later++)
        if (history_makes_version(h, later) && h->op_key[later] == h->op_key[op])
            return true;
    return false;
}

/* Whether this is what it should not miss; at SEEING_CAUSAL that is asked later. */
static enum status visit(struct missing *m, uint32_t reader, uint32_t node, uint32_t op,
                         bool *misses, struct error *err)
{
    if (m->seeing == SEEING_CAUSAL) {
        if (m->causes.questions.count == QUESTIONS_MAX) {
            m->budget->is_spent = true;
            return STATUS_OK;
        }
        return array_push(&m->causes.questions, ((struct arc){ node, reader }), err);
    }
    if (m->sees[node] != reader + 1)
        return STATUS_OK;
    if (m->seeing == SEEING_OP)
        *misses |= m->by_op[node] < models_head(m->history, op);
    else if (m->seeing == SEEING_ITSELF)
        *misses |= writes_later(m, node, op);
    else
        *misses = true;
    return STATUS_OK;
}

/* Walks the versions of a key that follow what the edge's operation read. */
static enum status walk_versions(struct missing *m, uint32_t anti, bool *misses, struct error *err)
{
    const struct ties *t = &m->ties;
    uint32_t reader = t->cycles->from[anti], key = edge_at(m, anti)->key, count = 0;
    uint32_t least = t->rank[reader] + (m->seeing != SEEING_ITSELF), walk = ++m->walk;
    uint32_t op = edge_at(m, anti)->op, first = t->cycles->to[anti];

    if (t->rank[first] < least)
        return STATUS_OK;
    m->walked[first] = walk;
    m->stack[count++] = first;
    while (count > 0 && !*misses && !m->budget->is_spent) {
        uint32_t node = m->stack[--count];

        if (!models_is_hub(t->picture->models, node))
            TRY(visit(m, reader, node, op, misses, err));
        (void)budget_take(m->budget, t->out_start[node + 1] - t->out_start[node] + 1);
        for (uint32_t i = t->out_start[node]; i < t->out_start[node + 1]; i++) {
            const struct edge *e = edge_at(m, t->out[i]);
            uint32_t to = t->cycles->to[t->out[i]];

            if (m->walked[to] == walk || t->rank[to] < least || !is_version_step(m, node, e, key))
                continue;
            m->walked[to] = walk;
            m->stack[count++] = to;
        }
    }
    return STATUS_OK;
}

/* Two of the models are of items alone. */
static bool counts(const struct missing *m, const struct edge *anti)
{
    return anti->kind == EDGE_RW || (m->seeing != SEEING_OP && m->seeing != SEEING_ITSELF);
}

static enum status try_reader(struct missing *m, uint32_t reader, bool *misses, struct error *err)
{
    const struct ties *t = &m->ties;
    bool has_looked = false;

    for (uint32_t i = t->out_start[reader]; i < t->out_start[reader + 1] && !*misses; i++) {
        if (!ties_is_anti(t, t->out[i]) || !counts(m, edge_at(m, t->out[i])))
            continue;
        if (!has_looked)
            see_all(m, reader);
        has_looked = true;
        TRY(walk_versions(m, t->out[i], misses, err));
    }
    return STATUS_OK;
}

static enum status ask_causes(struct missing *m, bool *misses, struct error *err)
{
    const struct ties *t = &m->ties;

    m->causes.node_count = t->cycles->node_count;
    for (size_t i = 0; i < t->edges.at.count; i++) {
        uint32_t edge = t->edges.at.at[i];
        struct arc arc = { t->cycles->from[edge], t->cycles->to[edge] };

        if (edge_at(m, edge)->kind == EDGE_PROCESS || is_reading(edge_at(m, edge)))
            TRY(array_push(&m->causes.at, arc, err));
    }
    return models_arcs_reach(&m->causes, m->budget, misses, err);
}

static enum status look(struct missing *m, bool *misses, struct error *err)
{
    uint32_t nodes = m->ties.cycles->node_count;

    TRY(check_memory((void **)&m->sees, nodes, sizeof *m->sees, 0, err));
    TRY(check_memory((void **)&m->by_op, nodes, sizeof *m->by_op, 0, err));
    TRY(check_memory((void **)&m->walked, nodes, sizeof *m->walked, 0, err));
    TRY(memory_resize((void **)&m->stack, nodes, sizeof *m->stack, err));
    for (uint32_t n = 0; n < nodes && !*misses && !m->budget->is_spent; n++)
        TRY(try_reader(m, n, misses, err));
    return m->seeing == SEEING_CAUSAL && !m->budget->is_spent ? ask_causes(m, misses, err)
                                                              : STATUS_OK;
}

enum status models_miss(const struct picture *p, enum seeing seeing, struct budget *budget,
                        bool *misses, struct error *err)
{
    struct missing m = { .history = p->models->history, .seeing = seeing, .budget = budget };
    enum status status = models_ties_init(&m.ties, p, err);

    *misses = m.ties.has_circle;
    if (status == STATUS_OK && !*misses && m.ties.edges.at.count > 0)
        status = look(&m, misses, err);
    models_ties_close(&m.ties);
    models_arcs_close(&m.causes);
    free(m.sees);
    free(m.by_op);
    free(m.walked);
    free(m.stack);
    return status;
}
