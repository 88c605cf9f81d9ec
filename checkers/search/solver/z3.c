#include "checkers/search/solver/z3.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <z3.h>

#define WATCH_NANOSECONDS 5000000

/*
 * What the propagator knows. The edges that are there form a stack, since they go in the
 * reverse order in which they came, and hang in lists by the node that they leave.
 * `at` is an order of the nodes in which all of them lead forward; it stays one when
 * edges go.
 */
struct z3_graph {
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

struct z3_solver {
    const struct search_problem *problem;
    const struct z3_options *options;
    Z3_context context;
    Z3_solver solver;
    Z3_ast *variables, *positions;
    struct error *err;

    /* Of the propagator. */
    struct z3_graph graph;
    int8_t *truths;              /* by variable: -1 as long as it is open */
    uint32_t *ids;               /* by variable: Z3's number of it, and */
    uint32_t *variable_of;       /* back */
    uint32_t *guarded_start, *guarded; /* by literal: the edges that it guards */
    ARRAY(uint32_t) fixed;       /* variables, in the order in which they were */
    ARRAY(struct level_mark) marks;
    uint32_t *reason;            /* of a conflict: ids */
    uint64_t conflicts;
};

struct level_mark {
    size_t fixed_count;
    uint32_t stack_count;
};

/* --- An order that edges are added to -------------------------------------------------- */

static enum status graph_init(struct z3_graph *g, const struct search_problem *p, struct error *err)
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

static void graph_close(struct z3_graph *g)
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

static void graph_push(struct z3_graph *g, uint32_t edge)
{
    uint32_t from = g->edges[edge].from;

    g->next[edge] = g->first[from];
    g->first[from] = edge;
    g->stack[g->stack_count++] = edge;
}

static void graph_pop_to(struct z3_graph *g, uint32_t stack_count)
{
    while (g->stack_count > stack_count) {
        uint32_t edge = g->stack[--g->stack_count];
        assert(g->first[g->edges[edge].from] == edge);
        g->first[g->edges[edge].from] = g->next[edge];
    }
}

/* Visits what can be reached from `node` without going behind `last`; true if `last` is. */
static bool visit_forward(struct z3_graph *g, uint32_t node, uint32_t last)
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
static void shift_visited(struct z3_graph *g, uint32_t from, uint32_t to)
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

static void forget_visited(struct z3_graph *g, uint32_t from, uint32_t to)
{
    for (uint32_t place = from; place <= to; place++)
        g->visited[g->at[place]] = false;
}

/*
 * Adds an edge; false if it closes a cycle, which is then, from its last edge to its
 * first, came_by of the edge's `from`, and so on to its `to`. The edge is there in either case.
 */
static bool graph_add(struct z3_graph *g, uint32_t edge)
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

/* --- Talking to Z3 --------------------------------------------------------------------- */

/* The default one ends the process. What went wrong is asked for afterwards. */
static void note_error(Z3_context context, Z3_error_code code)
{
    (void)context;
    (void)code;
}

static enum status look_for_error(struct z3_solver *s)
{
    Z3_error_code code = Z3_get_error_code(s->context);

    if (code == Z3_OK)
        return STATUS_OK;
    return error_set(s->err, code == Z3_MEMOUT_FAIL ? STATUS_OVER_LIMIT : STATUS_BAD_INPUT,
                     "Z3: %s", Z3_get_error_msg(s->context, code));
}

static Z3_ast make_constant(struct z3_solver *s, char letter, uint32_t number, Z3_sort sort)
{
    char name[16];

    snprintf(name, sizeof name, "%c%u", letter, number);
    return Z3_mk_const(s->context, Z3_mk_string_symbol(s->context, name), sort);
}

static Z3_ast make_literal(struct z3_solver *s, uint32_t literal)
{
    Z3_ast variable = s->variables[literal / 2];

    return literal % 2 ? Z3_mk_not(s->context, variable) : variable;
}

static enum status make_variables(struct z3_solver *s)
{
    const struct search_problem *p = s->problem;
    Z3_sort sort = Z3_mk_bool_sort(s->context);

