#include "cli/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "cli/difference.h"
#include "cli/run_report.h"
#include "tests/fixture.h"
#include "unity.h"

#define PING                                                                                       \
    "name = \"x\"\nseed = 1\n"                                                                     \
    "[clocks]\noffset = \"100ms\"\n"                                                               \
    "[network]\nlatency = { median = \"1ms\", p99 = \"20ms\" }\nloss = 0.01\n"                     \
    "[workload]\nkind = \"ping\"\nduration = \"5s\"\n"                                             \
    "[[nemesis]]\nkind = \"partition\"\nevery = \"1s\"\nlasts = \"500ms\"\n"

static struct scenario scenario;
static struct simulation *simulation, *other;
static struct progress_bar bar;
static struct error err;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    simulation = calloc(1, sizeof *simulation);
    other = calloc(1, sizeof *other);
    TEST_ASSERT_NOT_NULL(simulation);
    TEST_ASSERT_NOT_NULL(other);
}

void tearDown(void)
{
    simulation_close(simulation);
    simulation_close(other);
    free(simulation);
    free(other);
}

static void read_scenario(const char *set)
{
    ASSERT_OK(scenario_read(&scenario, "x.toml", text_of(PING), &set, set ? 1 : 0, &err), &err);
}

static void run(struct simulation *run)
{
    struct trace_options trace = { 0 };

    ASSERT_OK(simulation_run(run, &scenario, &trace, &bar, &err), &err);
}

static void forget(struct simulation *run)
{
    simulation_close(run);
    memset(run, 0, sizeof *run);
}

static void the_same_scenario_leaves_the_same_trace(void)
{
    read_scenario(NULL);
    run(simulation);
    run(other);
    TEST_ASSERT_EQUAL_MEMORY(&simulation->trace, &other->trace, sizeof other->trace);
    TEST_ASSERT_GREATER_THAN_UINT64(1000, simulation->world.counts.events);
    TEST_ASSERT_EQUAL(VERDICT_VALID, simulation->verdict);
}

static void another_seed_leaves_another_trace(void)
{
    read_scenario(NULL);
    run(simulation);
    scenario.seed = 2;
    run(other);
    TEST_ASSERT_FALSE(memcmp(&simulation->trace, &other->trace, sizeof other->trace) == 0);
}

static void faults_that_were_asked_for_are_expected_and_felt(void)
{
    read_scenario(NULL);
    run(simulation);
    TEST_ASSERT_TRUE(simulation_expects_fault(&scenario, FAULT_PARTITION));
    TEST_ASSERT_TRUE(simulation_expects_fault(&scenario, FAULT_LOSS));
    TEST_ASSERT_FALSE(simulation_expects_fault(&scenario, FAULT_CRASH));
    TEST_ASSERT_GREATER_THAN_UINT64(0, simulation->world.faults[FAULT_PARTITION]);
    TEST_ASSERT_GREATER_THAN_UINT64(0, simulation->world.faults[FAULT_LOSS]);
    TEST_ASSERT_EQUAL_UINT64(0, simulation->world.faults[FAULT_CRASH]);
}

static void a_world_without_time_to_settle_is_stuck(void)
{
    read_scenario("network.latency=6s");
    run(simulation);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, simulation->verdict);
    TEST_ASSERT_EQUAL(EXIT_VIOLATION, verdict_exit_code(simulation->verdict));
}

static void a_nemesis_that_needs_more_nodes_is_an_error(void)
{
    struct trace_options trace = { 0 };

    read_scenario("nemesis.0.shape=majorities-ring");
    scenario.cluster.nodes = 2;
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      simulation_run(simulation, &scenario, &trace, &bar, &err));
    TEST_ASSERT_EQUAL_STRING("partition majorities-ring needs at least 3 nodes", err.text);
}

