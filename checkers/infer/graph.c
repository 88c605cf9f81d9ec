/*
 * The graph of all that was inferred: reads, writes, sessions and real time in one.
 *
 * Where it has no cycle, every level holds that cycles decide, and the order in
 * which all its edges lead forward is the witness of each. Otherwise only the
 * edges within its components matter: which level they violate is seen in a graph
 * of that level alone, and the shortest cycles are searched there.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "checkers/infer/graph_private.h"
#include "checkers/proof/witness.h"

#define EDGES_KEPT_MAX ((size_t)1 << 23) /* 28 bytes each, and as much again to search them */

/* --- Edges -------------------------------------------------------------------------- */

uint32_t infer_add_hub(struct infer *c)
{
    return c->hub_count++;
}

enum status infer_keep(struct infer_sink *s, const struct edge *e, uint32_t from, uint32_t to,
                       struct error *err)
{
    uint32_t txn_count = (uint32_t)s->infer->history->txn_count;

    if (s->component[from] != s->component[to] || s->is_too_large ||
        (e->from < txn_count && e->from >= s->txn_end) ||
        (e->to < txn_count && e->to >= s->txn_end))
        return STATUS_OK;
    s->is_too_large = s->kept.count == EDGES_KEPT_MAX;
    return s->is_too_large ? STATUS_OK : array_push(&s->kept, *e, err);
}

static enum status hear_sessions(struct infer_sink *s, struct error *err)
{
    const struct infer *c = s->infer;
    const struct history *h = c->history;
    uint32_t *last = NULL; /* by session */
    enum status status = check_memory((void **)&last, h->session_count, sizeof *last, 0xff, err);

    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++) {
        uint32_t *before = &last[h->txn_session[t]];
        struct edge edge = { .kind = EDGE_PROCESS, .from = *before, .to = t };

        if (!infer_is_in(c, t))
            continue;
        if (*before != HISTORY_NONE)
            status = infer_hear(s, &edge, err);
        if (infer_is_committed(c, t))
            *before = t;
    }
    free(last);
    return status;
}

static enum status hear_times(struct infer_sink *s, struct error *err)
{
    const struct barriers *b = &s->infer->barriers;
    uint32_t txn_count = (uint32_t)s->infer->history->txn_count;
    struct edge edge = { .kind = EDGE_REALTIME };

    for (uint32_t t = 0; t < txn_count && b->count > 0; t++) {
        if (b->after[t] != BARRIER_NONE) {
            edge.from = t;
            edge.to = txn_count + b->after[t];
            TRY(infer_hear(s, &edge, err));
        }
        if (b->before[t] != BARRIER_NONE) {
            edge.from = txn_count + b->before[t];
            edge.to = t;
            TRY(infer_hear(s, &edge, err));
        }
    }
    for (uint32_t i = 1; i < b->count; i++) {
        edge.from = txn_count + i - 1;
        edge.to = txn_count + i;
        TRY(infer_hear(s, &edge, err));
    }
    return STATUS_OK;
}

static enum status hear_all(struct judging *j, enum sink_work work, struct error *err)
{
    struct infer_sink *s = &j->sink;
    struct infer *c = j->infer;

    s->work = work;
    TRY(infer_hear_lists(c, s, err));
    TRY(infer_hear_registers(c, s, err));
    TRY(infer_hear_predicates(c, s, err));
    for (size_t i = 0; i < j->chosen_count; i++)
        TRY(infer_hear(s, &j->chosen[i], err));
    if (j->hears_completion)
        TRY(infer_hear_completion(c, s, err));
    if (infer_hears(s, EDGE_PROCESS))
        TRY(hear_sessions(s, err));
    if (infer_hears(s, EDGE_REALTIME))
        TRY(hear_times(s, err));
    /* From each beginning to its commit. */
    for (uint32_t t = 0; s->has_moments && work != SINK_KEEPS && t < c->history->txn_count; t++) {
        if (work == SINK_COUNTS)
            graph_count(&s->graph, 2 * t);
        else
            graph_add(&s->graph, 2 * t, 2 * t + 1);
    }
    return STATUS_OK;
}

/* --- Components --------------------------------------------------------------------- */

static void close_sink(struct judging *j)
{
    graph_close(&j->sink.graph);
    array_close(&j->sink.kept);
    graph_components_close(&j->components);
}

/* The graph of such edges, and its components; of neither anything if the check is stopped. */
enum status judging_find_components(struct judging *j, uint32_t kinds, uint32_t sources,
                                    bool has_moments, struct error *err)
{
    struct infer_sink *s = &j->sink;

    close_sink(j);
    *s = (struct infer_sink){
        .infer = j->infer, .kinds = kinds, .sources = sources, .has_moments = has_moments
    };
    TRY(graph_init(&s->graph, (size_t)j->node_count * (has_moments ? 2 : 1), err));
    TRY(hear_all(j, SINK_COUNTS, err));
    if (j->infer->is_stopped)
        return STATUS_OK;
    TRY(graph_lay_out(&s->graph, err));
    TRY(hear_all(j, SINK_LAYS, err));
    if (j->infer->is_stopped)
        return STATUS_OK;
    return graph_find_components(&s->graph, &j->components, err);
}

