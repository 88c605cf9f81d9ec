#include "trial/run/simulation.h"

#include <stdlib.h>
#include <string.h>

#include "cli/report_run.h"
#include "tests/fixture.h"
#include "trial/run/run.h"
#include "unity.h"
#include "cli/command.h"

#define PING                                                                                       \
    "name = \"x\"\nseed = 1\n"                                                                     \
    "[clocks]\noffset = \"100ms\"\n"                                                               \
    "[network]\nlatency = { median = \"1ms\", p99 = \"20ms\" }\nloss = 0.01\n"                     \
    "[workload]\nkind = \"ping\"\nduration = \"5s\"\n"                                             \
    "[[nemesis]]\nkind = \"partition\"\nevery = \"1s\"\nlasts = \"500ms\"\n"

#define BANK                                                                                       \
    "name = \"x\"\nseed = 1\n"                                                                     \
    "[cluster]\nshards = 2\n"                                                                      \
    "[workload]\nkind = \"bank\"\nkeys = 10\nsessions = 5\ntransactions = 100\n"                 \
    "think = \"50ms\"\nduration = \"20s\"\n"

static struct scenario scenario;
static struct simulation *simulation, *other;
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

    ASSERT_OK(simulation_run(run, &scenario, &(struct run_options){ .trace = trace }, &err), &err);
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
    read_scenario("network.latency=16s");
    run(simulation);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, simulation->verdict);
    TEST_ASSERT_EQUAL(EXIT_VIOLATION, command_exit_of_verdict(simulation->verdict));
}

static void a_nemesis_that_needs_more_nodes_is_an_error(void)
{
    struct trace_options trace = { 0 };

    read_scenario("nemesis.0.shape=majorities-ring");
    scenario.cluster.nodes = 2;
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      simulation_run(simulation, &scenario, &(struct run_options){ .trace = trace }, &err));
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
        ASSERT_OK(simulation_run(other, &frozen, NULL, &err), &err);
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
    ASSERT_OK(run_find_difference(&difference, simulation, &scenario, &scenario, NULL, &err), &err);
    TEST_ASSERT_FALSE(difference.found);
    run_close_difference(&difference);
}

static void the_first_event_in_which_two_runs_part_is_named(void)
{
    struct difference difference;
    struct scenario again;
    struct trial trial = { .scenario = &scenario, .simulation = simulation };
    struct run_report report = { &scenario, &trial, &difference,
                                 "x.toml", NULL, NULL, 0 };
    struct buffer out = { 0 };

    read_scenario(NULL);
    run(simulation);
    /* The same up to the third second, in which a new fault strikes. */
    again = scenario;
    again.nemeses[again.nemesis_count++] =
        (struct nemesis_options){ .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ALL,
                                  .start_ns = INT64_C(3000000000) };
    ASSERT_OK(run_find_difference(&difference, simulation, &scenario, &again, NULL, &err), &err);
    TEST_ASSERT_TRUE(difference.found);
    TEST_ASSERT_GREATER_THAN_UINT64(500, difference.event);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, report_run_verdict(&report));
    report_run_print(&report, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(strstr(out.at, "twice      DIFFERS first at line "));
    TEST_ASSERT_NOT_NULL(strstr(out.at, "\n           another  "));
    TEST_ASSERT_NOT_NULL(strstr(out.at, "3000.000 000 ms  call"));
    TEST_ASSERT_NOT_NULL(
        strstr(out.at, "verdict    INVALID   again: ordeal run x.toml --seed 1\n"));
    buffer_close(&out);
    run_close_difference(&difference);
}

static void the_report_can_be_pasted_into_a_shell(void)
{
    static const char *const sets[] = { "cluster.nodes=3", "name=it's x" };
    struct trial trial = { .scenario = &scenario, .simulation = simulation };
    struct run_report report = { &scenario, &trial, NULL, "my file.toml", "out", sets, 2 };
    struct buffer out = { 0 };

    read_scenario(NULL);
    run(simulation);
    report_run_print(&report, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(strstr(out.at, "verdict    VALID   out   again: ordeal run 'my file.toml' "
                                "--seed 1 --set cluster.nodes=3 "
                                "--set 'name=it'\\''s x'\n"));
    buffer_close(&out);
}

/* --- With a store ----------------------------------------------------------------------------- */

static void read_store(const char *rest, const char *const *sets, size_t set_count)
{
    struct buffer text = { 0 };

    buffer_print(&text, BANK "%s", rest);
    ASSERT_OK(scenario_read(&scenario, "x.toml", (struct text){ text.at, text.count }, sets,
                            set_count, &err),
              &err);
    buffer_close(&text);
}

static void a_quiet_store_commits_all_and_is_valid(void)
{
    for (const char *const *name = store_protocol_names(); *name; name++) {
        char protocol[64];
        const char *const sets[] = { protocol };
        const struct cluster_findings *findings;

        snprintf(protocol, sizeof protocol, "cluster.protocol=%s", *name);
        read_store("", sets, 1);
        run(simulation);
        findings = store_findings(simulation->store);
        TEST_ASSERT_EQUAL_MESSAGE(VERDICT_VALID, simulation->verdict, *name);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(100, findings->committed, *name);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, findings->unknown, *name);
        TEST_ASSERT_TRUE(simulation->world.now_ns < INT64_C(10000000000)); /* not to the end */
        forget(simulation);
    }
}

