#include "checkers/search/solver/smt_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "smt/apart.h"
#include "smt/smt.h"

/*
 * What the propagator knows. The edges that are there form a stack, since they go in the
 * reverse order in which they came, and hang in lists by the node that they leave.
 * `at` is an order of the nodes in which all of them lead forward; it stays one when
 * edges go.
 */
struct order_stack {
    const struct search_edge *edges;
    uint32_t node_count;
    uint32_t *position, *at; /* node to place, place to node */
    uint32_t *first, *next;  /* by node, by edge: the edges that leave, or SEARCH_NONE */
    uint32_t *stack;
    uint32_t stack_count;
    uint32_t *came_by; /* of a visited node: the edge */
    uint8_t *visited;
    uint32_t *todo, *shifted; /* nodes */
    uint64_t moves;
};

struct smt_search {
    const struct search_problem *problem;
    const struct smt_search_options *options;
    struct smt *smt;
    struct error *err;

    /* Of the propagator. */
    struct smt_propagator propagator;
    struct order_stack graph;
    int8_t *truths;              /* by variable: -1 as long as it is open */
    uint32_t *guarded_start, *guarded; /* by literal: the edges that it guards */
    ARRAY(uint32_t) fixed;       /* variables, in the order in which they were */
    ARRAY(struct level_mark) marks;
    uint32_t *reason;            /* of a conflict: variables */
    uint64_t conflicts;
};

struct level_mark {
    size_t fixed_count;
    uint32_t stack_count;
};

/* --- An order that edges are added to -------------------------------------------------- */

static enum status graph_init(struct order_stack *g, const struct search_problem *p, struct error *err)
{
    uint32_t **const by_node[] = { &g->position, &g->at, &g->first, &g->came_by, &g->todo,
                                   &g->shifted };

    g->edges = p->edges;
    g->node_count = p->node_count;
    for (size_t i = 0; i < ROW_COUNT(by_node); i++)
        TRY(memory_resize((void **)by_node[i], p->node_count, sizeof(uint32_t), err));
    TRY(memory_resize((void **)&g->next, p->edge_count, sizeof *g->next, err));
    TRY(memory_resize((void **)&g->stack, p->edge_count, sizeof *g->stack, err));
    TRY(memory_resize((void **)&g->visited, p->node_count, sizeof *g->visited, err));
    for (uint32_t n = 0; n < p->node_count; n++) {
        g->position[n] = g->at[n] = n;
        g->first[n] = SEARCH_NONE;
        g->visited[n] = false;
    }
    return STATUS_OK;
}

static void graph_close(struct order_stack *g)
{
    free(g->position);
    free(g->at);
    free(g->first);
    free(g->came_by);
    free(g->todo);
    free(g->shifted);
    free(g->next);
    free(g->stack);
    free(g->visited);
}

static void graph_push(struct order_stack *g, uint32_t edge)
{
    uint32_t from = g->edges[edge].from;

    g->next[edge] = g->first[from];
    g->first[from] = edge;
    g->stack[g->stack_count++] = edge;
}

static void graph_pop_to(struct order_stack *g, uint32_t stack_count)
{
    while (g->stack_count > stack_count) {
        uint32_t edge = g->stack[--g->stack_count];
        assert(g->first[g->edges[edge].from] == edge);
        g->first[g->edges[edge].from] = g->next[edge];
    }
}

/* Visits what can be reached from `node` without going behind `last`; true if `last` is. */
static bool visit_forward(struct order_stack *g, uint32_t node, uint32_t last)
{
    uint32_t count = 0;

    g->visited[node] = true;
    g->todo[count++] = node;
    while (count > 0) {
        uint32_t from = g->todo[--count];
        for (uint32_t e = g->first[from]; e != SEARCH_NONE; e = g->next[e]) {
            uint32_t to = g->edges[e].to;
            if (g->visited[to] || g->position[to] > g->position[last])
                continue;
            g->visited[to] = true;
            g->came_by[to] = e;
            if (to == last)
                return true;
            g->todo[count++] = to;
        }
    }
    return false;
}

