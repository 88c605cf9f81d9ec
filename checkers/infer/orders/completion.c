/*
 * Completes the order of versions where values show only a part of it.
 *
 *     T1: w x 1    T2: w x 2    T3: r x 1, w y 3    T4: r y 3, r x 2
 *
 *     nothing shows whether 1 or 2 came first; in the completion 1 -> 2 of x all edges lead forward:
 *     serializable is shown
 *
 * That no anomaly follows from what values show does not mean that a level holds. It holds if
 * there is an order of the versions of each key such that the whole graph has no cycle that
 * the level forbids. So each key is completed: its versions stand as their writers do in some order
 * of transactions that what is known leads forward in. Such orders are those of the graphs of
 * levels, and that of places or times. Where none of them shows the level,
 * alternatives.c looks at pairs of versions. What neither shows is unknown.
 *
 * Where everything that values leave open stands in different components of the whole graph,
 * no completion makes a cycle, and what was found out without one is all.
 */
#include "checkers/infer/orders/completion_private.h"

#include <stdlib.h>

#include "checkers/infer/lists/lists_edges.h"
#include "checkers/infer/models/models.h"
#include "checkers/infer/orders/alternatives_private.h"
#include "checkers/infer/orders/orders_private.h"
#include "checkers/infer/predicates/predicates.h"
#include "checkers/infer/registers/registers.h"
#include "checkers/infer/registers/registers_edges.h"

#define TRIES_MAX 3 /* orders tried for the strongest level, besides those for the one asked for */
#define SMALL 5000  /* transactions of a history for whose strongest level models and pairs are tried */

/* --- Completing --------------------------------------------------------------------- */

struct placed_version {
    uint32_t place, number;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed_version *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

bool infer_is_open(const struct infer *c, uint32_t key, uint32_t number)
{
    const struct inferred_versions *v = &c->versions;

    if (c->key_kind[key] == KEY_REGISTER)
        return v->is_final[number] && infer_is_in(c, v->txn[number]);
    return c->key_kind[key] == KEY_LIST && infer_is_behind_list(c, key, number);
}

/* Puts the versions of each key in the order of their writers' places. */
static enum status complete(struct infer *c, const uint32_t *place, struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    ARRAY(struct placed_version) sorted = { 0 };
    enum status status = STATUS_OK;

    if (!c->next)
        TRY(memory_resize((void **)&c->next, v->count, sizeof *c->next, err));
    for (uint32_t n = 0; n < v->count; n++)
        c->next[n] = INFER_NOTHING;
    for (uint32_t key = 0; key < c->history->key_count && status == STATUS_OK; key++) {
        uint32_t chained = c->key_kind[key] == KEY_LIST ? v->chained[key] : 0;

        sorted.count = 0;
        for (uint32_t n = v->start[key] + chained; n < v->start[key + 1] && status == STATUS_OK; n++)
            if (infer_is_open(c, key, n))
                status = array_push(&sorted, ((struct placed_version){ place[v->txn[n]], n }), err);
        if (sorted.count > 1)
            qsort(sorted.at, sorted.count, sizeof *sorted.at, compare_placed);
        for (size_t i = 1; i < sorted.count && status == STATUS_OK; i++)
            c->next[sorted.at[i - 1].number] = sorted.at[i].number;
    }
    array_close(&sorted);
    return status;
}

static enum status hear_versions(struct infer *c, struct level_graph *s, struct error *err)
{
    const struct inferred_versions *v = &c->versions;

    for (uint32_t key = 0; key < c->history->key_count; key++)
        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++) {
            struct edge edge = { .kind = EDGE_WW, .key = key, .from = v->txn[n] };

            if (c->next[n] == INFER_NOTHING)
                continue;
            edge.to = v->txn[c->next[n]];
            edge.version = v->op[n];
            edge.other = v->op[c->next[n]];
            TRY(level_graph_hear(s, &edge, err));
        }
    return STATUS_OK;
}