/* Committed, aborted and unknown are of the workload; the last transaction reads everything back. */
static void the_history_holds_what_is_counted_and_what_reads_it_back(void)
{
    struct history history = { 0 };
    uint64_t counts[3] = { 0 };

    read_store("[[nemesis]]\nkind = \"crash\"\nevery = \"1s\"\nlasts = \"500ms\"\n", NULL, 0);
    run(simulation);
    ASSERT_OK(simulation_history(simulation, &history, &err), &err);
    for (uint32_t i = 0; i < history.txn_count; i++)
        counts[history.txn_status[i]]++;
    TEST_ASSERT_EQUAL_UINT64(store_findings(simulation->store)->committed + 1, counts[TXN_OK]);
    TEST_ASSERT_EQUAL_UINT64(store_findings(simulation->store)->aborted, counts[TXN_ABORT]);
    TEST_ASSERT_EQUAL_UINT64(store_findings(simulation->store)->unknown, counts[TXN_UNKNOWN]);
    history_close(&history);
}

static void a_store_under_faults_leaves_the_same_trace_twice(void)
{
    read_store("[[nemesis]]\nkind = \"partition\"\nevery = \"1s\"\nlasts = \"500ms\"\n", NULL, 0);
    run(simulation);
    run(other);
    TEST_ASSERT_EQUAL_MEMORY(&simulation->trace, &other->trace, sizeof other->trace);
    TEST_ASSERT_EQUAL(VERDICT_VALID, simulation->verdict);
    TEST_ASSERT_GREATER_THAN_UINT64(0, simulation->world.faults[FAULT_PARTITION]);
}

static void a_printed_store_scenario_makes_the_same_run(void)
{
    static const char *const sets[] = {
        "cluster.protocol=occ",      "cluster.replicas=5",  "clocks.max_offset=1s",
        "cluster.bugs=[\"ack-before-sync\"]", "disk.torn=0.5", "workload.select_percent=0",
        "workload.choice=zipf",      "workload.backoff=1ms", "nemesis.0.kind=crash",
        "nemesis.0.every=1s",        "nemesis.0.lasts=300ms",
    };
    struct buffer printed = { 0 };

    read_store("", sets, ROW_COUNT(sets));
    run(simulation);
    scenario_print(&scenario, &printed);
    ASSERT_OK(scenario_read(&scenario, "printed", (struct text){ printed.at, printed.count }, NULL,
                            0, &err),
              &err);
    run(other);
    TEST_ASSERT_EQUAL_MEMORY(&simulation->trace, &other->trace, sizeof other->trace);
    buffer_close(&printed);
}

static void a_broken_invariant_is_a_violation(void)
{
    struct trial trial = { .scenario = &scenario, .simulation = simulation };
    struct run_report report = { &scenario, &trial, NULL, "x.toml", NULL, NULL, 0 };
    struct buffer out = { 0 };

    read_store("[[invariant]]\nquery = \"SELECT sum(balance) FROM accounts\"\nequals = 1000\n"
               "[[invariant]]\nquery = \"SELECT count(*) FROM accounts\"\nequals = 11\n",
               NULL, 0);
    run(simulation);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, simulation->verdict);
    TEST_ASSERT_EQUAL_UINT32(1, simulation->finding_count);
    TEST_ASSERT_EQUAL(ANOMALY_INVARIANT, simulation->findings[0].kind);
    report_run_print(&report, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(
        strstr(out.at, "invariant  BROKEN   SELECT count(*) FROM accounts gives 10, not 11\n"));
    TEST_ASSERT_NOT_NULL(
        strstr(out.at, "store      5 nodes, 2 shards × 3 replicas, mvto   100 committed, "));
    buffer_close(&out);
}

static void a_store_that_committed_nothing_has_shown_nothing(void)
{
    static const char *const sets[] = { "workload.duration=1us" };

    read_store("", sets, 1);
    run(simulation);
    TEST_ASSERT_EQUAL_UINT64(0, store_findings(simulation->store)->committed);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, simulation->verdict);
    TEST_ASSERT_EQUAL(EXIT_UNDECIDED, command_exit_of_verdict(simulation->verdict));
}

static void a_store_without_time_to_settle_is_stuck(void)
{
    static const char *const sets[] = { "workload.duration=1s", "network.latency=2s",
                                        "workload.settle=100ms" };

    read_store("", sets, 3);
    run(simulation);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, simulation->verdict);
    TEST_ASSERT_EQUAL(ANOMALY_STUCK, simulation->findings[0].kind);
}