/* Places the visited nodes of a part of the order behind the others of it. */
static void shift_visited(struct order_stack *g, uint32_t from, uint32_t to)
{
    uint32_t kept = from, count = 0;

    for (uint32_t place = from; place <= to; place++) {
        uint32_t node = g->at[place];
        if (g->visited[node]) {
            g->shifted[count++] = node;
            continue;
        }
        g->at[kept] = node;
        g->position[node] = kept++;
    }
    for (uint32_t i = 0; i < count; i++) {
        g->at[kept] = g->shifted[i];
        g->position[g->shifted[i]] = kept++;
    }
    g->moves += to - from;
}

static void forget_visited(struct order_stack *g, uint32_t from, uint32_t to)
{
    for (uint32_t place = from; place <= to; place++)
        g->visited[g->at[place]] = false;
}

/*
 * Adds an edge; false if it closes a cycle, which is then, from its last edge to its
 * first, came_by of the edge's `from`, and so on to its `to`. The edge is there in either case.
 */
static bool graph_add(struct order_stack *g, uint32_t edge)
{
    uint32_t from = g->edges[edge].from, to = g->edges[edge].to;
    uint32_t low = g->position[to], high = g->position[from];
    bool has_cycle = from == to;

    graph_push(g, edge);
    if (low > high || has_cycle)
        return !has_cycle;
    has_cycle = visit_forward(g, to, from);
    if (!has_cycle)
        shift_visited(g, low, high);
    forget_visited(g, low, high);
    return !has_cycle;
}

/* --- What is asked --------------------------------------------------------------------- */

static enum status add_clauses(struct smt_search *s)
{
    const struct search_problem *p = s->problem;

    for (uint32_t c = 0; c < p->clause_count; c++)
        TRY(smt_add_clause(s->smt, p->literals + p->clause_start[c],
                           p->clause_start[c + 1] - p->clause_start[c], s->err));
    return STATUS_OK;
}

/* A position for each node: not a guard, not the other, or `from` before `to`. */
static enum status add_positions(struct smt_search *s)
{
    const struct search_problem *p = s->problem;

    TRY(smt_add_integers(s->smt, p->node_count, s->err));
    for (uint32_t e = 0; e < p->edge_count; e++) {
        const struct search_edge *edge = &p->edges[e];
        uint32_t guards[2], count = 0;

        for (int g = 0; g < 2; g++)
            if (edge->guards[g] != SEARCH_NONE)
                guards[count++] = edge->guards[g];
        TRY(smt_add_less(s->smt, guards, count, edge->from, edge->to, s->err));
    }
    return STATUS_OK;
}

/* --- The propagator -------------------------------------------------------------------- */

static bool is_true(const struct smt_search *s, uint32_t literal)
{
    return literal == SEARCH_NONE || s->truths[literal / 2] == !(literal % 2);
}

static void on_push(void *context)
{
    struct smt_search *s = context;
    struct level_mark mark = { s->fixed.count, s->graph.stack_count };
    enum status status = array_push(&s->marks, mark, s->err);

    assert(status == STATUS_OK); /* Z3 takes no for no answer */
}

static void on_pop(void *context, unsigned count)
{
    struct smt_search *s = context;
    struct level_mark mark;

    assert(count <= s->marks.count);
    s->marks.count -= count;
    mark = s->marks.at[s->marks.count];
    graph_pop_to(&s->graph, mark.stack_count);
    while (s->fixed.count > mark.fixed_count)
        s->truths[s->fixed.at[--s->fixed.count]] = -1;
}

static uint32_t add_guards(struct smt_search *s, uint32_t edge, uint32_t count)
{
    for (int g = 0; g < 2; g++)
        if (s->graph.edges[edge].guards[g] != SEARCH_NONE)
            s->reason[count++] = s->graph.edges[edge].guards[g] / 2;
    return count;
}

/* The guards of the edges of a cycle, which the edge added last has closed, are not all true. */
static void refuse_cycle(struct smt_search *s, uint32_t edge)
{
    const struct order_stack *g = &s->graph;
    uint32_t count = add_guards(s, edge, 0);

    for (uint32_t node = g->edges[edge].from; node != g->edges[edge].to;) {
        count = add_guards(s, g->came_by[node], count);
        node = g->edges[g->came_by[node]].from;
    }
    s->conflicts++;
    smt_refuse(s->smt, s->reason, count);
}

