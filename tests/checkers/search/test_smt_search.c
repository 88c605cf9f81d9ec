#include "checkers/search/solver/smt_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define NODES_MAX 64
#define VARIABLES_MAX 8
#define EDGES_MAX 400
#define CLAUSES_MAX 100

static struct error err;
static uint64_t conflicts; /* that the propagator handed over */

void setUp(void)
{
    err = (struct error){ 0 };
    conflicts = 0;
}

void tearDown(void) {}

static const enum smt_encoding encodings[] = { SMT_POSITIONS, SMT_PROPAGATOR };

/* A problem in memory of its own. */
struct posed {
    struct search_problem problem;
    struct search_edge edges[EDGES_MAX];
    uint32_t clause_start[CLAUSES_MAX + 1], literals[3 * CLAUSES_MAX];
};

static void add_edge(struct posed *posed, uint32_t from, uint32_t to, uint32_t first,
                     uint32_t second)
{
    posed->edges[posed->problem.edge_count++] =
        (struct search_edge){ from, to, { first, second } };
}

static void add_clause(struct posed *posed, const uint32_t *literals, uint32_t count)
{
    uint32_t start = posed->clause_start[posed->problem.clause_count];

    for (uint32_t i = 0; i < count; i++)
        posed->literals[start + i] = literals[i];
    posed->clause_start[++posed->problem.clause_count] = start + count;
}

static void pose(struct posed *posed, uint32_t nodes, uint32_t variables)
{
    memset(posed, 0, sizeof *posed);
    posed->problem = (struct search_problem){ .node_count = nodes,
                                              .variable_count = variables,
                                              .edges = posed->edges,
                                              .literals = posed->literals,
                                              .clause_start = posed->clause_start };
}

static enum search_answer answer_of(const struct search_problem *problem, enum smt_encoding encoding)
{
    struct smt_search_options options = { .encoding = encoding, .rlimit = SMT_RLIMIT };
    struct search_result result;
    enum search_answer answer;

    ASSERT_OK(smt_search_solve(problem, &options, &result, &err), &err);
    answer = result.answer;
    conflicts += result.counts.conflicts;
    search_result_close(&result);
    return answer;
}

/* --- By hand -------------------------------------------------------------------------- */

/* A choice of two ways, of which the known edges leave one. */
static void what_must_be_is_found_and_what_cannot_is_said(void)
{
    for (size_t i = 0; i < ROW_COUNT(encodings); i++) {
        struct smt_search_options options = { .encoding = encodings[i] };
        struct search_result result;
        struct posed posed;

        pose(&posed, 3, 1);
        add_edge(&posed, 0, 1, SEARCH_NONE, SEARCH_NONE);
        add_edge(&posed, 1, 2, 0, SEARCH_NONE);
        add_edge(&posed, 2, 0, 1, SEARCH_NONE);
        add_edge(&posed, 2, 1, 1, 1); /* the same guard twice */
        add_clause(&posed, (const uint32_t[]){ 0 }, 1);
        ASSERT_OK(smt_search_solve(&posed.problem, &options, &result, &err), &err);
        TEST_ASSERT_EQUAL(SEARCH_FOUND, result.answer);
        TEST_ASSERT_EQUAL(1, result.values[0]);
        TEST_ASSERT_EQUAL(0, result.order[0]);
        TEST_ASSERT_EQUAL(1, result.order[1]);
        TEST_ASSERT_EQUAL(2, result.order[2]);
        search_result_close(&result);
        add_edge(&posed, 2, 0, 0, SEARCH_NONE);
        TEST_ASSERT_EQUAL(SEARCH_IMPOSSIBLE, answer_of(&posed.problem, encodings[i]));
    }
}

static void a_problem_without_anything_has_an_order(void)
{
    for (size_t i = 0; i < ROW_COUNT(encodings); i++) {
        struct posed posed;

        pose(&posed, 0, 0);
        TEST_ASSERT_EQUAL(SEARCH_FOUND, answer_of(&posed.problem, encodings[i]));
        pose(&posed, 1, 0);
        TEST_ASSERT_EQUAL(SEARCH_FOUND, answer_of(&posed.problem, encodings[i]));
        pose(&posed, 1, 1);
        add_clause(&posed, NULL, 0);
        TEST_ASSERT_EQUAL(SEARCH_IMPOSSIBLE, answer_of(&posed.problem, encodings[i]));
    }
}