    TRY(memory_resize((void **)&s->variables, p->variable_count, sizeof *s->variables, s->err));
    for (uint32_t v = 0; v < p->variable_count; v++)
        s->variables[v] = make_constant(s, 'v', v, sort);
    return look_for_error(s);
}

static enum status assert_clauses(struct z3_solver *s)
{
    const struct search_problem *p = s->problem;
    ARRAY(Z3_ast) literals = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t c = 0; status == STATUS_OK && c < p->clause_count; c++) {
        literals.count = 0;
        for (uint32_t i = p->clause_start[c]; i < p->clause_start[c + 1]; i++)
            if (status == STATUS_OK)
                status = array_push(&literals, make_literal(s, p->literals[i]), s->err);
        Z3_solver_assert(s->context, s->solver,
                         Z3_mk_or(s->context, (unsigned)literals.count, literals.at));
    }
    array_close(&literals);
    return status == STATUS_OK ? look_for_error(s) : status;
}

/* Not a guard, not the other, or `from` before `to`. */
static void assert_edge(struct z3_solver *s, const struct search_edge *edge, Z3_ast one)
{
    Z3_ast difference[2] = { s->positions[edge->to], s->positions[edge->from] };
    Z3_ast parts[3] = { Z3_mk_ge(s->context, Z3_mk_sub(s->context, 2, difference), one) };
    unsigned count = 1;

    for (int g = 0; g < 2; g++)
        if (edge->guards[g] != SEARCH_NONE)
            parts[count++] = make_literal(s, edge->guards[g] ^ 1);
    Z3_solver_assert(s->context, s->solver,
                     count == 1 ? parts[0] : Z3_mk_or(s->context, count, parts));
}

static enum status assert_positions(struct z3_solver *s)
{
    const struct search_problem *p = s->problem;
    Z3_sort sort = Z3_mk_int_sort(s->context);
    Z3_ast one = Z3_mk_int(s->context, 1, sort);

    TRY(memory_resize((void **)&s->positions, p->node_count, sizeof *s->positions, s->err));
    for (uint32_t n = 0; n < p->node_count; n++)
        s->positions[n] = make_constant(s, 'n', n, sort);
    for (uint32_t e = 0; e < p->edge_count; e++)
        assert_edge(s, &p->edges[e], one);
    return look_for_error(s);
}

/* --- The propagator -------------------------------------------------------------------- */

static bool is_true(const struct z3_solver *s, uint32_t literal)
{
    return literal == SEARCH_NONE || s->truths[literal / 2] == !(literal % 2);
}

static void on_push(void *context)
{
    struct z3_solver *s = context;
    struct level_mark mark = { s->fixed.count, s->graph.stack_count };
    enum status status = array_push(&s->marks, mark, s->err);

    assert(status == STATUS_OK); /* Z3 takes no for no answer */
}

static void on_pop(void *context, unsigned count)
{
    struct z3_solver *s = context;
    struct level_mark mark;

    assert(count <= s->marks.count);
    if (count == 0)
        return;
    s->marks.count -= count;
    mark = s->marks.at[s->marks.count];
    graph_pop_to(&s->graph, mark.stack_count);
    while (s->fixed.count > mark.fixed_count)
        s->truths[s->fixed.at[--s->fixed.count]] = -1;
}

/* Only who solves in many threads asks for another. */
static void *on_fresh(void *context, Z3_context fresh)
{
    (void)fresh;
    return context;
}

static uint32_t add_guards(struct z3_solver *s, uint32_t edge, uint32_t count)
{
    for (int g = 0; g < 2; g++)
        if (s->graph.edges[edge].guards[g] != SEARCH_NONE)
            s->reason[count++] = s->ids[s->graph.edges[edge].guards[g] / 2];
    return count;
}

