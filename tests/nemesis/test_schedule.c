#include "tests/nemesis/nemesis_fixture.h"
#include "tests/sim/trace_inspect.h"

void setUp(void)
{
    fixture_nemeses();
}

void tearDown(void) {}

/* Trace records of this kind that are still remembered. */
static uint32_t count_records(enum trace_kind kind)
{
    const struct trace_record *record;
    uint32_t count = 0;

    for (uint64_t n = 0; (record = trace_last(&world.trace, n)); n++)
        count += record->kind == kind;
    return count;
}

static void listed_times_are_kept_exactly(void)
{
    static const struct nemesis_options rows[] = {
        { .shape = SHAPE_CRASH_ONE },
        { .shape = SHAPE_PAUSE_ALL },
        { .shape = SHAPE_PARTITION_RANDOM_HALVES },
        { .shape = SHAPE_CLOCK_OFFSET },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct nemesis_options listed = rows[i];
        struct nemesis *nemesis;

        start();
        listed.at = (struct nemesis_times){ 3, { SECOND, 3500 * MS, 4000 * MS } };
        listed.lasts_ns = 500 * MS;
        nemesis = add(listed);
        for (uint32_t k = 0; k < listed.at.count; k++) {
            /* The third strike comes in the instant of the second release. */
            run_until(listed.at.at_ns[k] - 1);
            TEST_ASSERT_EQUAL_UINT64(k, nemesis->strikes);
            TEST_ASSERT_EQUAL(k == 2, nemesis->holds);
            run_until(listed.at.at_ns[k]);
            TEST_ASSERT_EQUAL_UINT64(k + 1, nemesis->strikes);
            TEST_ASSERT_TRUE(nemesis->holds);
            run_until(listed.at.at_ns[k] + 500 * MS - 1);
            TEST_ASSERT_TRUE(nemesis->holds);
        }
        run_until(60 * SECOND);
        TEST_ASSERT_FALSE(nemesis->holds);
        TEST_ASSERT_EQUAL_UINT64(3, nemesis->strikes);
        TEST_ASSERT_EQUAL_UINT64(3, nemesis->felt);
    }
}

static void a_listed_clog_lasts_as_long_as_it_says(void)
{
    add((struct nemesis_options){ .shape = SHAPE_CLOG_RECEIVE,
                                  .at = { 1, { SECOND } },
                                  .lasts_ns = SECOND,
                                  .victims = VICTIMS_NODES,
                                  .nodes = { 1, { 2 } } });
    run_until(SECOND);
    send_byte(0, 2, 'a');
    run_until(2 * SECOND - 1);
    TEST_ASSERT_EQUAL(0, count_seen(SEEN_MESSAGE, 2));
    run_until(2 * SECOND);
    TEST_ASSERT_EQUAL(1, count_seen(SEEN_MESSAGE, 2));
}

static void a_restart_brings_the_node_back_in_the_same_instant(void)
{
    struct nemesis *nemesis =
        add((struct nemesis_options){ .shape = SHAPE_CRASH_RESTART, .every_ns = SECOND });

    for (int i = 0; i < 200; i++) {
        run_until(world.now_ns + 50 * MS);
        TEST_ASSERT_EQUAL_UINT32(NODES, count_nodes(NODE_UP));
    }
    TEST_ASSERT_UINT64_WITHIN(3, 10, nemesis->strikes);
    TEST_ASSERT_EQUAL_UINT64(nemesis->strikes, nemesis->felt);
    TEST_ASSERT_EQUAL_UINT32(nemesis->strikes, count_records(TRACE_RESTART));
    TEST_ASSERT_EQUAL_UINT64(nemesis->strikes, world.faults[FAULT_CRASH]);
}

static void all_nodes_may_restart_at_once(void)
{
    add((struct nemesis_options){
        .shape = SHAPE_CRASH_RESTART, .start_ns = SECOND, .victims = VICTIMS_ALL });
    run_until(SECOND);
    for (uint32_t node = 0; node < NODES; node++) {
        TEST_ASSERT_EQUAL(1, count_seen(SEEN_CRASH, node));
        TEST_ASSERT_EQUAL(1, count_seen(SEEN_RESTART, node));
    }
}

/* A node writes for 20 ms in each second; a crash that does not look hits that once in 50 times. */
static void a_crash_that_waits_for_writes_strikes_a_writer_as_it_writes(void)
{
    struct nemesis *nemesis = add((struct nemesis_options){
        .shape = SHAPE_CRASH_ONE, .every_ns = 700 * MS, .lasts_ns = MS, .while_writing = true });
    uint64_t strikes = 0;

    for (int i = 0; i < 400; i++) {
        uint32_t node = (uint32_t)i % NODES;

        (void)disk_append(&disks[node], world.now_ns, LOG, "x", 1);
        run_until(world.now_ns + 20 * MS);
        if (nemesis->strikes > strikes)
            TEST_ASSERT_EQUAL(nemesis->strikes - strikes, count_seen(SEEN_CRASH, node));
        strikes = nemesis->strikes;
        if (!disk_is_writing(&disks[node], world.now_ns))
            TEST_ASSERT_EQUAL(0, disk_file_size(&disks[node], LOG));
        (void)disk_delete(&disks[node], world.now_ns, LOG);
        run_until(world.now_ns + 80 * MS);
        TEST_ASSERT_EQUAL_UINT64(strikes, nemesis->strikes);
        seen_count = 0;
    }
    TEST_ASSERT_TRUE(strikes > 30);
}

