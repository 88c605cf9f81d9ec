#include "sim/steering.h"

#include <string.h>

#include "tests/sim/world_fixture.h"

#define ON_NODE (STEERING_BIT(STEERING_CRASH) | STEERING_BIT(STEERING_ISOLATE))

static struct steering_options steering;
static struct steering_choices choices;

void setUp(void)
{
    fixture_options();
    options.shard_count = 1;
    steering =
        (struct steering_options){ .window_ns = 10 * MS, .down_ns = 50 * MS, .apart_ns = 5 * MS };
    choices = (struct steering_choices){ .list = { 0 } };
}

void tearDown(void)
{
    array_close(&choices.list);
    world_close(&world);
    memset(&world, 0, sizeof world);
}

/* Three messages to node 1, in order; a timer on node 2 between them. */
static void run_some(void)
{
    fixture_world();
    world_publish_role(&world, 0, 0, ROLE_LEADER);
    send_byte(0, 1, 'a');
    run_until(100 * US);
    send_byte(2, 1, 'b');
    world_set_timer(&world, 2, MS, 7);
    run_until(200 * US);
    send_byte(0, 1, 'c');
    run_until(SECOND);
}

static void steer(void)
{
    options.steering = &steering;
    options.choices = &choices;
    run_some();
}

/* What node 1 got, in order. */
static const char *letters(void)
{
    static char got[16];
    size_t count = 0;

    for (size_t i = 0; i < seen_count; i++)
        if (seen[i].kind == SEEN_MESSAGE && seen[i].node == 1)
            got[count++] = (char)seen[i].what;
    got[count] = '\0';
    return got;
}

static void who_lists_events_changes_nothing(void)
{
    struct digest plain;
    struct digest listed;

    run_some();
    plain = world_trace_hash(&world);
    steer();
    listed = world_trace_hash(&world);
    TEST_ASSERT_EQUAL_MEMORY(&plain, &listed, sizeof plain);
    TEST_ASSERT_EQUAL_STRING("abc", letters());
}

static void arrivals_may_be_postponed_and_whoever_handles_an_event_may_crash(void)
{
    static const struct steering_choice wanted[] = {
        { 1, STEERING_BIT(STEERING_POSTPONE) | ON_NODE, 1 },
        { 2, STEERING_BIT(STEERING_POSTPONE) | ON_NODE, 1 },
        { 3, ON_NODE, 2 },
        { 4, STEERING_BIT(STEERING_POSTPONE) | ON_NODE, 1 },
    };

    steer();
    TEST_ASSERT_EQUAL_UINT64(ROW_COUNT(wanted), choices.list.count);
    for (size_t i = 0; i < ROW_COUNT(wanted); i++) {
        TEST_ASSERT_EQUAL_UINT64(wanted[i].event, choices.list.at[i].event);
        TEST_ASSERT_EQUAL_UINT32(wanted[i].kinds, choices.list.at[i].kinds);
        TEST_ASSERT_EQUAL_UINT32(wanted[i].node, choices.list.at[i].node);
    }
}

static void a_postponed_message_arrives_a_window_later_as_an_event_anew(void)
{
    steering.events[STEERING_POSTPONE] = (struct steering_events){ 1, { 1 } };
    steer();
    TEST_ASSERT_EQUAL_STRING("bca", letters());
    TEST_ASSERT_EQUAL_INT64(11 * MS, seen[seen_count - 1].at_ns);
    TEST_ASSERT_EQUAL_UINT64(5, choices.list.count);
    TEST_ASSERT_EQUAL_UINT64(5, choices.list.at[4].event);
    steering.events[STEERING_POSTPONE] = (struct steering_events){ 2, { 1, 5 } };
    array_close(&choices.list);
    steer();
    TEST_ASSERT_EQUAL_INT64(21 * MS, seen[seen_count - 1].at_ns);
}

static void a_node_that_crashes_loses_what_is_under_way_and_comes_back(void)
{
    steering.events[STEERING_CRASH] = (struct steering_events){ 1, { 1 } };
    steer();
    TEST_ASSERT_EQUAL_STRING("a", letters());
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_CRASH, 1));
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_RESTART, 1));
    TEST_ASSERT_EQUAL_INT64(51 * MS, seen[seen_count - 1].at_ns);
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_CRASH]);
}

static void a_node_that_is_isolated_hears_nothing_of_other_nodes_for_a_time(void)
{
    steering.events[STEERING_ISOLATE] = (struct steering_events){ 1, { 1 } };
    steer();
    TEST_ASSERT_EQUAL_STRING("a", letters());
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_PARTITION]);
    send_byte(0, 1, 'd');
    send_byte(1, 2, 'e');
    run_until(2 * SECOND);
    TEST_ASSERT_EQUAL_STRING("ad", letters());
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_MESSAGE, 2));
}

static void who_was_healed_meanwhile_is_not_mended_again(void)
{
    steering.events[STEERING_ISOLATE] = (struct steering_events){ 1, { 1 } };
    options.steering = &steering;
    fixture_world();
    send_byte(0, 1, 'a');
    run_until(2 * MS);
    fault_heal_everything(&world);
    run_until(SECOND);
    send_byte(0, 1, 'b');
    run_until(2 * SECOND);
    TEST_ASSERT_EQUAL_STRING("ab", letters());
}

static void nothing_is_listed_before_every_shard_has_a_leader(void)
{
    options.shard_count = 2;
    steer();
    TEST_ASSERT_EQUAL_UINT64(0, choices.list.count);
}

static void nothing_is_listed_after_its_time(void)
{
    choices.within_ns = 50 * US;
    steer();
    TEST_ASSERT_EQUAL_UINT64(1, choices.list.count); /* from 1 ms on, with the first */
}

static bool is_over(void *context)
{
    (void)context;
    return seen_count >= 2;
}

static void nothing_is_listed_once_its_owner_says_that_all_is_over(void)
{
    choices.is_over = is_over;
    steer();
    TEST_ASSERT_EQUAL_UINT64(2, choices.list.count);
    TEST_ASSERT_EQUAL_UINT32(STEERING_BIT(STEERING_POSTPONE), choices.list.at[1].kinds);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(who_lists_events_changes_nothing);
    RUN_TEST(arrivals_may_be_postponed_and_whoever_handles_an_event_may_crash);
    RUN_TEST(a_postponed_message_arrives_a_window_later_as_an_event_anew);
    RUN_TEST(a_node_that_crashes_loses_what_is_under_way_and_comes_back);
    RUN_TEST(a_node_that_is_isolated_hears_nothing_of_other_nodes_for_a_time);
    RUN_TEST(who_was_healed_meanwhile_is_not_mended_again);
    RUN_TEST(nothing_is_listed_before_every_shard_has_a_leader);
    RUN_TEST(nothing_is_listed_after_its_time);
    RUN_TEST(nothing_is_listed_once_its_owner_says_that_all_is_over);
    return UNITY_END();
}
