#include "sim/fault.h"

#include "tests/sim/world_fixture.h"
#include "tests/sim/trace_inspect.h"
#include "tests/sim/event_queue_inspect.h"

void setUp(void)
{
    fixture_options();
    fixture_world();
}

void tearDown(void) {}

static void a_crash_takes_timers_completions_and_roles_with_it(void)
{
    world_set_timer(&world, 1, 10 * MS, 1);
    world_set_timer(&world, 2, 10 * MS, 2);
    world_complete_at(&world, 1, 10 * MS, 1);
    world_publish_role(&world, 1, 0, ROLE_LEADER);
    run_until(5 * MS);
    TEST_ASSERT_TRUE(fault_crash(&world, 1));
    TEST_ASSERT_EQUAL_INT(NODE_DOWN, world_node_state(&world, 1));
    TEST_ASSERT_EQUAL_UINT32(WORLD_NOBODY, world_leader(&world, 0));
    TEST_ASSERT_FALSE(fault_crash(&world, 1));
    TEST_ASSERT_TRUE(fault_restart(&world, 1));
    TEST_ASSERT_FALSE(fault_restart(&world, 1));
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(0, count_seen(SEEN_TIMER, 1));
    TEST_ASSERT_EQUAL_UINT64(0, count_seen(SEEN_COMPLETION, 1));
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_CRASH, 1));
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_RESTART, 1));
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_TIMER, 2));
}

static void a_new_incarnation_has_timers_and_completions_of_its_own(void)
{
    world_set_timer(&world, 1, 10 * MS, 1);
    fault_crash(&world, 1);
    fault_restart(&world, 1);
    world_set_timer(&world, 1, 10 * MS, 2);
    world_complete_at(&world, 1, 20 * MS, 3);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(4, seen_count); /* crash, restart, and these */
    TEST_ASSERT_EQUAL_UINT64(2, seen[2].what);
    TEST_ASSERT_EQUAL_UINT64(3, seen[3].what);
}

static void a_message_to_an_incarnation_that_is_gone_is_refused(void)
{
    static const struct {
        const char *label;
        int64_t crash_ns, restart_ns;
    } rows[] = {
        { "down as it arrives", 500 * US, 2 * MS },
        { "restarted meanwhile", 500 * US, 600 * US },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        fixture_world();
        send_byte(0, 1, 'x');
        run_until(rows[i].crash_ns);
        fault_crash(&world, 1);
        run_until(rows[i].restart_ns);
        fault_restart(&world, 1);
        run_until(SECOND);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, count_seen(SEEN_MESSAGE, 1), rows[i].label);
        TEST_ASSERT_EQUAL_UINT64(1, world.counts.messages_refused);
        TEST_ASSERT_EQUAL_UINT32(0, world.network.message_count);
    }
}

static void what_a_node_sent_before_its_crash_still_arrives(void)
{
    send_byte(0, 1, 'x');
    fault_crash(&world, 0);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_MESSAGE, 1));
}

static void a_paused_node_gets_everything_in_order_when_it_resumes(void)
{
    world_set_timer(&world, 1, 2 * MS, 1);
    send_byte(0, 1, 0);
    world_complete_at(&world, 1, 3 * MS, 2);
    TEST_ASSERT_TRUE(fault_pause(&world, 1));
    TEST_ASSERT_FALSE(fault_pause(&world, 1));
    run_until(10 * MS);
    TEST_ASSERT_EQUAL_UINT64(0, seen_count);
    TEST_ASSERT_TRUE(fault_resume(&world, 1));
    TEST_ASSERT_FALSE(fault_resume(&world, 1));
    run_until(10 * MS);
    TEST_ASSERT_EQUAL_UINT64(3, seen_count);
    for (uint64_t i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_UINT64(i, seen[i].what);
        TEST_ASSERT_EQUAL_INT64(10 * MS, seen[i].at_ns);
    }
}

static void a_message_that_reached_a_paused_node_is_not_cut_off_later(void)
{
    send_byte(0, 1, 'x');
    fault_pause(&world, 1);
    run_until(2 * MS);
    fault_cut_link(&world, 0, 1);
    fault_resume(&world, 1);
    run_until(3 * MS);
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_MESSAGE, 1));
}

static void a_node_that_crashes_while_paused_loses_what_waited(void)
{
    send_byte(0, 1, 'x');
    world_set_timer(&world, 1, MS, 1);
    world_complete_at(&world, 1, MS, 2);
    fault_pause(&world, 1);
    run_until(2 * MS);
    TEST_ASSERT_TRUE(fault_crash(&world, 1));
    TEST_ASSERT_FALSE(fault_resume(&world, 1));
    fault_restart(&world, 1);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(2, seen_count); /* crash and restart */
    TEST_ASSERT_EQUAL_UINT64(1, world.counts.messages_refused);
    TEST_ASSERT_EQUAL_UINT32(0, world.network.message_count);
    event_queue_check(&world.queue);
}

