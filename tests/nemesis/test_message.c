/* Bursts and clogs, seen from the messages. */
#include "tests/nemesis/nemesis_fixture.h"

void setUp(void)
{
    fixture_nemeses();
}

void tearDown(void) {}

static struct nemesis *burst(enum nemesis_shape shape, struct nemesis_options asked)
{
    asked.shape = shape;
    asked.start_ns = SECOND;
    asked.lasts_ns = 2 * SECOND;
    return add(asked);
}

static uint32_t count_bursts(void)
{
    uint32_t count = 0;

    for (uint32_t from = 0; from < world.endpoint_count; from++)
        for (uint32_t to = 0; to < world.endpoint_count; to++)
            count += network_link(&world.network, from, to)->bursts != 0;
    return count;
}

static void each_shape_does_to_messages_what_it_says_while_it_holds(void)
{
    static const struct {
        enum nemesis_shape shape;
        enum world_fault fault;
        uint32_t percent; /* of all messages while it holds */
    } rows[] = {
        { SHAPE_MESSAGE_LOSS, FAULT_LOSS, 25 },
        { SHAPE_MESSAGE_DELAY, FAULT_DELAY, 100 },
        { SHAPE_MESSAGE_DUPLICATE, FAULT_DUPLICATE, 25 },
        { SHAPE_MESSAGE_REORDER, FAULT_REORDER, 25 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct nemesis_options asked = { .delay_ns = 0 };
        const char *name = nemesis_shape_name(rows[i].shape);
        uint64_t sent;

        if (nemesis_shape_takes(rows[i].shape, NEMESIS_KEY_CHANCE))
            asked.chance = (struct ratio){ 1, 4 };
        start();
        burst(rows[i].shape, asked);
        chatter_until(SECOND);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, world.faults[rows[i].fault], name);
        sent = world.counts.messages_sent;
        chatter_until(2 * SECOND);
        sent = world.counts.messages_sent - sent;
        TEST_ASSERT_UINT64_WITHIN_MESSAGE(sent / 20, sent * rows[i].percent / 100,
                                          world.faults[rows[i].fault], name);
        chatter_until(5 * SECOND);
        sent = world.faults[rows[i].fault];
        chatter_until(6 * SECOND);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(sent, world.faults[rows[i].fault], name);
        for (int fault = 0; fault < FAULT_KIND_COUNT; fault++)
            TEST_ASSERT_TRUE(fault == (int)rows[i].fault || world.faults[fault] == 0);
        nemesis_stop_all(&nemeses, NEMESES_HEAL);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(1, nemeses.list[0].felt, name);
    }
}

static void a_delay_keeps_the_order_and_a_reordering_does_not(void)
{
    bool in_order[2] = { true, true };

    for (int i = 0; i < 2; i++) {
        start();
        burst(i == 0 ? SHAPE_MESSAGE_DELAY : SHAPE_MESSAGE_REORDER,
              (struct nemesis_options){ .delay_ns = 50 * MS });
        run_until(SECOND);
        for (char byte = 0; byte < 100; byte++) {
            send_byte(0, 1, byte);
            run_until(world.now_ns + MS / 2);
        }
        run_until(world.now_ns + 100 * MS);
        TEST_ASSERT_EQUAL(100, seen_count);
        for (size_t k = 0; k < seen_count; k++) {
            in_order[i] = in_order[i] && seen[k].what == k;
            if (i == 0)
                TEST_ASSERT_EQUAL_INT64(SECOND + (int64_t)k * MS / 2 + 51 * MS, seen[k].at_ns);
        }
    }
    TEST_ASSERT_TRUE(in_order[0]);
    TEST_ASSERT_FALSE(in_order[1]);
}

static void a_burst_hurts_the_links_of_its_victims_with_clients_too(void)
{
    burst(SHAPE_MESSAGE_LOSS,
          (struct nemesis_options){ .victims = VICTIMS_NODES, .nodes = { 1, { 2 } } });
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT32(2 * NODES, count_bursts());
    for (uint32_t other = 0; other <= CLIENT; other++) {
        TEST_ASSERT_EQUAL(other != 2, network_link(&world.network, 2, other)->bursts != 0);
        TEST_ASSERT_EQUAL(other != 2, network_link(&world.network, other, 2)->bursts != 0);
    }
    run_until(5 * SECOND);
    TEST_ASSERT_EQUAL_UINT32(0, count_bursts());
}

static void pairs_are_drawn_links_between_nodes(void)
{
    uint32_t different = 0;

    for (uint64_t seed = 0; seed < 50; seed++) {
        options.seed = seed;
        start();
        burst(SHAPE_MESSAGE_DELAY, (struct nemesis_options){ .victims = VICTIMS_PAIRS });
        run_until(SECOND);
        TEST_ASSERT_TRUE(count_bursts() >= 1 && count_bursts() <= NODES);
        for (uint32_t node = 0; node < NODES; node++) {
            TEST_ASSERT_EQUAL_UINT32(0, network_link(&world.network, node, node)->bursts);
            TEST_ASSERT_EQUAL_UINT32(0, network_link(&world.network, node, CLIENT)->bursts);
        }
        different += network_link(&world.network, 0, 1)->bursts != 0;
        run_until(5 * SECOND);
        TEST_ASSERT_EQUAL_UINT32(0, count_bursts());
    }
    TEST_ASSERT_TRUE(different > 0 && different < 50);
}

