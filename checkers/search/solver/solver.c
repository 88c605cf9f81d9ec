#include "checkers/search/solver/solver_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_heap.h"
#include "checkers/check_private.h"
#include "checkers/search/solver/solver_analyze_private.h"

/* --- Decisions ----------------------------------------------------------------- */

/*
 * What to decide next, and how. First the sources of reads, then what else stands in
 * clauses, then what was in conflicts (the most recent first), then what the order
 * satisfies in neither way.
 */

/* --- The heap --------------------------------------------------------------------- */

static inline bool is_above(const struct solver *s, uint32_t a, uint32_t b)
{
    return s->activity[a] > s->activity[b] || (s->activity[a] == s->activity[b] && a < b);
}

static void put(struct solver *s, uint32_t variable, uint32_t place)
{
    s->heap[place] = variable;
    s->heap_place[variable] = place;
}

#define IS_ABOVE(a, b) is_above(s, (a), (b))
#define PUT(place, variable) put(s, (variable), (uint32_t)(place))

static void sift_up(struct solver *s, uint32_t place)
{
    uint32_t variable = s->heap[place];

    BINARY_HEAP_UP(s->heap, place, variable, IS_ABOVE, PUT);
}

static void sift_down(struct solver *s, uint32_t place)
{
    uint32_t variable = s->heap[place];

    BINARY_HEAP_DOWN(s->heap, s->heap_count, place, variable, IS_ABOVE, PUT);
}

static void solver_heap_add(struct solver *s, uint32_t variable)
{
    if (s->heap_place[variable] != SEARCH_NONE)
        return;
    put(s, variable, s->heap_count++);
    sift_up(s, s->heap_count - 1);
}

static uint32_t heap_pop(struct solver *s)
{
    uint32_t top = s->heap[0], last = s->heap[--s->heap_count];

    s->heap_place[top] = SEARCH_NONE;
    if (s->heap_count > 0) {
        put(s, last, 0);
        sift_down(s, 0);
    }
    return top;
}

void solver_bump(struct solver *s, uint32_t variable)
{
    s->activity[variable] += s->bump;
    if (s->activity[variable] > 1e100) {
        for (uint32_t v = 0; v < s->index->problem->variable_count; v++)
            s->activity[v] *= 1e-100;
        s->bump *= 1e-100;
    }
    if (s->heap_place[variable] != SEARCH_NONE)
        sift_up(s, s->heap_place[variable]);
}

/* --- What the order says ---------------------------------------------------------- */

/* How far backwards the edges of a literal lead, all together. */
static uint64_t distance_back(const struct solver *s, uint32_t literal)
{
    const struct search_index *x = s->index;
    const uint32_t *place = s->topology.place;
    uint64_t sum = 0;

    for (uint32_t i = x->guarded_start[literal]; i < x->guarded_start[literal + 1]; i++) {
        const struct search_edge *edge = &x->problem->edges[x->guarded[i]];
        uint32_t other = edge->guards[0] == literal ? edge->guards[1] : edge->guards[0];

        if (place[edge->from] < place[edge->to])
            continue;
        if (other == SEARCH_NONE || s->value[other] >= 0)
            sum += place[edge->from] - place[edge->to] + 1;
    }
    return sum;
}

/* What the order has to say on it. */
static bool solver_order_likes(const struct solver *s, uint32_t variable)
{
    uint64_t yes = distance_back(s, search_literal(variable, true));
    uint64_t no = distance_back(s, search_literal(variable, false));

    return yes == no ? s->phase[variable] : yes < no;
}

static bool is_violated(const struct solver *s, uint32_t variable)
{
    return distance_back(s, search_literal(variable, true)) > 0 &&
           distance_back(s, search_literal(variable, false)) > 0;
}

/* --- Choices ---------------------------------------------------------------------- */

/* How far the writer is before the reader; behind it, further than any that is before. */
static uint32_t distance_of(const struct solver *s, const struct search_choice *choice)
{
    uint32_t reader = s->topology.place[choice->reader], writer, n = s->topology.node_count;

    if (choice->writer == SEARCH_NONE)
        return reader + 1;
    writer = s->topology.place[choice->writer];
    return writer < reader ? reader - writer : n + 1 + (writer - reader);
}

