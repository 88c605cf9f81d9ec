#include "checkers/search/solver/search_solver_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker_private.h"

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
