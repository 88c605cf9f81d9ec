#include "tests/nemesis/nemesis_fixture.h"

void setUp(void)
{
    fixture_nemeses();
}

void tearDown(void) {}

static void a_first_strike_comes_exactly_at_its_start(void)
{
    add_once(SHAPE_CRASH_ONE);
    run_until(SECOND - 1);
    TEST_ASSERT_EQUAL_UINT32(5, count_nodes(NODE_UP));
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT32(4, count_nodes(NODE_UP));
}

static void it_lets_go_after_about_as_long_as_it_lasts(void)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        options.seed = seed;
        start();
        add_once(SHAPE_PAUSE_ONE);
        run_until(2 * SECOND - 1);
        TEST_ASSERT_EQUAL_UINT32(1, count_nodes(NODE_PAUSED));
        run_until(4 * SECOND);
        TEST_ASSERT_EQUAL_UINT32(0, count_nodes(NODE_PAUSED));
    }
}

static void strikes_come_about_as_often_as_asked_and_never_while_it_holds(void)
{
    struct nemesis *nemesis = add((struct nemesis_options){
        .shape = SHAPE_CRASH_ONE, .every_ns = SECOND, .lasts_ns = SECOND / 10 });

    run_until(200 * SECOND);
    TEST_ASSERT_UINT64_WITHIN(25, 200, nemesis->strikes);
    TEST_ASSERT_EQUAL_UINT64(nemesis->strikes, nemesis->felt);
    TEST_ASSERT_EQUAL_UINT64(nemesis->felt, world.faults[FAULT_CRASH]);
    nemesis = add((struct nemesis_options){ .shape = SHAPE_PARTITION_HALVES,
                                            .start_ns = world.now_ns + 1,
                                            .every_ns = SECOND,
                                            .lasts_ns = 10 * SECOND });
    run_until(world.now_ns + 200 * SECOND);
    TEST_ASSERT_UINT64_WITHIN(6, 20, nemesis->strikes);
}

static void a_nemesis_that_never_lets_go_strikes_once(void)
{
    struct nemesis *nemesis =
        add((struct nemesis_options){ .shape = SHAPE_CRASH_ONE, .every_ns = SECOND });

    run_until(100 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, nemesis->strikes);
    TEST_ASSERT_EQUAL_UINT32(1, count_nodes(NODE_DOWN));
}

static void another_nemesis_does_not_move_its_strikes(void)
{
    struct nemesis_options partition = { .shape = SHAPE_PARTITION_BRIDGE,
                                         .every_ns = SECOND,
                                         .lasts_ns = SECOND / 2 };
    uint64_t alone[40];

    add(partition);
    for (size_t i = 0; i < ROW_COUNT(alone); i++) {
        run_until(world.now_ns + SECOND);
        alone[i] = nemeses.list[0].random.words[0] ^ count_cuts() ^ nemeses.list[0].strikes << 32;
    }
    start();
    add(partition);
    add((struct nemesis_options){
        .shape = SHAPE_CRASH_MINORITY, .every_ns = SECOND, .lasts_ns = SECOND / 2 });
    for (size_t i = 0; i < ROW_COUNT(alone); i++) {
        run_until(world.now_ns + SECOND);
        TEST_ASSERT_EQUAL_UINT64(alone[i], nemeses.list[0].random.words[0] ^ count_cuts() ^
                                               nemeses.list[0].strikes << 32);
    }
}

static void each_shape_strikes_as_many_nodes_as_it_says(void)
{
    static const struct {
        enum nemesis_shape shape;
        enum node_state state;
        uint32_t low, high;
    } rows[] = {
        { SHAPE_CRASH_ONE, NODE_DOWN, 1, 1 },        { SHAPE_CRASH_MINORITY, NODE_DOWN, 1, 2 },
        { SHAPE_CRASH_ALL, NODE_DOWN, 5, 5 },        { SHAPE_PAUSE_ONE, NODE_PAUSED, 1, 1 },
        { SHAPE_PAUSE_MINORITY, NODE_PAUSED, 1, 2 }, { SHAPE_PAUSE_ALL, NODE_PAUSED, 5, 5 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            uint32_t count;
            options.seed = seed;
            start();
            add_once(rows[i].shape);
            run_until(SECOND);
            count = count_nodes(rows[i].state);
            TEST_ASSERT_TRUE_MESSAGE(count >= rows[i].low && count <= rows[i].high,
                                     nemesis_shape_name(rows[i].shape));
            TEST_ASSERT_EQUAL_INT(NODE_UP, world_node_state(&world, 5)); /* the client */
            run_until(5 * SECOND);
            TEST_ASSERT_EQUAL_UINT32(5, count_nodes(NODE_UP));
        }
}

static void a_partition_cuts_nodes_and_never_clients(void)
{
    add_once(SHAPE_PARTITION_ISOLATE_ONE);
    run_until(SECOND);
    TEST_ASSERT_EQUAL_UINT32(8, count_cuts());
    for (uint32_t node = 0; node < 5; node++) {
        TEST_ASSERT_EQUAL_UINT32(0, network_link(&world.network, node, 5)->cuts);
        TEST_ASSERT_EQUAL_UINT32(0, network_link(&world.network, 5, node)->cuts);
    }
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_PARTITION]);
    run_until(5 * SECOND);
    TEST_ASSERT_EQUAL_UINT32(0, count_cuts());
}

