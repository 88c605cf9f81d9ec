#include "tests/nemesis/nemesis_fixture.h"

void setUp(void)
{
    fixture_nemeses();
}

void tearDown(void) {}

static void lead(uint32_t node, uint32_t shard)
{
    world_publish_role(&world, node, shard, ROLE_LEADER);
}

/* Whether the nemesis did something to the node: crashed it, cut it off, moved its clock... */
static bool is_hurt(const struct nemesis *nemesis, uint32_t node)
{
    uint32_t other = (node + 1) % NODES;

    switch (nemesis->options.kind) {
    case NEMESIS_PARTITION:
        return network_link(&world.network, node, other)->cuts > 0;
    case NEMESIS_CLOCK:
        return world.nodes[node].clock.frozen || world.nodes[node].clock.drift_ppm != 0 ||
               clock_error_ns(&world.nodes[node].clock, world.now_ns) != 0;
    case NEMESIS_CRASH:
        return nemesis->options.shape == SHAPE_CRASH_RESTART
                   ? count_seen(SEEN_RESTART, node) > 0
                   : world_node_state(&world, node) == NODE_DOWN;
    case NEMESIS_PAUSE:
        return world_node_state(&world, node) == NODE_PAUSED;
    case NEMESIS_MESSAGE:
        return network_link(&world.network, node, CLIENT)->bursts != 0;
    case NEMESIS_CLOG:
        for (uint32_t to = 0; to < NODES; to++)
            if (network_link(&world.network, node, to)->clogged_until_ns > world.now_ns)
                return true;
        return world.network.send_clogged_until_ns[node] > world.now_ns ||
               world.network.receive_clogged_until_ns[node] > world.now_ns;
    default:
        return disks[node].stalled_until_ns > world.now_ns || disks[node].faults.full ||
               disks[node].faults.slow_factor > 1 || disks[node].faults.torn.numerator ||
               disks[node].faults.read_error.numerator ||
               disks[node].faults.write_error.numerator || disks[node].faults.bit_rot.numerator ||
               disks[node].faults.lying_sync.numerator || disks[node].faults.misdirected.numerator;
    }
}

static struct nemesis *strike(enum nemesis_shape shape, struct nemesis_options asked)
{
    struct nemesis *nemesis;

    asked.shape = shape;
    asked.start_ns = SECOND;
    asked.outside = nemesis_shape_is_outside(shape);
    if (nemesis_shape_takes(shape, NEMESIS_KEY_LASTS))
        asked.lasts_ns = 2 * SECOND;
    nemesis = add(asked);
    run_until(SECOND);
    return nemesis;
}

/* The bridge hurts all but the victim; where halves are cut, others stand with it. */
static bool hurts_its_victims_alone(enum nemesis_shape shape)
{
    return shape != SHAPE_PARTITION_BRIDGE && shape != SHAPE_PARTITION_RANDOM_HALVES &&
           shape != SHAPE_PARTITION_ONE_WAY && shape != SHAPE_PARTITION_ISOLATE_ONE;
}

static void every_kind_can_strike_the_leader_of_a_shard_and_nobody_else(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;

        if (!nemesis_shape_allows(shape, VICTIMS_LEADER) || !hurts_its_victims_alone(shape))
            continue;
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct nemesis *nemesis;

            options.seed = seed;
            start();
            lead(1, 0);
            lead(3, 1);
            nemesis = strike(
                shape, (struct nemesis_options){ .victims = VICTIMS_LEADER, .shard_plus_1 = 2 });
            for (uint32_t node = 0; node < NODES; node++)
                TEST_ASSERT_EQUAL_MESSAGE(node == 3, is_hurt(nemesis, node),
                                          nemesis_shape_name(shape));
        }
    }
}

