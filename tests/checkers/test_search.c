#include "checkers/blackbox/search.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/checkers/search_fixture.h"
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

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(random_problems_are_solved_or_refuted_as_trying_everything_says);
    RUN_TEST(histories_are_solved_or_refuted_as_trying_everything_says);
    return UNITY_END();
}