bool judging_has_cycle(const struct judging *j)
{
    return j->components.count < j->sink.graph.node_count || j->sink.has_loop;
}

enum status judging_find_components_of(struct judging *j, enum level level, struct error *err)
{
    return judging_find_components(j, cycles_kinds(level), cycles_sources(level),
                           level_is_snapshot(level), err);
}

enum status judging_find_view(struct judging *j, enum level level, struct error *err)
{
    uint32_t kinds = UINT32_C(1) << EDGE_WW | UINT32_C(1) << EDGE_WR |
                     UINT32_C(1) << EDGE_PREDICATE_WR;

    if (level_implies(level, LEVEL_READ_ATOMIC))
        kinds |= UINT32_C(1) << EDGE_PROCESS;
    return judging_find_components(j, kinds, cycles_sources(level), false, err);
}

/* The edges within components, of the first so many transactions. */
enum status judging_keep(struct judging *j, uint32_t txn_end, struct error *err)
{
    struct infer_sink *s = &j->sink;

    s->component = j->components.of_node;
    s->txn_end = txn_end;
    s->kept.count = 0;
    s->is_too_large = false;
    return hear_all(j, SINK_KEEPS, err);
}

enum status judging_take_cycles(struct judging *j, struct cycles *cycles, struct error *err)
{
    struct infer_sink *s = &j->sink;
    struct edge *edges = s->kept.at;
    size_t count = s->kept.count;

    s->kept.at = NULL;
    s->kept.count = s->kept.room = 0;
    TRY(cycles_init(cycles, (uint32_t)j->infer->history->txn_count, edges, count, err));
    cycles->options = j->infer->options;
    return STATUS_OK;
}

static enum status keep_cyclic(struct judging *j, struct error *err)
{
    TRY(judging_keep(j, (uint32_t)j->infer->history->txn_count, err));
    if (j->sink.is_too_large || j->infer->is_stopped)
        return STATUS_OK;
    j->knows_cycles = true;
    return judging_take_cycles(j, &j->cycles, err);
}

/* Of the graph at hand, as many as there is room for: to tell of a cycle, if not of each. */
static enum status keep_early(struct judging *j, struct error *err)
{
    uint32_t txn_end = (uint32_t)j->infer->history->txn_count;

    do {
        TRY(judging_keep(j, txn_end, err));
        txn_end /= 2;
    } while (j->sink.is_too_large && txn_end > 0 && !j->infer->is_stopped);
    return judging_take_cycles(j, &j->cycles, err);
}

/* --- Levels ------------------------------------------------------------------------- */

/* Whether cycles violate the level: then all that imply it, else none that it implies. */
static enum status violates(struct judging *j, enum level level, bool *is_violated,
                            struct error *err)
{
    struct infer *c = j->infer;

    if (j->knows_cycles) {
        TRY(cycles_violate(&j->cycles, level, is_violated, err));
    } else {
        TRY(judging_find_components_of(j, level, err));
        if (c->is_stopped)
            return STATUS_OK;
        *is_violated = judging_has_cycle(j);
    }
    j->settled |= LEVEL_BIT(level);
    if (*is_violated)
        infer_rule_out(c, level);
    for (int weaker = 0; weaker < LEVEL_END && !*is_violated; weaker++)
        if (weaker != LEVEL_COUNT && level_implies(level, (enum level)weaker))
            j->settled |= LEVEL_BIT(weaker);
    return STATUS_OK;
}

static enum status judge_levels(struct judging *j, struct error *err)
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

static enum status tell_cycle(void *context, const struct found_cycle *found, bool *goes_on,
                              struct error *err)
{
    struct judging *j = context;
    struct infer *c = j->infer;
    struct buffer why = { 0 }, proof = { 0 };
    uint32_t *txns = NULL;
    enum status status;

    *goes_on = !check_is_full(c->check);
    if (!*goes_on)
        return STATUS_OK;
    TRY(memory_resize((void **)&txns, found->edges.count, sizeof *txns, err));
    for (size_t i = 0; i < found->edges.count; i++)
        txns[i] = found->edges.at[i].from;
    proof_tell_cycle(&why, c->history, found->edges.at, found->edges.count);
    proof_cycle(&proof, c->history, found->edges.at, found->edges.count);
    status = infer_tell(c, found->kind, txns, found->edges.count, &why, &proof, err);
    free(txns);
    return status;
}

/* Whether cycles violate the level that was asked for, whatever else does. */
static enum status judge_asked(struct judging *j, struct error *err)
{
    struct infer *c = j->infer;
    enum level level = c->options->level;
    bool is_violated = false;

    if (!(INFER_GRAPH_LEVELS & LEVEL_BIT(level)))
        return STATUS_OK;
    TRY(violates(j, level, &is_violated, err));
    if (!is_violated)
        return STATUS_OK;
    if (!j->knows_cycles)
        TRY(keep_early(j, err));
    TRY(cycles_tell(&j->cycles, level, tell_cycle, j, err));
    check_doubt(c->check, "there is a cycle, but the search for a short one ran out of steps");
    return STATUS_OK;
}