static void partitions_treat_a_leader_as_their_shape_says(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t deaf = 0;

        options.seed = seed;
        start();
        lead(3, 1);
        strike(SHAPE_PARTITION_ISOLATE_ONE,
               (struct nemesis_options){ .victims = VICTIMS_LEADER, .shard_plus_1 = 2 });
        TEST_ASSERT_EQUAL_UINT32(8, count_cuts());
        for (uint32_t node = 0; node < NODES; node++)
            TEST_ASSERT_EQUAL_UINT32(node != 3, network_link(&world.network, 3, node)->cuts);

        start();
        lead(3, 1);
        strike(SHAPE_PARTITION_BRIDGE,
               (struct nemesis_options){ .victims = VICTIMS_LEADER, .shard_plus_1 = 2 });
        TEST_ASSERT_EQUAL_UINT32(8, count_cuts());
        for (uint32_t node = 0; node < NODES; node++)
            TEST_ASSERT_EQUAL_UINT32(0, network_link(&world.network, 3, node)->cuts);

        start();
        lead(3, 1);
        strike(SHAPE_PARTITION_ONE_WAY,
               (struct nemesis_options){ .victims = VICTIMS_LEADER, .shard_plus_1 = 2 });
        for (uint32_t node = 0; node < NODES; node++) {
            deaf += network_link(&world.network, 3, node)->cuts;
            TEST_ASSERT_EQUAL_UINT32(0, network_link(&world.network, node, 3)->cuts);
        }
        TEST_ASSERT_EQUAL_UINT32(3, deaf);
    }
}

static void leaders_are_struck_together(void)
{
    lead(1, 0);
    lead(3, 1);
    strike(SHAPE_PAUSE_ONE, (struct nemesis_options){ .victims = VICTIMS_LEADERS });
    TEST_ASSERT_EQUAL_UINT32(2, count_nodes(NODE_PAUSED));
    TEST_ASSERT_EQUAL(NODE_PAUSED, world_node_state(&world, 1));
    TEST_ASSERT_EQUAL(NODE_PAUSED, world_node_state(&world, 3));
}

static void leaders_are_cut_off_together(void)
{
    lead(1, 0);
    lead(3, 1);
    strike(SHAPE_PARTITION_ISOLATE_ONE, (struct nemesis_options){ .victims = VICTIMS_LEADERS });
    TEST_ASSERT_EQUAL_UINT32(12, count_cuts());
    TEST_ASSERT_EQUAL_UINT32(0, network_link(&world.network, 1, 3)->cuts);
    TEST_ASSERT_EQUAL_UINT32(1, network_link(&world.network, 1, 2)->cuts);
    run_until(5 * SECOND);
    TEST_ASSERT_EQUAL_UINT32(0, count_cuts());
}

static void who_leads_both_shards_is_struck_once(void)
{
    lead(2, 0);
    lead(2, 1);
    strike(SHAPE_CRASH_ONE, (struct nemesis_options){ .victims = VICTIMS_LEADERS });
    TEST_ASSERT_EQUAL_UINT32(1, count_nodes(NODE_DOWN));
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_CRASH]);
}

static void a_drawn_shard_is_sometimes_one_and_sometimes_the_other(void)
{
    uint32_t of_first = 0;

    for (uint64_t seed = 0; seed < 100; seed++) {
        options.seed = seed;
        start();
        lead(1, 0);
        lead(3, 1);
        strike(SHAPE_CRASH_ONE, (struct nemesis_options){ .victims = VICTIMS_LEADER });
        TEST_ASSERT_EQUAL_UINT32(1, count_nodes(NODE_DOWN));
        of_first += world_node_state(&world, 1) == NODE_DOWN;
    }
    TEST_ASSERT_UINT32_WITHIN(20, 50, of_first);
}

static void while_nobody_leads_nothing_is_struck_and_nothing_counted(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;
        struct nemesis *nemesis;

        if (!nemesis_shape_allows(shape, VICTIMS_LEADER))
            continue;
        start();
        nemesis = strike(shape, (struct nemesis_options){ .victims = VICTIMS_LEADER });
        TEST_ASSERT_EQUAL_UINT64(1, nemesis->strikes);
        chatter_until(3 * SECOND);
        write_until(6 * SECOND);
        nemesis_stop_all(&nemeses, NEMESES_HEAL);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, nemesis->felt, nemesis_shape_name(shape));
        for (int fault = 0; fault < FAULT_KIND_COUNT; fault++)
            TEST_ASSERT_EQUAL_UINT64(0, world.faults[fault]);
    }
}

