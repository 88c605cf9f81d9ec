/*
 * Builds and judges the graph of all that was inferred: reads, writes, sessions and real time.
 *
 * Where it has no cycle, every level holds that cycles decide, and the order in
 * which all its edges lead forward is the witness of each. Otherwise only the
 * edges within its components matter: which level they violate is seen in a graph
 * of that level alone, and the shortest cycles are searched there.
 */
#include "checkers/infer/orders/graph.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/graph/cycles.h"
#include "checkers/infer/infer_private.h"
#include "checkers/infer/lists/lists_edges.h"
#include "checkers/infer/orders/completion_private.h"
#include "checkers/infer/orders/orders_private.h"
#include "checkers/infer/predicates/predicates.h"
#include "checkers/infer/registers/registers.h"
#include "checkers/infer/registers/registers_edges.h"
#include "checkers/proof/witness.h"

/* --- An order at hand ------------------------------------------------------------ */

/*
 * The quick way to valid: an order at hand explains everything.
 *
 *     by ts, else by completion     T3 T1 T2 ...
 *     runs one after another        each read is of what is there; lists grow as they were read
 *     keeps sessions and time       as far as the history has them
 *
 * Then whatever could be inferred leads forward in it: no edge, no link of versions
 * needs to be looked for, and no level is violated. That it does not explain everything says
 * nothing.
 */

struct placed {
    int64_t place;
    uint32_t txn;
};

struct replay {
    struct infer *infer;
    struct placed *order;
    uint32_t count;
    uint32_t *state; /* by key: the number of what is there, or INFER_INITIAL */
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

/* False: somebody who counts has no place. */
static bool place_all(struct replay *r)
{
    const struct infer *c = r->infer;
    const struct history *h = c->history;
    bool has_ts = h->txn_ts && !h->txn_ts_parts, is_sorted = true;

    if (!has_ts && !h->txn_completed)
        return false;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        struct placed placed = { has_ts ? h->txn_ts[t] : h->txn_completed[t], t };

        if (!infer_is_in(c, t))
            continue;
        if (!has_ts && (placed.place == TIME_ABSENT || placed.place == TIME_NEVER))
            return false;
        is_sorted = is_sorted && (r->count == 0 || placed.place >= r->order[r->count - 1].place);
        r->order[r->count++] = placed;
    }
    if (!is_sorted)
        qsort(r->order, r->count, sizeof *r->order, compare_placed);
    return true;
}

/* Nobody stands behind one who had not begun when he completed. */
static bool keeps_time(const struct replay *r)
{
    const struct history *h = r->infer->history;
    int64_t earliest = TIME_NEVER;

    if (!h->txn_invoked || !h->txn_completed)
        return true;
    for (uint32_t i = r->count; i-- > 0;) {
        uint32_t t = r->order[i].txn;

        if (h->txn_invoked[t] > earliest)
            return false;
        if (h->txn_status[t] == TXN_OK && h->txn_completed[t] != TIME_ABSENT &&
            h->txn_completed[t] < earliest)
            earliest = h->txn_completed[t];
    }
    return true;
}

/* `last` is by session: the latest that was seen, plus one. Unknown ones come before nobody. */
static bool keeps_sessions(const struct replay *r, uint32_t *last)
{
    const struct history *h = r->infer->history;

    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t t = r->order[i].txn, *before = &last[h->txn_session[t]];

        if (t + 1 < *before && h->txn_status[t] == TXN_OK)
            return false;
        *before = t + 1 > *before ? t + 1 : *before;
    }
    return true;
}

/* Lists grow as their order goes; what was never read of them comes last. */
static bool write_version(const struct replay *r, uint32_t number, uint32_t key)
{
    const struct infer *c = r->infer;
    uint32_t start = c->versions.start[key], before = r->state[key];

    if (c->key_kind[key] == KEY_LIST && number - start < c->versions.chained[key] &&
        before != (number == start ? INFER_INITIAL : number - 1))
        return false;
    r->state[key] = number;
    return true;
}

static bool run_txn(const struct replay *r, const uint32_t *number_of, uint32_t txn)
{
    const struct infer *c = r->infer;
    const struct history *h = c->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (c->read_number[op] != INFER_NOTHING &&
            c->read_number[op] != r->state[h->op_key[op]])
            return false;
    if (!infer_predicates_agree(c, txn, r->state))
        return false;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op) && !write_version(r, number_of[op], h->op_key[op]))
            return false;
    return true;
}

static bool explains(const struct replay *r, const uint32_t *number_of)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (!run_txn(r, number_of, r->order[i].txn))
            return false;
    return true;
}

static enum status tell_order(const struct replay *r, struct error *err)
{
    struct infer *c = r->infer;
    uint32_t *order = NULL;

    TRY(memory_resize((void **)&order, r->count, sizeof *order, err));
    for (uint32_t i = 0; i < r->count; i++)
        order[i] = r->order[i].txn;
    witness_order(c->check, c->history, order, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        order[i] = i;
    if (level_is_snapshot(c->options->level))
        witness_snapshots(c->check, order, r->count);
    free(order);
    return STATUS_OK;
}

static enum status number_writes(const struct infer *c, uint32_t **number_of, struct error *err)
{
    TRY(memory_resize((void **)number_of, c->history->op_count, sizeof **number_of, err));
    for (uint32_t n = 0; n < c->versions.count; n++)
        (*number_of)[c->versions.op[n]] = n;
    return STATUS_OK;
}

static enum status try_order(struct replay *r, uint32_t **scratch, bool *is_valid,
                             struct error *err)
{
    const struct infer *c = r->infer;
    const struct history *h = c->history;

    TRY(memory_resize((void **)&r->order, h->txn_count, sizeof *r->order, err));
    if (!place_all(r) || !keeps_time(r))
        return STATUS_OK;
    TRY(check_memory((void **)scratch, h->session_count, sizeof **scratch, 0, err));
    if (!keeps_sessions(r, *scratch))
        return STATUS_OK;
    TRY(number_writes(c, scratch, err));
    TRY(memory_resize((void **)&r->state, h->key_count, sizeof *r->state, err));
    for (size_t key = 0; key < h->key_count; key++)
        r->state[key] = INFER_INITIAL;
    *is_valid = explains(r, *scratch);
    return STATUS_OK;
}

enum status infer_replay(struct infer *c, bool *is_valid, struct error *err)
{
    struct replay r = { .infer = c };
    uint32_t *scratch = NULL;
    enum status status;

    *is_valid = false;
    if (c->ruled_out || c->check->verdict == VERDICT_INVALID ||
        check_wants(c->options, CHECK_SLOWLY))
        return STATUS_OK;
    status = try_order(&r, &scratch, is_valid, err);
    if (status == STATUS_OK && *is_valid && c->check->verdict == VERDICT_VALID &&
        check_wants(c->options, CHECK_WITNESS))
        status = tell_order(&r, err);
    free(r.order);
    free(r.state);
    free(scratch);
    return status;
}

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
    struct cycles_teller teller = { c->check, c->history };
    bool is_violated = false;

    if (!(INFER_GRAPH_LEVELS & LEVEL_BIT(level)))
        return STATUS_OK;
    TRY(violates(j, level, &is_violated, err));
    if (!is_violated)
        return STATUS_OK;
    if (!j->knows_cycles)
        TRY(keep_early(j, err));
    TRY(cycles_tell(&j->cycles, level, cycles_tell_finding, &teller, err));
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
    struct cycles_teller teller = { c->check, c->history };
    bool is_spent = false;

    TRY(models_tell(models, c->options->level, cycles_tell_finding, &teller, &is_spent, err));
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