static void an_edge_to_itself_must_not_be_there(void)
{
    for (size_t i = 0; i < ROW_COUNT(encodings); i++) {
        struct posed posed;

        pose(&posed, 1, 1);
        add_edge(&posed, 0, 0, 1, SEARCH_NONE);
        TEST_ASSERT_EQUAL(SEARCH_FOUND, answer_of(&posed.problem, encodings[i]));
        add_clause(&posed, (const uint32_t[]){ 1 }, 1);
        TEST_ASSERT_EQUAL(SEARCH_IMPOSSIBLE, answer_of(&posed.problem, encodings[i]));
    }
}

/* --- Against trying everything -------------------------------------------------------- */

static bool is_true(uint32_t values, uint32_t literal)
{
    return literal == SEARCH_NONE || (values >> literal / 2 & 1) == !(literal % 2);
}

static bool has_order(const struct search_problem *p, uint32_t values)
{
    bool is_placed[NODES_MAX] = { false }, goes_on = true;
    uint32_t placed = 0;

    while (goes_on) {
        goes_on = false;
        for (uint32_t n = 0; n < p->node_count; n++) {
            bool is_free = !is_placed[n];
            for (uint32_t e = 0; e < p->edge_count && is_free; e++)
                is_free = p->edges[e].to != n || is_placed[p->edges[e].from] ||
                          !is_true(values, p->edges[e].guards[0]) ||
                          !is_true(values, p->edges[e].guards[1]);
            is_placed[n] |= is_free;
            placed += is_free;
            goes_on |= is_free;
        }
    }
    return placed == p->node_count;
}

static bool has_solution(const struct search_problem *p)
{
    for (uint32_t values = 0; values < UINT32_C(1) << p->variable_count; values++) {
        bool holds = true;
        for (uint32_t c = 0; c < p->clause_count && holds; c++) {
            holds = false;
            for (uint32_t i = p->clause_start[c]; i < p->clause_start[c + 1]; i++)
                holds |= is_true(values, p->literals[i]);
        }
        if (holds && has_order(p, values))
            return true;
    }
    return false;
}

static void pose_at_random(struct posed *posed, struct random *random, uint32_t nodes,
                           uint32_t variables)
{
    uint64_t known = random_below(random, nodes), guarded = random_below(random, 4 * variables + 1);
    uint64_t clauses = random_below(random, variables + 1);

    pose(posed, nodes, variables);
    for (uint64_t i = 0; i < known; i++) {
        uint32_t from = (uint32_t)random_below(random, nodes - 1);
        uint32_t further = (uint32_t)random_below(random, nodes - 1 - from);
        add_edge(posed, from, from + 1 + further, SEARCH_NONE, SEARCH_NONE);
    }
    for (uint64_t i = 0; i < guarded; i++) {
        uint32_t from = (uint32_t)random_below(random, nodes);
        uint32_t to = (uint32_t)random_below(random, nodes);
        uint32_t first = (uint32_t)random_below(random, 2 * variables);
        uint32_t second = (uint32_t)random_below(random, 2 * variables);
        add_edge(posed, from, to, first, random_below(random, 3) ? SEARCH_NONE : second);
    }
    for (uint64_t i = 0; i < clauses; i++) {
        uint32_t literals[3];
        uint32_t count = 1 + (uint32_t)random_below(random, 3);
        for (uint32_t k = 0; k < count; k++)
            literals[k] = (uint32_t)random_below(random, 2 * variables);
        add_clause(posed, literals, count);
    }
}

static void small_problems_are_solved_as_by_trying_everything(void)
{
    unsigned found = 0, impossible = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(250); seed++) {
        struct random_key key = random_key_of_seed(seed);
        struct random random;
        struct posed posed;
        enum search_answer expected;
        char label[60];

        random_init(&random, &key);
        pose_at_random(&posed, &random, 2 + (uint32_t)random_below(&random, 6),
                       1 + (uint32_t)random_below(&random, VARIABLES_MAX));
        expected = has_solution(&posed.problem) ? SEARCH_FOUND : SEARCH_IMPOSSIBLE;
        *(expected == SEARCH_FOUND ? &found : &impossible) += 1;
        for (size_t i = 0; i < ROW_COUNT(encodings); i++) {
            snprintf(label, sizeof label, "seed %llu, encoding %zu", (unsigned long long)seed, i);
            TEST_ASSERT_EQUAL_MESSAGE(expected, answer_of(&posed.problem, encodings[i]), label);
        }
    }
    TEST_ASSERT_GREATER_THAN(50, found);
    TEST_ASSERT_GREATER_THAN(50, impossible);
    TEST_ASSERT_GREATER_THAN(100, conflicts);
}

