#include "sim/clock.h"

#include "tests/fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

static struct clock node_clock;
static struct random_key key;

/* A true clock. */
void setUp(void)
{
    key = random_key_of_seed(5);
    clock_init(&node_clock, &(struct clock_options){ 0 }, &key);
}

void tearDown(void) {}

static void a_true_clock_shows_virtual_time(void)
{
    TEST_ASSERT_EQUAL_INT64(0, clock_monotonic_ns(&node_clock, 0));
    TEST_ASSERT_EQUAL_INT64(12345, clock_monotonic_ns(&node_clock, 12345));
    TEST_ASSERT_EQUAL_INT64(CLOCK_WALL_EPOCH_NS + 12345, clock_wall_ns(&node_clock, 12345));
    TEST_ASSERT_EQUAL_INT64(0, clock_error_ns(&node_clock, 12345));
}

static void offsets_and_drifts_are_drawn_within_their_bounds_on_both_sides(void)
{
    struct clock_options options = { .offset_ns_max = 100 * MS, .drift_ppm_max = 200 };
    int ahead = 0, fast = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        key = random_key_of_seed(seed);
        clock_init(&node_clock, &options, &key);
        TEST_ASSERT_INT64_WITHIN(100 * MS, 0, clock_error_ns(&node_clock, 0));
        TEST_ASSERT_INT32_WITHIN(200, 0, node_clock.drift_ppm);
        ahead += clock_error_ns(&node_clock, 0) > 0;
        fast += node_clock.drift_ppm > 0;
    }
    TEST_ASSERT_INT_WITHIN(40, 100, ahead);
    TEST_ASSERT_INT_WITHIN(40, 100, fast);
}

static void a_bound_on_drift_does_not_move_the_offset(void)
{
    struct clock other;

    clock_init(&node_clock, &(struct clock_options){ 100 * MS, 0 }, &key);
    clock_init(&other, &(struct clock_options){ 100 * MS, 500 }, &key);
    TEST_ASSERT_EQUAL_INT64(node_clock.initial_offset_ns, other.initial_offset_ns);
}

static void drift_counts_exactly_also_after_years(void)
{
    static const struct {
        const char *label;
        int32_t ppm;
        int64_t now_ns, shows_ns;
    } rows[] = {
        { "fast, a second", 200, SECOND, SECOND + 200000 },
        { "slow, a second", -200, SECOND, SECOND - 200000 },
        { "less than a nanosecond", 1, 999999, 999999 },
        { "just one", 1, 1000000, 1000001 },
        { "slow is rounded down", -1, 1, 0 },
        { "eleven days", 500000, INT64_C(1000000000000000), INT64_C(1500000000000000) },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        setUp();
        clock_set_drift(&node_clock, rows[i].ppm, 0);
        TEST_ASSERT_EQUAL_INT64_MESSAGE(
            rows[i].shows_ns, clock_monotonic_ns(&node_clock, rows[i].now_ns), rows[i].label);
    }
}

static void a_timer_s_true_time_is_the_first_at_which_the_clock_shows_it(void)
{
    static const int32_t drifts[] = { 0, 1, -1, 200, -200, 333333, -333333, 500000, -500000 };

    for (size_t i = 0; i < ROW_COUNT(drifts); i++)
        for (int64_t deadline_ns = 1; deadline_ns < 2000; deadline_ns += 7) {
            int64_t at_ns;
            setUp();
            clock_set_drift(&node_clock, drifts[i], 3);
            at_ns = clock_true_ns(&node_clock, deadline_ns, 3);
            TEST_ASSERT_TRUE(clock_monotonic_ns(&node_clock, at_ns) >= deadline_ns);
            TEST_ASSERT_TRUE(at_ns == 3 ||
                             clock_monotonic_ns(&node_clock, at_ns - 1) < deadline_ns);
        }
}

static void the_monotonic_clock_never_goes_back_whatever_is_done_to_it(void)
{
    struct random random;
    int64_t now_ns = 0, last_ns = 0;

    random_init(&random, &key);
    for (size_t i = 0; i < fixture_rounds(20000); i++) {
        now_ns += (int64_t)random_below(&random, 1000);
        switch (random_below(&random, 8)) {
        case 0:
            clock_set_drift(&node_clock, (int32_t)random_between(&random, -500000, 500000), now_ns);
            break;
        case 1:
            clock_freeze(&node_clock, now_ns);
            break;
        case 2:
            clock_thaw(&node_clock, now_ns);
            break;
        case 3:
            clock_step(&node_clock, random_between(&random, -SECOND, SECOND));
            break;
        case 4:
            clock_slew(&node_clock, random_between(&random, -MS, MS), 500, now_ns);
            break;
        case 5:
            clock_restore(&node_clock, now_ns);
            break;
        default:
            break;
        }
        TEST_ASSERT_TRUE(clock_monotonic_ns(&node_clock, now_ns) >= last_ns);
        last_ns = clock_monotonic_ns(&node_clock, now_ns);
    }
}

