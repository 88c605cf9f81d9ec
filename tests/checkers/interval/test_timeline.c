#include "checkers/interval/timeline_private.h"

#include <stdio.h>

#include "base/random.h"
#include "tests/checkers/interval/structure_checks.h"
#include "tests/fixture.h"
#include "unity.h"

#define POINTS 9
#define ROUNDS 3000

static struct error err;
static struct timeline timeline;

void setUp(void)
{
    err = (struct error){ 0 };
    timeline = (struct timeline){ 0 };
}

void tearDown(void)
{
    timeline_close(&timeline);
}

static uint32_t add(int64_t low, int64_t high)
{
    uint32_t point;

    TEST_ASSERT_EQUAL(STATUS_OK, timeline_add(&timeline, (struct time_window){ low, high }, 0,
                                              false, &point, &err));
    return point;
}

static bool lay(uint32_t from, uint32_t to)
{
    bool holds;

    TEST_ASSERT_EQUAL(
        STATUS_OK,
        timeline_order(&timeline, (struct instant_order){ from, to, ORDER_READ, 0 }, &holds, &err));
    structure_check_timeline(&timeline);
    return holds;
}

static void expect_window(uint32_t point, int64_t low, int64_t high)
{
    TEST_ASSERT_EQUAL_INT64(low, timeline_point(&timeline, point)->low);
    TEST_ASSERT_EQUAL_INT64(high, timeline_point(&timeline, point)->high);
}

static void orders_narrow_windows_through_others(void)
{
    uint32_t a = add(10, 50), b = add(0, 40), c = add(0, 30);

    TEST_ASSERT_TRUE(lay(b, c));
    TEST_ASSERT_TRUE(lay(a, b));
    expect_window(a, 10, 30);
    expect_window(b, 10, 30);
    expect_window(c, 10, 30);
}

static void what_the_windows_say_is_not_kept(void)
{
    uint32_t a = add(0, 10), b = add(20, 30);

    TEST_ASSERT_TRUE(lay(a, b));
    TEST_ASSERT_EQUAL(TIMELINE_NONE, timeline_point(&timeline, a)->first_out);
    TEST_ASSERT_TRUE(timeline_knows(&timeline, a, b));
    TEST_ASSERT_FALSE(lay(b, a));
    TEST_ASSERT_FALSE(timeline.chain_is_circle);
    TEST_ASSERT_EQUAL(1, timeline.chain.count);
}

static bool implied(uint32_t from, uint32_t to)
{
    bool is_implied;

    TEST_ASSERT_EQUAL(STATUS_OK, timeline_implies(&timeline, from, to, &is_implied, &err));
    return is_implied;
}

static void what_is_implied_is_more_than_what_is_known(void)
{
    uint32_t a = add(0, 50), b = add(0, 50), c = add(0, 50), apart = add(0, 50), late = add(60, 70);

    TEST_ASSERT_TRUE(lay(b, c));
    TEST_ASSERT_TRUE(lay(a, b));
    TEST_ASSERT_FALSE(timeline_knows(&timeline, a, c));
    TEST_ASSERT_TRUE(implied(a, c));
    TEST_ASSERT_FALSE(implied(c, a));
    TEST_ASSERT_TRUE(implied(a, late));
    TEST_ASSERT_FALSE(implied(a, apart));
    TEST_ASSERT_FALSE(implied(apart, a));
}

static void a_circle_is_told_from_its_beginning_to_its_beginning(void)
{
    uint32_t a = add(0, 9), b = add(0, 9), c = add(0, 9);

    TEST_ASSERT_TRUE(lay(a, b));
    TEST_ASSERT_TRUE(lay(b, c));
    TEST_ASSERT_FALSE(lay(c, a));
    TEST_ASSERT_TRUE(timeline.chain_is_circle);
    TEST_ASSERT_EQUAL(3, timeline.chain.count);
    for (size_t i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL(timeline.chain.at[i].to, timeline.chain.at[(i + 1) % 3].from);
}

static void a_chain_leads_from_what_is_too_late_to_what_is_too_early(void)
{
    uint32_t late = add(20, 90), between = add(0, 90), early = add(0, 10);

    TEST_ASSERT_TRUE(lay(between, early));
    TEST_ASSERT_FALSE(lay(late, between));
    TEST_ASSERT_FALSE(timeline.chain_is_circle);
    TEST_ASSERT_EQUAL(2, timeline.chain.count);
    TEST_ASSERT_EQUAL(late, timeline.chain.at[0].from);
    TEST_ASSERT_EQUAL(early, timeline.chain.at[1].to);
    expect_window(between, 0, 10);
    expect_window(late, 20, 90);
}

static void only_points_that_nothing_holds_can_go(void)
{
    uint32_t a = add(0, 9), b = add(0, 9);
    bool is_gone;

    TEST_ASSERT_TRUE(lay(a, b));
    TEST_ASSERT_EQUAL(STATUS_OK, timeline_release(&timeline, b, &is_gone, &err));
    TEST_ASSERT_FALSE(is_gone);
    TEST_ASSERT_EQUAL(STATUS_OK, timeline_release(&timeline, a, &is_gone, &err));
    TEST_ASSERT_TRUE(is_gone);
    TEST_ASSERT_EQUAL(1, timeline.unheld.count);
    TEST_ASSERT_EQUAL(STATUS_OK, timeline_release(&timeline, b, &is_gone, &err));
    TEST_ASSERT_TRUE(is_gone);
    TEST_ASSERT_EQUAL(0, timeline.live_count);
    TEST_ASSERT_LESS_THAN(2, add(0, 1)); /* in a place that is free again */
}

/* --- Against trying everything ------------------------------------------------------ */

struct plain {
    int64_t low[POINTS], high[POINTS];
    bool before[POINTS][POINTS]; /* transitively closed */
};

/* Whether there are instants in all windows and in all orders: ties are allowed. */
static bool is_possible(struct plain *p)
{
    for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < POINTS; i++)
            for (int j = 0; j < POINTS; j++)
                p->before[i][j] |= p->before[i][k] && p->before[k][j];
    for (int i = 0; i < POINTS; i++) {
        if (p->before[i][i])
            return false;
        for (int j = 0; j < POINTS; j++)
            if (p->before[i][j] && p->low[i] > p->high[j])
                return false;
    }
    return true;
}