/* --- Against the native search -------------------------------------------------------- */

static void larger_problems_are_solved_as_by_the_native_search(void)
{
    unsigned answers[3] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(120); seed++) {
        struct random_key key = random_key_of_seed(seed);
        struct search_options options = { .seed = seed };
        struct search_result result;
        struct random random;
        struct posed posed;
        char label[60];

        random_init(&random, &key);
        pose_at_random(&posed, &random, 10 + (uint32_t)random_below(&random, NODES_MAX - 9),
                       20 + (uint32_t)random_below(&random, EDGES_MAX / 5 - 20));
        ASSERT_OK(search_solve(&posed.problem, &options, &result, &err), &err);
        for (size_t i = 0; i < ROW_COUNT(encodings); i++) {
            snprintf(label, sizeof label, "seed %llu, encoding %zu", (unsigned long long)seed, i);
            TEST_ASSERT_EQUAL_MESSAGE(result.answer, answer_of(&posed.problem, encodings[i]),
                                      label);
        }
        answers[result.answer]++;
        search_result_close(&result);
    }
    TEST_ASSERT_GREATER_THAN(20, answers[SEARCH_FOUND]);
    TEST_ASSERT_GREATER_THAN(20, answers[SEARCH_IMPOSSIBLE]);
}

/* --- Effort ---------------------------------------------------------------------------- */

/*
 * Pigeons in holes, of which there is one too few: variable HOLES * pigeon + hole. No edge
 * is of any use, and there is no short way to see it.
 */
static struct search_problem make_pigeons(uint32_t pigeons, uint32_t **literals, uint32_t **starts)
{
    uint32_t holes = pigeons - 1, clauses = 0, count = 0;
    uint32_t room = pigeons * holes * (pigeons + 2);
    struct search_problem problem = { .node_count = 1, .variable_count = pigeons * holes };

    *literals = calloc(room, sizeof **literals);
    *starts = calloc(room, sizeof **starts);
    for (uint32_t p = 0; p < pigeons; p++) {
        for (uint32_t h = 0; h < holes; h++)
            (*literals)[count++] = search_literal(holes * p + h, true);
        (*starts)[++clauses] = count;
        for (uint32_t other = 0; other < p; other++)
            for (uint32_t h = 0; h < holes; h++) {
                (*literals)[count++] = search_literal(holes * p + h, false);
                (*literals)[count++] = search_literal(holes * other + h, false);
                (*starts)[++clauses] = count;
            }
    }
    problem.literals = *literals;
    problem.clause_start = *starts;
    problem.clause_count = clauses;
    return problem;
}

static void who_may_not_go_on_says_that_it_is_undecided(void)
{
    uint32_t *literals, *starts;
    struct search_problem problem = make_pigeons(14, &literals, &starts);
    atomic_bool stop = true;

    for (size_t i = 0; i < ROW_COUNT(encodings); i++) {
        struct smt_search_options limited = { .encoding = encodings[i], .rlimit = 20000 };
        struct smt_search_options stopped = { .encoding = encodings[i], .stop = &stop };
        struct search_result result;

        ASSERT_OK(smt_search_solve(&problem, &limited, &result, &err), &err);
        TEST_ASSERT_EQUAL(SEARCH_UNDECIDED, result.answer);
        search_result_close(&result);
        ASSERT_OK(smt_search_solve(&problem, &stopped, &result, &err), &err);
        TEST_ASSERT_EQUAL(SEARCH_UNDECIDED, result.answer);
        search_result_close(&result);
    }
    free(literals);
    free(starts);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_must_be_is_found_and_what_cannot_is_said);
    RUN_TEST(a_problem_without_anything_has_an_order);
    RUN_TEST(an_edge_to_itself_must_not_be_there);
    RUN_TEST(small_problems_are_solved_as_by_trying_everything);
    RUN_TEST(larger_problems_are_solved_as_by_the_native_search);
    RUN_TEST(who_may_not_go_on_says_that_it_is_undecided);
    return UNITY_END();
}