enum status infer_hear_completion(struct infer *c, struct level_graph *s, struct error *err)
{
    if (level_graph_hears(s, EDGE_WW))
        TRY(hear_versions(c, s, err));
    if (level_graph_hears(s, EDGE_RW))
        TRY(infer_hear_completed_reads(c, s, err));
    return level_graph_hears(s, EDGE_PREDICATE_RW) ? infer_hear_completed_sights(c, s, err) : STATUS_OK;
}

/* --- Orders of transactions --------------------------------------------------------- */

/* As in the graph at hand, by their commits. `rank` is by node, and may be NULL. */
static enum status place_by_graph(const struct inferred_graph *j, uint32_t *place, uint32_t *rank,
                                  struct error *err)
{
    bool has_moments = j->graph.has_moments;
    uint32_t *sorted = NULL;

    TRY(level_graph_sort(&j->graph, &sorted, err));
    for (uint32_t i = 0; i < j->graph.graph.node_count; i++) {
        if (rank)
            rank[sorted[i]] = i;
        if (sorted[i] < j->graph.txn_nodes && (!has_moments || sorted[i] % 2 == 1))
            place[has_moments ? sorted[i] / 2 : sorted[i]] = i;
    }
    free(sorted);
    return STATUS_OK;
}

struct timed {
    struct place ts;
    int64_t completed;
    uint32_t txn;
};

