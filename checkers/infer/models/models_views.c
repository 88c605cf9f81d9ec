/*
 * What a transaction sees as a whole: the models whose cycles have one
 * anti-dependency, and update-serializable.
 *
 *     consistent-view       R --rw--> W --any dependencies--> R
 *     monotonic-view        the same, if the last of them comes into R by an operation that
 *                           is not behind the one that rw leaves
 *     update-serializable   R --rw--> W --anything between those that write--> R, where R does not
 */
#include "checkers/infer/models/models_views_private.h"

#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/infer/models/models_graph_private.h"
#include "checkers/infer/models/models_ties_private.h"

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

enum status models_view(const struct picture *p, bool monotonic, struct budget *budget, bool *yes,
                        struct error *err)
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

enum status models_update(const struct picture *p, struct budget *budget, bool *yes,
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
