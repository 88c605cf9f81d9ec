/* Disk faults, seen from the disks. */
#include "tests/nemesis/nemesis_fixture.h"

void setUp(void)
{
    fixture_nemeses();
}

void tearDown(void) {}

static struct nemesis *strike_disk(enum nemesis_shape shape, uint32_t node)
{
    bool by_chance = nemesis_shape_takes(shape, NEMESIS_KEY_CHANCE);

    return add((struct nemesis_options){ .shape = shape,
                                         .at = { 1, { SECOND } },
                                         .lasts_ns = 2 * SECOND,
                                         .victims = VICTIMS_NODES,
                                         .nodes = { 1, { node } },
                                         .chance = { by_chance, by_chance },
                                         .outside = nemesis_shape_is_outside(shape) });
}

static uint64_t felt(uint32_t node, enum nemesis_shape shape)
{
    return disks[node].fault_counts[nemesis_shape_fault(shape) - FAULT_DISK_TORN];
}

/* Writes whole pages and reads them back, so that there is something to rot and to misdirect. */
static void work_until(int64_t until_ns)
{
    static uint8_t bytes[4 * PAGE_BYTES];

    while (world.now_ns < until_ns) {
        for (uint32_t i = 0; i < NODES; i++) {
            if (world_node_state(&world, i) != NODE_UP || disks[i].busy_until_ns > world.now_ns)
                continue;
            (void)disk_read(&disks[i], world.now_ns, LOG, 0, bytes, sizeof bytes);
            bytes[0]++;
            (void)disk_write(&disks[i], world.now_ns, LOG, 0, bytes, sizeof bytes);
            (void)disk_append(&disks[i], world.now_ns, LOG + 1, bytes, 100);
            (void)disk_sync(&disks[i], world.now_ns, LOG);
        }
        run_until(world.now_ns + 10 * MS);
    }
    seen_count = 0;
}

static void each_shape_hurts_the_disk_it_struck_while_it_holds(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;
        const char *name = nemesis_shape_name(shape);
        uint64_t after;

        if (nemesis_shape_kind(shape) != NEMESIS_DISK)
            continue;
        start();
        strike_disk(shape, 1);
        work_until(SECOND);
        for (uint32_t node = 0; node < NODES; node++)
            for (int fault = 0; fault < DISK_FAULT_COUNT; fault++)
                TEST_ASSERT_EQUAL_UINT64(0, disks[node].fault_counts[fault]);
        work_until(2 * SECOND);
        fault_crash(&world, 1); /* which tears, and finds out liars */
        fault_restart(&world, 1);
        TEST_ASSERT_TRUE_MESSAGE(felt(1, shape) > 0, name);
        work_until(3 * SECOND + 100 * MS);
        after = felt(1, shape);
        work_until(4 * SECOND);
        fault_crash(&world, 1);
        fault_restart(&world, 1);
        TEST_ASSERT_TRUE_MESSAGE(felt(1, shape) == after || shape == SHAPE_DISK_LYING_SYNC, name);
        nemesis_stop_all(&nemeses, NEMESES_HEAL);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(1, nemeses.list[0].felt, name);
        TEST_ASSERT_TRUE(world.faults[nemesis_shape_fault(shape)] >= after);
        for (int fault = 0; fault < DISK_FAULT_COUNT; fault++) {
            TEST_ASSERT_EQUAL_UINT64(0, disks[0].fault_counts[fault]);
            TEST_ASSERT_TRUE(FAULT_DISK_TORN + fault == (int)nemesis_shape_fault(shape) ||
                             disks[1].fault_counts[fault] == 0);
        }
    }
}

static void a_disk_that_nobody_uses_feels_nothing(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;

        if (nemesis_shape_kind(shape) != NEMESIS_DISK)
            continue;
        start();
        strike_disk(shape, 1);
        run_until(10 * SECOND);
        nemesis_stop_all(&nemeses, NEMESES_HEAL);
        TEST_ASSERT_EQUAL_UINT64(1, nemeses.list[0].strikes);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, nemeses.list[0].felt, nemesis_shape_name(shape));
    }
}