/* --- The order ---------------------------------------------------------------------- */

/* Nodes with those of the highest component first: no edge leads to one that stands earlier. */
enum status judging_sort_nodes(const struct judging *j, uint32_t **sorted, struct error *err)
{
    uint32_t node_count = j->sink.graph.node_count, count = j->components.count, *start = NULL;
    enum status status = check_memory((void **)&start, (size_t)count + 1, sizeof *start, 0, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)sorted, node_count, sizeof **sorted, err);
    if (status == STATUS_OK) {
        for (uint32_t n = 0; n < node_count; n++)
            start[count - j->components.of_node[n]]++;
        for (uint32_t i = 1; i <= count; i++)
            start[i] += start[i - 1];
        for (uint32_t n = 0; n < node_count; n++)
            (*sorted)[start[count - 1 - j->components.of_node[n]]++] = n;
    }
    free(start);
    return status;
}

/* Who counts, in the order of nodes; a snapshot sees the commits before its beginning. */
static void tell_order(struct judging *j, const uint32_t *sorted, uint32_t *order, uint32_t *seen)
{
    struct infer *c = j->infer;
    bool has_moments = j->sink.has_moments;
    uint32_t txn_count = (uint32_t)c->history->txn_count, count = 0;

    for (uint32_t i = 0; i < j->sink.graph.node_count; i++) {
        uint32_t txn = has_moments ? sorted[i] / 2 : sorted[i];

        if (txn >= txn_count || !infer_is_in(c, txn))
            continue;
        if (has_moments && sorted[i] % 2 == 0) {
            seen[txn] = count;
            continue;
        }
        if (!has_moments)
            seen[txn] = count;
        order[count++] = txn;
    }
    witness_order(c->check, c->history, order, count);
    if (!has_moments && !level_is_snapshot(c->options->level))
        return;
    /* By place now; sorted is not used any more. */
    for (uint32_t i = 0; i < count; i++)
        ((uint32_t *)sorted)[i] = seen[order[i]];
    witness_snapshots(c->check, sorted, count);
}

static uint64_t serializable_levels(void)
{
    uint64_t levels = 0;

    for (int level = 0; level < LEVEL_COUNT; level++)
        if (level_is_serializable((enum level)level))
            levels |= LEVEL_BIT(level);
    return levels;
}

/*
 * The graph whose order shows that the level holds: the whole one, if that has no cycle; its own; of a model that of a level that
 * implies it, if one is shown, as such an order explains more; else what is before what in its view,
 * but for those that this does not show: the components are none.
 */
static enum status find_shown(struct judging *j, struct error *err)
{
    enum level asked = j->infer->options->level;
    uint64_t holding = 0;

    if (j->is_acyclic)
        return STATUS_OK;
    if (INFER_GRAPH_LEVELS & LEVEL_BIT(asked))
        return judging_find_components_of(j, asked, err);
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (level_implies((enum level)level, asked))
            holding |= LEVEL_BIT(level);
    holding &= INFER_GRAPH_LEVELS & j->shown_now;
    if (holding & serializable_levels())
        holding &= serializable_levels();
    if (holding)
        return judging_find_components_of(j, level_weakest(holding), err);
    if (asked != LEVEL_PREFIX && asked != LEVEL_UPDATE_SERIALIZABLE)
        return judging_find_view(j, asked, err);
    close_sink(j);
    return STATUS_OK;
}

enum status judging_accept(struct judging *j, struct error *err)
{
    struct infer *c = j->infer;
    uint32_t *sorted = NULL, *order = NULL, *seen = NULL;
    size_t count = c->history->txn_count;
    enum status status = find_shown(j, err);

    if (status != STATUS_OK || c->is_stopped || !j->components.of_node)
        return status;
    status = judging_sort_nodes(j, &sorted, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&order, count, sizeof *order, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&seen, count, sizeof *seen, err);
    if (status == STATUS_OK)
        tell_order(j, sorted, order, seen);
    free(sorted);
    free(order);
    free(seen);
    return status;
}

/* --- The whole ---------------------------------------------------------------------- */

static enum status judge_cycles(struct judging *j, struct error *err)
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

static enum status judge(struct judging *j, struct error *err)
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
    TRY(judging_find_components(j, ALL_KINDS, ALL_KINDS, false, err));
    if (c->is_stopped)
        return STATUS_OK;
    has_cycles = judging_has_cycle(j);
    if (has_cycles) {
        TRY(infer_plan_completion(j, err));
        TRY(judge_cycles(j, err));
    }
    if (c->is_stopped)
        return STATUS_OK;
    if (j->knows_cycles || !has_cycles)
        TRY(infer_judge_models(c, &j->cycles, err));
    return infer_show(j, has_cycles, err);
}

enum status infer_judge_graph(struct infer *c, struct error *err)
{
    struct judging j = { .infer = c };
    enum status status = judge(&j, err);

    close_sink(&j);
    cycles_close(&j.cycles);
    return status;
}