static void a_leader_that_is_elected_later_is_struck_later(void)
{
    struct nemesis *nemesis = add((struct nemesis_options){ .shape = SHAPE_CRASH_ONE,
                                                            .every_ns = SECOND,
                                                            .lasts_ns = 100 * MS,
                                                            .victims = VICTIMS_LEADER });
    run_until(10 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(0, nemesis->felt);
    lead(4, 0);
    lead(4, 1);
    run_until(12 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, nemesis->felt); /* then it leads no more */
    TEST_ASSERT_EQUAL(1, count_seen(SEEN_CRASH, 4));
}

static void listed_nodes_are_struck_and_no_others(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;
        struct nemesis *nemesis;

        if (!nemesis_shape_allows(shape, VICTIMS_NODES) || !hurts_its_victims_alone(shape) ||
            shape == SHAPE_DISK_BIT_ROT) /* 0 and 2 hold the same shard */
            continue;
        start();
        nemesis = strike(
            shape, (struct nemesis_options){ .victims = VICTIMS_NODES, .nodes = { 2, { 2, 0 } } });
        for (uint32_t node = 0; node < NODES; node++)
            TEST_ASSERT_EQUAL_MESSAGE(node == 0 || node == 2, is_hurt(nemesis, node),
                                      nemesis_shape_name(shape));
    }
}

static void as_many_are_struck_as_asked(void)
{
    static const struct {
        enum nemesis_victims victims;
        uint32_t low, high;
    } rows[] = {
        { VICTIMS_USUAL, 1, 1 },    { VICTIMS_ONE, 1, 1 }, { VICTIMS_SOME, 1, 5 },
        { VICTIMS_MINORITY, 1, 2 }, { VICTIMS_ALL, 5, 5 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        uint32_t low = NODES, high = 0;

        for (uint64_t seed = 0; seed < 100; seed++) {
            struct nemesis *nemesis;
            uint32_t count = 0;

            options.seed = seed;
            start();
            nemesis =
                strike(SHAPE_DISK_FULL, (struct nemesis_options){ .victims = rows[i].victims });
            for (uint32_t node = 0; node < NODES; node++)
                count += is_hurt(nemesis, node);
            low = count < low ? count : low;
            high = count > high ? count : high;
        }
        TEST_ASSERT_EQUAL_UINT32(rows[i].low, low);
        TEST_ASSERT_EQUAL_UINT32(rows[i].high, high);
    }
}

static void what_this_world_lacks_is_refused(void)
{
    static const struct {
        const char *text;
        bool disks, shards, replicas;
        struct nemesis_options options;
    } rows[] = {
        { "disk slow needs disks, and these nodes have none",
          false,
          true,
          true,
          { .kind = NEMESIS_DISK, .shape = SHAPE_DISK_SLOW } },
        { "crash one needs disks, and these nodes have none",
          false,
          true,
          true,
          { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ONE, .while_writing = true } },
        { "crash one: there is no shard 2",
          true,
          true,
          true,
          { .kind = NEMESIS_CRASH,
            .shape = SHAPE_CRASH_ONE,
            .victims = VICTIMS_LEADER,
            .shard_plus_1 = 3 } },
        { "crash one: there are no shards to be led",
          true,
          false,
          true,
          { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ONE, .victims = VICTIMS_LEADERS } },
        { "disk bit-rot: no replica can be spared here; it needs outside = true",
          true,
          true,
          false,
          { .kind = NEMESIS_DISK, .shape = SHAPE_DISK_BIT_ROT } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        options.shard_count = rows[i].shards ? 2 : 0;
        ground.disks = rows[i].disks ? disk_of : NULL;
        ground.replicas = rows[i].replicas ? replicas : NULL;
        start();
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, nemesis_add(&nemeses, &rows[i].options, &err),
                                  rows[i].text);
        TEST_ASSERT_EQUAL_STRING(rows[i].text, err.text);
        TEST_ASSERT_EQUAL_UINT32(0, nemeses.count);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_kind_can_strike_the_leader_of_a_shard_and_nobody_else);
    RUN_TEST(partitions_treat_a_leader_as_their_shape_says);
    RUN_TEST(leaders_are_struck_together);
    RUN_TEST(leaders_are_cut_off_together);
    RUN_TEST(who_leads_both_shards_is_struck_once);
    RUN_TEST(a_drawn_shard_is_sometimes_one_and_sometimes_the_other);
    RUN_TEST(while_nobody_leads_nothing_is_struck_and_nothing_counted);
    RUN_TEST(a_leader_that_is_elected_later_is_struck_later);
    RUN_TEST(listed_nodes_are_struck_and_no_others);
    RUN_TEST(as_many_are_struck_as_asked);
    RUN_TEST(what_this_world_lacks_is_refused);
    return UNITY_END();
}
