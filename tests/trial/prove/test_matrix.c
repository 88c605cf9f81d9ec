#include "trial/prove/matrix.h"

#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "tests/fixture.h"
#include "unity.h"

static struct matrix matrix;
static struct matrix_row *row;
static struct error err;

void setUp(void)
{
    struct matrix_row begun;

    memset(&err, 0, sizeof err);
    matrix_init(&matrix);
    matrix_begin_row(&matrix, &begun, BUG_NO_TIMESTAMP_CACHE);
    ASSERT_OK(array_push(&matrix.rows, begun, &err), &err);
    row = &matrix.rows.at[0];
}

void tearDown(void)
{
    matrix_close(&matrix);
}

static unsigned column(const char *name)
{
    for (unsigned i = 0; i < matrix.column_count; i++)
        if (strcmp(matrix.columns[i].name, name) == 0)
            return i;
    TEST_FAIL_MESSAGE("there is no such column");
    return 0;
}

/* A run with these failures; every checker has judged it. NULL: none. */
static struct run_outcome outcome_of(uint64_t seed, const char *first, const char *second)
{
    struct run_outcome outcome = { .seed = seed, .verdict = first ? VERDICT_INVALID : VERDICT_VALID };

    for (int i = 0; checkers_all()[i]; i++)
        outcome.checks[i] = 1;
    if (first)
        ASSERT_OK(outcome_add_failure(&outcome, first, "why", &err), &err);
    if (second)
        ASSERT_OK(outcome_add_failure(&outcome, second, "why", &err), &err);
    return outcome;
}

static void add(uint64_t seed, const char *first, const char *second)
{
    struct run_outcome outcome = outcome_of(seed, first, second);

    ASSERT_OK(matrix_add(&matrix, row, &outcome, &err), &err);
    outcome_close(&outcome);
}

