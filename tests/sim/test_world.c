#include "sim/world.h"

#include "tests/sim/world_fixture.h"
#include "tests/sim/world_step.h"

void setUp(void)
{
    fixture_options();
    fixture_world();
}

void tearDown(void) {}

static void every_endpoint_starts_once_in_order_at_time_zero(void)
{
    world_close(&world);
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    for (uint32_t i = 0; i < world.endpoint_count; i++)
        world_set_process(&world, i, &recorder, NULL);
    ASSERT_OK(world_start(&world, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(4, seen_count);
    for (uint32_t i = 0; i < 4; i++) {
        TEST_ASSERT_EQUAL_INT(SEEN_START, seen[i].kind);
        TEST_ASSERT_EQUAL_UINT32(i, seen[i].node);
        TEST_ASSERT_EQUAL_INT64(0, seen[i].at_ns);
    }
}

static void a_message_arrives_after_its_latency(void)
{
    run_until(5 * MS);
    send_byte(0, 2, 'x');
    run_until(6 * MS - 1);
    TEST_ASSERT_EQUAL_UINT64(0, seen_count);
    run_until(6 * MS);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
    TEST_ASSERT_EQUAL_INT64(6 * MS, seen[0].at_ns);
    TEST_ASSERT_EQUAL_UINT32(2, seen[0].node);
    TEST_ASSERT_EQUAL_UINT32(0, seen[0].from);
    TEST_ASSERT_EQUAL_UINT64('x', seen[0].what);
}

static void clients_and_nodes_exchange_messages_alike(void)
{
    send_byte(3, 1, 'q');
    send_byte(1, 3, 'a');
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_MESSAGE, 1));
    TEST_ASSERT_EQUAL_UINT64(1, count_seen(SEEN_MESSAGE, 3));
}

static void simultaneous_events_come_in_the_order_they_were_asked_for(void)
{
    for (char i = 0; i < 100; i++)
        send_byte(0, 1, i);
    run_until(SECOND);
    for (uint64_t i = 0; i < 100; i++)
        TEST_ASSERT_EQUAL_UINT64(i, seen[i].what);
}

static void a_message_that_is_always_lost_never_arrives_and_is_counted(void)
{
    options.network.loss = (struct ratio){ 1, 1 };
    fixture_world();
    send_byte(0, 1, 'x');
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(0, seen_count);
    TEST_ASSERT_EQUAL_UINT64(1, world.counts.messages_lost);
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_LOSS]);
}

static void a_message_that_is_always_duplicated_arrives_twice(void)
{
    options.network.duplicate = (struct ratio){ 1, 1 };
    fixture_world();
    send_byte(0, 1, 'x');
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(2, count_seen(SEEN_MESSAGE, 1));
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_DUPLICATE]);
    TEST_ASSERT_EQUAL_UINT64(1, world.counts.messages_sent);
    TEST_ASSERT_EQUAL_UINT64(2, world.counts.messages_delivered);
}