/* The guards of the edges of a cycle, which the edge added last has closed, are not all true. */
static void refuse_cycle(struct z3_solver *s, Z3_solver_callback callback, uint32_t edge)
{
    const struct z3_graph *g = &s->graph;
    uint32_t count = add_guards(s, edge, 0);

    for (uint32_t node = g->edges[edge].from; node != g->edges[edge].to;) {
        count = add_guards(s, g->came_by[node], count);
        node = g->edges[g->came_by[node]].from;
    }
    s->conflicts++;
    Z3_solver_propagate_consequence(s->context, callback, count, s->reason, 0, NULL, NULL,
                                    Z3_mk_false(s->context));
}

static void on_fixed(void *context, Z3_solver_callback callback, unsigned id, Z3_ast value)
{
    struct z3_solver *s = context;
    uint32_t variable = s->variable_of[id], literal;
    bool truth = Z3_get_bool_value(s->context, value) == Z3_L_TRUE;

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
        refuse_cycle(s, callback, edge);
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
static enum status list_guarded(struct z3_solver *s)
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

static enum status prepare_propagator(struct z3_solver *s)
{
    const struct search_problem *p = s->problem;
    uint32_t variables = p->variable_count;

    TRY(graph_init(&s->graph, p, s->err));
    TRY(list_guarded(s));
    TRY(memory_resize((void **)&s->truths, variables, sizeof *s->truths, s->err));
    TRY(memory_resize((void **)&s->ids, variables, sizeof *s->ids, s->err));
    TRY(memory_resize((void **)&s->variable_of, variables, sizeof *s->ids, s->err));
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

static enum status watch_variables(struct z3_solver *s)
{
    TRY(prepare_propagator(s));
    Z3_solver_propagate_init(s->context, s->solver, s, on_push, on_pop, on_fresh);
    Z3_solver_propagate_fixed(s->context, s->solver, on_fixed);
    TRY(look_for_error(s));
    for (uint32_t v = 0; v < s->problem->variable_count; v++) {
        s->ids[v] = Z3_solver_propagate_register(s->context, s->solver, s->variables[v]);
        assert(s->ids[v] < s->problem->variable_count);
        s->variable_of[s->ids[v]] = v;
    }
    return look_for_error(s);
}

/* --- The answer ------------------------------------------------------------------------ */

static enum status read_values(struct z3_solver *s, struct search_result *result)
{
    Z3_model model = Z3_solver_get_model(s->context, s->solver);
    uint32_t count = s->problem->variable_count;
    Z3_ast value;

    TRY(look_for_error(s));
    Z3_model_inc_ref(s->context, model);
    for (uint32_t v = 0; v < count; v++) {
        bool is_told = Z3_model_eval(s->context, model, s->variables[v], true, &value);
        result->values[v] =
            is_told && Z3_get_bool_value(s->context, value) == Z3_L_TRUE;
    }
    Z3_model_dec_ref(s->context, model);
    return look_for_error(s);
}

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
static enum status replay(struct z3_solver *s, struct search_result *result)
{
    const struct search_problem *p = s->problem;
    struct z3_graph graph = { 0 };
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

static enum status read_model(struct z3_solver *s, struct search_result *result)
{
    const struct search_problem *p = s->problem;

    TRY(memory_resize((void **)&result->values, p->variable_count, sizeof *result->values, s->err));
    TRY(memory_resize((void **)&result->order, p->node_count, sizeof *result->order, s->err));
    TRY(read_values(s, result));
    TRY(replay(s, result));
    result->answer = SEARCH_FOUND;
    return STATUS_OK;
}

/* --- Being stopped --------------------------------------------------------------------- */

struct z3_watch {
    Z3_context context;
    const atomic_bool *stop;
    atomic_bool is_over;
    pthread_t thread;
    bool is_running;
};

/* Z3 looks at no flag of ours, so somebody has to call it. */
static void *watch_stop(void *argument)
{
    struct z3_watch *watch = argument;
    struct timespec pause = { 0, WATCH_NANOSECONDS };

    while (!atomic_load(&watch->is_over)) {
        if (atomic_load(watch->stop))
            Z3_interrupt(watch->context);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static enum status watch_begin(struct z3_watch *watch, const struct z3_solver *s)
{
    *watch = (struct z3_watch){ .context = s->context, .stop = s->options->stop };
    if (!watch->stop)
        return STATUS_OK;
    if (pthread_create(&watch->thread, NULL, watch_stop, watch) != 0)
        return error_set(s->err, STATUS_OVER_LIMIT, "no thread to watch over Z3");
    watch->is_running = true;
    return STATUS_OK;
}

static void watch_end(struct z3_watch *watch)
{
    atomic_store(&watch->is_over, true);
    if (watch->is_running)
        pthread_join(watch->thread, NULL);
}

/* --- The whole ------------------------------------------------------------------------- */

static enum status set_parameters(struct z3_solver *s)
{
    Z3_params params = Z3_mk_params(s->context);

    Z3_params_inc_ref(s->context, params);
    Z3_params_set_uint(s->context, params, Z3_mk_string_symbol(s->context, "random_seed"),
                       s->options->seed);
    if (s->options->rlimit > 0)
        Z3_params_set_uint(s->context, params, Z3_mk_string_symbol(s->context, "rlimit"),
                           s->options->rlimit);
    Z3_solver_set_params(s->context, s->solver, params);
    Z3_params_dec_ref(s->context, params);
    return look_for_error(s);
}

static enum status put(struct z3_solver *s)
{
    bool by_positions = s->options->encoding == Z3_POSITIONS;

    s->solver = by_positions ? Z3_mk_solver_for_logic(
                                   s->context, Z3_mk_string_symbol(s->context, "QF_IDL"))
                             : Z3_mk_simple_solver(s->context);
    TRY(look_for_error(s));
    Z3_solver_inc_ref(s->context, s->solver);
    TRY(set_parameters(s));
    TRY(make_variables(s));
    TRY(by_positions ? assert_positions(s) : watch_variables(s));
    return assert_clauses(s);
}

static enum status ask(struct z3_solver *s, struct search_result *result)
{
    struct z3_watch watch;
    Z3_lbool answer;

    TRY(put(s));
    TRY(watch_begin(&watch, s));
    answer = Z3_solver_check(s->context, s->solver);
    watch_end(&watch);
    result->counts.conflicts = s->conflicts;
    result->counts.moves = s->graph.moves;
    if (answer == Z3_L_TRUE)
        return read_model(s, result);
    if (answer == Z3_L_FALSE)
        result->answer = SEARCH_IMPOSSIBLE;
    return STATUS_OK;
}

static void solver_close(struct z3_solver *s)
{
    if (s->solver)
        Z3_solver_dec_ref(s->context, s->solver);
    Z3_del_context(s->context);
    graph_close(&s->graph);
    free(s->variables);
    free(s->positions);
    free(s->truths);
    free(s->ids);
    free(s->variable_of);
    free(s->guarded_start);
    free(s->guarded);
    free(s->reason);
    array_close(&s->fixed);
    array_close(&s->marks);
}

enum status z3_solve(const struct search_problem *problem, const struct z3_options *options,
                     struct search_result *result, struct error *err)
{
    struct z3_solver s = { .problem = problem, .options = options, .err = err };
    Z3_config config = Z3_mk_config();
    enum status status;

    *result = (struct search_result){ .answer = SEARCH_UNDECIDED };
    /* Without reference counts: all terms live until the context ends. */
    s.context = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(s.context, note_error);
    status = ask(&s, result);
    solver_close(&s);
    return status;
}

void z3_version(char text[40])
{
    unsigned major, minor, build, revision;

    Z3_get_version(&major, &minor, &build, &revision);
    snprintf(text, 40, "%u.%u.%u", major, minor, build);
}
