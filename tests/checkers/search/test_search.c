#include "checkers/search/solver/search.h"

#include <stdio.h>
#include <stdlib.h>

#include "checkers/search/solver/anneal_private.h"
#include "tests/checkers/search/search_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;
static struct random draws;

void setUp(void)
{
    struct random_key key = random_key_of_seed(1);

    err = (struct error){ 0 };
    random_init(&draws, &key);
}

void tearDown(void) {}

static const char *name(const char *what, size_t round)
{
    static char text[200];

    snprintf(text, sizeof text, "%s, round %zu", what, round);
    return text;
}

/* Solves, and has every proof checked; that a model is one, the search asserts itself. */
static enum search_answer solve(const struct search_problem *p, unsigned threads, uint64_t seed)
{
    struct search_options options = { .threads = threads, .seed = seed, .wants_proof = true };
    struct search_result result;
    enum search_answer answer;

    ASSERT_OK(search_solve(p, &options, &result, &err), &err);
    answer = result.answer;
    if (answer == SEARCH_IMPOSSIBLE) {
        TEST_ASSERT_TRUE(result.has_proof);
        TEST_ASSERT_NULL(proof_flaw(p, &result.proof));
    }
    search_result_close(&result);
    return answer;
}

/* --- Against the oracle ----------------------------------------------------------- */

static void random_problems_are_solved_or_refuted_as_trying_everything_says(void)
{
    size_t rounds = fixture_rounds(20000), solved = 0;

    for (size_t i = 0; i < rounds; i++) {
        struct puzzle puzzle;
        struct search_problem problem;
        bool can_be;

        puzzle_draw(&puzzle, &draws);
        problem = puzzle_problem(&puzzle);
        can_be = oracle_can_solve(&problem);
        solved += can_be;
        TEST_ASSERT_EQUAL_MESSAGE(can_be ? SEARCH_FOUND : SEARCH_IMPOSSIBLE,
                                  solve(&problem, 1 + i % 16 / 15, i), name("puzzle", i));
        puzzle_close(&puzzle);
    }
    TEST_ASSERT_TRUE(solved > rounds / 5 && solved < rounds * 4 / 5);
}

static void histories_are_solved_or_refuted_as_trying_everything_says(void)
{
    static const struct puzzle_shape shapes[] = {
        { 6, 2, 3, 40, 70, 0 }, { 5, 2, 3, 50, 80, 2 }, { 6, 3, 3, 40, 80, 3 },
        { 7, 3, 3, 30, 60, 0 }, { 6, 1, 2, 60, 80, 3 },
    };
    size_t rounds = fixture_rounds(20000), solved = 0, tried = 0;

    for (size_t i = 0; i < rounds; i++) {
        struct puzzle puzzle;
        struct search_problem problem;
        bool can_be;

        puzzle_draw_history(&puzzle, &shapes[i % ROW_COUNT(shapes)], &draws);
        problem = puzzle_problem(&puzzle);
        if (problem.variable_count <= 12) {
            can_be = oracle_can_solve(&problem);
            solved += can_be;
            tried++;
            TEST_ASSERT_EQUAL_MESSAGE(can_be ? SEARCH_FOUND : SEARCH_IMPOSSIBLE,
                                      solve(&problem, 1 + i % 16 / 15, i), name("history", i));
        }
        puzzle_close(&puzzle);
    }
    TEST_ASSERT_TRUE(tried > rounds / 3);
    TEST_ASSERT_TRUE(solved > tried / 3 && solved < tried * 9 / 10);
}

/* --- Larger ones ------------------------------------------------------------------ */