static void a_full_link_forgets_its_oldest_messages(void)
{
    options.network.in_flight_max = 3;
    fixture_world();
    for (char i = 0; i < 10; i++)
        send_byte(0, 1, i);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(3, seen_count);
    for (uint64_t i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL_UINT64(7 + i, seen[i].what);
    TEST_ASSERT_EQUAL_UINT64(7, world.faults[FAULT_EVICT]);
    TEST_ASSERT_EQUAL_UINT32(0, world.network.message_count);
}

static void what_has_arrived_takes_up_no_room_on_its_link(void)
{
    options.network.in_flight_max = 3;
    options.network.loss = (struct ratio){ 1, 2 };
    fixture_world();
    for (int i = 0; i < 100; i++) {
        send_byte(0, 1, 'x');
        run_until(world.now_ns + MS / 2);
    }
    TEST_ASSERT_EQUAL_UINT64(0, world.counts.messages_evicted);
}

static void timers_fire_in_the_order_of_their_deadlines(void)
{
    world_set_timer(&world, 1, 20 * MS, 2);
    world_set_timer(&world, 1, 10 * MS, 1);
    world_set_timer(&world, 0, 20 * MS, 3);
    world_set_timer(&world, 0, 0, 0);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(4, seen_count);
    for (uint64_t i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL_UINT64(i, seen[i].what);
    TEST_ASSERT_EQUAL_INT64(20 * MS, seen[3].at_ns);
}

static void a_cancelled_timer_does_not_fire_and_its_place_is_free(void)
{
    uint64_t first = world_set_timer(&world, 1, 10 * MS, 1), second;

    world_cancel_timer(&world, first);
    second = world_set_timer(&world, 1, 5 * MS, 2);
    TEST_ASSERT_TRUE(first != second);
    world_cancel_timer(&world, first); /* it is not that one any more */
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
    TEST_ASSERT_EQUAL_UINT64(2, seen[0].what);
    world_cancel_timer(&world, second);
}

static void timers_wait_on_the_clock_of_their_node(void)
{
    fault_set_drift(&world, 0, 100000); /* 1.1 times as fast */
    fault_set_drift(&world, 1, -200000);
    world_set_timer(&world, 0, 11 * MS, 0);
    world_set_timer(&world, 1, 8 * MS, 1);
    run_until(10 * MS);
    TEST_ASSERT_EQUAL_UINT64(2, seen_count);
    TEST_ASSERT_EQUAL_INT64(10 * MS, seen[0].at_ns);
    TEST_ASSERT_EQUAL_INT64(10 * MS, seen[1].at_ns);
}

static void a_completion_comes_at_its_time(void)
{
    world_complete_at(&world, 2, 30 * MS, 5);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
    TEST_ASSERT_EQUAL_INT(SEEN_COMPLETION, seen[0].kind);
    TEST_ASSERT_EQUAL_INT64(30 * MS, seen[0].at_ns);
    TEST_ASSERT_EQUAL_UINT64(5, seen[0].what);
}

static uint64_t called_with;

static void stop_the_run(void *context, struct world *w, uint64_t what)
{
    (void)context;
    called_with = what;
    world_stop(w);
}

static void a_caller_is_called_and_can_stop_the_run_where_it_is(void)
{
    uint32_t caller = world_add_caller(&world, (struct world_caller){ .call = stop_the_run });

    world_call_at(&world, 40 * MS, caller, 6);
    world_set_timer(&world, 0, 50 * MS, 0);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(6, called_with);
    TEST_ASSERT_EQUAL_INT64(40 * MS, world.now_ns);
    TEST_ASSERT_EQUAL_UINT64(0, seen_count);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_INT64(SECOND, world.now_ns);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
}

static void stepping_handles_one_event_after_another(void)
{
    bool again;

    send_byte(0, 1, 'a');
    send_byte(0, 1, 'b');
    ASSERT_OK(world_step(&world, &again, &err), &err);
    TEST_ASSERT_TRUE(again);
    TEST_ASSERT_EQUAL_UINT64(1, seen_count);
    ASSERT_OK(world_step(&world, &again, &err), &err);
    ASSERT_OK(world_step(&world, &again, &err), &err);
    TEST_ASSERT_FALSE(again);
    TEST_ASSERT_EQUAL_UINT64(2, seen_count);
}

static void roles_are_known_until_they_are_given_up(void)
{
    TEST_ASSERT_EQUAL_UINT32(WORLD_NOBODY, world_leader(&world, 1));
    world_publish_role(&world, 2, 1, ROLE_LEADER);
    world_publish_role(&world, 0, 1, ROLE_FOLLOWER);
    TEST_ASSERT_EQUAL_UINT32(2, world_leader(&world, 1));
    TEST_ASSERT_EQUAL_UINT32(WORLD_NOBODY, world_leader(&world, 0));
    TEST_ASSERT_EQUAL_INT(ROLE_FOLLOWER, world_role(&world, 0, 1));
    world_publish_role(&world, 2, 1, ROLE_FOLLOWER);
    TEST_ASSERT_EQUAL_UINT32(WORLD_NOBODY, world_leader(&world, 1));
}

static void nodes_clocks_are_within_their_bounds_and_clients_are_true(void)
{
    options.clocks = (struct clock_options){ 100 * MS, 200 };
    fixture_world();
    run_until(SECOND);
    for (uint32_t i = 0; i < 3; i++) {
        TEST_ASSERT_INT64_WITHIN(100 * MS + 200 * US, CLOCK_WALL_EPOCH_NS + SECOND,
                                 world_wall_ns(&world, i));
        TEST_ASSERT_INT64_WITHIN(200 * US, SECOND, world_monotonic_ns(&world, i));
    }
    TEST_ASSERT_EQUAL_INT64(CLOCK_WALL_EPOCH_NS + SECOND, world_wall_ns(&world, 3));
    TEST_ASSERT_TRUE(world_wall_ns(&world, 0) != world_wall_ns(&world, 1));
}

static void one_more_node_leaves_the_clocks_and_streams_there_were(void)
{
    uint64_t of_node, of_client;
    int64_t wall_ns;

    options.clocks = (struct clock_options){ 100 * MS, 200 };
    fixture_world();
    of_node = random_next(world_random(&world, 2));
    of_client = random_next(world_random(&world, 3));
    wall_ns = world_wall_ns(&world, 2);
    options.node_count++;
    fixture_world();
    TEST_ASSERT_EQUAL_UINT64(of_node, random_next(world_random(&world, 2)));
    TEST_ASSERT_EQUAL_UINT64(of_client, random_next(world_random(&world, 4)));
    TEST_ASSERT_EQUAL_INT64(wall_ns, world_wall_ns(&world, 2));
}

/* Sends itself a message for ever, in no time. */
static void send_to_self(void *context, struct world *w, uint32_t node, uint32_t from,
                         struct text bytes)
{
    (void)context;
    (void)from;
    world_send(w, node, node, bytes);
}

static void a_run_that_never_ends_meets_its_limit_of_events(void)
{
    static const struct node_process busy = { .message = send_to_self };

    options.limits.event_count_max = 1000;
    world_close(&world);
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    world_set_process(&world, 0, &busy, NULL);
    ASSERT_OK(world_start(&world, &err), &err);
    send_byte(0, 0, 'x');
    TEST_ASSERT_EQUAL_INT(STATUS_TOO_LONG, world_run(&world, SECOND, &err));
    TEST_ASSERT_EQUAL_STRING("at 0.000 ms of virtual time: more than 1000 events", err.text);
    TEST_ASSERT_FALSE(world.was_stopped);
}

static void a_run_that_never_ends_can_be_stopped(void)
{
    static const struct node_process busy = { .message = send_to_self };
    const atomic_bool stop = true;

    options.stop = &stop;
    world_close(&world);
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    world_set_process(&world, 0, &busy, NULL);
    ASSERT_OK(world_start(&world, &err), &err);
    send_byte(0, 0, 'x');
    TEST_ASSERT_EQUAL_INT(STATUS_TOO_LONG, world_run(&world, SECOND, &err));
    TEST_ASSERT_TRUE(world.was_stopped);
}

static void each_limit_ends_the_run_with_its_name(void)
{
    static const struct {
        const char *label;
        struct world_limits limits;
        const char *text;
    } rows[] = {
        { "pending",
          { .pending_max = 5 },
          "at 3.000 ms of virtual time: no room for more than 5 pending events" },
        { "messages",
          { .message_count_max = 5 },
          "at 3.000 ms of virtual time: no room for more than 5 messages" },
        { "bytes",
          { .message_bytes_max = 10 },
          "at 3.000 ms of virtual time: no room for more than 0 bytes of messages" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        options.limits = rows[i].limits;
        fixture_world();
        run_until(3 * MS);
        for (int j = 0; j < 10; j++)
            send_byte(0, 1, 'x');
        TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_TOO_LONG, world_run(&world, SECOND, &err),
                                      rows[i].label);
        TEST_ASSERT_EQUAL_STRING(rows[i].text, err.text);
        /* And it stays so. */
        TEST_ASSERT_EQUAL_INT(STATUS_TOO_LONG, world_run(&world, SECOND, &err));
    }
}

static void too_many_timers_end_the_run(void)
{
    options.limits.timer_count_max = 2;
    fixture_world();
    for (int i = 0; i < 3; i++)
        world_set_timer(&world, 0, MS, 0);
    TEST_ASSERT_EQUAL_INT(STATUS_TOO_LONG, world_run(&world, SECOND, &err));
    TEST_ASSERT_EQUAL_STRING("at 0.000 ms of virtual time: no room for more than 2 timers",
                             err.text);
}

static void impossible_options_are_refused(void)
{
    struct {
        const char *label;
        struct world_options options;
    } rows[] = {
        { "no nodes", { .node_count = 0 } },
        { "too many", { .node_count = 1000, .client_count = 1000 } },
        { "offset", { .node_count = 1, .clocks.offset_ns_max = INT64_MAX } },
        { "negative offset", { .node_count = 1, .clocks.offset_ns_max = -1 } },
        { "drift", { .node_count = 1, .clocks.drift_ppm_max = 1000000 } },
        { "loss", { .node_count = 1, .network.loss = { 3, 2 } } },
        { "duplicate", { .node_count = 1, .network.duplicate = { 3, 2 } } },
        { "reorder", { .node_count = 1, .network.reorder = { 3, 0 } } },
        { "lateness", { .node_count = 1, .network.reorder_delay_ns_max = INT64_MAX } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct world refused;
        TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_BAD_INPUT,
                                      world_init(&refused, &rows[i].options, fixture_arena(), &err),
                                      rows[i].label);
    }
}

static void every_arena_that_is_too_small_is_refused_cleanly(void)
{
    struct arena small;
    enum status status = STATUS_OVER_LIMIT;

    for (size_t size = 0; status != STATUS_OK; size += 4096) {
        struct world tried;
        ASSERT_OK(arena_init(&small, size, &err), &err);
        status = world_init(&tried, &options, &small, &err);
        if (status == STATUS_OK)
            world_close(&tried);
        else
            TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, status);
        arena_close(&small);
    }
}

static void in_steady_state_a_run_takes_no_more_memory(void)
{
    size_t used = 0;

    for (int round = 0; round < 2000; round++) {
        for (uint32_t i = 0; i < 3; i++) {
            send_byte(i, (i + 1) % 3, 'x');
            world_set_timer(&world, i, MS / 2, 0);
        }
        run_until(world.now_ns + MS);
        seen_count = 0;
        if (round == 10)
            used = world.arena->used;
    }
    TEST_ASSERT_EQUAL_UINT64(used, world.arena->used);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_endpoint_starts_once_in_order_at_time_zero);
    RUN_TEST(a_message_arrives_after_its_latency);
    RUN_TEST(clients_and_nodes_exchange_messages_alike);
    RUN_TEST(simultaneous_events_come_in_the_order_they_were_asked_for);
    RUN_TEST(a_message_that_is_always_lost_never_arrives_and_is_counted);
    RUN_TEST(a_message_that_is_always_duplicated_arrives_twice);
    RUN_TEST(a_full_link_forgets_its_oldest_messages);
    RUN_TEST(what_has_arrived_takes_up_no_room_on_its_link);
    RUN_TEST(timers_fire_in_the_order_of_their_deadlines);
    RUN_TEST(a_cancelled_timer_does_not_fire_and_its_place_is_free);
    RUN_TEST(timers_wait_on_the_clock_of_their_node);
    RUN_TEST(a_completion_comes_at_its_time);
    RUN_TEST(a_caller_is_called_and_can_stop_the_run_where_it_is);
    RUN_TEST(stepping_handles_one_event_after_another);
    RUN_TEST(roles_are_known_until_they_are_given_up);
    RUN_TEST(nodes_clocks_are_within_their_bounds_and_clients_are_true);
    RUN_TEST(one_more_node_leaves_the_clocks_and_streams_there_were);
    RUN_TEST(a_run_that_never_ends_meets_its_limit_of_events);
    RUN_TEST(a_run_that_never_ends_can_be_stopped);
    RUN_TEST(each_limit_ends_the_run_with_its_name);
    RUN_TEST(too_many_timers_end_the_run);
    RUN_TEST(impossible_options_are_refused);
    RUN_TEST(every_arena_that_is_too_small_is_refused_cleanly);
    RUN_TEST(in_steady_state_a_run_takes_no_more_memory);
    return UNITY_END();
}