/* The open candidate to decide; SEARCH_NONE if the source is known or none is open. */
static uint32_t best_candidate(const struct solver *s, uint32_t read)
{
    const struct search_choice *choices = s->index->problem->choices;
    uint32_t best = SEARCH_NONE, best_distance = UINT32_MAX;

    for (uint32_t i = s->index->read_start[read]; i < s->index->read_start[read + 1]; i++) {
        int8_t value = s->value[search_literal(choices[i].variable, true)];
        uint32_t distance;

        if (value > 0)
            return SEARCH_NONE;
        if (value < 0)
            continue;
        distance = distance_of(s, &choices[i]);
        if (distance < best_distance) {
            best = choices[i].variable;
            best_distance = distance;
        }
    }
    return best;
}

static bool decide_read(struct solver *s, uint32_t *literal)
{
    for (; s->read_next < s->index->read_count; s->read_next++) {
        uint32_t variable = best_candidate(s, s->read_next);

        if (variable != SEARCH_NONE) {
            *literal = search_literal(variable, true);
            return true;
        }
    }
    return false;
}

/* --- The others ------------------------------------------------------------------- */

static bool is_open(const struct solver *s, uint32_t variable)
{
    return s->value[search_literal(variable, true)] == 0;
}

static uint32_t next_firm(struct solver *s)
{
    for (; s->firm_next < s->index->firm_count; s->firm_next++)
        if (is_open(s, s->index->firm[s->firm_next]))
            return s->index->firm[s->firm_next];
    return SEARCH_NONE;
}

static uint32_t next_active(struct solver *s)
{
    while (s->heap_count > 0) {
        uint32_t variable = heap_pop(s);

        if (is_open(s, variable))
            return variable;
    }
    return SEARCH_NONE;
}

/* Goes once round all variables at the most, from where it last found one. */
static uint32_t next_violated(struct solver *s)
{
    uint32_t count = s->index->problem->variable_count;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t variable = s->lazy_next;

        s->lazy_next = variable + 1 < count ? variable + 1 : 0;
        s->steps += 4;
        if (is_open(s, variable) && is_violated(s, variable))
            return variable;
    }
    return SEARCH_NONE;
}

/* False: nothing is left to decide, and order and values are a model. */
static bool solver_decide(struct solver *s, uint32_t *literal)
{
    uint32_t variable;

    s->steps++;
    if (decide_read(s, literal))
        return true;
    variable = next_firm(s);
    if (variable == SEARCH_NONE)
        variable = next_active(s);
    if (variable == SEARCH_NONE)
        variable = next_violated(s);
    if (variable == SEARCH_NONE)
        return false;
    *literal = search_literal(variable, solver_order_likes(s, variable));
    return true;
}

/* --- Propagation --------------------------------------------------------------- */

/*
 * What follows from what is true: literals by clauses, edges by their guards.
 */

void solver_assign(struct solver *s, uint32_t literal, uint32_t reason)
{
    uint32_t variable = literal / 2;

    assert(s->value[literal] == 0);
    s->value[literal] = 1;
    s->value[literal ^ 1] = -1;
    s->level_of[variable] = s->level_count;
    s->reason[variable] = reason;
    s->since[variable] = s->trail_count;
    s->trail[s->trail_count++] = literal;
}

/* --- Clauses ---------------------------------------------------------------------- */

/* Puts a literal that is not false in the second place, and has it watched. */
static enum status find_new_watch(struct solver *s, uint32_t clause, bool *found, struct error *err)
{
    uint32_t *literals = clause_literals(s, clause), size = clause_head(s, clause)->size;

    *found = false;
    for (uint32_t i = 2; i < size; i++) {
        uint32_t literal = literals[i];

        if (s->value[literal] < 0)
            continue;
        literals[i] = literals[1];
        literals[1] = literal;
        *found = true;
        return array_push(&s->watches[literal], ((struct watch){ clause, literals[0] }), err);
    }
    return STATUS_OK;
}

/* Visits the clauses that watch a literal which has become false. */
static enum status visit_clauses(struct solver *s, uint32_t literal, struct error *err)
{
    struct watch *watches = s->watches[literal].at;
    size_t count = s->watches[literal].count, kept = 0, i = 0;
    enum status status = STATUS_OK;