static void a_fault_without_effect_is_not_counted(void)
{
    add_once(SHAPE_CRASH_ALL);
    add((struct nemesis_options){
        .shape = SHAPE_CRASH_ONE, .start_ns = SECOND + 1, .lasts_ns = SECOND / 10 });
    add_once(SHAPE_PARTITION_HALVES);
    add((struct nemesis_options){
        .shape = SHAPE_PARTITION_HALVES, .start_ns = SECOND + 1, .lasts_ns = SECOND });
    run_until(SECOND + MS);
    TEST_ASSERT_EQUAL_UINT64(5, world.faults[FAULT_CRASH]);
    TEST_ASSERT_EQUAL_UINT64(1, world.faults[FAULT_PARTITION]);
    TEST_ASSERT_EQUAL_UINT64(0, nemeses.list[1].felt);
    TEST_ASSERT_EQUAL_UINT64(0, nemeses.list[3].felt);
    /* It restarts only what it crashed. */
    run_until(SECOND + 300 * MS);
    TEST_ASSERT_EQUAL_UINT32(5, count_nodes(NODE_DOWN));
}

static void clock_faults_are_felt_and_undone(void)
{
    static const struct {
        enum nemesis_shape shape;
        enum world_fault fault;
    } rows[] = {
        { SHAPE_CLOCK_STEP, FAULT_CLOCK_STEP },
        { SHAPE_CLOCK_STROBE, FAULT_CLOCK_STROBE },
        { SHAPE_CLOCK_FREEZE, FAULT_CLOCK_FREEZE },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        bool disturbed = false;
        start();
        add_once(rows[i].shape);
        while (world.now_ns < 2 * SECOND) {
            run_until(world.now_ns + 7 * MS);
            disturbed = disturbed || !clocks_are_true();
        }
        TEST_ASSERT_TRUE_MESSAGE(disturbed, nemesis_shape_name(rows[i].shape));
        TEST_ASSERT_TRUE(world.faults[rows[i].fault] >= 1);
        run_until(5 * SECOND);
        TEST_ASSERT_TRUE_MESSAGE(clocks_are_true(), nemesis_shape_name(rows[i].shape));
    }
}

static void a_step_stays_within_its_amount(void)
{
    add((struct nemesis_options){ .shape = SHAPE_CLOCK_STEP,
                                  .every_ns = SECOND,
                                  .lasts_ns = SECOND / 2,
                                  .amount_ns = 30 * MS });
    for (int i = 0; i < 1000; i++) {
        run_until(world.now_ns + 100 * MS);
        for (uint32_t node = 0; node < 5; node++)
            TEST_ASSERT_INT64_WITHIN(30 * MS, 0,
                                     clock_error_ns(&world.nodes[node].clock, world.now_ns));
    }
}

static void a_drift_is_added_and_taken_away(void)
{
    uint32_t drifting = 0;

    add_once(SHAPE_CLOCK_DRIFT);
    run_until(SECOND);
    for (uint32_t node = 0; node < 5; node++)
        drifting += world.nodes[node].clock.drift_ppm != 0;
    TEST_ASSERT_EQUAL_UINT32(1, drifting);
    run_until(5 * SECOND);
    for (uint32_t node = 0; node < 5; node++)
        TEST_ASSERT_EQUAL_INT32(0, world.nodes[node].clock.drift_ppm);
}

