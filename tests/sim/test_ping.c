#include "sim/ping.h"

#include <string.h>

#include "sim/fault.h"
#include "tests/fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)

static struct world_options options;
static struct ping_options ping_options;
static struct world world;
static struct ping ping;
static struct error err;
static char lines[1 << 20];
static size_t lines_length;

/* Three nodes, 5 ms apart, with true clocks. */
void setUp(void)
{
    err = (struct error){ 0 };
    ping_options = (struct ping_options){ 0 };
    options = (struct world_options){ .seed = 1, .node_count = 3 };
    ASSERT_OK(latency_constant(&options.network.latency, 5 * MS, &err), &err);
}

void tearDown(void)
{
    world_close(&world);
}

static void start(void)
{
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    ASSERT_OK(ping_init(&ping, &ping_options, &world, world.arena, &err), &err);
    ASSERT_OK(world_start(&world, &err), &err);
}

static void run_until(int64_t until_ns)
{
    ASSERT_OK(world_run(&world, until_ns, &err), &err);
}

static void settle(int64_t budget_ns)
{
    ASSERT_OK(ping_settle(&ping, &world, budget_ns, &err), &err);
}

static void without_faults_every_ping_comes_home(void)
{
    start();
    run_until(10 * SECOND + 50 * MS);
    /* Six pairs, ten times a second; the last may be on its way. */
    TEST_ASSERT_UINT64_WITHIN(6, 603, ping.findings.pings_sent);
    TEST_ASSERT_UINT64_WITHIN(6, ping.findings.pings_sent, ping.findings.round_trips);
    TEST_ASSERT_EQUAL_INT64(10 * MS, ping.findings.round_trip_ns_max);
    TEST_ASSERT_EQUAL_INT64(0, ping.findings.clock_difference_ns_max);
    TEST_ASSERT_EQUAL_UINT64(0, ping.findings.suspicions);
}

static void clocks_that_disagree_are_noticed(void)
{
    start();
    fault_step_clock(&world, 1, -70 * MS);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_INT64(70 * MS, ping.findings.clock_difference_ns_max);
}