    s->steps += 2 + count;
    for (; i < count && status == STATUS_OK && s->conflict == NO_CLAUSE; i++) {
        struct watch watch = watches[i];
        uint32_t *literals, first;
        bool found;

        if (s->value[watch.blocker] > 0) {
            watches[kept++] = watch;
            continue;
        }
        s->steps += 4;
        literals = clause_literals(s, watch.clause);
        first = literals[0] ^ literals[1] ^ literal;
        literals[0] = first;
        literals[1] = literal;
        if (s->value[first] <= 0) {
            status = find_new_watch(s, watch.clause, &found, err);
            if (status == STATUS_OK && found)
                continue;
        }
        watches[kept++] = (struct watch){ watch.clause, first };
        if (status == STATUS_OK && s->value[first] < 0)
            s->conflict = watch.clause;
        else if (status == STATUS_OK && s->value[first] == 0)
            solver_assign(s, first, watch.clause);
    }
    for (; i < count; i++)
        watches[kept++] = watches[i];
    s->watches[literal].count = kept;
    return status;
}

/* --- Edges ------------------------------------------------------------------------ */

/* Whether the other guard became true before this one did. */
static bool is_complete(const struct solver *s, uint32_t edge, uint32_t literal)
{
    const uint32_t *guards = s->topology.edges[edge].guards;
    uint32_t other = guards[0] == literal ? guards[1] : guards[0];

    if (other == SEARCH_NONE || other == literal)
        return true;
    return s->value[other] > 0 && s->since[other / 2] < s->since[literal / 2];
}

static void insert_edges(struct solver *s, uint32_t literal)
{
    const struct search_index *x = s->index;

    for (uint32_t i = x->guarded_start[literal]; i < x->guarded_start[literal + 1]; i++) {
        uint32_t edge = x->guarded[i];

        if (!is_complete(s, edge, literal))
            continue;
        if (!topology_insert(&s->topology, edge)) {
            s->cycle_count = topology_explain(&s->topology, edge, s->cycle);
            return;
        }
        s->inserted[s->inserted_count++] = edge;
    }
}

/* Returns through `conflict` or `cycle_count` whether there is one. */
static enum status solver_propagate(struct solver *s, struct error *err)
{
    while (!solver_has_conflict(s)) {
        /* Clauses are cheaper, and may find the conflict before an order does. */
        if (s->visited < s->trail_count)
            TRY(visit_clauses(s, s->trail[s->visited++] ^ 1, err));
        else if (s->ordered < s->trail_count)
            insert_edges(s, s->trail[s->ordered++]);
        else
            break;
    }
    return STATUS_OK;
}

/* --- Back ------------------------------------------------------------------------- */

void solver_go_back(struct solver *s, uint32_t level)
{
    struct decision_level to;

    if (s->level_count <= level)
        return;
    to = s->levels[level];
    while (s->inserted_count > to.inserted)
        topology_remove(&s->topology, s->inserted[--s->inserted_count]);
    while (s->trail_count > to.trail) {
        uint32_t literal = s->trail[--s->trail_count], variable = literal / 2;

        s->value[literal] = s->value[literal ^ 1] = 0;
        s->phase[variable] = !(literal & 1);
        if (s->activity[variable] > 0)
            solver_heap_add(s, variable);
    }
    s->visited = s->ordered = s->trail_count;
    s->firm_next = to.firm;
    s->read_next = to.read;
    s->level_count = level;
}

/* --- Clauses ------------------------------------------------------------------- */

/*
 * The clauses of an engine: loading them, keeping the useful of those learnt.
 */

static enum status watch_clause(struct solver *s, uint32_t clause, struct error *err)
{
    const uint32_t *literals = clause_literals(s, clause);

    TRY(array_push(&s->watches[literals[0]], ((struct watch){ clause, literals[1] }), err));
    return array_push(&s->watches[literals[1]], ((struct watch){ clause, literals[0] }), err);
}

enum status solver_add_clause(struct solver *s, const uint32_t *literals, uint32_t count,
                              uint32_t number, uint32_t *clause, struct error *err)
{
    struct clause_head head = { .size = count, .number = number };

    assert(count >= 2);
    if (s->words.count + count + HEAD_WORDS >= NO_CLAUSE)
        return error_set(err, STATUS_OVER_LIMIT, "the search has too many clauses");
    TRY(array_reserve(&s->words, count + HEAD_WORDS, err));
    *clause = (uint32_t)s->words.count;
    s->words.count += HEAD_WORDS + count;
    *clause_head(s, *clause) = head;
    memcpy(clause_literals(s, *clause), literals, count * sizeof *literals);
    return watch_clause(s, *clause, err);
}