/* The first ends while the second still holds: what the second does goes on. */
static void bursts_overlap(void)
{
    add((struct nemesis_options){ .shape = SHAPE_MESSAGE_LOSS,
                                  .at = { 1, { SECOND } },
                                  .lasts_ns = SECOND,
                                  .chance = { 1, 10 } });
    add((struct nemesis_options){ .shape = SHAPE_MESSAGE_LOSS,
                                  .at = { 1, { SECOND + SECOND / 2 } },
                                  .lasts_ns = SECOND,
                                  .chance = { 1, 1 } });
    chatter_until(SECOND + SECOND / 2);
    TEST_ASSERT_TRUE(world.faults[FAULT_LOSS] > 0);
    TEST_ASSERT_TRUE(world.counts.messages_delivered > 100);
    run_until(world.now_ns + MS);
    seen_count = 0;
    for (int i = 0; i < 900; i++) {
        send_byte(0, 1, 'x');
        run_until(world.now_ns + MS);
    }
    TEST_ASSERT_EQUAL(0, count_seen(SEEN_MESSAGE, 1));
    run_until(3 * SECOND);
    send_byte(0, 1, 'x');
    run_until(4 * SECOND);
    TEST_ASSERT_EQUAL(1, count_seen(SEEN_MESSAGE, 1));
    TEST_ASSERT_EQUAL_UINT64(1, nemeses.list[0].felt);
    TEST_ASSERT_EQUAL_UINT64(1, nemeses.list[1].felt);
}

/* What the network loses by itself is no merit of a burst. */
static void a_burst_that_hit_no_message_was_not_felt(void)
{
    options.network.loss = (struct ratio){ 1, 2 };
    start();
    burst(SHAPE_MESSAGE_LOSS, (struct nemesis_options){ .chance = { 1, 1000000000 } });
    burst(SHAPE_MESSAGE_DELAY,
          (struct nemesis_options){ .victims = VICTIMS_NODES, .nodes = { 1, { 3 } } });
    while (world.now_ns < 5 * SECOND) {
        send_byte(0, 1, 'x'); /* not to the one whose messages are delayed */
        run_until(world.now_ns + 10 * MS);
    }
    nemesis_stop_all(&nemeses, NEMESES_HEAL);
    TEST_ASSERT_TRUE(world.faults[FAULT_LOSS] > 100);
    TEST_ASSERT_EQUAL_UINT64(0, nemeses.list[0].felt);
    TEST_ASSERT_EQUAL_UINT64(0, nemeses.list[1].felt);
    TEST_ASSERT_EQUAL_UINT32(0, nemesis_next_unfelt(&nemeses, 0));
    TEST_ASSERT_EQUAL_UINT32(1, nemesis_next_unfelt(&nemeses, 1));
    TEST_ASSERT_EQUAL_UINT32(2, nemesis_next_unfelt(&nemeses, 2));
}

static void each_shape_of_clog_stops_its_own_messages(void)
{
    static const struct {
        enum nemesis_shape shape;
        bool sends, receives;
    } rows[] = { { SHAPE_CLOG_SEND, false, true }, { SHAPE_CLOG_RECEIVE, true, false } };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        start();
        add((struct nemesis_options){ .shape = rows[i].shape,
                                      .at = { 1, { SECOND } },
                                      .lasts_ns = SECOND,
                                      .victims = VICTIMS_NODES,
                                      .nodes = { 1, { 1 } } });
        run_until(SECOND);
        send_byte(1, CLIENT, 'a');
        send_byte(CLIENT, 1, 'b');
        send_byte(0, 2, 'c');
        run_until(2 * SECOND - 1);
        TEST_ASSERT_EQUAL(rows[i].sends, count_seen(SEEN_MESSAGE, CLIENT));
        TEST_ASSERT_EQUAL(rows[i].receives, count_seen(SEEN_MESSAGE, 1));
        TEST_ASSERT_EQUAL(1, count_seen(SEEN_MESSAGE, 2));
        run_until(2 * SECOND);
        TEST_ASSERT_EQUAL(3, seen_count);
        TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_CLOG]);
        TEST_ASSERT_EQUAL_UINT64(1, nemeses.list[0].felt);
    }
}

static void a_clogged_link_carries_the_other_way(void)
{
    uint32_t from = 0, to = 0;

    add((struct nemesis_options){ .shape = SHAPE_CLOG_LINK,
                                  .at = { 1, { SECOND } },
                                  .lasts_ns = SECOND,
                                  .victims = VICTIMS_NODES,
                                  .nodes = { 1, { 4 } } });
    run_until(SECOND);
    for (uint32_t i = 0; i < NODES; i++)
        for (uint32_t k = 0; k < NODES; k++)
            if (network_link(&world.network, i, k)->clogged_until_ns > 0) {
                from = i;
                to = k;
            }
    TEST_ASSERT_EQUAL_UINT32(4, from);
    TEST_ASSERT_TRUE(to != from);
    send_byte(from, to, 'a');
    send_byte(to, from, 'b');
    run_until(2 * SECOND - 1);
    TEST_ASSERT_EQUAL(0, count_seen(SEEN_MESSAGE, to));
    TEST_ASSERT_EQUAL(1, count_seen(SEEN_MESSAGE, from));
    run_until(2 * SECOND);
    TEST_ASSERT_EQUAL(1, count_seen(SEEN_MESSAGE, to));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_shape_does_to_messages_what_it_says_while_it_holds);
    RUN_TEST(a_delay_keeps_the_order_and_a_reordering_does_not);
    RUN_TEST(a_burst_hurts_the_links_of_its_victims_with_clients_too);
    RUN_TEST(pairs_are_drawn_links_between_nodes);
    RUN_TEST(bursts_overlap);
    RUN_TEST(a_burst_that_hit_no_message_was_not_felt);
    RUN_TEST(each_shape_of_clog_stops_its_own_messages);
    RUN_TEST(a_clogged_link_carries_the_other_way);
    return UNITY_END();
}
