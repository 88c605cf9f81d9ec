/*
 * One world with everything in it, and the trace hash that it has on every
 * machine, under every compiler and at every optimisation level. When a
 * change is meant to alter what happens in runs, the test prints the new hash
 * to put here; when it is not, the change has leaked into them.
 */
#include <string.h>

#include "nemesis/nemesis.h"
#include "sim/fault.h"
#include "sim/ping.h"
#include "tests/fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define SEEDS 8

static const char golden_hash[] =
    "c5b2ba122519bf4e3c684b7d48cbf91d458f0f3764881ffe3ea9551d27e9ccf0";

/* In the order that the golden hash was made with: a nemesis draws by its place. */
static const enum nemesis_shape golden_shapes[] = {
    SHAPE_PARTITION_HALVES,
    SHAPE_PARTITION_RANDOM_HALVES,
    SHAPE_PARTITION_ISOLATE_ONE,
    SHAPE_PARTITION_MAJORITIES_RING,
    SHAPE_PARTITION_BRIDGE,
    SHAPE_PARTITION_ONE_WAY,
    SHAPE_CLOCK_STEP,
    SHAPE_CLOCK_STROBE,
    SHAPE_CLOCK_FREEZE,
    SHAPE_CLOCK_DRIFT,
    SHAPE_CRASH_ONE,
    SHAPE_CRASH_MINORITY,
    SHAPE_CRASH_ALL,
    SHAPE_PAUSE_ONE,
    SHAPE_PAUSE_MINORITY,
    SHAPE_PAUSE_ALL,
};

struct run {
    struct world world;
    struct ping ping;
    struct nemeses nemeses;
    char hash[DIGEST_HEX_SIZE];
};

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static struct world_options options_of(uint64_t seed)
{
    struct world_options options = {
        .seed = seed,
        .node_count = 5,
        .client_count = 1,
        .clocks = { 100 * MS, 200 },
        .network = { .loss = { 1, 100 },
                     .duplicate = { 1, 100 },
                     .reorder = { 1, 100 },
                     .reorder_delay_ns_max = 50 * MS,
                     .bytes_per_second = 100 * 1000,
                     .in_flight_max = 3 },
    };

    ASSERT_OK(latency_lognormal(&options.network.latency, MS, 20 * MS, &err), &err);
    return options;
}

/* Half a minute under many nemeses, then healed and settled. */
static void run_world(struct run *run, uint64_t seed, struct trace_options trace,
                      struct arena *arena)
{
    struct world_options options = options_of(seed);
    struct digest digest;

    options.trace = trace;
    ASSERT_OK(world_init(&run->world, &options, arena, &err), &err);
    ASSERT_OK(ping_init(&run->ping, &(struct ping_options){ 0 }, &run->world, arena, &err), &err);
    ASSERT_OK(nemesis_init_all(&run->nemeses, NULL, &run->world, &err), &err);
    for (size_t i = 0; i < ROW_COUNT(golden_shapes); i++) {
        struct nemesis_options nemesis = { .kind = nemesis_shape_kind(golden_shapes[i]),
                                           .shape = golden_shapes[i],
                                           .every_ns = 8 * SECOND,
                                           .lasts_ns = SECOND };
        ASSERT_OK(nemesis_add(&run->nemeses, &nemesis, &err), &err);
    }
    ASSERT_OK(world_start(&run->world, &err), &err);
    ASSERT_OK(world_run(&run->world, 30 * SECOND, &err), &err);
    nemesis_stop_all(&run->nemeses, NEMESES_HEAL);
    ASSERT_OK(ping_settle(&run->ping, &run->world, 5 * SECOND, &err), &err);
    digest = world_trace_hash(&run->world);
    digest_hex(&digest, run->hash);
    world_close(&run->world);
}

static void the_golden_run_has_its_golden_hash(void)
{
    static struct run run;

    run_world(&run, 42, (struct trace_options){ 0 }, fixture_arena());
    TEST_ASSERT_EQUAL_STRING(golden_hash, run.hash);
}

static void the_golden_run_felt_every_fault_and_settled(void)
{
    static struct run run;
    static const enum world_fault expected[] = {
        FAULT_PARTITION,    FAULT_CRASH,       FAULT_PAUSE,        FAULT_CLOCK_STEP,
        FAULT_CLOCK_STROBE, FAULT_CLOCK_DRIFT, FAULT_CLOCK_FREEZE, FAULT_LOSS,
        FAULT_DUPLICATE,    FAULT_REORDER,     FAULT_EVICT,
    };

    run_world(&run, 42, (struct trace_options){ 0 }, fixture_arena());
    for (size_t i = 0; i < ROW_COUNT(expected); i++)
        TEST_ASSERT_TRUE_MESSAGE(run.world.faults[expected[i]] > 0, world_fault_name(expected[i]));
    TEST_ASSERT_TRUE(run.ping.findings.round_trips > 1000);
    TEST_ASSERT_FALSE(run.ping.findings.stuck);
}