/* --- Loading ---------------------------------------------------------------------- */

/* Without repetitions, in `learnt`. False: a literal and its negation are in it. */
static enum status gather(struct solver *s, uint32_t number, bool *is_useful, struct error *err)
{
    const struct search_problem *p = s->index->problem;

    s->learnt.count = 0;
    *is_useful = true;
    for (uint32_t i = p->clause_start[number]; i < p->clause_start[number + 1]; i++) {
        uint32_t literal = p->literals[i];
        bool is_new = true;

        for (size_t j = 0; j < s->learnt.count; j++) {
            is_new &= s->learnt.at[j] != literal;
            *is_useful &= s->learnt.at[j] != (literal ^ 1);
        }
        if (is_new)
            TRY(array_push(&s->learnt, literal, err));
    }
    return STATUS_OK;
}

static enum status conclude(struct solver *s, const uint32_t *by, uint32_t by_count,
                            struct error *err)
{
    uint32_t number;

    s->is_impossible = true;
    if (!s->is_logging)
        return STATUS_OK;
    return search_log_add(&s->log, &(struct log_entry){ .by = by, .by_count = by_count }, &number,
                          err);
}

static enum status solver_load_clauses(struct solver *s, struct error *err)
{
    for (uint32_t c = 0; c < s->index->problem->clause_count && !s->is_impossible; c++) {
        uint32_t clause, variable;
        bool is_useful;

        TRY(gather(s, c, &is_useful, err));
        if (!is_useful)
            continue;
        if (s->learnt.count > 1) {
            TRY(solver_add_clause(s, s->learnt.at, (uint32_t)s->learnt.count, c, &clause, err));
        } else if (s->learnt.count == 0) {
            TRY(conclude(s, &c, 1, err));
        } else {
            variable = s->learnt.at[0] / 2;
            if (s->value[s->learnt.at[0]] < 0)
                TRY(conclude(s, (uint32_t[]){ s->unit[variable], c }, 2, err));
            if (s->value[s->learnt.at[0]] != 0)
                continue;
            s->unit[variable] = c;
            solver_assign(s, s->learnt.at[0], NO_CLAUSE);
        }
    }
    return STATUS_OK;
}

/* --- Forgetting ------------------------------------------------------------------- */

struct worth {
    uint32_t clause, spread;
    float activity;
};

static int compare_worth(const void *a, const void *b)
{
    const struct worth *x = a, *y = b;

    if (x->spread != y->spread)
        return x->spread > y->spread ? -1 : 1;
    if (x->activity != y->activity)
        return x->activity < y->activity ? -1 : 1;
    return (x->clause > y->clause) - (x->clause < y->clause);
}

static bool is_reason(const struct solver *s, uint32_t clause)
{
    uint32_t literal = clause_literals(s, clause)[0];

    return s->value[literal] > 0 && s->reason[literal / 2] == clause;
}

/* The worse half of those that joined more than two levels. */
static enum status doom_clauses(struct solver *s, struct error *err)
{
    struct worth *list = NULL;
    size_t count = 0;

    TRY(memory_resize((void **)&list, s->learnts.count + 1, sizeof *list, err));
    for (size_t i = 0; i < s->learnts.count; i++) {
        uint32_t clause = s->learnts.at[i];
        const struct clause_head *head = clause_head(s, clause);

        if (head->spread > 2 && head->size > 2 && !is_reason(s, clause))
            list[count++] = (struct worth){ clause, head->spread, head->activity };
    }
    qsort(list, count, sizeof *list, compare_worth);
    for (size_t i = 0; i < count / 2; i++)
        clause_head(s, list[i].clause)->is_doomed = 1;
    free(list);
    return STATUS_OK;
}

/* Moves the clauses together, and tells reasons and lists where they went. */
static enum status compact(struct solver *s, struct error *err)
{
    uint32_t to = 0;
    size_t kept = 0;

