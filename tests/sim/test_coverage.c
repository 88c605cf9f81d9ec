#include "sim/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "unity.h"

#define MS INT64_C(1000000)

static struct coverage *coverage;
static uint32_t *list, *other;

void setUp(void)
{
    coverage = calloc(1, sizeof *coverage);
    list = calloc(COVERAGE_PLACES, sizeof *list);
    other = calloc(COVERAGE_PLACES, sizeof *other);
    TEST_ASSERT_TRUE(coverage && list && other);
}

void tearDown(void)
{
    free(coverage);
    free(list);
    free(other);
}

static void happens(int64_t at_ns, enum trace_kind kind, uint32_t node)
{
    struct trace_record record = { .at_ns = at_ns, .kind = kind, .node = node,
                                   .peer = TRACE_NOBODY };

    coverage_record(coverage, &record, 0);
}

static void nothing_has_no_feature(void)
{
    TEST_ASSERT_EQUAL_UINT32(0, coverage_features(coverage, list));
}

/* How many features a path has, after what was recorded so far, on a node. */
static uint32_t features_of_path(int64_t at_ns, uint32_t node)
{
    uint32_t before;

    happens(at_ns, TRACE_TIMER, node);
    happens(at_ns, TRACE_TIMER, node);
    before = coverage_features(coverage, list);
    coverage_path(coverage, 3);
    return coverage_features(coverage, list) - before;
}

static void a_path_is_another_soon_after_a_fault_here_and_elsewhere(void)
{
    TEST_ASSERT_EQUAL_UINT32(2, features_of_path(0, 1)); /* the path, and that it is the first */
    memset(coverage, 0, sizeof *coverage);
    happens(0, TRACE_CRASH, 2);
    TEST_ASSERT_EQUAL_UINT32(3, features_of_path(5000 * MS, 1)); /* it is still down */
    memset(coverage, 0, sizeof *coverage);
    happens(0, TRACE_CRASH, 2);
    TEST_ASSERT_EQUAL_UINT32(4, features_of_path(1 * MS, 2));
    memset(coverage, 0, sizeof *coverage);
    happens(0, TRACE_CRASH, 2);
    happens(100 * MS, TRACE_RESTART, 2);
    TEST_ASSERT_EQUAL_UINT32(4, features_of_path(200 * MS, 2));
    memset(coverage, 0, sizeof *coverage);
    happens(0, TRACE_CRASH, 2);
    happens(100 * MS, TRACE_RESTART, 2);
    TEST_ASSERT_EQUAL_UINT32(2, features_of_path(1200 * MS, 2));
}

static void two_paths_soon_after_each_other_are_a_pair(void)
{
    uint32_t near, far;

    happens(0, TRACE_TIMER, 1);
    coverage_path(coverage, 7);
    near = features_of_path(500 * MS, 2);
    memset(coverage, 0, sizeof *coverage);
    happens(0, TRACE_TIMER, 1);
    coverage_path(coverage, 7);
    far = features_of_path(1500 * MS, 2);
    TEST_ASSERT_EQUAL_UINT32(far + 1, near);
}

static void what_happens_more_often_is_of_a_higher_class(void)
{
    static const struct {
        uint32_t times, class;
    } cases[] = { { 1, 0 }, { 2, 1 }, { 7, 1 }, { 8, 2 }, { 63, 2 }, { 64, 3 }, { 511, 3 },
                  { 512, 4 }, { 5000, 4 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(coverage, 0, sizeof *coverage);
        for (uint32_t k = 0; k < cases[i].times; k++)
            coverage_shape(coverage, 12345);
        TEST_ASSERT_EQUAL_UINT32(1, coverage_features(coverage, list));
        TEST_ASSERT_EQUAL_UINT32(cases[i].class, list[0] % COVERAGE_CLASSES);
    }
}

static void features_rise_and_do_not_tell_which_node_it_was(void)
{
    uint32_t count, other_count;

    for (uint32_t node = 1; node < 3; node++) {
        memset(coverage, 0, sizeof *coverage);
        happens(0, TRACE_START, node);
        happens(MS, TRACE_TIMER, node);
        happens(2 * MS, TRACE_CRASH, node);
        happens(3 * MS, TRACE_RESTART, node);
        coverage_path(coverage, 5);
        coverage_path(coverage, 6);
        if (node == 1)
            count = coverage_features(coverage, list);
        else
            other_count = coverage_features(coverage, other);
    }
    TEST_ASSERT_EQUAL_UINT32(count, other_count);
    TEST_ASSERT_EQUAL_UINT32_ARRAY(list, other, count);
    for (uint32_t i = 1; i < count; i++)
        TEST_ASSERT_TRUE(list[i - 1] < list[i]);
}

static void what_receivers_take_messages_for_makes_edges(void)
{
    struct trace_record record = { .kind = TRACE_DELIVER, .node = 0, .peer = 1 };

    coverage_record(coverage, &record, 17);
    coverage_record(coverage, &record, 18);
    TEST_ASSERT_EQUAL_UINT32(2, coverage_features(coverage, list));
    coverage_record(coverage, &record, 17);
    TEST_ASSERT_EQUAL_UINT32(3, coverage_features(coverage, list));
    coverage_record(coverage, &record, 18); /* once more from 17 to 18 */
    TEST_ASSERT_EQUAL_UINT32(3, coverage_features(coverage, list));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nothing_has_no_feature);
    RUN_TEST(a_path_is_another_soon_after_a_fault_here_and_elsewhere);
    RUN_TEST(two_paths_soon_after_each_other_are_a_pair);
    RUN_TEST(what_happens_more_often_is_of_a_higher_class);
    RUN_TEST(features_rise_and_do_not_tell_which_node_it_was);
    RUN_TEST(what_receivers_take_messages_for_makes_edges);
    return UNITY_END();
}