static void a_nemesis_that_never_struck_is_named(void)
{
    struct trial trial = { .scenario = &scenario, .simulation = simulation };
    struct run_report report = { &scenario, &trial, NULL, "x.toml", NULL, NULL, 0 };
    struct buffer out = { 0 };

    read_store("[[nemesis]]\nkind = \"crash\"\nstart = \"19s\"\n"
               "[[nemesis]]\nkind = \"pause\"\nevery = \"300ms\"\nlasts = \"100ms\"\n",
               NULL, 0);
    run(simulation);
    TEST_ASSERT_EQUAL(VERDICT_VALID, simulation->verdict);
    report_run_print(&report, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(strstr(out.at, "\nunfelt     crash one (nemesis.0)\n"));
    buffer_clear(&out);
    report_run_print_json(&report, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_NOT_NULL(
        strstr(out.at, "\"unfelt\":[{\"nemesis\":0,\"kind\":\"crash\",\"shape\":\"one\"}]"));
    buffer_close(&out);
}

/* What only shows as the run is built has its line all the same. */
static void what_the_store_refuses_has_a_line(void)
{
    static const struct {
        const char *rest, *message;
        uint64_t line;
    } rows[] = {
        { "[[invariant]]\nquery = \"SELEC 1\"\nequals = 1\n",
          "query \"SELEC 1\": syntax error at or near \"SELEC\"", 12 },
        { "[[invariant]]\nquery = \"SELECT sum(balanc) FROM accounts\"\nequals = 1\n",
          "query \"SELECT sum(balanc) FROM accounts\": column \"balanc\" does not exist", 12 },
        { "[[nemesis]]\nkind = \"pause\"\n\n"
          "[[nemesis]]\nkind = \"crash\"\nvictims = \"leader\"\nshard = 2\n",
          "crash one: there is no shard 2", 15 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        read_store(rows[i].rest, NULL, 0);
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, simulation_run(simulation, &scenario,
                                                           NULL,
                                                           &err));
        TEST_ASSERT_EQUAL_STRING(rows[i].message, err.text);
        TEST_ASSERT_EQUAL_UINT64(rows[i].line, err.line);
        memset(&err, 0, sizeof err);
        forget(simulation);
    }
}

static void several_leaders_offer_no_lists_and_have_no_leader_to_strike(void)
{
    static const char *const lists[] = { "cluster.protocol=causal", "workload.kind=list-append" };
    static const char *const leader[] = { "cluster.protocol=eventual", "nemesis.0.kind=crash",
                                          "nemesis.0.victims=leader" };

    ASSERT_OK(scenario_read(&scenario, "x.toml", TEXT("name = \"x\"\n"), lists, 2, &err), &err);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, simulation_run(simulation, &scenario,
                                                       NULL, &err));
    TEST_ASSERT_EQUAL_STRING(
        "causal has several leaders and offers no lists: list-append needs another protocol",
        err.text);
    read_store("", leader, 3);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, simulation_run(other, &scenario,
                                                       NULL, &err));
    TEST_ASSERT_EQUAL_STRING("crash one: there are no shards to be led", err.text);
}

/* Elections every nanosecond: nothing else is ever done. */
static void a_run_beyond_its_budgets_is_too_long_and_nothing_is_found(void)
{
    static const struct {
        const char *set, *why;
    } rows[] = {
        { "limits.events=20000", "more than 20000 events; limits.events allows no more" },
        { "limits.simulated=20us",
          "more than 0.020000 ms of virtual time; limits.simulated allows no more" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const char *const sets[] = { "cluster.election=1ns", rows[i].set };

        read_store("", sets, 2);
        run(simulation);
        run(other);
        TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, simulation->verdict);
        TEST_ASSERT_EQUAL_UINT32(0, simulation->finding_count);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(simulation->too_long, rows[i].why),
                                     simulation->too_long);
        TEST_ASSERT_EQUAL_MEMORY(&simulation->trace, &other->trace, sizeof other->trace);
        forget(simulation);
        forget(other);
    }
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
    RUN_TEST(a_quiet_store_commits_all_and_is_valid);
    RUN_TEST(the_history_holds_what_is_counted_and_what_reads_it_back);
    RUN_TEST(a_store_under_faults_leaves_the_same_trace_twice);
    RUN_TEST(a_printed_store_scenario_makes_the_same_run);
    RUN_TEST(a_broken_invariant_is_a_violation);
    RUN_TEST(a_store_that_committed_nothing_has_shown_nothing);
    RUN_TEST(a_store_without_time_to_settle_is_stuck);
    RUN_TEST(a_nemesis_that_never_struck_is_named);
    RUN_TEST(what_the_store_refuses_has_a_line);
    RUN_TEST(a_run_beyond_its_budgets_is_too_long_and_nothing_is_found);
    RUN_TEST(several_leaders_offer_no_lists_and_have_no_leader_to_strike);
    return UNITY_END();
}