    for (size_t l = 0; l < 2 * (size_t)s->index->problem->variable_count; l++)
        s->watches[l].count = 0;
    s->learnts.count = 0;
    for (uint32_t from = 0; from < s->words.count;) {
        uint32_t size = clause_head(s, from)->size + HEAD_WORDS;
        bool was_reason = is_reason(s, from);

        if (!clause_head(s, from)->is_doomed) {
            memmove(s->words.at + to, s->words.at + from, size * sizeof *s->words.at);
            if (was_reason)
                s->reason[clause_literals(s, to)[0] / 2] = to;
            if (clause_head(s, to)->is_learnt)
                s->learnts.at[kept++] = to; /* no more than there were */
            to += size;
        }
        from += size;
    }
    s->words.count = to;
    s->learnts.count = kept;
    for (uint32_t c = 0; c < to; c += clause_head(s, c)->size + HEAD_WORDS)
        TRY(watch_clause(s, c, err));
    return STATUS_OK;
}

static enum status solver_reduce_clauses(struct solver *s, struct error *err)
{
    TRY(doom_clauses(s, err));
    TRY(compact(s, err));
    s->learnt_max += 400;
    return STATUS_OK;
}

/* --- The engine ---------------------------------------------------------------- */

#define RESTART_UNIT 500                  /* conflicts */
#define LEARNT_FIRST 4000                 /* clauses kept before the first are forgotten */
#define LOG_WORDS_MAX (UINT64_C(1) << 26) /* 256 MB of proof */

/* --- Making ----------------------------------------------------------------------- */

static enum status make_variables(struct solver *s, uint32_t count, struct error *err)
{
    size_t room = (size_t)count + 1;

    TRY(check_memory((void **)&s->value, 2 * room, sizeof *s->value, 0, err));
    TRY(check_memory((void **)&s->level_of, room, sizeof *s->level_of, 0, err));
    TRY(check_memory((void **)&s->reason, room, sizeof *s->reason, 0xff, err));
    TRY(check_memory((void **)&s->since, room, sizeof *s->since, 0, err));
    TRY(check_memory((void **)&s->unit, room, sizeof *s->unit, 0, err));
    TRY(check_memory((void **)&s->phase, room, sizeof *s->phase, 0, err));
    TRY(check_memory((void **)&s->trail, room, sizeof *s->trail, 0, err));
    TRY(check_memory((void **)&s->levels, room, sizeof *s->levels, 0, err));
    TRY(check_memory((void **)&s->level_mark, room, sizeof *s->level_mark, 0, err));
    TRY(check_memory((void **)&s->watches, 2 * room, sizeof *s->watches, 0, err));
    TRY(check_memory((void **)&s->activity, room, sizeof *s->activity, 0, err));
    TRY(check_memory((void **)&s->heap, room, sizeof *s->heap, 0, err));
    TRY(check_memory((void **)&s->heap_place, room, sizeof *s->heap_place, 0xff, err));
    TRY(check_memory((void **)&s->seen, room, sizeof *s->seen, 0, err));
    if (s->index->problem->phases)
        memcpy(s->phase, s->index->problem->phases, count);
    return STATUS_OK;
}

enum status solver_init(struct solver *s, const struct search_index *index,
                        const struct search_options *options, struct error *err)
{
    const struct search_problem *p = index->problem;

    *s = (struct solver){ .index = index,
                          .options = options,
                          .is_logging = options->wants_proof,
                          .learnt_max = LEARNT_FIRST,
                          .clause_bump = 1,
                          .bump = 1,
                          .conflict = NO_CLAUSE };
    search_log_init(&s->log, p->clause_count, LOG_WORDS_MAX);
    TRY(topology_init(&s->topology, p, index->order, err));
    TRY(make_variables(s, p->variable_count, err));
    TRY(check_memory((void **)&s->inserted, (size_t)p->edge_count + 1, sizeof *s->inserted, 0,
                     err));
    TRY(check_memory((void **)&s->cycle, (size_t)p->node_count + 1, sizeof *s->cycle, 0, err));
    return solver_load_clauses(s, err);
}

void solver_close(struct solver *s)
{
    for (size_t l = 0; s->watches && l < 2 * (size_t)s->index->problem->variable_count; l++)
        array_close(&s->watches[l]);
    topology_close(&s->topology);
    search_log_close(&s->log);
    free(s->value);
    free(s->level_of);
    free(s->reason);
    free(s->since);
    free(s->unit);
    free(s->phase);
    free(s->trail);
    free(s->inserted);
    free(s->levels);
    free(s->watches);
    free(s->activity);
    free(s->heap);
    free(s->heap_place);
    free(s->cycle);
    free(s->seen);
    free(s->level_mark);
    free(s->home);
    array_close(&s->words);
    array_close(&s->learnts);
    array_close(&s->learnt);
    array_close(&s->causes);
    array_close(&s->numbers);
    array_close(&s->stack);
    array_close(&s->touched);
    *s = (struct solver){ 0 };
}

