#include "checkers/infer/models/models.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "checkers/check_private.h"
#include "checkers/infer/models/models_graph_private.h"
#include "checkers/infer/models/models_private.h"
#include "checkers/infer/models/models_tell_private.h"

/* --- What is missed -------------------------------------------------------------- */

/*
 * Whether someone misses what it should see:
 *
 *     P --sees--> R --rw x--> W --ww x--> ... --ww x--> P
 *
 * R sees P, and read a version of x older than P's own. What seeing is makes the
 * model. Versions that follow R's are walked as far as those whose writers R may
 * depend on: their rank is above R's.
 */

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
                (kind == EDGE_WW ? !models_is_version_step(m->ties.picture->models, node, e, key)
                                 : e->kind != kind))
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
        if (models_is_version_step(m->ties.picture->models, reader, edge_at(m, t->in[i]),
                                   edge_at(m, t->in[i])->key))
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

            if (m->walked[to] == walk || t->rank[to] < least ||
                !models_is_version_step(m->ties.picture->models, node, e, key))
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

static enum status models_miss(const struct picture *p, enum seeing seeing, struct budget *budget,
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

/* --- Views ----------------------------------------------------------------------- */

/*
 * What a transaction sees as a whole: the models whose cycles have one
 * anti-dependency, and update-serializable.
 *
 *     consistent-view       R --rw--> W --any dependencies--> R
 *     monotonic-view        the same, if the last of them comes into R by an operation that
 *                           is not behind the one that rw leaves
 *     update-serializable   R --rw--> W --anything between those that write--> R, where R does not
 */

#define QUESTIONS_MAX ((size_t)1 << 22)

static enum status ask(struct arcs *arcs, struct budget *budget, struct arc question,
                       struct error *err)
{
    if (arcs->questions.count == QUESTIONS_MAX) {
        budget->is_spent = true;
        return STATUS_OK;
    }
    return array_push(&arcs->questions, question, err);
}

/* The operation by which the edge comes in, looked for once. */
static uint32_t op_in(const struct ties *t, uint32_t edge, uint32_t *ops_in, struct budget *budget)
{
    const struct history *h = t->picture->models->history;
    const struct edge *e = &t->cycles->edges[edge];

    if (ops_in[edge] == HISTORY_NONE) {
        ops_in[edge] = models_op_in(h, e);
        (void)budget_take(budget, e->kind == EDGE_WW ? h->txn_op[e->to + 1] - h->txn_op[e->to] : 1);
    }
    return ops_in[edge];
}

/* What a view is asked with. */
struct view_question {
    uint32_t *ops_in; /* by edge; NULL, unless it is to be monotonic */
    struct arcs arcs;
    struct budget *budget;
    bool yes;
};

/* Those whom the reader depends on by what it did up to the operation that rw leaves. */
static enum status ask_monotonic(const struct ties *t, struct view_question *q, uint32_t anti,
                                 struct error *err)
{
    struct budget *budget = q->budget;
    const struct history *h = t->picture->models->history;
    uint32_t reader = t->cycles->from[anti], writer = t->cycles->to[anti];
    uint32_t op = models_head(h, t->cycles->edges[anti].op);

    (void)budget_take(budget, t->in_start[reader + 1] - t->in_start[reader]);
    for (uint32_t i = t->in_start[reader]; i < t->in_start[reader + 1] && !budget->is_spent; i++) {
        const struct edge *e = &t->cycles->edges[t->in[i]];
        uint32_t from = t->cycles->from[t->in[i]];

        if (edge_is_anti(e->kind) || t->rank[from] > t->rank[writer] ||
            op_in(t, t->in[i], q->ops_in, budget) > op)
            continue;
        q->yes |= from == writer;
        TRY(ask(&q->arcs, budget, (struct arc){ writer, from }, err));
    }
    return STATUS_OK;
}

static enum status ask_antis(const struct ties *t, struct view_question *q, struct error *err)
{
    const struct cycles *c = t->cycles;

    q->arcs.node_count = c->node_count;
    for (size_t i = 0; i < t->edges.at.count && !q->yes && !q->budget->is_spent; i++) {
        uint32_t edge = t->edges.at.at[i];
        struct arc arc = { c->from[edge], c->to[edge] };

        if (!ties_is_anti(t, edge)) {
            TRY(array_push(&q->arcs.at, arc, err));
            continue;
        }
        if (t->rank[arc.to] <= t->rank[arc.from])
            continue;
        if (q->ops_in)
            TRY(ask_monotonic(t, q, edge, err));
        else
            TRY(ask(&q->arcs, q->budget, (struct arc){ arc.to, arc.from }, err));
    }
    return STATUS_OK;
}

static enum status models_view(const struct picture *p, bool monotonic, struct budget *budget,
                               bool *yes, struct error *err)
{
    struct ties ties;
    struct view_question q = { .budget = budget };
    enum status status = models_ties_init(&ties, p, err);

    q.yes = ties.has_circle;
    if (status == STATUS_OK && monotonic) /* HISTORY_NONE where nobody has asked yet */
        status = check_memory((void **)&q.ops_in, p->models->cycles->edge_count, sizeof *q.ops_in,
                              0xff, err);
    if (status == STATUS_OK && !q.yes)
        status = ask_antis(&ties, &q, err);
    if (status == STATUS_OK && !q.yes && !budget->is_spent)
        status = models_arcs_reach(&q.arcs, budget, &q.yes, err);
    *yes = q.yes;
    models_ties_close(&ties);
    models_arcs_close(&q.arcs);
    free(q.ops_in);
    return status;
}

/* --- Update-serializable ---------------------------------------------------------- */

/* By node: whether it wrote something, or stands for who did. */
static enum status find_writers(const struct models *m, bool **writes, struct error *err)
{
    const struct cycles *c = m->cycles;
    const struct history *h = m->history;

    TRY(check_memory((void **)writes, c->node_count, sizeof **writes, 0, err));
    for (uint32_t n = 0; n < c->node_count; n++)
        (*writes)[n] = models_is_hub(m, n);
    for (uint32_t n = 0; n < c->node_count && c->nodes[n] < c->txn_count; n++)
        for (uint32_t op = h->txn_op[c->nodes[n]]; op < h->txn_op[c->nodes[n] + 1]; op++)
            (*writes)[n] |= history_makes_version(h, op);
    return STATUS_OK;
}

/* Who only reads falls in two, so that nothing passes through: where edges end, and begin. */
static enum status ask_readers(const struct picture *p, const struct edge_list *list,
                               const bool *writes, struct arcs *arcs, struct error *err)
{
    const struct cycles *c = p->models->cycles;

    arcs->node_count = 2 * c->node_count;
    for (size_t i = 0; i < list->at.count; i++) {
        uint32_t edge = list->at.at[i], from = c->from[edge], to = c->to[edge];

        TRY(array_push(&arcs->at, ((struct arc){ from, writes[to] ? to : c->node_count + to }),
                       err));
    }
    for (uint32_t n = 0; n < c->node_count; n++)
        if (!writes[n])
            TRY(array_push(&arcs->questions, ((struct arc){ n, c->node_count + n }), err));
    return STATUS_OK;
}

static enum status models_update(const struct picture *p, struct budget *budget, bool *yes,
                                 struct error *err)
{
    struct edge_list list = { 0 };
    struct arcs arcs = { 0 };
    bool *writes = NULL;
    enum status status = models_picture_cycles(p, &list, err);

    *yes = false;
    if (status == STATUS_OK && list.at.count > 0) {
        status = find_writers(p->models, &writes, err);
        if (status == STATUS_OK)
            status = ask_readers(p, &list, writes, &arcs, err);
        if (status == STATUS_OK)
            status = models_arcs_have_circle(&arcs, yes, err);
        if (status == STATUS_OK && !*yes)
            status = models_arcs_reach(&arcs, budget, yes, err);
    }
    array_close(&list.at);
    models_arcs_close(&arcs);
    free(writes);
    return status;
}

#define STEPS_MAX UINT64_C(200000000) /* of the walks of one level */

/* The cheap ones first, from below and from above: what they say spares most of the others. */
static const enum level by_cost[] = {
    LEVEL_STRICT_SERIALIZABLE,
    LEVEL_SESSION_SERIALIZABLE,
    LEVEL_SERIALIZABLE,
    LEVEL_READ_UNCOMMITTED,
    LEVEL_SESSION_READ_UNCOMMITTED,
    LEVEL_STRICT_READ_UNCOMMITTED,
    LEVEL_READ_COMMITTED,
    LEVEL_SESSION_READ_COMMITTED,
    LEVEL_STRICT_READ_COMMITTED,
    LEVEL_STRICT_SNAPSHOT,
    LEVEL_SESSION_SNAPSHOT,
    LEVEL_SNAPSHOT,
    LEVEL_PREFIX,
    LEVEL_REPEATABLE_READ,
    LEVEL_CURSOR_STABILITY,
    LEVEL_MONOTONIC_VIEW,
    LEVEL_MONOTONIC_SNAPSHOT_READ,
    LEVEL_CONSISTENT_VIEW,
    LEVEL_FORWARD_CONSISTENT_VIEW,
    LEVEL_UPDATE_SERIALIZABLE,
    LEVEL_MONOTONIC_ATOMIC_VIEW,
    LEVEL_UPDATE_ATOMIC,
    LEVEL_READ_ATOMIC,
    LEVEL_CAUSAL,
    LEVEL_PARALLEL_SNAPSHOT,
};

#define LEVELS_DECIDED (sizeof by_cost / sizeof *by_cost)

enum status models_init(struct models *m, const struct history *h, const struct cycles *cycles,
                        uint32_t hubs, struct error *err)
{
    *m = (struct models){ .history = h, .cycles = cycles, .hubs = hubs };
    return cycles->edge_count > 0 ? models_find_behind(h, cycles, &m->is_behind, err) : STATUS_OK;
}

void models_close(struct models *m)
{
    free(m->is_behind);
    m->is_behind = NULL;
}

uint64_t models_levels(void)
{
    uint64_t levels = 0;

    for (size_t i = 0; i < LEVELS_DECIDED; i++)
        levels |= LEVEL_BIT(by_cost[i]);
    return levels;
}

uint32_t models_head(const struct history *h, uint32_t op)
{
    size_t next; /* the first statement behind it */

    if (!op_is_row(h->op_kind[op]))
        return op;
    BISECT(next, 1, h->statement_count, h->statement_op[next] <= op);
    return h->statement_op[next - 1];
}

bool models_is_axiomatic(enum level level)
{
    return level == LEVEL_READ_ATOMIC || level == LEVEL_CAUSAL || level == LEVEL_PREFIX;
}

uint32_t models_last_write(const struct history *h, uint32_t txn, uint32_t key)
{
    for (uint32_t op = h->txn_op[txn + 1]; op-- > h->txn_op[txn];)
        if (history_makes_version(h, op) && h->op_key[op] == key)
            return op;
    return VERSION_INITIAL;
}

uint32_t models_op_in(const struct history *h, const struct edge *e)
{
    /* What a statement writes comes in behind all that it has read. */
    return e->kind == EDGE_WW ? models_last_write(h, e->to, e->key) : models_head(h, e->op);
}

/* Those that one search for components decides. False: the others. */
static bool draw_plain(enum level level, struct picture *p)
{
    static const uint32_t closing[] = { 0, KIND(PROCESS), KIND(REALTIME) };
    uint32_t closed = closing[level_closing(level)];

    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
    case LEVEL_SESSION_READ_UNCOMMITTED:
    case LEVEL_STRICT_READ_UNCOMMITTED:
        p->of.kinds = KIND(WW) | closed;
        return true;
    case LEVEL_READ_COMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
        p->of.kinds = KIND(WW) | READS | closed;
        return true;
    case LEVEL_REPEATABLE_READ:
        p->of.kinds = KIND(WW) | READS | KIND(RW);
        return true;
    case LEVEL_PREFIX:
        p->of.kinds = DATA | KIND(PROCESS);
        p->of.moments = MOMENTS_PREFIX;
        return true;
    default:
        p->of.kinds = DATA | closed;
        p->of.moments = level_is_snapshot(level) ? MOMENTS_SNAPSHOT : MOMENTS_NONE;
        return level_is_snapshot(level) || level_is_serializable(level);
    }
}