static void a_serial_order_that_was_hidden_is_found_again(void)
{
    static const struct puzzle_shape shapes[] = {
        { 600, 60, 6, 50, 0, 0 },   { 300, 10, 4, 50, 0, 0 },   { 600, 300, 6, 80, 0, 0 },
        { 300, 30, 6, 50, 0, 200 }, { 200, 10, 4, 40, 0, 100 },
    };

    for (size_t i = 0; i < 2 * ROW_COUNT(shapes); i++) {
        struct puzzle puzzle;
        struct search_problem problem;

        puzzle_draw_history(&puzzle, &shapes[i / 2], &draws);
        problem = puzzle_problem(&puzzle);
        TEST_ASSERT_EQUAL_MESSAGE(SEARCH_FOUND, solve(&problem, 1 + i % 2, i),
                                  name("shape", i / 2));
        puzzle_close(&puzzle);
    }
}

/* No two of `count` + 1 pigeons share one of `count` holes: it takes a long proof to see why. */
static void draw_pigeons(struct puzzle *p, uint32_t count)
{
    uint32_t literals[16];

    *p = (struct puzzle){ .node_count = 2, .variable_count = (count + 1) * count };
    for (uint32_t i = 0; i <= count; i++) {
        for (uint32_t h = 0; h < count; h++)
            literals[h] = search_literal(i * count + h, true);
        puzzle_clause(p, literals, count);
    }
    for (uint32_t h = 0; h < count; h++)
        for (uint32_t i = 0; i <= count; i++)
            for (uint32_t j = 0; j < i; j++) {
                literals[0] = search_literal(i * count + h, false);
                literals[1] = search_literal(j * count + h, false);
                puzzle_clause(p, literals, 2);
            }
}

static void a_long_refutation_has_a_proof_that_can_be_checked(void)
{
    struct puzzle puzzle;
    struct search_problem problem;

    draw_pigeons(&puzzle, 8);
    problem = puzzle_problem(&puzzle);
    TEST_ASSERT_EQUAL(SEARCH_IMPOSSIBLE, solve(&problem, 1, 1));
    puzzle_close(&puzzle);
}

/* Every pair of nodes has an order, and clauses say something on three of them. */
static void draw_tournament(struct puzzle *p, uint32_t count, struct random *r)
{
    uint32_t pairs = count * (count - 1) / 2;
    uint32_t clauses = (uint32_t)random_between(r, pairs, 5 * pairs / 2);

    *p = (struct puzzle){ .node_count = count, .variable_count = pairs };
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++) {
            puzzle_edge(p, b, a, search_literal(a * (a - 1) / 2 + b, true), SEARCH_NONE);
            puzzle_edge(p, a, b, search_literal(a * (a - 1) / 2 + b, false), SEARCH_NONE);
        }
    for (uint32_t i = 0; i < clauses; i++) {
        uint32_t literals[3];

        for (int l = 0; l < 3; l++)
            literals[l] = (uint32_t)random_below(r, 2 * p->variable_count);
        puzzle_clause(p, literals, 3);
    }
}

static void one_thread_and_two_come_to_the_same_answer(void)
{
    size_t found = 0, rounds = fixture_rounds(40);

    for (size_t i = 0; i < rounds; i++) {
        struct puzzle puzzle;
        struct search_problem problem;
        enum search_answer answer;

        draw_tournament(&puzzle, 10 + i % 5, &draws);
        problem = puzzle_problem(&puzzle);
        answer = solve(&problem, 1, i);
        TEST_ASSERT_NOT_EQUAL(SEARCH_UNDECIDED, answer);
        found += answer == SEARCH_FOUND;
        TEST_ASSERT_EQUAL_MESSAGE(answer, solve(&problem, 3, i), name("tournament", i));
        puzzle_close(&puzzle);
    }
    TEST_ASSERT_TRUE(found > rounds / 8 && found < rounds * 7 / 8);
}

/* --- Annealing -------------------------------------------------------------------- */

/* Of a chain: the places of its head, and of its last reader for certain. */
static void locate(const struct search_problem *p, uint32_t chain, const uint32_t *place,
                   uint32_t *low, uint32_t *high)
{
    const struct search_chain *c = &p->chains[chain];

    *low = place[c->head];
    *high = place[c->last];
    for (uint32_t r = c->reader_start; r < c->reader_end; r++)
        if (p->readers[r].guard == SEARCH_NONE && place[p->readers[r].node] > *high)
            *high = place[p->readers[r].node];
}