/* --- Restarts --------------------------------------------------------------------- */

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ...: Luby, Sinclair and Zuckerman 1993. From 0. */
static uint64_t luby(uint64_t i)
{
    uint64_t size = 1, power = 0;

    while (size < i + 1) {
        size = 2 * size + 1;
        power++;
    }
    while (size - 1 != i) {
        size = (size - 1) / 2;
        power--;
        i %= size;
    }
    return UINT64_C(1) << power;
}

/* Edges of level 0 may lead backwards in the order at home: they come in anew. */
static void return_home(struct solver *s)
{
    uint32_t count = s->inserted_count;

    while (s->inserted_count > 0)
        topology_remove(&s->topology, s->inserted[--s->inserted_count]);
    topology_set_order(&s->topology, s->home);
    while (s->inserted_count < count) {
        bool fits = topology_insert(&s->topology, s->inserted[s->inserted_count]);

        assert(fits);
        (void)fits;
        s->inserted_count++;
    }
}

static void restart(struct solver *s)
{
    solver_go_back(s, 0);
    if (s->home)
        return_home(s);
    s->restart_at = s->counts.conflicts + RESTART_UNIT * luby(s->counts.restarts++);
}

enum status solver_set_home(struct solver *s, const uint32_t *order, struct error *err)
{
    if (!s->home)
        TRY(memory_resize((void **)&s->home, (size_t)s->topology.node_count + 1, sizeof *s->home,
                          err));
    memcpy(s->home, order, s->topology.node_count * sizeof *order);
    s->restart_at = 0;
    s->lazy_next = 0;
    return STATUS_OK;
}

/* --- Running ---------------------------------------------------------------------- */

uint64_t solver_steps(const struct solver *s)
{
    return s->steps + s->topology.steps;
}

static bool is_used_up(const struct solver *s, const struct solver_budget *budget,
                       uint64_t steps_end, uint64_t conflicts_end)
{
    if (solver_steps(s) >= steps_end || s->counts.conflicts >= conflicts_end)
        return true;
    for (int i = 0; i < 2; i++)
        if (budget->stops[i] && atomic_load_explicit(budget->stops[i], memory_order_relaxed))
            return true;
    return false;
}

static uint64_t sum_or_max(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void begin_level(struct solver *s)
{
    s->levels[s->level_count++] =
        (struct decision_level){ s->trail_count, s->inserted_count, s->firm_next, s->read_next };
}

enum status solver_run(struct solver *s, const struct solver_budget *budget,
                       enum search_answer *answer, struct error *err)
{
    uint64_t steps_end = sum_or_max(solver_steps(s), budget->steps);
    uint64_t conflicts_end = sum_or_max(s->counts.conflicts, budget->conflicts);
    uint32_t literal;

    *answer = SEARCH_UNDECIDED;
    while (!s->is_impossible) {
        TRY(solver_propagate(s, err));
        if (solver_has_conflict(s)) {
            TRY(solver_resolve_conflict(s, err));
            continue;
        }
        if (s->level_count == 0)
            TRY(solver_log_units(s, err));
        if (is_used_up(s, budget, steps_end, conflicts_end))
            return STATUS_OK;
        if (s->counts.conflicts >= s->restart_at) {
            restart(s);
            continue;
        }
        if (s->learnts.count >= s->learnt_max)
            TRY(solver_reduce_clauses(s, err));
        if (!solver_decide(s, &literal)) {
            *answer = SEARCH_FOUND;
            return STATUS_OK;
        }
        s->counts.decisions++;
        begin_level(s);
        solver_assign(s, literal, NO_CLAUSE);
    }
    *answer = SEARCH_IMPOSSIBLE;
    return STATUS_OK;
}

void solver_read_values(const struct solver *s, uint8_t *values)
{
    for (uint32_t v = 0; v < s->index->problem->variable_count; v++) {
        int8_t value = s->value[search_literal(v, true)];

        values[v] = value == 0 ? solver_order_likes(s, v) : value > 0;
    }
}