static void an_order_is_refused_exactly_where_no_instants_are_left(void)
{
    unsigned refused = 0, laid = 0;
    struct random_key key = random_key_of_seed(7);
    struct random r;

    random_init(&r, &key);
    for (int round = 0; round < ROUNDS; round++) {
        struct plain plain = { 0 };

        timeline_close(&timeline);
        timeline = (struct timeline){ 0 };
        for (int i = 0; i < POINTS; i++) {
            plain.low[i] = (int64_t)random_below(&r, 20);
            plain.high[i] = plain.low[i] + (int64_t)random_below(&r, 12);
            add(plain.low[i], plain.high[i]);
        }
        for (int n = 0; n < 25; n++) {
            uint32_t from = (uint32_t)random_below(&r, POINTS);
            uint32_t to = (uint32_t)random_below(&r, POINTS);
            struct plain with = plain;
            bool is_implied = from != to && plain.high[from] < plain.low[to];

            with.before[from][to] = true;
            if (lay(from, to)) {
                laid++;
                TEST_ASSERT_TRUE(is_possible(&with));
                if (!is_implied)
                    plain = with;
            } else {
                refused++;
                TEST_ASSERT_FALSE(is_possible(&with));
            }
        }
    }
    TEST_ASSERT_GREATER_THAN(ROUNDS, refused);
    TEST_ASSERT_GREATER_THAN(ROUNDS, laid);
}

/*
 * One point with far more orders than TIMELINE_WIDE, against a plain table: orders come and go (a
 * point is released, its number taken again), one point or another is in focus, and what is known
 * of two points must not depend on any of that.
 */
static void what_is_known_of_a_point_with_many_orders_is_right_in_focus_and_out_of_it(void)
{
    enum { MANY = 3 * TIMELINE_WIDE };
    bool before[MANY] = { false }, after[MANY] = { false };
    uint32_t others[MANY], hub = add(0, 1000);
    struct random_key key = random_key_of_seed(11);
    struct random r;
    bool is_gone = false;

    random_init(&r, &key);
    for (int i = 0; i < MANY; i++)
        others[i] = add(0, 1000);
    for (int round = 0; round < 4000; round++) {
        uint32_t i = (uint32_t)random_below(&r, MANY);

        switch (random_below(&r, 4)) {
        case 0:
            if (!before[i] && !after[i])
                after[i] = lay(hub, others[i]);
            break;
        case 1:
            if (!before[i] && !after[i])
                before[i] = lay(others[i], hub);
            break;
        case 2:
            timeline_focus(&timeline, random_below(&r, 2) ? hub : others[i]);
            break;
        default:
            if (after[i])
                break;
            TEST_ASSERT_EQUAL(STATUS_OK, timeline_release(&timeline, others[i], &is_gone, &err));
            TEST_ASSERT_TRUE(is_gone);
            others[i] = add(0, 1000);
            before[i] = false;
        }
        if (round % 500 == 499) {
            for (int k = 0; k < MANY; k++)
                if (before[k])
                    TEST_ASSERT_EQUAL(STATUS_OK, timeline_release(&timeline, others[k], &is_gone, &err));
            TEST_ASSERT_EQUAL(STATUS_OK, timeline_release(&timeline, hub, &is_gone, &err));
            TEST_ASSERT_TRUE(is_gone);
            hub = add(0, 1000);
            for (int k = 0; k < MANY; k++) {
                if (before[k])
                    others[k] = add(0, 1000);
                before[k] = after[k] = false;
            }
        }
        for (int k = 0; k < MANY; k++) {
            TEST_ASSERT_EQUAL(after[k], timeline_knows(&timeline, hub, others[k]));
            TEST_ASSERT_EQUAL(before[k], timeline_knows(&timeline, others[k], hub));
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(orders_narrow_windows_through_others);
    RUN_TEST(what_the_windows_say_is_not_kept);
    RUN_TEST(what_is_implied_is_more_than_what_is_known);
    RUN_TEST(a_circle_is_told_from_its_beginning_to_its_beginning);
    RUN_TEST(a_chain_leads_from_what_is_too_late_to_what_is_too_early);
    RUN_TEST(only_points_that_nothing_holds_can_go);
    RUN_TEST(an_order_is_refused_exactly_where_no_instants_are_left);
    RUN_TEST(what_is_known_of_a_point_with_many_orders_is_right_in_focus_and_out_of_it);
    return UNITY_END();
}