static void a_node_paused_again_at_once_waits_again(void)
{
    send_byte(0, 1, 'x');
    fault_pause(&world, 1);
    run_until(2 * MS);
    fault_resume(&world, 1);
    fault_pause(&world, 1);
    run_until(4 * MS);
    TEST_ASSERT_EQUAL_UINT64(0, seen_count);
    fault_resume(&world, 1);
    run_until(5 * MS);
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_MESSAGE, 1));
}

static void a_message_over_a_cut_link_is_lost_in_that_direction_only(void)
{
    TEST_ASSERT_TRUE(fault_cut_link(&world, 0, 1));
    send_byte(0, 1, 'x');
    send_byte(1, 0, 'y');
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(0, count_seen(SEEN_MESSAGE, 1));
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_MESSAGE, 0));
    TEST_ASSERT_EQUAL_UINT64(1, world.counts.messages_cut_off);
}

static void whether_a_message_is_cut_off_is_decided_as_it_arrives(void)
{
    send_byte(0, 1, 'a');
    run_until(MS / 2);
    fault_cut_link(&world, 0, 1);
    run_until(MS);
    send_byte(0, 1, 'b');
    run_until(MS + MS / 2);
    fault_mend_link(&world, 0, 1);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
    TEST_ASSERT_EQUAL_UINT64('b', seen[0].what);
}

static void overlapping_cuts_end_with_the_last(void)
{
    TEST_ASSERT_TRUE(fault_cut_link(&world, 0, 1));
    TEST_ASSERT_FALSE(fault_cut_link(&world, 0, 1));
    TEST_ASSERT_FALSE(fault_mend_link(&world, 0, 1));
    send_byte(0, 1, 'x');
    run_until(MS);
    TEST_ASSERT_EQUAL_UINT64(0, seen_count);
    TEST_ASSERT_TRUE(fault_mend_link(&world, 0, 1));
    send_byte(0, 1, 'x');
    run_until(2 * MS);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
}

static void what_is_clogged_arrives_when_the_clog_ends(void)
{
    static const struct {
        const char *label;
        int which;
        int64_t arrives_ns;
    } rows[] = {
        { "the link", 0, 50 * MS },
        { "the sender", 1, 50 * MS },
        { "the receiver", 2, 50 * MS },
        { "another link", 3, MS },
        { "the sender's receiving side", 4, MS },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        fixture_world();
        if (rows[i].which == 0)
            fault_clog_link(&world, 0, 1, 50 * MS);
        if (rows[i].which == 1)
            fault_clog_send(&world, 0, 50 * MS);
        if (rows[i].which == 2)
            fault_clog_receive(&world, 1, 50 * MS);
        if (rows[i].which == 3)
            fault_clog_link(&world, 1, 0, 50 * MS);
        if (rows[i].which == 4)
            fault_clog_receive(&world, 0, 50 * MS);
        send_byte(0, 1, 'x');
        run_until(SECOND);
        TEST_ASSERT_EQUAL_UINT64(1, seen_count);
        TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].arrives_ns, seen[0].at_ns, rows[i].label);
    }
}

static void a_timer_follows_its_clock_when_the_drift_changes(void)
{
    world_set_timer(&world, 0, 20 * MS, 0);
    run_until(10 * MS);
    fault_set_drift(&world, 0, 250000); /* the other 10 ms take 8 */
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
    TEST_ASSERT_EQUAL_INT64(18 * MS, seen[0].at_ns);
}

static void a_timer_waits_while_its_clock_is_frozen(void)
{
    world_set_timer(&world, 0, 20 * MS, 0);
    run_until(10 * MS);
    TEST_ASSERT_TRUE(fault_freeze_clock(&world, 0));
    TEST_ASSERT_FALSE(fault_freeze_clock(&world, 0));
    world_set_timer(&world, 0, 5 * MS, 1);
    run_until(100 * MS);
    TEST_ASSERT_EQUAL_UINT64(0, seen_count);
    TEST_ASSERT_TRUE(fault_thaw_clock(&world, 0));
    TEST_ASSERT_FALSE(fault_thaw_clock(&world, 0));
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(2, seen_count);
    TEST_ASSERT_EQUAL_INT64(105 * MS, seen[0].at_ns);
    TEST_ASSERT_EQUAL_INT64(110 * MS, seen[1].at_ns);
}

static void a_timer_deferred_by_a_pause_fires_once_though_the_clock_changed(void)
{
    world_set_timer(&world, 0, 10 * MS, 0);
    fault_pause(&world, 0);
    run_until(20 * MS);
    fault_freeze_clock(&world, 0);
    run_until(30 * MS);
    fault_thaw_clock(&world, 0);
    fault_resume(&world, 0);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
    TEST_ASSERT_EQUAL_INT64(30 * MS, seen[0].at_ns);
}