static uint64_t count_overlaps(const struct search_problem *p, const uint32_t *place)
{
    uint64_t count = 0;

    for (uint32_t a = 0; a < p->chain_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            uint32_t low, high, other_low, other_high;

            if (p->chains[a].key != p->chains[b].key)
                continue;
            locate(p, a, place, &low, &high);
            locate(p, b, place, &other_low, &other_high);
            count += low < other_high && other_low < high;
        }
    return count;
}

/* Of the chains of the writer's keys, those whose heads are between it and the reader. */
static uint64_t count_read(const struct anneal_reads *reads, const struct open_read *o,
                           const uint32_t *place)
{
    uint32_t reader = place[o->reader], writer = place[o->source];
    uint32_t low = reader < writer ? reader : writer, high = reader < writer ? writer : reader;
    uint64_t count = writer > reader;

    for (uint32_t i = o->other_start; i < o->other_end; i++)
        count += low < place[reads->others[i]] && place[reads->others[i]] < high;
    return count;
}

static void expect_costs(const struct search_problem *p, const struct anneal *a)
{
    uint32_t order[100], place[100];
    uint64_t cost = 0;

    anneal_line_read(&a->line, order);
    for (uint32_t i = 0; i < p->node_count; i++)
        place[order[i]] = i;
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (p->edges[e].guards[0] == SEARCH_NONE && p->edges[e].guards[1] == SEARCH_NONE) {
            TEST_ASSERT_TRUE(place[p->edges[e].from] < place[p->edges[e].to]);
        }
    TEST_ASSERT_EQUAL(count_overlaps(p, place), a->overlaps);
    for (uint32_t i = 0; i < a->reads.count; i++)
        cost += count_read(&a->reads, &a->reads.reads[i], place);
    TEST_ASSERT_EQUAL(cost, a->reads.cost);
}

static void what_an_order_costs_is_known_after_every_move(void)
{
    static const struct puzzle_shape shapes[] = {
        { 40, 5, 4, 50, 0, 0 },
        { 60, 10, 5, 50, 0, 10 },
        { 30, 2, 3, 60, 40, 6 },
    };

    for (size_t i = 0; i < ROW_COUNT(shapes); i++) {
        struct anneal_goal a_little = { .steps = 30 };
        struct puzzle puzzle;
        struct search_problem problem;
        struct search_index index;
        struct anneal anneal;

        puzzle_draw_history(&puzzle, &shapes[i], &draws);
        problem = puzzle_problem(&puzzle);
        ASSERT_OK(search_index_init(&index, &problem, i, &err), &err);
        ASSERT_OK(anneal_init(&anneal, &index, i, &err), &err);
        anneal_heat(&anneal, 3, 1);
        expect_costs(&problem, &anneal);
        for (int slice = 0; slice < 300; slice++) {
            ASSERT_OK(anneal_run(&anneal, &a_little, &err), &err);
            expect_costs(&problem, &anneal);
        }
        TEST_ASSERT_TRUE(anneal.moves > 100);
        anneal_close(&anneal);
        search_index_close(&index);
        puzzle_close(&puzzle);
    }
}

/* --- Ends ------------------------------------------------------------------------- */

static struct search_result run(const struct search_problem *p,
                                const struct search_options *options)
{
    struct search_result result;

    ASSERT_OK(search_solve(p, options, &result, &err), &err);
    return result;
}