/* Thawed, a clock once went back to the error it had before, and so undid a step made meanwhile. */
static void thawing_leaves_a_step_made_meanwhile_alone(void)
{
    options.node_count = 1;
    start();
    add_once(SHAPE_CLOCK_FREEZE);
    run_until(SECOND + SECOND / 2);
    fault_step_clock(&world, 0, 30 * MS);
    run_until(5 * SECOND);
    TEST_ASSERT_EQUAL_INT64(30 * MS, clock_error_ns(&world.nodes[0].clock, world.now_ns));
}

static void healing_ends_everything_for_good(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT && nemeses.count < NEMESIS_COUNT_MAX; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i;
        if (!nemesis_shape_is_outside(shape))
            add((struct nemesis_options){
                .shape = shape,
                .every_ns = SECOND,
                .lasts_ns = nemesis_shape_takes(shape, NEMESIS_KEY_LASTS) ? SECOND : 0 });
    }
    run_until(20 * SECOND);
    nemesis_stop_all(&nemeses, NEMESES_HEAL);
    for (int i = 0; i < 100; i++) {
        TEST_ASSERT_EQUAL_UINT32(5, count_nodes(NODE_UP));
        TEST_ASSERT_EQUAL_UINT32(0, count_cuts());
        TEST_ASSERT_TRUE(clocks_are_true());
        run_until(world.now_ns + 100 * MS);
    }
}

static void names_lead_to_shapes_and_back(void)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++) {
        enum nemesis_shape shape = (enum nemesis_shape)i, found;
        enum nemesis_kind kind;
        TEST_ASSERT_TRUE(
            nemesis_find_kind(text_of(nemesis_kind_name(nemesis_shape_kind(shape))), &kind));
        TEST_ASSERT_TRUE(nemesis_find_shape(kind, text_of(nemesis_shape_name(shape)), &found));
        TEST_ASSERT_EQUAL_INT(shape, found);
    }
    for (int kind = 0; kind < NEMESIS_KIND_COUNT; kind++)
        TEST_ASSERT_EQUAL_INT(kind,
                              nemesis_shape_kind(nemesis_default_shape((enum nemesis_kind)kind)));
}

static void what_makes_no_sense_is_refused(void)
{
    static const struct {
        const char *label;
        uint32_t node_count;
        struct nemesis_options options;
        const char *text;
    } rows[] = {
        { "kind and shape",
          5,
          { .kind = NEMESIS_CRASH, .shape = SHAPE_PARTITION_BRIDGE },
          "crash has no shape bridge" },
        { "backwards",
          5,
          { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ONE, .every_ns = -1 },
          "every must be from 0 to 69 hours" },
        { "too far",
          5,
          { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ONE, .start_ns = INT64_MAX },
          "start must be from 0 to 69 hours" },
        { "too few",
          2,
          { .kind = NEMESIS_PARTITION, .shape = SHAPE_PARTITION_MAJORITIES_RING },
          "partition majorities-ring needs at least 3 nodes" },
        { "drift",
          5,
          { .kind = NEMESIS_CLOCK, .shape = SHAPE_CLOCK_DRIFT, .drift_ppm = 600000 },
          "drift_ppm must be from 0 to 500000" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        options.node_count = rows[i].node_count;
        start();
        TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_BAD_INPUT,
                                      nemesis_add(&nemeses, &rows[i].options, &err), rows[i].label);
        TEST_ASSERT_EQUAL_STRING(rows[i].text, err.text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_first_strike_comes_exactly_at_its_start);
    RUN_TEST(it_lets_go_after_about_as_long_as_it_lasts);
    RUN_TEST(strikes_come_about_as_often_as_asked_and_never_while_it_holds);
    RUN_TEST(a_nemesis_that_never_lets_go_strikes_once);
    RUN_TEST(another_nemesis_does_not_move_its_strikes);
    RUN_TEST(each_shape_strikes_as_many_nodes_as_it_says);
    RUN_TEST(a_partition_cuts_nodes_and_never_clients);
    RUN_TEST(a_fault_without_effect_is_not_counted);
    RUN_TEST(clock_faults_are_felt_and_undone);
    RUN_TEST(a_step_stays_within_its_amount);
    RUN_TEST(a_drift_is_added_and_taken_away);
    RUN_TEST(thawing_leaves_a_step_made_meanwhile_alone);
    RUN_TEST(healing_ends_everything_for_good);
    RUN_TEST(names_lead_to_shapes_and_back);
    RUN_TEST(what_makes_no_sense_is_refused);
    return UNITY_END();
}