/* Thirty seeds a process once hid which one failed: a run must not feel its neighbours. */
static void a_seed_alone_in_a_batch_and_in_reverse_has_one_hash(void)
{
    static struct run run;
    static char alone[SEEDS][DIGEST_HEX_SIZE];
    struct arena arena;
    char *at;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        ASSERT_OK(arena_init(&arena, (size_t)16 << 20, &err), &err);
        run_world(&run, seed, (struct trace_options){ 0 }, &arena);
        memcpy(alone[seed], run.hash, sizeof run.hash);
        arena_close(&arena);
        TEST_ASSERT_TRUE(seed == 0 || strcmp(alone[seed], alone[seed - 1]) != 0);
    }
    ASSERT_OK(arena_init(&arena, (size_t)16 << 20, &err), &err);
    for (int i = 0; i < 2 * SEEDS; i++) {
        int seed = i < SEEDS ? i : 2 * SEEDS - 1 - i;
        /* What the last run left behind, and worse. */
        memset(&run, 0xa5, sizeof run);
        arena_reset_to(&arena, 0);
        while ((at = arena_push(&arena, 1, 4096)) != NULL)
            memset(at, 0xa5, 4096);
        arena_reset_to(&arena, 0);
        run_world(&run, (uint64_t)seed, (struct trace_options){ 0 }, &arena);
        TEST_ASSERT_EQUAL_STRING(alone[seed], run.hash);
    }
    arena_close(&arena);
}

static void two_worlds_in_turns_do_not_disturb_each_other(void)
{
    static struct run one, two;
    struct arena *arena = fixture_arena();
    struct world_options options = options_of(1);
    char hash[2][DIGEST_HEX_SIZE];

    for (int turns = 0; turns < 2; turns++) {
        struct digest digest;
        ASSERT_OK(world_init(&one.world, &options, arena, &err), &err);
        ASSERT_OK(ping_init(&one.ping, &(struct ping_options){ 0 }, &one.world, arena, &err), &err);
        ASSERT_OK(world_init(&two.world, &options, arena, &err), &err);
        ASSERT_OK(ping_init(&two.ping, &(struct ping_options){ 0 }, &two.world, arena, &err), &err);
        ASSERT_OK(world_start(&one.world, &err), &err);
        ASSERT_OK(world_start(&two.world, &err), &err);
        for (int64_t ns = 0; ns < 5 * SECOND; ns += 10 * MS) {
            ASSERT_OK(world_run(&one.world, ns, &err), &err);
            if (turns == 1)
                ASSERT_OK(world_run(&two.world, ns / 2, &err), &err);
        }
        digest = world_trace_hash(&one.world);
        digest_hex(&digest, hash[turns]);
        world_close(&one.world);
        world_close(&two.world);
    }
    TEST_ASSERT_EQUAL_STRING(hash[0], hash[1]);
}

static void ignore_line(void *context, struct text line)
{
    *(size_t *)context += line.length;
}

static void being_watched_does_not_change_a_run(void)
{
    static struct run run;
    char unwatched[DIGEST_HEX_SIZE];
    size_t length = 0;

    run_world(&run, 3, (struct trace_options){ 0 }, fixture_arena());
    memcpy(unwatched, run.hash, sizeof unwatched);
    run_world(
        &run, 3,
        (struct trace_options){
            .line = ignore_line, .line_context = &length, .window_from = 100, .window_count = 500 },
        fixture_arena());
    TEST_ASSERT_EQUAL_STRING(unwatched, run.hash);
    TEST_ASSERT_TRUE(length > 100000);
}

/* What --twice does when two runs of one seed differ; here the runs have different seeds. */
static void the_first_event_that_differs_between_two_runs_is_named(void)
{
    static struct run one, two;
    struct arena *arena = fixture_arena();
    struct trace_options trace = { 0 };
    uint64_t number, at_start;

    run_world(&one, 1, trace, arena);
    run_world(&two, 2, trace, arena);
    TEST_ASSERT_TRUE(trace_find_window(&one.world.trace, &two.world.trace, &trace.window_from,
                                       &trace.window_count));
    run_world(&one, 1, trace, arena);
    run_world(&two, 2, trace, arena);
    TEST_ASSERT_TRUE(trace_find_difference(&one.world.trace, &two.world.trace, &number));
    /* All start at time zero, whatever the seed; the first timer is drawn. */
    at_start = one.world.endpoint_count;
    TEST_ASSERT_EQUAL_UINT64(at_start, number);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_golden_run_has_its_golden_hash);
    RUN_TEST(the_golden_run_felt_every_fault_and_settled);
    RUN_TEST(a_seed_alone_in_a_batch_and_in_reverse_has_one_hash);
    RUN_TEST(two_worlds_in_turns_do_not_disturb_each_other);
    RUN_TEST(being_watched_does_not_change_a_run);
    RUN_TEST(the_first_event_that_differs_between_two_runs_is_named);
    return UNITY_END();
}