static void a_step_does_not_disturb_timers(void)
{
    world_set_timer(&world, 0, 20 * MS, 0);
    fault_step_clock(&world, 0, 10 * SECOND);
    TEST_ASSERT_EQUAL_INT64(CLOCK_WALL_EPOCH_NS + 10 * SECOND, world_wall_ns(&world, 0));
    run_until(SECOND);
    TEST_ASSERT_EQUAL_INT64(20 * MS, seen[0].at_ns);
}

static void healing_ends_every_fault(void)
{
    options.network.loss = (struct ratio){ 1, 1 };
    fixture_world();
    fault_crash(&world, 0);
    fault_pause(&world, 1);
    fault_freeze_clock(&world, 2);
    fault_step_clock(&world, 2, SECOND);
    fault_cut_link(&world, 0, 1);
    fault_cut_link(&world, 0, 1);
    fault_clog_receive(&world, 2, 10 * SECOND);
    fault_clog_link(&world, 1, 0, 10 * SECOND);
    run_until(SECOND);
    fault_heal_everything(&world);
    for (uint32_t from = 0; from < 3; from++)
        for (uint32_t to = 0; to < 3; to++)
            send_byte(from, to, 'x');
    run_until(SECOND + MS);
    for (uint32_t node = 0; node < 3; node++) {
        TEST_ASSERT_EQUAL_UINT64(3, count_seen(SEEN_MESSAGE, node));
        TEST_ASSERT_EQUAL_INT64(CLOCK_WALL_EPOCH_NS + SECOND + MS, world_wall_ns(&world, node));
    }
}

static void assert_traced(enum trace_kind kind)
{
    TEST_ASSERT_EQUAL_INT(kind, trace_last(&world.trace, 0)->kind);
}

static void every_lever_on_a_node_or_link_shows_in_the_trace(void)
{
    fault_crash(&world, 0);
    assert_traced(TRACE_CRASH);
    fault_restart(&world, 0);
    assert_traced(TRACE_RESTART);
    fault_pause(&world, 0);
    assert_traced(TRACE_PAUSE);
    fault_resume(&world, 0);
    assert_traced(TRACE_RESUME);
    fault_cut_link(&world, 0, 1);
    assert_traced(TRACE_LINK_CUT);
    fault_mend_link(&world, 0, 1);
    assert_traced(TRACE_LINK_MENDED);
    fault_clog_send(&world, 0, MS);
    assert_traced(TRACE_CLOG);
}

static void every_lever_on_a_clock_shows_in_the_trace(void)
{
    fault_step_clock(&world, 0, -MS);
    assert_traced(TRACE_CLOCK_STEP);
    fault_slew_clock(&world, 0, MS, 500);
    assert_traced(TRACE_CLOCK_SLEW);
    fault_set_drift(&world, 0, 5);
    assert_traced(TRACE_CLOCK_DRIFT);
    fault_freeze_clock(&world, 0);
    assert_traced(TRACE_CLOCK_FREEZE);
    fault_thaw_clock(&world, 0);
    assert_traced(TRACE_CLOCK_THAW);
    fault_restore_clock(&world, 0);
    assert_traced(TRACE_CLOCK_RESTORE);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_crash_takes_timers_completions_and_roles_with_it);
    RUN_TEST(a_new_incarnation_has_timers_and_completions_of_its_own);
    RUN_TEST(a_message_to_an_incarnation_that_is_gone_is_refused);
    RUN_TEST(what_a_node_sent_before_its_crash_still_arrives);
    RUN_TEST(a_paused_node_gets_everything_in_order_when_it_resumes);
    RUN_TEST(a_message_that_reached_a_paused_node_is_not_cut_off_later);
    RUN_TEST(a_node_that_crashes_while_paused_loses_what_waited);
    RUN_TEST(a_node_paused_again_at_once_waits_again);
    RUN_TEST(a_message_over_a_cut_link_is_lost_in_that_direction_only);
    RUN_TEST(whether_a_message_is_cut_off_is_decided_as_it_arrives);
    RUN_TEST(overlapping_cuts_end_with_the_last);
    RUN_TEST(what_is_clogged_arrives_when_the_clog_ends);
    RUN_TEST(a_timer_follows_its_clock_when_the_drift_changes);
    RUN_TEST(a_timer_waits_while_its_clock_is_frozen);
    RUN_TEST(a_timer_deferred_by_a_pause_fires_once_though_the_clock_changed);
    RUN_TEST(a_step_does_not_disturb_timers);
    RUN_TEST(healing_ends_every_fault);
    RUN_TEST(every_lever_on_a_node_or_link_shows_in_the_trace);
    RUN_TEST(every_lever_on_a_clock_shows_in_the_trace);
    return UNITY_END();
}
