#include "checkers/infer/models/models.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "checkers/check_private.h"
#include "checkers/infer/models/models_private.h"
#include "checkers/infer/models/models_graph_private.h"
#include "checkers/infer/models/models_missed_private.h"
#include "checkers/infer/models/models_tell_private.h"
#include "checkers/infer/models/models_views_private.h"

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

enum status models_tell(const struct models *m, enum level level,
                        enum status (*tell)(void *, const struct found_cycle *, bool *,
                                            struct error *),
                        void *context, bool *is_spent, struct error *err)
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
