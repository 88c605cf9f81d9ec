#include "trial/run/conflict_shapes_private.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "unity.h"

static struct coverage *coverage;
static struct error err;

struct features {
    uint32_t count;
    uint32_t *list;
};

void setUp(void)
{
    memset(&err, 0, sizeof err);
    coverage = calloc(1, sizeof *coverage);
    TEST_ASSERT_NOT_NULL(coverage);
}

void tearDown(void)
{
    free(coverage);
}

static struct features shapes_of(const char *notation)
{
    struct features features = { .list = calloc(COVERAGE_PLACES, sizeof *features.list) };
    struct history history;

    TEST_ASSERT_NOT_NULL(features.list);
    memset(coverage, 0, sizeof *coverage);
    notation_read(notation, &history);
    ASSERT_OK(conflict_shapes_cover(&history, coverage, &err), &err);
    history_close(&history);
    features.count = coverage_features(coverage, features.list);
    return features;
}

static bool are_same(const char *a, const char *b)
{
    struct features x = shapes_of(a), y = shapes_of(b);
    bool same = x.count == y.count && memcmp(x.list, y.list, x.count * sizeof *x.list) == 0;

    free(x.list);
    free(y.list);
    return same;
}

static void names_of_keys_and_transactions_are_no_part_of_a_shape(void)
{
    TEST_ASSERT_FALSE(are_same("T1: w x 1; T2: r x 1; order x T1",
                               "T1: w y 5; T2: r z _; T3: r y 5; order y T1"));
    TEST_ASSERT_TRUE(are_same("T1: w x 1; T2: r x 1; order x T1",
                              "T7: w y 5; T8: r y 5; order y T7"));
}

static void a_read_of_an_overwritten_version_is_another_shape(void)
{
    TEST_ASSERT_FALSE(are_same("T1: w x 1; T2: w x 2; T3: r x 1; order x T1 T2",
                               "T1: w x 1; T2: w x 2; T3: r x 2; order x T1 T2"));
}

static void edges_both_ways_are_a_shape(void)
{
    /* The same edges of the same kinds, met in pairs once, and once in a ring of three. */
    TEST_ASSERT_FALSE(are_same(
        "T1: w x 1, r y 2; T2: w y 2, r x 1; T3: w z 3, r z 3; order x T1; order y T2; order z T3",
        "T1: w x 1, r y 2; T2: w y 2, r z 3; T3: w z 3, r x 1; order x T1; order y T2; order z T3"));
}

static void times_tell_edges_apart(void)
{
    TEST_ASSERT_FALSE(are_same("T1 @10-20: w x 1; T2 @30-40: r x 1",
                               "T1 @10-20: w x 1; T2 @15-40: r x 1"));
    TEST_ASSERT_TRUE(are_same("T1 @10-20: w x 1; T2 @30-40: r x 1",
                              "T1 @100-200: w x 1; T2 @300-400: r x 1"));
}

static void lists_are_read_by_their_last_element(void)
{
    struct features read = shapes_of("T1: a x 1; T2: a x 2; T3: r x [1 2]");
    struct features empty = shapes_of("T1: a x 1; T2: a x 2; T3: r x []");

    TEST_ASSERT_GREATER_THAN_UINT32(empty.count, read.count);
    free(read.list);
    free(empty.list);
}

static void a_history_without_transactions_has_no_shape(void)
{
    struct features none = shapes_of("");

    TEST_ASSERT_EQUAL_UINT32(0, none.count);
    free(none.list);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(names_of_keys_and_transactions_are_no_part_of_a_shape);
    RUN_TEST(a_read_of_an_overwritten_version_is_another_shape);
    RUN_TEST(edges_both_ways_are_a_shape);
    RUN_TEST(times_tell_edges_apart);
    RUN_TEST(lists_are_read_by_their_last_element);
    RUN_TEST(a_history_without_transactions_has_no_shape);
    return UNITY_END();
}