static void who_stops_it_or_lets_it_take_few_steps_gets_no_answer(void)
{
    static const struct puzzle_shape shape = { 300, 10, 4, 50, 0, 0 };
    atomic_bool stop = true;
    struct search_options stopped = { .stop = &stop, .threads = 2 }, short_of = { .steps_max = 50 };
    struct search_result result;
    struct puzzle puzzle;
    struct search_problem problem;

    puzzle_draw_history(&puzzle, &shape, &draws);
    problem = puzzle_problem(&puzzle);
    result = run(&problem, &stopped);
    TEST_ASSERT_EQUAL(SEARCH_UNDECIDED, result.answer);
    search_result_close(&result);
    result = run(&problem, &short_of);
    TEST_ASSERT_EQUAL(SEARCH_UNDECIDED, result.answer);
    search_result_close(&result);
    puzzle_close(&puzzle);
}

static void one_thread_does_the_same_again(void)
{
    static const struct puzzle_shape shape = { 300, 10, 4, 50, 0, 0 };
    struct search_options options = { .threads = 1, .seed = 5 };
    struct search_result once, again;
    struct puzzle puzzle;
    struct search_problem problem;

    puzzle_draw_history(&puzzle, &shape, &draws);
    problem = puzzle_problem(&puzzle);
    once = run(&problem, &options);
    again = run(&problem, &options);
    TEST_ASSERT_EQUAL(SEARCH_FOUND, once.answer);
    TEST_ASSERT_EQUAL_MEMORY(once.order, again.order, problem.node_count * sizeof *once.order);
    TEST_ASSERT_EQUAL_MEMORY(once.values, again.values, problem.variable_count);
    TEST_ASSERT_EQUAL(once.counts.steps, again.counts.steps);
    search_result_close(&once);
    search_result_close(&again);
    puzzle_close(&puzzle);
}

static void nothing_is_solved_at_once_and_a_false_clause_is_refuted(void)
{
    struct puzzle nothing = { 0 }, falsehood = { 0 };
    struct search_problem problem = puzzle_problem(&nothing);

    TEST_ASSERT_EQUAL(SEARCH_FOUND, solve(&problem, 2, 0));
    puzzle_clause(&falsehood, NULL, 0);
    problem = puzzle_problem(&falsehood);
    TEST_ASSERT_EQUAL(SEARCH_IMPOSSIBLE, solve(&problem, 2, 0));
    puzzle_close(&falsehood);
}

static void a_proof_that_lacks_something_is_refused(void)
{
    struct search_options options = { .wants_proof = true };
    struct search_result result;
    struct puzzle puzzle;
    struct search_problem problem;
    size_t flaws = 0;

    draw_pigeons(&puzzle, 4);
    problem = puzzle_problem(&puzzle);
    result = run(&problem, &options);
    TEST_ASSERT_EQUAL(SEARCH_IMPOSSIBLE, result.answer);
    for (uint32_t i = 0; i < result.proof.step_count; i++) {
        struct search_step *step = &result.proof.steps[i], whole = *step;

        /* Every clause of `by` has its use. */
        step->by++;
        step->by_count--;
        flaws += proof_flaw(&problem, &result.proof) != NULL;
        *step = whole;
    }
    TEST_ASSERT_EQUAL(result.proof.step_count, flaws);
    TEST_ASSERT_NULL(proof_flaw(&problem, &result.proof));
    search_result_close(&result);
    puzzle_close(&puzzle);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(random_problems_are_solved_or_refuted_as_trying_everything_says);
    RUN_TEST(histories_are_solved_or_refuted_as_trying_everything_says);
    RUN_TEST(a_serial_order_that_was_hidden_is_found_again);
    RUN_TEST(a_long_refutation_has_a_proof_that_can_be_checked);
    RUN_TEST(one_thread_and_two_come_to_the_same_answer);
    RUN_TEST(what_an_order_costs_is_known_after_every_move);
    RUN_TEST(who_stops_it_or_lets_it_take_few_steps_gets_no_answer);
    RUN_TEST(one_thread_does_the_same_again);
    RUN_TEST(nothing_is_solved_at_once_and_a_false_clause_is_refuted);
    RUN_TEST(a_proof_that_lacks_something_is_refused);
    return UNITY_END();
}