/* By ts; behind these who has none, by completion; else as the file goes. */
static int compare_times(const void *a, const void *b)
{
    const struct timed *x = a, *y = b;

    if ((x->ts.parts > 0) != (y->ts.parts > 0))
        return x->ts.parts > 0 ? -1 : 1;
    if (x->ts.parts > 0 && history_compare_places(x->ts, y->ts) != 0)
        return history_compare_places(x->ts, y->ts);
    if (x->completed != y->completed)
        return x->completed < y->completed ? -1 : 1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

static enum status place_by_times(const struct infer *c, uint32_t *place, struct error *err)
{
    const struct history *h = c->history;
    struct timed *timed = NULL;

    TRY(memory_resize((void **)&timed, h->txn_count, sizeof *timed, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        timed[t] = (struct timed){ history_ts(h, t), h->txn_completed ? h->txn_completed[t] : 0, t };
    qsort(timed, h->txn_count, sizeof *timed, compare_times);
    for (uint32_t i = 0; i < h->txn_count; i++)
        place[timed[i].txn] = i;
    free(timed);
    return STATUS_OK;
}

/* --- Showing ------------------------------------------------------------------------ */

static enum status decide(struct inferred_graph *j, struct error *err)
{
    struct infer *c = j->infer;
    struct cycles cycles = { 0 };
    uint64_t violated = 0, undecided = 0, all = models_levels() & ~c->undecided;
    enum status status;

    j->shown_now = 0;
    TRY(infer_keep_cyclic(j, (uint32_t)c->history->txn_count, err));
    if (j->graph.is_too_large || c->is_stopped)
        return STATUS_OK;
    status = level_graph_take_cycles(&j->graph, c->options, &cycles, err);
    if (status == STATUS_OK)
        status = infer_decide_models(c, &cycles, all, &violated, &undecided, err);
    cycles_close(&cycles);
    j->shown_now = all & ~violated & ~undecided;
    return status;
}

/* The same where the verdict is valid, and a witness is wanted. */
static enum status infer_accept(struct inferred_graph *j, struct error *err)
{
    const struct check *check = j->infer->check;

    return check->verdict == VERDICT_VALID && check_wants(j->infer->options, CHECK_WITNESS)
               ? infer_tell_shown_order(j, err)
               : STATUS_OK;
}

/* The completion at hand shows these levels. */
static enum status note_shown(struct inferred_graph *j, uint64_t levels, struct error *err)
{
    struct infer *c = j->infer;
    uint64_t asked = LEVEL_BIT(c->options->level);
    bool is_new = !(c->shown & asked) && (levels & asked);

    j->shown_now = levels;
    c->shown |= levels;
    return is_new ? infer_accept(j, err) : STATUS_OK;
}

static uint64_t implied_by(const struct infer *c, enum level level)
{
    uint64_t levels = 0;

    for (int i = 0; i < LEVEL_END; i++)
        if (i != LEVEL_COUNT && level_implies(level, (enum level)i))
            levels |= LEVEL_BIT(i);
    return levels & models_levels() & ~c->undecided;
}

/* Whatever the completion by these places shows: all levels are looked at. */
static enum status show_by(struct inferred_graph *j, const uint32_t *place, struct error *err)
{
    struct infer *c = j->infer;

    TRY(complete(c, place, err));
    j->hears_completion = true;
    TRY(infer_find_components(j, ALL_KINDS, ALL_KINDS, false, err));
    if (c->is_stopped)
        return STATUS_OK;
    j->is_acyclic = !level_graph_has_cycle(&j->graph);
    j->shown_now = models_levels() & ~c->undecided;
    if (!j->is_acyclic)
        TRY(decide(j, err));
    return note_shown(j, j->shown_now, err);
}

/*
 * By the order of the graph at hand, in which these levels have no cycle: if what the completion has
 * leads forward in it, too, nothing needs to be asked twice.
 */
static enum status complete_by_graph(struct inferred_graph *j, uint32_t *place, bool *leads_back,
                                     struct error *err)
{
    struct infer *c = j->infer;
    uint32_t *rank = NULL;
    enum status status = memory_resize((void **)&rank, j->graph.graph.node_count, sizeof *rank, err);

    if (status == STATUS_OK)
        status = place_by_graph(j, place, rank, err);
    if (status == STATUS_OK)
        status = complete(c, place, err);
    j->graph.work = LEVEL_GRAPH_ASKS;
    j->graph.order = rank;
    j->graph.leads_back = false;
    if (status == STATUS_OK)
        status = infer_hear_completion(c, &j->graph, err);
    *leads_back = j->graph.leads_back;
    free(rank);
    return status;
}

/* Where the whole graph has no cycle. */
static enum status show_by_all(struct inferred_graph *j, uint32_t *place, struct error *err)
{
    bool leads_back = false;

    TRY(infer_find_components(j, ALL_KINDS, ALL_KINDS, false, err));
    if (j->infer->is_stopped)
        return STATUS_OK;
    TRY(complete_by_graph(j, place, &leads_back, err));
    if (leads_back)
        return show_by(j, place, err);
    j->is_acyclic = true;
    return note_shown(j, models_levels() & ~j->infer->undecided, err);
}

static enum status show_by_level(struct inferred_graph *j, enum level level, uint32_t *place,
                                 struct error *err)
{
    struct infer *c = j->infer;
    bool leads_back = false;

    TRY(infer_find_components_of(j, level, err));
    if (c->is_stopped || level_graph_has_cycle(&j->graph))
        return STATUS_OK;
    TRY(complete_by_graph(j, place, &leads_back, err));
    j->hears_completion = true;
    if (leads_back) {
        TRY(infer_find_components_of(j, level, err));
        leads_back = level_graph_has_cycle(&j->graph);
    }
    return leads_back || c->is_stopped ? STATUS_OK : note_shown(j, implied_by(c, level), err);
}

/* Not if what is seen goes round. */
static enum status show_by_view(struct inferred_graph *j, enum level level, uint32_t *place,
                                struct error *err)
{
    TRY(infer_find_view(j, level, err));
    if (j->infer->is_stopped || level_graph_has_cycle(&j->graph))
        return STATUS_OK;
    TRY(place_by_graph(j, place, NULL, err));
    return show_by(j, place, err);
}

/* --- The whole ---------------------------------------------------------------------- */

static uint64_t open_levels(const struct infer *c)
{
    return models_levels() & ~c->undecided & ~c->ruled_out & ~c->shown;
}

static bool is_open(const struct infer *c, enum level level)
{
    return !c->is_stopped && (open_levels(c) & LEVEL_BIT(level));
}

/* Whether nothing that values leave open is in a component of the graph with what it is to follow. */
static bool is_harmless(const struct inferred_graph *j)
{
    const struct infer *c = j->infer;
    const struct inferred_versions *v = &c->versions;
    const uint32_t *of_node = j->graph.components.of_node;

    if (c->registers)
        return false;
    for (uint32_t n = 0; n < v->count; n++)
        if (c->next[n] != INFER_NOTHING && of_node[v->txn[n]] == of_node[v->txn[c->next[n]]])
            return false;
    return true;
}

enum status infer_plan_completion(struct inferred_graph *j, struct error *err)
{
    struct infer *c = j->infer;
    uint32_t *place = NULL;
    enum status status = memory_resize((void **)&place, c->history->txn_count, sizeof *place, err);

    if (status == STATUS_OK)
        status = place_by_graph(j, place, NULL, err);
    if (status == STATUS_OK)
        status = complete(c, place, err);
    if (status == STATUS_OK)
        j->is_harmless = is_harmless(j);
    free(place);
    return status;
}

/* What was not ruled out holds, by the completion that was planned, or by any. */
static enum status show_harmless(struct inferred_graph *j, bool has_cycles, struct error *err)
{
    enum status status;

    j->is_acyclic = !has_cycles;
    j->hears_completion = has_cycles;
    status = note_shown(j, open_levels(j->infer), err);
    j->hears_completion = j->is_acyclic = false;
    return status;
}

/* By an order of what the level has before what. */
static enum status try_level(struct inferred_graph *j, enum level level, uint32_t *place, struct error *err)
{
    enum status status = INFER_GRAPH_LEVELS & LEVEL_BIT(level) ? show_by_level(j, level, place, err)
                                                               : show_by_view(j, level, place, err);

    j->hears_completion = j->is_acyclic = false;
    return status;
}

enum status infer_show_level(struct inferred_graph *j, enum level level, struct error *err)
{
    uint32_t *place = NULL;
    enum status status =
        memory_resize((void **)&place, j->infer->history->txn_count, sizeof *place, err);

    if (status == STATUS_OK)
        status = try_level(j, level, place, err);
    free(place);
    return status;
}

static enum status try_times(struct inferred_graph *j, uint32_t *place, struct error *err)
{
    enum status status = place_by_times(j->infer, place, err);

    if (status == STATUS_OK)
        status = show_by(j, place, err);
    j->hears_completion = j->is_acyclic = false;
    return status;
}

static enum status show(struct inferred_graph *j, bool has_cycles, uint32_t *place, struct error *err)
{
    struct infer *c = j->infer;
    enum level asked = c->options->level;
    uint64_t worth = c->history->txn_count <= SMALL ? UINT64_MAX : INFER_GRAPH_LEVELS;

    if (!has_cycles)
        TRY(show_by_all(j, place, err));
    j->hears_completion = j->is_acyclic = false;
    if (is_open(c, asked))
        TRY(try_level(j, asked, place, err));
    if (is_open(c, asked))
        TRY(try_times(j, place, err));
    if (is_open(c, asked))
        TRY(infer_try_alternatives(j, asked, err));
    for (unsigned i = 0; i < TRIES_MAX && !c->is_stopped; i++) {
        enum level strongest = level_strongest(c->shown | (open_levels(c) & worth));

        if (strongest == LEVEL_COUNT || !is_open(c, strongest))
            break;
        TRY(try_level(j, strongest, place, err));
        if (is_open(c, strongest) && c->history->txn_count <= SMALL)
            TRY(infer_try_alternatives(j, strongest, err));
        if (is_open(c, strongest))
            c->undecided |= LEVEL_BIT(strongest);
    }
    return STATUS_OK;
}

enum status infer_show(struct inferred_graph *j, bool has_cycles, struct error *err)
{
    struct infer *c = j->infer;
    uint32_t *place = NULL;
    enum status status;

    if (c->leaves_out)
        return STATUS_OK;
    if (has_cycles ? j->is_harmless : !c->registers)
        return show_harmless(j, has_cycles, err);
    status = memory_resize((void **)&place, c->history->txn_count, sizeof *place, err);
    if (status == STATUS_OK)
        status = show(j, has_cycles, place, err);
    free(place);
    if (status == STATUS_OK && !(c->shown & LEVEL_BIT(c->options->level)))
        check_doubt(c->check, "no anomaly can be deduced, but neither was an order of all versions "
                              "found that shows that %s holds",
                    level_name(c->options->level));
    return status;
}