static void strength_is_taken_from_the_options(void)
{
    add((struct nemesis_options){ .shape = SHAPE_DISK_SLOW,
                                  .start_ns = SECOND,
                                  .lasts_ns = SECOND,
                                  .victims = VICTIMS_ALL,
                                  .factor = 7 });
    add((struct nemesis_options){ .shape = SHAPE_DISK_WRITE_ERROR,
                                  .start_ns = SECOND,
                                  .lasts_ns = SECOND,
                                  .victims = VICTIMS_ALL,
                                  .chance = { 1, 5 } });
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT32(7, disks[4].faults.slow_factor);
    TEST_ASSERT_EQUAL_UINT64(5, disks[4].faults.write_error.denominator);
    TEST_ASSERT_EQUAL_UINT64(0, disks[4].faults.read_error.numerator);
}

/* The worse of two wins while both hold, and what disks suffer by themselves stays. */
static void faults_of_one_disk_add_up_and_go_one_by_one(void)
{
    ground.disk_faults.torn = (struct ratio){ 1, 10 };
    start();
    TEST_ASSERT_EQUAL_UINT64(10, disks[2].faults.torn.denominator);
    for (uint32_t i = 1; i <= 3; i++)
        add((struct nemesis_options){ .shape = i == 3 ? SHAPE_DISK_FULL : SHAPE_DISK_TORN,
                                      .at = { 1, { i * SECOND } },
                                      .lasts_ns = 5 * SECOND,
                                      .victims = VICTIMS_ALL,
                                      .chance = { i < 3 ? 4 - i : 0, i < 3 ? 4 : 0 } });
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT64(3, disks[2].faults.torn.numerator);
    run_until(3 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(3, disks[2].faults.torn.numerator);
    TEST_ASSERT_TRUE(disks[2].faults.full);
    run_until(6 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(2, disks[2].faults.torn.numerator);
    TEST_ASSERT_TRUE(disks[2].faults.full);
    run_until(7 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(10, disks[2].faults.torn.denominator);
    TEST_ASSERT_TRUE(disks[2].faults.full);
    run_until(8 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(10, disks[2].faults.torn.denominator);
    TEST_ASSERT_FALSE(disks[2].faults.full);
}

/* Counts the replicas of a shard whose disks rot or have rotted. */
static uint32_t count_damaged(uint32_t shard, bool *ever)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < 3; i++) {
        uint32_t node = replicas[shard * 3 + i];
        ever[node] = ever[node] || disks[node].faults.bit_rot.numerator > 0;
        count += ever[node];
    }
    return count;
}

static void bits_rot_on_a_minority_of_each_shard_in_a_whole_run(void)
{
    uint32_t seen_damaged[NODES] = { 0 };

    for (uint64_t seed = 0; seed < 60; seed++) {
        bool ever[NODES] = { false };

        options.seed = seed;
        start();
        for (int k = 0; k < 3; k++)
            add((struct nemesis_options){ .shape = SHAPE_DISK_BIT_ROT,
                                          .every_ns = SECOND,
                                          .lasts_ns = SECOND / 2,
                                          .victims = k == 0 ? VICTIMS_ALL : VICTIMS_SOME });
        for (int k = 0; k < 100; k++) {
            run_until(world.now_ns + 100 * MS);
            TEST_ASSERT_TRUE(count_damaged(0, ever) <= 1);
            TEST_ASSERT_TRUE(count_damaged(1, ever) <= 1);
        }
        TEST_ASSERT_EQUAL_UINT32(1, count_damaged(0, ever));
        TEST_ASSERT_EQUAL_UINT32(1, count_damaged(1, ever));
        for (uint32_t node = 0; node < NODES; node++)
            seen_damaged[node] += ever[node];
    }
    for (uint32_t node = 0; node < NODES; node++)
        TEST_ASSERT_TRUE(seen_damaged[node] > 5);
}

static void bit_rot_beyond_a_minority_must_be_asked_for(void)
{
    add((struct nemesis_options){ .shape = SHAPE_DISK_BIT_ROT,
                                  .start_ns = SECOND,
                                  .lasts_ns = SECOND,
                                  .victims = VICTIMS_ALL,
                                  .outside = true });
    run_until(SECOND);
    for (uint32_t node = 0; node < NODES; node++)
        TEST_ASSERT_TRUE(disks[node].faults.bit_rot.numerator > 0);
}

/* The second replica of the shard is spared, though it is the very one asked for. */
static void a_leader_whose_disk_cannot_be_spared_is_spared(void)
{
    add((struct nemesis_options){ .shape = SHAPE_DISK_BIT_ROT,
                                  .at = { 1, { SECOND } },
                                  .lasts_ns = SECOND,
                                  .victims = VICTIMS_NODES,
                                  .nodes = { 1, { 0 } } });
    add((struct nemesis_options){ .shape = SHAPE_DISK_BIT_ROT,
                                  .at = { 1, { 3 * SECOND } },
                                  .lasts_ns = SECOND,
                                  .victims = VICTIMS_LEADER,
                                  .shard_plus_1 = 1 });
    world_publish_role(&world, 1, 0, ROLE_LEADER);
    run_until(SECOND);
    TEST_ASSERT_TRUE(disks[0].faults.bit_rot.numerator > 0);
    run_until(3 * SECOND);
    for (uint32_t node = 0; node < NODES; node++)
        TEST_ASSERT_EQUAL_UINT64(0, disks[node].faults.bit_rot.numerator);
}

/* It lied long before; only the crash after the release shows it. */
static void a_lie_is_felt_at_a_crash_after_its_release(void)
{
    struct nemesis *nemesis = add((struct nemesis_options){ .shape = SHAPE_DISK_LYING_SYNC,
                                                            .at = { 1, { SECOND } },
                                                            .lasts_ns = SECOND,
                                                            .victims = VICTIMS_ALL,
                                                            .chance = { 1, 1 },
                                                            .outside = true });
    run_until(SECOND);
    (void)disk_append(&disks[3], world.now_ns, LOG, "x", 1);
    (void)disk_sync(&disks[3], world.now_ns, LOG);
    run_until(5 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(0, nemesis->felt);
    fault_crash(&world, 3);
    TEST_ASSERT_EQUAL_UINT64(0, disk_file_size(&disks[3], LOG));
    nemesis_stop_all(&nemeses, NEMESES_HEAL);
    TEST_ASSERT_EQUAL_UINT64(1, nemesis->felt);
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_DISK_LYING_SYNC]);
}

static void a_stalled_disk_answers_when_the_stall_ends(void)
{
    struct disk_result result;

    strike_disk(SHAPE_DISK_STALL, 3);
    run_until(SECOND);
    result = disk_append(&disks[3], world.now_ns, LOG, "x", 1);
    TEST_ASSERT_EQUAL_INT64(3 * SECOND + 10 * US, result.done_ns);
    TEST_ASSERT_EQUAL(DISK_OK, result.outcome);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_shape_hurts_the_disk_it_struck_while_it_holds);
    RUN_TEST(a_disk_that_nobody_uses_feels_nothing);
    RUN_TEST(strength_is_taken_from_the_options);
    RUN_TEST(faults_of_one_disk_add_up_and_go_one_by_one);
    RUN_TEST(bits_rot_on_a_minority_of_each_shard_in_a_whole_run);
    RUN_TEST(bit_rot_beyond_a_minority_must_be_asked_for);
    RUN_TEST(a_leader_whose_disk_cannot_be_spared_is_spared);
    RUN_TEST(a_lie_is_felt_at_a_crash_after_its_release);
    RUN_TEST(a_stalled_disk_answers_when_the_stall_ends);
    return UNITY_END();
}
