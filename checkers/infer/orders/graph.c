/*
 * The graph of all that was inferred: reads, writes, sessions and real time in one.
 *
 * Where it has no cycle, every level holds that cycles decide, and the order in
 * which all its edges lead forward is the witness of each. Otherwise only the
 * edges within its components matter: which level they violate is seen in a graph
 * of that level alone, and the shortest cycles are searched there.
 */
#include "checkers/infer/orders/graph.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/graph/anomaly.h"
#include "checkers/infer/lists/lists_edges.h"
#include "checkers/infer/orders/completion_private.h"
#include "checkers/infer/orders/orders_private.h"
#include "checkers/infer/predicates/predicates.h"
#include "checkers/infer/registers/registers.h"
#include "checkers/infer/registers/registers_edges.h"
#include "checkers/proof/witness.h"

#define EDGES_KEPT_MAX ((size_t)1 << 23) /* 28 bytes each, and as much again to search them */

/* --- Edges -------------------------------------------------------------------------- */

static enum status hear_all(struct inferred_graph *j, struct error *err)
{
    struct level_graph *g = &j->graph;
    struct infer *c = j->infer;

    TRY(infer_hear_lists(c, g, err));
    TRY(infer_hear_registers(c, g, err));
    TRY(infer_hear_predicates(c, g, err));
    for (size_t i = 0; i < j->chosen_count; i++)
        TRY(level_graph_hear(g, &j->chosen[i], err));
    if (j->hears_completion)
        TRY(infer_hear_completion(c, g, err));
    TRY(level_graph_hear_sessions(g, err));
    TRY(level_graph_hear_times(g, &c->barriers, err));
    level_graph_hear_moments(g);
    return STATUS_OK;
}

/* --- Components --------------------------------------------------------------------- */

/* The graph of such edges, and its components; of neither anything if the check is stopped. */
enum status infer_find_components(struct inferred_graph *j, uint32_t kinds, uint32_t sources,
                                  bool has_moments, struct error *err)
{
    struct infer *c = j->infer;
    struct level_graph *g = &j->graph;
    uint32_t txn_count = (uint32_t)c->history->txn_count;

    level_graph_close(g);
    *g = (struct level_graph){ .history = c->history,
                               .places = &c->places,
                               .kinds = kinds,
                               .sources = sources,
                               .has_moments = has_moments,
                               .kept_max = EDGES_KEPT_MAX };
    TRY(level_graph_init(g, txn_count, j->node_count - txn_count, err));
    TRY(level_graph_begin(g, LEVEL_GRAPH_COUNTS, err));
    TRY(hear_all(j, err));
    if (c->is_stopped)
        return STATUS_OK;
    TRY(level_graph_begin(g, LEVEL_GRAPH_LAYS, err));
    TRY(hear_all(j, err));
    return c->is_stopped ? STATUS_OK : level_graph_find_components(g, err);
}

enum status infer_find_components_of(struct inferred_graph *j, enum level level, struct error *err)
{
    return infer_find_components(j, cycles_kinds(level), cycles_sources(level),
                                 level_is_snapshot(level), err);
}

enum status infer_find_view(struct inferred_graph *j, enum level level, struct error *err)
{
    uint32_t kinds = UINT32_C(1) << EDGE_WW | UINT32_C(1) << EDGE_WR |
                     UINT32_C(1) << EDGE_PREDICATE_WR;

    if (level_implies(level, LEVEL_READ_ATOMIC))
        kinds |= UINT32_C(1) << EDGE_PROCESS;
    return infer_find_components(j, kinds, cycles_sources(level), false, err);
}

/* The edges within components, of the first so many transactions. */
enum status infer_keep_cyclic(struct inferred_graph *j, uint32_t txn_end, struct error *err)
{
    level_graph_keep(&j->graph, txn_end);
    return hear_all(j, err);
}

static enum status keep_cyclic(struct inferred_graph *j, struct error *err)
{
    TRY(infer_keep_cyclic(j, (uint32_t)j->infer->history->txn_count, err));
    if (j->graph.is_too_large || j->infer->is_stopped)
        return STATUS_OK;
    j->knows_cycles = true;
    return level_graph_take_cycles(&j->graph, j->infer->options, &j->cycles, err);
}

/* Of the graph at hand, as many as there is room for: to tell of a cycle, if not of each. */
static enum status keep_early(struct inferred_graph *j, struct error *err)
{
    uint32_t txn_end = (uint32_t)j->infer->history->txn_count;