static void a_crash_does_not_wait_for_writes_for_ever(void)
{
    struct nemesis *nemesis = add((struct nemesis_options){
        .shape = SHAPE_CRASH_ONE, .start_ns = SECOND, .lasts_ns = SECOND, .while_writing = true });

    run_until(SECOND + 10 * MS);
    TEST_ASSERT_EQUAL_UINT64(0, nemesis->strikes);
    run_until(2 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, nemesis->felt);
}

/* Most clogs are short: half of them last less than a hundredth of the longest. */
static void clogs_last_for_any_magnitude(void)
{
    uint32_t count = 0, short_ones = 0, long_ones = 0;

    for (uint64_t seed = 0; seed < 400; seed++) {
        struct nemesis *nemesis;
        int64_t lasts_ns;

        options.seed = seed;
        start();
        nemesis = add((struct nemesis_options){
            .shape = SHAPE_CLOG_SEND, .start_ns = SECOND, .lasts_ns = 10 * SECOND });
        run_until(SECOND);
        lasts_ns = nemesis->until_ns - SECOND;
        TEST_ASSERT_TRUE(lasts_ns >= 10 * SECOND / 22100 && lasts_ns <= 10 * SECOND);
        count++;
        short_ones += lasts_ns < 10 * SECOND / 148; /* e^-5 */
        long_ones += lasts_ns > 10 * SECOND * 1000 / 2718;
    }
    TEST_ASSERT_UINT32_WITHIN(40, count / 2, short_ones);
    TEST_ASSERT_UINT32_WITHIN(20, count / 10, long_ones);
}

/* Two of every kind beside the first: where and when the first strikes stays the same. */
static void no_other_nemesis_moves_a_strike(void)
{
    for (int shape = 0; shape < NEMESIS_SHAPE_COUNT; shape++) {
        enum nemesis_shape it = (enum nemesis_shape)shape;
        struct nemesis_options asked = { .shape = it,
                                         .every_ns = SECOND,
                                         .outside = nemesis_shape_is_outside(it) };
        uint64_t strikes[2], words[2];

        if (nemesis_shape_takes(it, NEMESIS_KEY_LASTS))
            asked.lasts_ns = 300 * MS;
        for (int others = 0; others < 2; others++) {
            start();
            add(asked);
            for (int i = 0; others && i < NEMESIS_KIND_COUNT; i++)
                add((struct nemesis_options){ .shape = nemesis_default_shape((enum nemesis_kind)i),
                                              .every_ns = 200 * MS,
                                              .lasts_ns = 100 * MS });
            run_until(20 * SECOND);
            strikes[others] = nemeses.list[0].strikes;
            words[others] = random_next(&nemeses.list[0].random);
        }
        TEST_ASSERT_TRUE(strikes[0] > 5);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(strikes[0], strikes[1], nemesis_shape_name(it));
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(words[0], words[1], nemesis_shape_name(it));
    }
}

/* Under every compiler; when a change is meant to alter runs, the test prints the new hash. */
static void every_shape_at_once_has_its_golden_hash(void)
{
    static const char golden[] = "cb7939124fa56ddf5a257b4fbf2ea068ac0a815c08cc6057d33628ec6fc3c6d1";
    struct digest digest;
    char hash[DIGEST_HEX_SIZE];

    for (int run = 0; run < 2; run++) {
        start();
        for (int i = 0; i < NEMESIS_SHAPE_COUNT && nemeses.count < NEMESIS_COUNT_MAX; i++) {
            enum nemesis_shape shape = (enum nemesis_shape)i;
            struct nemesis_options asked = { .shape = shape, .every_ns = 2 * SECOND };
            if (nemesis_shape_takes(shape, NEMESIS_KEY_LASTS))
                asked.lasts_ns = SECOND / 2;
            if (!nemesis_shape_is_outside(shape))
                add(asked);
        }
        chatter_until(5 * SECOND);
        write_until(10 * SECOND);
        nemesis_stop_all(&nemeses, NEMESES_HEAL);
        digest = world_trace_hash(&world);
        digest_hex(&digest, hash);
        TEST_ASSERT_EQUAL_STRING(golden, hash);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(listed_times_are_kept_exactly);
    RUN_TEST(a_listed_clog_lasts_as_long_as_it_says);
    RUN_TEST(a_restart_brings_the_node_back_in_the_same_instant);
    RUN_TEST(all_nodes_may_restart_at_once);
    RUN_TEST(a_crash_that_waits_for_writes_strikes_a_writer_as_it_writes);
    RUN_TEST(a_crash_does_not_wait_for_writes_for_ever);
    RUN_TEST(clogs_last_for_any_magnitude);
    RUN_TEST(no_other_nemesis_moves_a_strike);
    RUN_TEST(every_shape_at_once_has_its_golden_hash);
    return UNITY_END();
}