static enum status decide(const struct models *m, enum level level, struct budget *budget,
                          bool *violates, struct error *err)
{
    struct picture p = models_picture(m, level);

    if (draw_plain(level, &p))
        return projection_has_cycle(&p.of, violates, err);
    if (level == LEVEL_UPDATE_SERIALIZABLE)
        return models_update(&p, budget, violates, err);
    /* All further ones have cycles that are also of snapshot. */
    p.of.moments = MOMENTS_SNAPSHOT;
    switch (level) {
    case LEVEL_CURSOR_STABILITY:
        return models_miss(&p, SEEING_ITSELF, budget, violates, err);
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
        return models_miss(&p, SEEING_OP, budget, violates, err);
    case LEVEL_UPDATE_ATOMIC:
        return models_miss(&p, SEEING_WRITTEN, budget, violates, err);
    case LEVEL_READ_ATOMIC:
    case LEVEL_CAUSAL:
        p.of.kinds |= KIND(PROCESS);
        return models_miss(&p, level == LEVEL_CAUSAL ? SEEING_CAUSAL : SEEING_READ, budget,
                           violates, err);
    case LEVEL_PARALLEL_SNAPSHOT:
        p.of.kinds |= KIND(PROCESS);
        return models_view(&p, false, budget, violates, err);
    case LEVEL_CONSISTENT_VIEW:
    case LEVEL_FORWARD_CONSISTENT_VIEW:
        return models_view(&p, false, budget, violates, err);
    default:
        return models_view(&p, true, budget, violates, err);
    }
}

