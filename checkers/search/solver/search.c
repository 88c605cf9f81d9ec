#include "checkers/search/solver/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "checkers/check_private.h"
#include "checkers/search/solver/anneal_private.h"
#include "checkers/search/solver/search_index_private.h"
#include "checkers/search/solver/solver_private.h"

/*
 * Runs the engines that race on one problem.
 *
 * One learns clauses from a guessed order. The other anneals the order until few chains
 * overlap, and has the rest out by learning clauses close to where it got; if that fails
 * it warms up and tries again, with twice the patience. Neither is best at everything:
 * where a key has very many versions or very few, the first is; in between, the second.
 *
 * With several threads each engine has one, and the first answer ends the race; more
 * threads anneal from other seeds. With one thread engines take turns, in steps.
 */

/* --- Race ---------------------------------------------------------------------- */

#define TURN_FIRST 8000000 /* steps */
#define TURN_MAX 100000000
#define LEARNER_SHARE 4     /* with one thread, who only learns has a fourth of the others' turns */
#define ANNEAL_TURN 4000000 /* nobody can stop it in between */
#define HEAT 3.0            /* hot enough to leave any order behind */
#define FROZEN 0.9          /* nothing gets better below */
#define PATIENCE_MAX 1024
#define OVERLAPS_FEW 30       /* best had out by learning clauses */
#define BURST_CONFLICTS 20000 /* before it is given up */
#define EARLY_CONFLICTS 3000  /* where more overlap: that often works, and costs little */

enum racer_phase { RACER_LEARNS, RACER_ANNEALS, RACER_BURSTS };

struct racer {
    struct race *race;
    struct solver solver;
    struct anneal anneal;
    uint32_t *order; /* scratch */
    unsigned number; /* 0 only learns, the others anneal */
    bool is_ready;   /* it has begun */
    enum racer_phase phase;
    uint64_t few;       /* overlaps at which it bursts */
    uint64_t burst_end; /* conflicts */
    unsigned thread;    /* which runs it; 0: that of the caller */
    bool is_out;        /* its steps are used up */
    enum search_answer answer;
    enum status status;
    struct error err;
};

struct race {
    const struct search_index *index;
    const struct search_options *options;
    atomic_bool is_over;
    struct racer *racers;
    unsigned racer_count;
};

/* --- A racer ---------------------------------------------------------------------- */

static uint64_t steps_of(const struct racer *r)
{
    return solver_steps(&r->solver) + anneal_steps(&r->anneal);
}

static enum status learn(struct racer *r, uint64_t steps, uint64_t conflicts, struct error *err)
{
    struct solver_budget budget = { steps,
                                    conflicts,
                                    { r->race->options->stop, &r->race->is_over } };

    return solver_run(&r->solver, &budget, &r->answer, err);
}

static uint64_t few_at_first(const struct racer *r)
{
    uint64_t few = r->race->index->problem->node_count / 80;

    return few > OVERLAPS_FEW ? few : OVERLAPS_FEW;
}

static enum status anneal_a_turn(struct racer *r, uint64_t steps, struct error *err)
{
    struct anneal_goal goal = { r->few, steps < ANNEAL_TURN ? steps : ANNEAL_TURN, FROZEN };

    TRY(anneal_run(&r->anneal, &goal, err));
    if (anneal_cost(&r->anneal) > goal.cost && r->anneal.temperature > goal.temperature)
        return STATUS_OK;
    if (r->anneal.temperature <= goal.temperature)
        r->few = OVERLAPS_FEW;
    anneal_line_read(&r->anneal.line, r->order);
    TRY(solver_set_home(&r->solver, r->order, err));
    r->burst_end =
        r->solver.counts.conflicts + (r->few > OVERLAPS_FEW ? EARLY_CONFLICTS : BURST_CONFLICTS);
    r->phase = RACER_BURSTS;
    return STATUS_OK;
}

static enum status burst(struct racer *r, uint64_t steps, struct error *err)
{
    uint64_t patience = r->anneal.patience;

    TRY(learn(r, steps, r->burst_end - r->solver.counts.conflicts, err));
    if (r->solver.counts.conflicts < r->burst_end)
        return STATUS_OK;
    r->phase = RACER_ANNEALS;
    if (r->few > OVERLAPS_FEW) {
        r->few = r->few / 3 > OVERLAPS_FEW ? r->few / 3 : OVERLAPS_FEW;
        return STATUS_OK;
    }
    r->few = few_at_first(r);
    anneal_heat(&r->anneal, HEAT, patience < PATIENCE_MAX ? patience * 2 : patience);
    return STATUS_OK;
}