    do {
        TRY(infer_keep_cyclic(j, txn_end, err));
        txn_end /= 2;
    } while (j->graph.is_too_large && txn_end > 0 && !j->infer->is_stopped);
    return level_graph_take_cycles(&j->graph, j->infer->options, &j->cycles, err);
}

/* --- Levels ------------------------------------------------------------------------- */

/* Whether cycles violate the level: then all that imply it, else none that it implies. */
static enum status violates(struct inferred_graph *j, enum level level, bool *is_violated,
                            struct error *err)
{
    struct infer *c = j->infer;

    if (j->knows_cycles) {
        TRY(cycles_violate(&j->cycles, level, is_violated, err));
    } else {
        TRY(infer_find_components_of(j, level, err));
        if (c->is_stopped)
            return STATUS_OK;
        *is_violated = level_graph_has_cycle(&j->graph);
    }
    j->settled |= LEVEL_BIT(level);
    if (*is_violated)
        infer_rule_out(c, level);
    for (int weaker = 0; weaker < LEVEL_END && !*is_violated; weaker++)
        if (weaker != LEVEL_COUNT && level_implies(level, (enum level)weaker))
            j->settled |= LEVEL_BIT(weaker);
    return STATUS_OK;
}

static enum status judge_levels(struct inferred_graph *j, struct error *err)
{
    struct infer *c = j->infer;
    uint64_t asked = INFER_GRAPH_LEVELS & ~c->undecided, left;

    while ((left = asked & ~c->ruled_out & ~j->settled) != 0 && !c->is_stopped &&
           !check_is_stopped(c->options)) {
        bool is_violated = false;

        TRY(violates(j, level_weakest(left), &is_violated, err));
    }
    c->undecided |= left;
    return STATUS_OK;
}

/* Whether cycles violate the level that was asked for, whatever else does. */
static enum status judge_asked(struct inferred_graph *j, struct error *err)
{
    struct infer *c = j->infer;
    enum level level = c->options->level;
    struct anomaly_teller teller = { c->check, c->history };
    bool is_violated = false;

    if (!(INFER_GRAPH_LEVELS & LEVEL_BIT(level)))
        return STATUS_OK;
    TRY(violates(j, level, &is_violated, err));
    if (!is_violated)
        return STATUS_OK;
    if (!j->knows_cycles)
        TRY(keep_early(j, err));
    TRY(cycles_tell(&j->cycles, level, anomaly_tell_cycle, &teller, err));
    check_doubt(c->check, "there is a cycle, but the search for a short one ran out of steps");
    return STATUS_OK;
}

/* --- Models ------------------------------------------------------------------------- */

enum status infer_open_models(const struct infer *c, const struct cycles *cycles,
                              struct models *models, struct error *err)
{
    return models_init(models, c->history, cycles,
                       (uint32_t)c->history->txn_count + c->barriers.count, err);
}

enum status infer_decide_models(const struct infer *c, const struct cycles *cycles, uint64_t asked,
                                uint64_t *violated, uint64_t *undecided, struct error *err)
{
    struct models models;
    enum status status = infer_open_models(c, cycles, &models, err);

    *violated = *undecided = 0;
    if (status == STATUS_OK)
        status = models_decide(&models, asked, violated, undecided, err);
    models_close(&models);
    return status;
}

/* The model that was asked for is violated by a cycle. */
static enum status tell_asked_model(struct infer *c, const struct models *models,
                                    struct error *err)
{
    struct anomaly_teller teller = { c->check, c->history };
    bool is_spent = false;

    TRY(models_tell(models, c->options->level, anomaly_tell_cycle, &teller, &is_spent, err));
    check_doubt(c->check, is_spent
                              ? "there is a cycle, but the search for a short one ran out of steps"
                              : "there is a cycle, but none of a form that a witness has");
    return STATUS_OK;
}

static enum status judge_by_models(struct infer *c, const struct models *models, struct error *err)
{
    uint64_t undecided = 0, asked = LEVEL_BIT(c->options->level) & INFER_MODEL_LEVELS;
    uint64_t others = asked ? 0 : c->ruled_out; /* asked: by these cycles, whatever else was found */

    TRY(models_decide(models, (INFER_MODEL_LEVELS | LEVEL_BIT(LEVEL_READ_COMMITTED)) & ~c->undecided,
                      &others, &undecided, err));
    c->ruled_out |= others;
    c->undecided |= undecided & ~c->ruled_out;
    if (asked & others)
        return tell_asked_model(c, models, err);
    if (asked & undecided)
        check_doubt(c->check, "the search for cycles that %s forbids ran out of steps or time",
                    level_name(c->options->level));
    return STATUS_OK;
}