static void assert_wait(uint64_t expected, unsigned percent)
{
    uint64_t seeds;

    ASSERT_OK(matrix_wait(row, column("order"), percent, &seeds, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(expected, seeds);
}

static void the_run_and_every_checker_have_a_column(void)
{
    TEST_ASSERT_EQUAL_UINT(0, column("run"));
    for (int i = 0; checkers_all()[i]; i++)
        TEST_ASSERT_EQUAL_INT(i, matrix.columns[column(checkers_all()[i]->name)].checker);
}

static void so_has_everybody_whom_the_catalogue_names(void)
{
    for (int i = 0; i < BUG_COUNT; i++) {
        char name[40];
        const char *at = bug_entry((enum bug)i)->checkers;
        for (; *at; at += strspn(at, " ")) {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
            column(name);
            at += strcspn(at, " ");
        }
    }
}

static void what_is_caught_is_counted_once_a_run(void)
{
    struct matrix_cell *cell = &row->cells[column("order")];

    add(2, "order serializable G-single rw wr", "order serializable G1a item");
    add(1, "order serializable G1a item", "certificate serializable G2 rw rw");
    add(3, NULL, NULL);
    matrix_sort(&matrix);
    TEST_ASSERT_EQUAL_UINT64(3, row->runs);
    TEST_ASSERT_EQUAL_UINT64(2, row->seen);
    TEST_ASSERT_EQUAL_UINT64(2, cell->caught.count);
    TEST_ASSERT_EQUAL_UINT64(1, cell->caught.at[0]);
    TEST_ASSERT_EQUAL_UINT64(1, cell->kinds[ANOMALY_G_SINGLE]);
    TEST_ASSERT_EQUAL_UINT64(1, cell->kinds[ANOMALY_G1A]);
    TEST_ASSERT_EQUAL_UINT64(1, row->cells[column("certificate")].caught.count);
    TEST_ASSERT_EQUAL_UINT64(0, row->cells[column("run")].caught.count);
}

static void a_process_that_dies_is_seen_by_the_run(void)
{
    add(1, "run - crash SIGABRT x.c:1: f: Assertion `x' failed.", NULL);
    TEST_ASSERT_EQUAL_UINT64(1, row->cells[column("run")].caught.count);
    TEST_ASSERT_EQUAL_UINT64(1, row->cells[column("run")].kinds[ANOMALY_COUNT]);
    TEST_ASSERT_EQUAL_STRING("crash", matrix_kind_name(ANOMALY_COUNT));
}

/* Caught at 3, 4 and 10 of 10: from 1 it takes 3, 2, 1, 1, then 6, 5, 4, 3, 2, 1. */
static void waiting_is_counted_from_every_beginning(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        add(seed, seed == 3 || seed == 4 || seed == 10 ? "order serializable G1a item" : NULL,
            NULL);
    matrix_sort(&matrix);
    assert_wait(1, 10);
    assert_wait(2, 50);
    assert_wait(5, 90);
    assert_wait(6, 100);
}

static void beginnings_behind_the_last_wait_for_ever(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++)
        add(seed, seed == 4 ? "order serializable G1a item" : NULL, NULL);
    matrix_sort(&matrix);
    assert_wait(4, 40);
    assert_wait(MATRIX_NEVER, 50);
}

static void what_the_catalogue_expects_must_be_seen(void)
{
    add(1, "order serializable G1a item", NULL);
    TEST_ASSERT_TRUE(matrix_misses(&matrix, row));
    TEST_ASSERT_TRUE(matrix_cell_misses(&matrix, row, column("certificate")));
    TEST_ASSERT_FALSE(matrix_cell_misses(&matrix, row, column("order")));
    TEST_ASSERT_FALSE(matrix_cell_misses(&matrix, row, column("run")));
    for (int i = 0; checkers_all()[i]; i++) {
        char signature[80];
        snprintf(signature, sizeof signature, "%s serializable G1a item",
                 checkers_all()[i]->name);
        add((uint64_t)i + 2, signature, NULL);
    }
    TEST_ASSERT_FALSE(matrix_misses(&matrix, row));
}

static void who_cannot_judge_is_excused_for_bugs_of_several_protocols_alone(void)
{
    struct run_outcome outcome = outcome_of(1, NULL, NULL);
    struct matrix_row several;

    memset(outcome.checks, 0, sizeof outcome.checks);
    ASSERT_OK(matrix_add(&matrix, row, &outcome, &err), &err);
    TEST_ASSERT_TRUE(matrix_misses(&matrix, row));
    matrix_begin_row(&matrix, &several, BUG_COORDINATOR_FORGETS_A_SHARD);
    ASSERT_OK(matrix_add(&matrix, &several, &outcome, &err), &err);
    TEST_ASSERT_FALSE(matrix_misses(&matrix, &several));
    outcome.checks[0] = 1;
    ASSERT_OK(matrix_add(&matrix, &several, &outcome, &err), &err);
    TEST_ASSERT_TRUE(matrix_misses(&matrix, &several));
    outcome_close(&outcome);
}

static void of_false_alarms_the_first_is_told(void)
{
    struct matrix_clean clean = { .runs = 0 };
    static const uint64_t seeds[] = { 5, 3, 9 };

    for (size_t i = 0; i < ROW_COUNT(seeds); i++) {
        struct run_outcome outcome = outcome_of(seeds[i], "order serializable G1a item", NULL);
        ASSERT_OK(matrix_add_clean(&clean, &outcome, &err), &err);
        outcome_close(&outcome);
    }
    TEST_ASSERT_EQUAL_UINT64(3, clean.false_alarms);
    TEST_ASSERT_EQUAL_UINT64(3, clean.seed);
    ASSERT_OK(array_push(&matrix.clean, clean, &err), &err);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_run_and_every_checker_have_a_column);
    RUN_TEST(so_has_everybody_whom_the_catalogue_names);
    RUN_TEST(what_is_caught_is_counted_once_a_run);
    RUN_TEST(a_process_that_dies_is_seen_by_the_run);
    RUN_TEST(waiting_is_counted_from_every_beginning);
    RUN_TEST(beginnings_behind_the_last_wait_for_ever);
    RUN_TEST(what_the_catalogue_expects_must_be_seen);
    RUN_TEST(who_cannot_judge_is_excused_for_bugs_of_several_protocols_alone);
    RUN_TEST(of_false_alarms_the_first_is_told);
    return UNITY_END();
}