static bool is_over(const struct race *race)
{
    return atomic_load_explicit(&race->is_over, memory_order_relaxed) ||
           (race->options->stop && atomic_load_explicit(race->options->stop, memory_order_relaxed));
}

static enum status prepare(struct racer *r, struct error *err)
{
    const struct race *race = r->race;

    r->is_ready = true;
    r->phase = RACER_LEARNS;
    TRY(solver_init(&r->solver, race->index, race->options, err));
    if (r->number == 0)
        return STATUS_OK;
    r->phase = RACER_ANNEALS;
    r->few = few_at_first(r);
    TRY(memory_resize((void **)&r->order, (size_t)race->index->problem->node_count + 1,
                      sizeof *r->order, err));
    TRY(anneal_init(&r->anneal, race->index, race->options->seed + r->number, err));
    anneal_heat(&r->anneal, HEAT, 1);
    return STATUS_OK;
}

/* Runs for about so many steps. */
static enum status advance(struct racer *r, uint64_t steps, struct error *err)
{
    uint64_t limit = r->race->options->steps_max, now, end;

    if (!r->is_ready)
        TRY(prepare(r, err));
    now = steps_of(r);
    end = now + steps;
    if (limit > 0 && end > limit)
        end = limit;
    while (now < end && r->answer == SEARCH_UNDECIDED && !is_over(r->race)) {
        if (r->phase == RACER_LEARNS)
            TRY(learn(r, end - now, UINT64_MAX, err));
        else if (r->phase == RACER_ANNEALS)
            TRY(anneal_a_turn(r, end - now, err));
        else
            TRY(burst(r, end - now, err));
        now = steps_of(r);
    }
    r->is_out = limit > 0 && now >= limit;
    return STATUS_OK;
}

/* --- The race --------------------------------------------------------------------- */

/* All racers of a thread in turn, which get longer. */
static void take_turns(struct race *race, unsigned thread)
{
    uint64_t steps = TURN_FIRST;
    bool somebody_runs = true;

    while (somebody_runs && !is_over(race)) {
        somebody_runs = false;
        for (unsigned i = 0; i < race->racer_count && !is_over(race); i++) {
            struct racer *r = &race->racers[i];

            if (r->thread != thread || r->is_out)
                continue;
            somebody_runs = true;
            r->status = advance(r, r->number == 0 ? steps / LEARNER_SHARE : steps, &r->err);
            if (r->status != STATUS_OK || r->answer != SEARCH_UNDECIDED)
                atomic_store(&race->is_over, true);
        }
        steps += steps < TURN_MAX ? steps / 2 : 0;
    }
}

static void *run_thread(void *argument)
{
    struct racer *racer = argument;

    take_turns(racer->race, racer->thread);
    return NULL;
}

/* Racers for whom there is no thread stay with the caller's. */
static void run_threads(struct race *race, unsigned thread_count, pthread_t *threads)
{
    for (unsigned i = 1; i < race->racer_count && i < thread_count; i++) {
        race->racers[i].thread = i;
        if (thread_start(&threads[i], THREAD_STACK_BYTES, run_thread, &race->racers[i]) != 0)
            race->racers[i].thread = 0;
    }
    take_turns(race, 0);
    for (unsigned i = 1; i < race->racer_count; i++)
        if (race->racers[i].thread > 0)
            pthread_join(threads[i], NULL);
}

static void add_counts(struct search_counts *sum, const struct racer *r)
{
    sum->steps += steps_of(r);
    sum->decisions += r->solver.counts.decisions;
    sum->conflicts += r->solver.counts.conflicts;
    sum->restarts += r->solver.counts.restarts;
    sum->moves += r->anneal.moves;
}

static enum status take_answer(struct racer *r, struct search_result *result, struct error *err)
{
    const struct search_problem *p = r->race->index->problem;

    result->answer = r->answer;
    if (r->answer == SEARCH_IMPOSSIBLE) {
        result->has_proof = r->solver.is_logging && !r->solver.log.has_given_up;
        return result->has_proof ? search_log_trim(&r->solver.log, &result->proof, err) : STATUS_OK;
    }
    TRY(memory_resize((void **)&result->order, (size_t)p->node_count + 1, sizeof *result->order,
                      err));
    TRY(memory_resize((void **)&result->values, (size_t)p->variable_count + 1,
                      sizeof *result->values, err));
    memcpy(result->order, r->solver.topology.node_at, p->node_count * sizeof *result->order);
    solver_read_values(&r->solver, result->values);
    return STATUS_OK;
}