/* Models that cycles_violate() does not decide: rules them out, tells if one is asked for. */
static enum status judge_models(struct infer *c, const struct cycles *cycles, struct error *err)
{
    struct models models;
    enum status status = infer_open_models(c, cycles, &models, err);

    if (status == STATUS_OK)
        status = judge_by_models(c, &models, err);
    models_close(&models);
    return status;
}

/* --- The order ---------------------------------------------------------------------- */

static uint64_t serializable_levels(void)
{
    uint64_t levels = 0;

    for (int level = 0; level < LEVEL_COUNT; level++)
        if (level_is_serializable((enum level)level))
            levels |= LEVEL_BIT(level);
    return levels;
}

/*
 * Finds the graph whose order shows that the level holds. That is the whole graph if it has no cycle,
 * else the graph of the level; for a model the graph of a level that implies it, if that is shown to
 * hold, as such an order explains more, else what the view of the model orders. For the models that
 * no order shows there are no components.
 */
static enum status find_shown(struct inferred_graph *j, struct error *err)
{
    enum level asked = j->infer->options->level;
    uint64_t holding = 0;

    if (j->is_acyclic)
        return STATUS_OK;
    if (INFER_GRAPH_LEVELS & LEVEL_BIT(asked))
        return infer_find_components_of(j, asked, err);
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (level_implies((enum level)level, asked))
            holding |= LEVEL_BIT(level);
    holding &= INFER_GRAPH_LEVELS & j->shown_now;
    if (holding & serializable_levels())
        holding &= serializable_levels();
    if (holding)
        return infer_find_components_of(j, level_weakest(holding), err);
    if (asked != LEVEL_PREFIX && asked != LEVEL_UPDATE_SERIALIZABLE)
        return infer_find_view(j, asked, err);
    level_graph_close(&j->graph);
    return STATUS_OK;
}

enum status infer_tell_shown_order(struct inferred_graph *j, struct error *err)
{
    struct infer *c = j->infer;
    uint32_t *sorted = NULL;
    enum status status = find_shown(j, err);

    if (status != STATUS_OK || c->is_stopped || !j->graph.components.of_node)
        return status;
    status = level_graph_sort(&j->graph, &sorted, err);
    if (status == STATUS_OK)
        status = level_graph_tell_order(&j->graph, sorted, c->check, err);
    free(sorted);
    return status;
}

/* --- The whole ---------------------------------------------------------------------- */

static enum status judge_cycles(struct inferred_graph *j, struct error *err)
{
    struct infer *c = j->infer;

    TRY(keep_cyclic(j, err));
    if (!c->is_stopped)
        TRY(judge_asked(j, err));
    if (!c->is_stopped)
        TRY(judge_levels(j, err));
    if (j->knows_cycles)
        return STATUS_OK;
    c->undecided |= INFER_MODEL_LEVELS;
    if (INFER_MODEL_LEVELS & LEVEL_BIT(c->options->level))
        check_doubt(c->check, "there are cycles, with too many edges for what this level forbids "
                              "to be searched");
    return STATUS_OK;
}

static enum status judge(struct inferred_graph *j, struct error *err)
{
    struct infer *c = j->infer;
    const struct history *h = c->history;
    bool has_cycles;
    size_t nodes;

    if (h->txn_invoked && h->txn_completed)
        TRY(barriers_init(&c->barriers, &c->places, err));
    TRY(infer_plan_lists(c, err));
    nodes = h->txn_count + c->barriers.count + (size_t)c->hub_count;
    if (nodes >= UINT32_MAX / 2)
        return error_set(err, STATUS_OVER_LIMIT, "a graph of %zu nodes is too large", nodes);
    j->node_count = (uint32_t)nodes;
    TRY(infer_find_components(j, ALL_KINDS, ALL_KINDS, false, err));
    if (c->is_stopped)
        return STATUS_OK;
    has_cycles = level_graph_has_cycle(&j->graph);
    if (has_cycles) {
        TRY(infer_plan_completion(j, err));
        TRY(judge_cycles(j, err));
    }
    if (c->is_stopped)
        return STATUS_OK;
    if (j->knows_cycles || !has_cycles)
        TRY(judge_models(c, &j->cycles, err));
    return infer_show(j, has_cycles, err);
}

enum status infer_judge_graph(struct infer *c, struct error *err)
{
    struct inferred_graph j = { .infer = c };
    enum status status = judge(&j, err);

    level_graph_close(&j.graph);
    cycles_close(&j.cycles);
    return status;
}