static void note(enum level level, bool violates, uint64_t *violated, uint64_t *held)
{
    for (size_t i = 0; i < LEVELS_DECIDED; i++) {
        if (violates && level_implies(by_cost[i], level))
            *violated |= LEVEL_BIT(by_cost[i]);
        /* Axioms leave edges out where a transaction contradicts itself: they imply axioms alone. */
        if (!violates && level_implies(level, by_cost[i]) &&
            (!models_is_axiomatic(level) || models_is_axiomatic(by_cost[i])))
            *held |= LEVEL_BIT(by_cost[i]);
    }
}

enum status models_decide(const struct models *m, uint64_t asked, uint64_t *violated,
                          uint64_t *undecided, struct error *err)
{
    uint64_t held = m->cycles->edge_count == 0 ? models_levels() : 0, known = *violated;

    for (size_t i = 0; i < LEVELS_DECIDED; i++)
        if (known & LEVEL_BIT(by_cost[i]))
            note(by_cost[i], true, violated, &held);
    for (size_t i = 0; i < LEVELS_DECIDED; i++) {
        enum level level = by_cost[i];
        struct budget budget = { STEPS_MAX, false };
        bool violates = false;

        if (!(asked & ~held & ~*violated & LEVEL_BIT(level)))
            continue;
        if (m->cycles->options && check_is_stopped(m->cycles->options)) {
            *undecided |= LEVEL_BIT(level);
            continue;
        }
        TRY(decide(m, level, &budget, &violates, err));
        if (budget.is_spent && !violates)
            *undecided |= LEVEL_BIT(level);
        else
            note(level, violates, violated, &held);
    }
    *undecided &= ~*violated & ~held;
    return STATUS_OK;
}

enum status models_tell(const struct models *m, enum level level, enum status (*tell)(void *,
                        const struct found_cycle *, bool *, struct error *), void *context,
                        bool *is_spent, struct error *err)
{
    struct budget budget = { STEPS_MAX, false };
    struct found_cycle found = { 0 };
    bool goes_on = true;
    enum status status = models_find_cycle(m, level, &budget, &found, err);

    if (status == STATUS_OK && found.edges.count > 0)
        status = tell(context, &found, &goes_on, err);
    *is_spent = budget.is_spent;
    array_close(&found.edges);
    return status;
}