static void on_fixed(void *context, struct smt *smt, uint32_t variable, bool truth)
{
    struct smt_search *s = context;
    uint32_t literal;

    (void)smt;
    assert(s->truths[variable] == -1 && s->fixed.count < s->fixed.room);
    s->truths[variable] = truth;
    s->fixed.at[s->fixed.count++] = variable;
    literal = search_literal(variable, truth);
    for (uint32_t i = s->guarded_start[literal]; i < s->guarded_start[literal + 1]; i++) {
        uint32_t edge = s->guarded[i];
        const struct search_edge *e = &s->graph.edges[edge];
        if (!is_true(s, e->guards[0]) || !is_true(s, e->guards[1]))
            continue;
        if (graph_add(&s->graph, edge))
            continue;
        refuse_cycle(s, edge);
        /* It was no part of an order, and must not be until Z3 has taken something back. */
        graph_pop_to(&s->graph, s->graph.stack_count - 1);
        return;
    }
}

/* The guard, unless the edge has none there, or the same twice: it must be added only once. */
static uint32_t guard_of(const struct search_edge *edge, int g)
{
    return g == 1 && edge->guards[0] == edge->guards[1] ? SEARCH_NONE : edge->guards[g];
}

/* Which edges a literal guards. */
static enum status list_guarded(struct smt_search *s)
{
    const struct search_problem *p = s->problem;
    uint32_t *start;
    uint32_t literal_count = 2 * p->variable_count, sum = 0;

    TRY(memory_resize((void **)&s->guarded_start, literal_count + 2, sizeof *start, s->err));
    TRY(memory_resize((void **)&s->guarded, 2 * (size_t)p->edge_count, sizeof *start, s->err));
    start = s->guarded_start;
    memset(start, 0, (literal_count + 2) * sizeof *start);
    for (uint32_t e = 0; e < p->edge_count; e++)
        for (int g = 0; g < 2; g++)
            if (guard_of(&p->edges[e], g) != SEARCH_NONE)
                start[guard_of(&p->edges[e], g) + 2]++;
    for (uint32_t l = 0; l < literal_count + 2; l++)
        start[l] = sum += start[l];
    for (uint32_t e = 0; e < p->edge_count; e++)
        for (int g = 0; g < 2; g++)
            if (guard_of(&p->edges[e], g) != SEARCH_NONE)
                s->guarded[start[guard_of(&p->edges[e], g) + 1]++] = e;
    return STATUS_OK;
}

static enum status prepare_propagator(struct smt_search *s)
{
    const struct search_problem *p = s->problem;
    uint32_t variables = p->variable_count;

    TRY(graph_init(&s->graph, p, s->err));
    TRY(list_guarded(s));
    TRY(memory_resize((void **)&s->truths, variables, sizeof *s->truths, s->err));
    TRY(memory_resize((void **)&s->reason, 2 * (size_t)p->edge_count, sizeof *s->reason, s->err));
    TRY(array_reserve(&s->fixed, variables, s->err));
    memset(s->truths, -1, variables);
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (p->edges[e].guards[0] == SEARCH_NONE && p->edges[e].guards[1] == SEARCH_NONE) {
            bool is_acyclic = graph_add(&s->graph, e);
            assert(is_acyclic);
        }
    return STATUS_OK;
}

static enum status watch_variables(struct smt_search *s)
{
    TRY(prepare_propagator(s));
    s->propagator = (struct smt_propagator){ on_push, on_pop, on_fixed, s };
    return smt_watch(s->smt, &s->propagator, s->err);
}

/* --- The answer ------------------------------------------------------------------------ */

static bool holds(const struct search_result *result, uint32_t literal)
{
    return literal == SEARCH_NONE || result->values[literal / 2] == !(literal % 2);
}