static enum status finish(struct race *race, struct search_result *result, struct error *err)
{
    for (unsigned i = 0; i < race->racer_count; i++)
        if (race->racers[i].status != STATUS_OK) {
            *err = race->racers[i].err;
            return race->racers[i].status;
        }
    for (unsigned i = 0; i < race->racer_count; i++)
        add_counts(&result->counts, &race->racers[i]);
    for (unsigned i = 0; i < race->racer_count; i++)
        if (race->racers[i].answer != SEARCH_UNDECIDED)
            return take_answer(&race->racers[i], result, err);
    return STATUS_OK;
}

static void line_up(struct race *race, unsigned count)
{
    race->racer_count = count;
    for (unsigned i = 0; i < count; i++) {
        race->racers[i].race = race;
        race->racers[i].number = i;
        race->racers[i].answer = SEARCH_UNDECIDED;
    }
}

static void race_close(struct race *race)
{
    for (unsigned i = 0; i < race->racer_count; i++) {
        struct racer *r = &race->racers[i];

        if (r->is_ready)
            solver_close(&r->solver);
        anneal_close(&r->anneal);
        free(r->order);
    }
    free(race->racers);
}

/* Fills the result, which is empty. */
static enum status portfolio_run(const struct search_index *index, const struct search_options *options,
                                 struct search_result *result, struct error *err)
{
    struct race race = { .index = index, .options = options };
    unsigned count = index->problem->chain_count == 0 ? 1
                     : options->threads > 2           ? options->threads
                                                      : 2;
    pthread_t *threads = NULL;
    enum status status = memory_resize((void **)&threads, count, sizeof *threads, err);

    if (status == STATUS_OK)
        status = check_memory((void **)&race.racers, count, sizeof *race.racers, 0, err);
    if (status == STATUS_OK) {
        line_up(&race, count);
        run_threads(&race, options->threads, threads);
        status = finish(&race, result, err);
    }
    race_close(&race);
    free(threads);
    return status;
}

/* --- Checking the answer ------------------------------------------------------- */

static bool is_true(const struct search_result *r, uint32_t literal)
{
    return literal == SEARCH_NONE || r->values[literal / 2] == !(literal & 1);
}

/* A model is believed when it has been looked at, edge by edge and clause by clause. */
static void check_model(const struct search_problem *p, const struct search_result *r,
                        const uint32_t *place)
{
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (is_true(r, p->edges[e].guards[0]) && is_true(r, p->edges[e].guards[1]))
            assert(place[p->edges[e].from] < place[p->edges[e].to]);
    for (uint32_t c = 0; c < p->clause_count; c++) {
        bool holds = false;

        for (uint32_t i = p->clause_start[c]; i < p->clause_start[c + 1]; i++)
            holds |= is_true(r, p->literals[i]);
        assert(holds);
    }
}

static enum status check_result(const struct search_problem *p, const struct search_result *r,
                                struct error *err)
{
    uint32_t *place = NULL;

    if (r->answer != SEARCH_FOUND)
        return STATUS_OK;
    TRY(check_memory((void **)&place, (size_t)p->node_count + 1, sizeof *place, 0xff, err));
    for (uint32_t i = 0; i < p->node_count; i++) {
        assert(r->order[i] < p->node_count && place[r->order[i]] == SEARCH_NONE);
        place[r->order[i]] = i;
    }
    check_model(p, r, place);
    free(place);
    return STATUS_OK;
}

enum status search_solve(const struct search_problem *problem, const struct search_options *options,
                         struct search_result *result, struct error *err)
{
    struct search_index index;
    enum status status;

    *result = (struct search_result){ .answer = SEARCH_UNDECIDED };
    status = search_index_init(&index, problem, options->seed, err);
    if (status == STATUS_OK)
        status = portfolio_run(&index, options, result, err);
    if (status == STATUS_OK)
        status = check_result(problem, result, err);
    search_index_close(&index);
    return status;
}

void search_result_close(struct search_result *result)
{
    free(result->order);
    free(result->values);
    free(result->proof.steps);
    free(result->proof.words);
    *result = (struct search_result){ 0 };
}