static void a_step_moves_the_wall_clock_and_not_the_monotonic_one(void)
{
    clock_step(&node_clock, -3 * SECOND);
    TEST_ASSERT_EQUAL_INT64(-3 * SECOND, clock_error_ns(&node_clock, SECOND));
    TEST_ASSERT_EQUAL_INT64(SECOND, clock_monotonic_ns(&node_clock, SECOND));
}

static void a_slew_moves_the_wall_clock_slowly_to_its_end(void)
{
    clock_slew(&node_clock, -1000, 500, SECOND);
    TEST_ASSERT_EQUAL_INT64(0, clock_error_ns(&node_clock, SECOND));
    TEST_ASSERT_EQUAL_INT64(-500, clock_error_ns(&node_clock, SECOND + MS));
    TEST_ASSERT_EQUAL_INT64(-1000, clock_error_ns(&node_clock, SECOND + 2 * MS));
    TEST_ASSERT_EQUAL_INT64(-1000, clock_error_ns(&node_clock, SECOND + 9 * MS));
    clock_slew(&node_clock, 200, 100, SECOND + 10 * MS);
    TEST_ASSERT_EQUAL_INT64(-900, clock_error_ns(&node_clock, SECOND + 11 * MS));
    TEST_ASSERT_EQUAL_INT64(-800, clock_error_ns(&node_clock, SECOND + 30 * MS));
}

static void a_frozen_clock_stands_and_then_goes_on_from_there(void)
{
    clock_freeze(&node_clock, SECOND);
    TEST_ASSERT_EQUAL_INT64(SECOND, clock_monotonic_ns(&node_clock, 3 * SECOND));
    TEST_ASSERT_EQUAL_INT64(-2 * SECOND, clock_error_ns(&node_clock, 3 * SECOND));
    TEST_ASSERT_EQUAL_INT64(CLOCK_NEVER_NS, clock_true_ns(&node_clock, SECOND + 1, 3 * SECOND));
    TEST_ASSERT_EQUAL_INT64(3 * SECOND, clock_true_ns(&node_clock, SECOND, 3 * SECOND));
    clock_thaw(&node_clock, 3 * SECOND);
    TEST_ASSERT_EQUAL_INT64(2 * SECOND, clock_monotonic_ns(&node_clock, 4 * SECOND));
}

static void restoring_brings_back_the_offset_it_began_with(void)
{
    int64_t before_ns;

    clock_init(&node_clock, &(struct clock_options){ 100 * MS, 200 }, &key);
    before_ns = clock_error_ns(&node_clock, 0);
    clock_step(&node_clock, SECOND);
    clock_slew(&node_clock, SECOND, 500, SECOND);
    clock_freeze(&node_clock, 2 * SECOND);
    clock_restore(&node_clock, 3 * SECOND);
    TEST_ASSERT_EQUAL_INT64(before_ns, clock_error_ns(&node_clock, 3 * SECOND));
    TEST_ASSERT_FALSE(node_clock.frozen);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_true_clock_shows_virtual_time);
    RUN_TEST(offsets_and_drifts_are_drawn_within_their_bounds_on_both_sides);
    RUN_TEST(a_bound_on_drift_does_not_move_the_offset);
    RUN_TEST(drift_counts_exactly_also_after_years);
    RUN_TEST(a_timer_s_true_time_is_the_first_at_which_the_clock_shows_it);
    RUN_TEST(the_monotonic_clock_never_goes_back_whatever_is_done_to_it);
    RUN_TEST(a_step_moves_the_wall_clock_and_not_the_monotonic_one);
    RUN_TEST(a_slew_moves_the_wall_clock_slowly_to_its_end);
    RUN_TEST(a_frozen_clock_stands_and_then_goes_on_from_there);
    RUN_TEST(restoring_brings_back_the_offset_it_began_with);
    return UNITY_END();
}