static void a_node_that_is_cut_off_is_suspected_and_then_heard_again(void)
{
    start();
    run_until(SECOND);
    for (uint32_t node = 1; node < 3; node++) {
        fault_cut_link(&world, 0, node);
        fault_cut_link(&world, node, 0);
    }
    run_until(4 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(4, ping.findings.suspicions); /* by both sides */
    TEST_ASSERT_EQUAL_UINT64(0, ping.findings.recoveries);
    fault_heal_everything(&world);
    run_until(5 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(4, ping.findings.recoveries);
}

static void copies_of_an_answer_count_once(void)
{
    options.network.duplicate = (struct ratio){ 1, 1 };
    start();
    run_until(10 * SECOND + 50 * MS);
    TEST_ASSERT_UINT64_WITHIN(6, ping.findings.pings_sent, ping.findings.round_trips);
}

/* A question takes 10 ms, and who asks lives for 3: all answers come to strangers. */
static void answers_to_questions_from_before_a_crash_do_not_count(void)
{
    struct burst slow = { .kind = BURST_DELAY, .delay_ns = 9 * MS };

    options.node_count = 2;
    ping_options.interval_ns = 4 * MS;
    ASSERT_OK(latency_constant(&options.network.latency, MS, &err), &err);
    start();
    fault_set_burst(&world, 0, &slow);
    fault_start_burst(&world, 0, 0, 1);
    fault_freeze_clock(&world, 1); /* so that it answers, and never asks */
    for (int i = 0; i < 500; i++) {
        fault_crash(&world, 0);
        fault_restart(&world, 0);
        run_until(world.now_ns + 3 * MS);
    }
    TEST_ASSERT_TRUE(ping.findings.pings_answered > 100);
    TEST_ASSERT_TRUE(world.counts.messages_delivered > 100 + ping.findings.pings_answered);
    TEST_ASSERT_EQUAL_UINT64(0, ping.findings.round_trips);
}

static void a_healthy_world_settles_and_stops_as_soon_as_it_has(void)
{
    start();
    run_until(SECOND);
    settle(10 * SECOND);
    TEST_ASSERT_FALSE(ping.findings.stuck);
    TEST_ASSERT_TRUE(world.now_ns > SECOND);
    TEST_ASSERT_TRUE(world.now_ns <= SECOND + 110 * MS);
}

static void a_pair_that_cannot_talk_is_stuck_and_named(void)
{
    start();
    run_until(SECOND);
    fault_cut_link(&world, 2, 1);
    settle(2 * SECOND);
    TEST_ASSERT_TRUE(ping.findings.stuck);
    TEST_ASSERT_EQUAL_UINT32(1, ping.findings.stuck_from);
    TEST_ASSERT_EQUAL_UINT32(2, ping.findings.stuck_to);
    TEST_ASSERT_EQUAL_INT64(3 * SECOND, world.now_ns);
}

static void an_answer_already_on_its_way_does_not_satisfy_the_demand(void)
{
    ASSERT_OK(latency_constant(&options.network.latency, 400 * MS, &err), &err);
    ping_options.interval_ns = 100 * MS;
    start();
    run_until(2 * SECOND);
    settle(790 * MS); /* a round trip takes 800 ms */
    TEST_ASSERT_TRUE(ping.findings.stuck);
}

static void a_node_that_was_down_is_part_of_what_must_settle(void)
{
    start();
    run_until(SECOND);
    fault_crash(&world, 2);
    run_until(2 * SECOND);
    fault_heal_everything(&world);
    settle(SECOND);
    TEST_ASSERT_FALSE(ping.findings.stuck);
}

static void one_node_alone_has_nothing_to_settle(void)
{
    options.node_count = 1;
    start();
    settle(SECOND);
    TEST_ASSERT_FALSE(ping.findings.stuck);
}

static void keep_lines(void *context, struct text line)
{
    (void)context;
    TEST_ASSERT_TRUE(lines_length + line.length + 2 < sizeof lines);
    memcpy(lines + lines_length, line.at, line.length);
    lines_length += line.length;
    lines[lines_length++] = '\n';
    lines[lines_length] = '\0';
}

static void the_trace_tells_the_story_in_words(void)
{
    options.trace.line = keep_lines;
    lines_length = 0;
    start();
    fault_cut_link(&world, 0, 1);
    run_until(2 * SECOND);
    TEST_ASSERT_NOT_NULL(strstr(lines, "n0 → n1  cut off #0, 25 bytes  "));
    TEST_ASSERT_NOT_NULL(strstr(lines, "  deliver #0, 25 bytes  ping 1\n"));
    TEST_ASSERT_NOT_NULL(strstr(lines, " bytes  answer 2\n"));
    TEST_ASSERT_NOT_NULL(strstr(lines, "n0  note  suspects n1, silent for 1"));
}

static void nonsense_is_refused(void)
{
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    ping_options.interval_ns = -1;
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT,
                          ping_init(&ping, &ping_options, &world, world.arena, &err));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(without_faults_every_ping_comes_home);
    RUN_TEST(clocks_that_disagree_are_noticed);
    RUN_TEST(a_node_that_is_cut_off_is_suspected_and_then_heard_again);
    RUN_TEST(copies_of_an_answer_count_once);
    RUN_TEST(answers_to_questions_from_before_a_crash_do_not_count);
    RUN_TEST(a_healthy_world_settles_and_stops_as_soon_as_it_has);
    RUN_TEST(a_pair_that_cannot_talk_is_stuck_and_named);
    RUN_TEST(an_answer_already_on_its_way_does_not_satisfy_the_demand);
    RUN_TEST(a_node_that_was_down_is_part_of_what_must_settle);
    RUN_TEST(one_node_alone_has_nothing_to_settle);
    RUN_TEST(the_trace_tells_the_story_in_words);
    RUN_TEST(nonsense_is_refused);
    return UNITY_END();
}
