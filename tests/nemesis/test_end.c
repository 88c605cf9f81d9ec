/* The end of a run: nemesis_stop_all(). */
#include "tests/nemesis/nemesis_fixture.h"

void setUp(void)
{
    fixture_nemeses();
}

void tearDown(void) {}

static void let_everything_loose(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT && nemeses.count < NEMESIS_COUNT_MAX; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;
        struct nemesis_options asked = { .shape = shape, .every_ns = SECOND };
        if (nemesis_shape_takes(shape, NEMESIS_KEY_LASTS))
            asked.lasts_ns = SECOND;
        if (!nemesis_shape_is_outside(shape))
            add(asked);
    }
    chatter_until(10 * SECOND);
    write_until(15 * SECOND);
}

static void assert_links_and_disks_are_whole(void)
{
    for (uint32_t from = 0; from < world.endpoint_count; from++)
        for (uint32_t to = 0; to < world.endpoint_count; to++) {
            const struct link *link = network_link(&world.network, from, to);
            TEST_ASSERT_EQUAL_UINT32(0, link->cuts);
            TEST_ASSERT_EQUAL_UINT32(0, link->bursts);
            TEST_ASSERT_TRUE(link->clogged_until_ns <= world.now_ns);
        }
    for (uint32_t node = 0; node < NODES; node++) {
        const struct disk_faults *faults = &disks[node].faults;
        TEST_ASSERT_TRUE(disks[node].stalled_until_ns <= world.now_ns);
        TEST_ASSERT_FALSE(faults->full);
        TEST_ASSERT_TRUE(faults->slow_factor <= 1);
        TEST_ASSERT_EQUAL_UINT64(0, faults->torn.numerator + faults->bit_rot.numerator +
                                        faults->read_error.numerator +
                                        faults->write_error.numerator);
    }
}

static void after_the_end_nothing_is_hurt_any_more(void)
{
    ground.disk_faults.torn = (struct ratio){ 1, 2 };
    start();
    let_everything_loose();
    nemesis_stop_all(&nemeses, NEMESES_HEAL);
    for (int i = 0; i < 50; i++) {
        TEST_ASSERT_EQUAL_UINT32(NODES, count_nodes(NODE_UP));
        TEST_ASSERT_TRUE(clocks_are_true());
        assert_links_and_disks_are_whole();
        run_until(world.now_ns + 100 * MS);
    }
}

static void healing_alone_crashes_nobody(void)
{
    add_once(SHAPE_PARTITION_HALVES);
    run_until(2 * SECOND);
    nemesis_stop_all(&nemeses, NEMESES_HEAL);
    for (uint32_t node = 0; node < NODES; node++)
        TEST_ASSERT_EQUAL(0, count_seen(SEEN_CRASH, node));
}

static void a_restart_crashes_every_node_and_brings_it_back(void)
{
    add_once(SHAPE_CRASH_ONE);
    run_until(2 * SECOND);
    TEST_ASSERT_EQUAL_UINT32(1, count_nodes(NODE_DOWN));
    nemesis_stop_all(&nemeses, NEMESES_RESTART);
    TEST_ASSERT_EQUAL_UINT32(NODES, count_nodes(NODE_UP));
    for (uint32_t node = 0; node < NODES; node++) {
        TEST_ASSERT_EQUAL(1, count_seen(SEEN_CRASH, node));
        TEST_ASSERT_EQUAL(1, count_seen(SEEN_RESTART, node));
    }
}

/* Its process would wait for an hour, and the store would seem stuck. */
static void a_node_whose_disk_answers_much_too_late_is_restarted(void)
{
    add((struct nemesis_options){ .shape = SHAPE_DISK_STALL,
                                  .at = { 1, { SECOND } },
                                  .lasts_ns = 3600 * SECOND,
                                  .victims = VICTIMS_NODES,
                                  .nodes = { 2, { 1, 2 } } });
    run_until(SECOND);
    (void)disk_append(&disks[1], world.now_ns, LOG, "x", 1);
    run_until(2 * SECOND);
    nemesis_stop_all(&nemeses, NEMESES_HEAL);
    TEST_ASSERT_EQUAL(1, count_seen(SEEN_RESTART, 1));
    TEST_ASSERT_EQUAL(0, count_seen(SEEN_RESTART, 2)); /* it asked for nothing meanwhile */
    TEST_ASSERT_TRUE(disk_append(&disks[1], world.now_ns, LOG, "x", 1).done_ns <
                     world.now_ns + 2 * MS);
}

static uint32_t count_up(uint32_t shard)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < 3; i++)
        count += world_node_state(&world, replicas[shard * 3 + i]) == NODE_UP;
    return count;
}

static void a_core_has_a_majority_of_each_shard_and_the_rest_stands_still(void)
{
    uint32_t frozen[NODES] = { 0 };

    for (uint64_t seed = 0; seed < 60; seed++) {
        options.seed = seed;
        start();
        add_once(SHAPE_CRASH_ALL);
        run_until(SECOND);
        nemesis_stop_all(&nemeses, NEMESES_CORE);
        TEST_ASSERT_EQUAL_UINT32(2, count_up(0));
        TEST_ASSERT_EQUAL_UINT32(2, count_up(1));
        assert_links_and_disks_are_whole();
        run_until(60 * SECOND);
        for (uint32_t node = 0; node < NODES; node++)
            frozen[node] += world_node_state(&world, node) == NODE_PAUSED;
        TEST_ASSERT_EQUAL_UINT32(0, count_nodes(NODE_DOWN));
    }
    for (uint32_t node = 0; node < NODES; node++)
        TEST_ASSERT_TRUE(frozen[node] > 5 && frozen[node] < 55);
}

static void where_replicas_are_unknown_the_core_is_a_majority_of_the_nodes(void)
{
    ground = (struct nemesis_ground){ 0 };
    start();
    nemesis_stop_all(&nemeses, NEMESES_CORE);
    TEST_ASSERT_EQUAL_UINT32(3, count_nodes(NODE_UP));
    TEST_ASSERT_EQUAL_UINT32(2, count_nodes(NODE_PAUSED));
}

static void what_was_never_felt_is_named(void)
{
    add_once(SHAPE_CRASH_ONE);
    add((struct nemesis_options){ .shape = SHAPE_CRASH_ONE, .start_ns = 100 * SECOND });
    add_once(SHAPE_CLOCK_STEP);
    add_once(SHAPE_DISK_FULL);
    run_until(10 * SECOND);
    nemesis_stop_all(&nemeses, NEMESES_HEAL);
    TEST_ASSERT_EQUAL_UINT32(1, nemesis_next_unfelt(&nemeses, 0));
    TEST_ASSERT_EQUAL_UINT32(3, nemesis_next_unfelt(&nemeses, 2));
    TEST_ASSERT_EQUAL_UINT32(4, nemesis_next_unfelt(&nemeses, 4));
    TEST_ASSERT_EQUAL_UINT64(0, nemeses.list[1].strikes);
    TEST_ASSERT_EQUAL_UINT64(1, nemeses.list[3].strikes);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(after_the_end_nothing_is_hurt_any_more);
    RUN_TEST(healing_alone_crashes_nobody);
    RUN_TEST(a_restart_crashes_every_node_and_brings_it_back);
    RUN_TEST(a_node_whose_disk_answers_much_too_late_is_restarted);
    RUN_TEST(a_core_has_a_majority_of_each_shard_and_the_rest_stands_still);
    RUN_TEST(where_replicas_are_unknown_the_core_is_a_majority_of_the_nodes);
    RUN_TEST(what_was_never_felt_is_named);
    return UNITY_END();
}