/* What a swarm drew can be written down, so that a shrinker can take it apart. */
static void a_frozen_swarm_makes_the_same_run(void)
{
    uint32_t drawn = 0;

    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct buffer printed = { 0 };
        struct scenario frozen;

        read_scenario("swarm.kinds=[\"all\"]");
        scenario.seed = seed;
        run(simulation);
        frozen = scenario;
        simulation_freeze_swarm(&frozen);
        drawn += frozen.nemesis_count - scenario.nemesis_count;
        TEST_ASSERT_EQUAL_UINT32(frozen.nemesis_count, simulation->nemeses.count);
        TEST_ASSERT_EQUAL_UINT32(0, frozen.swarm.kinds);
        scenario_print(&frozen, &printed);
        ASSERT_OK(scenario_read(&frozen, "frozen", (struct text){ printed.at, printed.count }, NULL,
                                0, &err),
                  &err);
        ASSERT_OK(simulation_run(other, &frozen, &(struct trace_options){ 0 }, &bar, &err), &err);
        TEST_ASSERT_EQUAL_MEMORY(&simulation->trace, &other->trace, sizeof other->trace);
        buffer_close(&printed);
        forget(simulation);
        forget(other);
    }
    TEST_ASSERT_TRUE(drawn > 5);
}

static void two_runs_of_one_scenario_do_not_differ(void)
{
    struct difference difference;

    read_scenario(NULL);
    run(simulation);
    ASSERT_OK(difference_find(&difference, simulation, &scenario, &scenario, &bar, &err), &err);
    TEST_ASSERT_FALSE(difference.found);
    difference_close(&difference);
}

static void the_first_event_in_which_two_runs_part_is_named(void)
{
    struct difference difference;
    struct scenario again;
    struct run_report report = { &scenario, simulation, &difference, "x.toml", NULL, NULL, 0 };
    struct buffer out = { 0 };

    read_scenario(NULL);
    run(simulation);
    /* The same up to the third second, in which a new fault strikes. */
    again = scenario;
    again.nemeses[again.nemesis_count++] =
        (struct nemesis_options){ .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ALL,
                                  .start_ns = INT64_C(3000000000) };
    ASSERT_OK(difference_find(&difference, simulation, &scenario, &again, &bar, &err), &err);
    TEST_ASSERT_TRUE(difference.found);
    TEST_ASSERT_GREATER_THAN_UINT64(500, difference.event);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, run_report_verdict(&report));
    run_report_print(&report, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(strstr(out.at, "twice      DIFFERS first at line "));
    TEST_ASSERT_NOT_NULL(strstr(out.at, "\n           another  "));
    TEST_ASSERT_NOT_NULL(strstr(out.at, "3000.000 000 ms  call"));
    TEST_ASSERT_NOT_NULL(
        strstr(out.at, "verdict    INVALID   again: ordeal run x.toml --seed 1\n"));
    buffer_close(&out);
    difference_close(&difference);
}

static void the_report_can_be_pasted_into_a_shell(void)
{
    static const char *const sets[] = { "cluster.nodes=3", "name=it's x" };
    struct run_report report = { &scenario, simulation, NULL, "my file.toml", "out", sets, 2 };
    struct buffer out = { 0 };

    read_scenario(NULL);
    run(simulation);
    run_report_print(&report, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(strstr(out.at, "verdict    VALID   out   again: ordeal run 'my file.toml' "
                                        "--seed 1 --set cluster.nodes=3 "
                                        "--set 'name=it'\\''s x'\n"));
    buffer_close(&out);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_same_scenario_leaves_the_same_trace);
    RUN_TEST(another_seed_leaves_another_trace);
    RUN_TEST(faults_that_were_asked_for_are_expected_and_felt);
    RUN_TEST(a_world_without_time_to_settle_is_stuck);
    RUN_TEST(a_nemesis_that_needs_more_nodes_is_an_error);
    RUN_TEST(a_frozen_swarm_makes_the_same_run);
    RUN_TEST(two_runs_of_one_scenario_do_not_differ);
    RUN_TEST(the_first_event_in_which_two_runs_part_is_named);
    RUN_TEST(the_report_can_be_pasted_into_a_shell);
    return UNITY_END();
}