static bool clauses_hold(const struct search_problem *p, const struct search_result *result)
{
    for (uint32_t c = 0; c < p->clause_count; c++) {
        bool is_satisfied = false;
        for (uint32_t i = p->clause_start[c]; i < p->clause_start[c + 1]; i++)
            is_satisfied |= holds(result, p->literals[i]);
        if (!is_satisfied)
            return false;
    }
    return true;
}

/* What Z3 says, tried out without it: a model that is none is a mistake of the encoding. */
static enum status replay(struct smt_search *s, struct search_result *result)
{
    const struct search_problem *p = s->problem;
    struct order_stack graph = { 0 };
    enum status status = graph_init(&graph, p, s->err);

    assert(clauses_hold(p, result));
    for (uint32_t e = 0; status == STATUS_OK && e < p->edge_count; e++)
        if (holds(result, p->edges[e].guards[0]) && holds(result, p->edges[e].guards[1])) {
            bool is_acyclic = graph_add(&graph, e);
            assert(is_acyclic);
        }
    if (status == STATUS_OK && p->node_count > 0)
        memcpy(result->order, graph.at, p->node_count * sizeof *graph.at);
    graph_close(&graph);
    return status;
}

static enum status take_model(struct smt_search *s, const uint8_t *values,
                              struct search_result *result)
{
    const struct search_problem *p = s->problem;

    TRY(memory_resize((void **)&result->values, p->variable_count, sizeof *result->values, s->err));
    TRY(memory_resize((void **)&result->order, p->node_count, sizeof *result->order, s->err));
    memcpy(result->values, values, p->variable_count);
    return replay(s, result);
}

/* --- The whole ------------------------------------------------------------------------- */

static enum status put(struct smt_search *s)
{
    bool by_positions = s->options->encoding == SMT_POSITIONS;
    struct smt_options options = { s->options->rlimit, s->options->seed };

    TRY(smt_open(&s->smt, by_positions ? SMT_DIFFERENCES : SMT_BOOLEANS, &options, s->err));
    TRY(smt_add_variables(s->smt, s->problem->variable_count, s->err));
    TRY(by_positions ? add_positions(s) : watch_variables(s));
    return add_clauses(s);
}

/* What Z3 says, from its process. */
struct smt_reply {
    enum search_answer answer;
    struct search_counts counts;
    uint8_t values[]; /* found: as in struct search_result */
};

static enum status ask(struct smt_search *s, struct smt_reply *reply)
{
    enum smt_answer answer;

    TRY(put(s));
    TRY(smt_check(s->smt, &answer, s->err));
    reply->counts.conflicts = s->conflicts;
    reply->counts.moves = s->graph.moves;
    if (answer == SMT_HOLDS)
        TRY(smt_read_values(s->smt, reply->values, s->err));
    reply->answer = answer == SMT_HOLDS        ? SEARCH_FOUND
                    : answer == SMT_IMPOSSIBLE ? SEARCH_IMPOSSIBLE
                                               : SEARCH_UNDECIDED;
    return STATUS_OK;
}

/* In that process, which ends when this is done: nothing is closed. */
static enum status ask_apart(void *context, void *reply, struct error *err)
{
    struct smt_search *s = context;

    s->err = err;
    return ask(s, reply);
}

enum status smt_search_solve(const struct search_problem *problem,
                             const struct smt_search_options *options,
                             struct search_result *result, struct error *err)
{
    struct smt_search s = { .problem = problem, .options = options, .err = err };
    struct apart apart = { .library = "Z3",
                           .work = ask_apart,
                           .context = &s,
                           .size = sizeof(struct smt_reply) + problem->variable_count,
                           .stop = options->stop };
    struct smt_reply *reply = NULL;
    enum status status;

    *result = (struct search_result){ .answer = SEARCH_UNDECIDED };
    TRY(memory_resize((void **)&reply, apart.size, 1, err));
    status = apart_run(&apart, reply, err);
    if (status == STATUS_OK && !apart.is_stopped) {
        result->counts = reply->counts;
        if (reply->answer == SEARCH_FOUND)
            status = take_model(&s, reply->values, result);
        result->answer = reply->answer;
    }
    free(reply);
    return status;
}
