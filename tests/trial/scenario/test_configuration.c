#include "trial/scenario/configuration_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"
#include "unity.h"

#define DRAWS "name = \"x\"\nseed = 1\n[swarm]\nkinds = [\"all\"]\nconfiguration = [\"all\"]\n"
#define SEEDS 300

static struct scenario scenario, drawn, again;
static struct simulation simulation;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void)
{
    scenario_close(&drawn);
    scenario_close(&scenario);
    scenario_close(&again);
    memset(&scenario, 0, sizeof scenario);
    memset(&drawn, 0, sizeof drawn);
    memset(&again, 0, sizeof again);
}

static void read_with(const char *const *sets, size_t count)
{
    scenario_close(&scenario);
    ASSERT_OK(scenario_read(&scenario, "x.toml", text_of(DRAWS), sets, count, &err), &err);
}

static void draw(uint64_t seed, const struct swarm_draws *draws)
{
    scenario_close(&drawn);
    ASSERT_OK(scenario_with_seed(&drawn, &scenario, seed, draws, &err), &err);
}

static void print(const struct scenario *of, struct buffer *out)
{
    buffer_clear(out);
    scenario_print(of, out);
}

static void what_is_given_is_never_drawn(void)
{
    static const char *const sets[] = { "cluster.protocol=occ", "workload.keys=6",
                                        "network.loss=0.25", "cluster.retention=3s",
                                        "workload.sessions=7" };

    read_with(sets, ROW_COUNT(sets));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        draw(seed, NULL);
        TEST_ASSERT_EQUAL_STRING("occ", store_protocol_facts(drawn.cluster.protocol).name);
        TEST_ASSERT_EQUAL_UINT64(6, drawn.workload.builtin.values[PARAMETER_KEYS].numerator);
        TEST_ASSERT_EQUAL_UINT64(4 * drawn.network.link.loss.numerator,
                                 drawn.network.link.loss.denominator);
        TEST_ASSERT_EQUAL_INT64(3 * INT64_C(1000000000), drawn.cluster.retention_ns);
        TEST_ASSERT_EQUAL_UINT32(7, drawn.workload.sessions);
        TEST_ASSERT_EQUAL_UINT64(seed, drawn.seed);
    }
}

static void all_protocols_are_drawn_and_only_those_that_have_the_bugs(void)
{
    static const char *const bugs[] = { "cluster.bugs=[\"commit-on-timeout\"]" };
    unsigned seen = 0;

    read_with(NULL, 0);
    TEST_ASSERT_TRUE(scenario.draws_protocol);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        draw(seed, NULL);
        for (unsigned i = 0; store_protocol_names()[i]; i++)
            if (drawn.cluster.protocol == store_protocol(text_of(store_protocol_names()[i])))
                seen |= 1u << i;
    }
    TEST_ASSERT_EQUAL_HEX(0xff, seen);
    read_with(bugs, 1);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        draw(seed, NULL);
        TEST_ASSERT_TRUE(store_protocol_facts(drawn.cluster.protocol).on_raft);
        TEST_ASSERT_TRUE(drawn.cluster.bugs.on[bug_find(TEXT("commit-on-timeout"))]);
    }
}

/* Two thirds of the runs with sites have a theme, of which there are five on Raft. */
static void rare_paths_that_go_together_are_drawn_together(void)
{
    static const char *const sets[] = { "cluster.protocol=occ" };
    const uint64_t elections = UINT64_C(1) << BUGGIFY_CRASH_AT_VOTE |
                               UINT64_C(1) << BUGGIFY_VOTES_ASKED_AGAIN |
                               UINT64_C(1) << BUGGIFY_WINNER_SILENT;
    unsigned together = 0, with_sites = 0;

    read_with(sets, ROW_COUNT(sets));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        draw(seed, NULL);
        with_sites += drawn.buggify.sites != 0;
        together += (drawn.buggify.sites & elections) == elections;
    }
    TEST_ASSERT_TRUE(with_sites > SEEDS / 3 && with_sites < 2 * SEEDS / 3);
    TEST_ASSERT_GREATER_THAN_UINT(3, together); /* one by one they were it in one of 128 runs */
}

static void the_tail_of_a_disk_leaves_it_fast_enough(void)
{
    unsigned tails = 0;

    read_with(NULL, 0);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct latency *sync = &drawn.disk.config.sync;
        draw(seed, NULL);
        if (sync->tail_chance.denominator == 0)
            continue;
        tails++;
        TEST_ASSERT_LESS_OR_EQUAL_UINT64(20000000, (uint64_t)sync->tail_ns *
                                                      sync->tail_chance.numerator /
                                                      sync->tail_chance.denominator);
    }
    TEST_ASSERT_GREATER_THAN_UINT(10, tails);
}

static void a_dimension_draws_from_a_seed_of_its_own(void)
{
    struct swarm_draws draws = { 0 };
    unsigned networks = 0, protocols = 0;

    read_with(NULL, 0);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct scenario_latency latency;
        struct link_options link;
        const struct protocol *protocol;
        struct scenario_cluster cluster;

        draw(seed + 1000, NULL);
        latency = drawn.network.latency;
        link = drawn.network.link;
        draw(seed, NULL);
        protocol = drawn.cluster.protocol;
        cluster = drawn.cluster;
        networks += drawn.network.link.loss.numerator != link.loss.numerator;
        draws.of[SWARM_NETWORK] = (struct swarm_seed){ true, seed + 1000 };
        draw(seed, &draws);
        TEST_ASSERT_EQUAL_INT64(latency.first_ns, drawn.network.latency.first_ns);
        TEST_ASSERT_EQUAL_INT64(latency.second_ns, drawn.network.latency.second_ns);
        TEST_ASSERT_EQUAL_UINT64(link.loss.numerator, drawn.network.link.loss.numerator);
        TEST_ASSERT_EQUAL_PTR(protocol, drawn.cluster.protocol);
        TEST_ASSERT_EQUAL_UINT32(cluster.nodes, drawn.cluster.nodes);
        TEST_ASSERT_EQUAL_INT64(cluster.retention_ns, drawn.cluster.retention_ns);
        protocols += protocol != scenario.cluster.protocol;
    }
    TEST_ASSERT_GREATER_THAN(SEEDS / 4, networks);
    TEST_ASSERT_GREATER_THAN(SEEDS / 2, protocols);
}

/* By --set, as a sweep prints it, it is the same. */
static void seeds_of_dimensions_can_be_set(void)
{
    static const char *const sets[] = { "swarm.draws={ protocol = 3, nemesis = 9 }" };
    struct swarm_draws draws = { 0 };
    struct buffer first = { 0 }, second = { 0 };

    draws.of[SWARM_PROTOCOL] = (struct swarm_seed){ true, 3 };
    draws.of[SWARM_NEMESIS] = (struct swarm_seed){ true, 9 };
    read_with(NULL, 0);
    draw(17, &draws);
    print(&drawn, &first);
    read_with(sets, 1);
    draw(17, NULL);
    print(&drawn, &second);
    buffer_byte(&first, '\0');
    buffer_byte(&second, '\0');
    TEST_ASSERT_EQUAL_STRING(first.at, second.at);
    buffer_close(&first);
    buffer_close(&second);
}

static struct digest trace_of(const struct scenario *of)
{
    struct digest trace;

    ASSERT_OK(simulation_run(&simulation, of, NULL, &err), &err);
    trace = simulation.trace;
    simulation_close(&simulation);
    return trace;
}

static void a_frozen_configuration_makes_the_same_run(void)
{
    struct buffer out = { 0 };

    read_with(NULL, 0);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct digest trace;

        draw(seed, NULL);
        trace = trace_of(&drawn);
        simulation_freeze_swarm(&drawn);
        print(&drawn, &out);
        ASSERT_OK(scenario_read(&again, "y.toml", (struct text){ out.at, out.count }, NULL, 0, &err),
                  &err);
        TEST_ASSERT_NULL(again.source);
        TEST_ASSERT_EQUAL_UINT32(0, again.swarm.kinds);
        TEST_ASSERT_EQUAL_MEMORY(&trace, &(struct digest[]){ trace_of(&again) }[0], sizeof trace);
        scenario_close(&again);
    }
    buffer_close(&out);
}

/* Settings that go together: what a run would refuse as it is built as well. */
static void whatever_is_drawn_can_be_run(void)
{
    static const char *const many[] = { "workload.transactions=1", "workload.duration=1ms",
                                        "workload.settle=1ms" };

    read_with(many, ROW_COUNT(many));
    for (uint64_t seed = 0; seed < fixture_rounds(200); seed++) {
        draw(seed, NULL);
        (void)trace_of(&drawn);
    }
}

static void what_draws_nothing_keeps_its_settings(void)
{
    struct swarm_draws draws = { .of[SWARM_NEMESIS] = { true, 5 } };

    ASSERT_OK(scenario_read(&scenario, "x.toml",
                            TEXT("name = \"x\"\n[workload]\nkind = \"bank\"\n"
                                 "[swarm]\nkinds = [\"all\"]\n"), NULL, 0, &err), &err);
    TEST_ASSERT_NULL(scenario.source);
    draw(77, &draws);
    TEST_ASSERT_EQUAL_UINT64(77, drawn.seed);
    TEST_ASSERT_EQUAL_UINT64(5, drawn.swarm.draws.of[SWARM_NEMESIS].seed);
    TEST_ASSERT_EQUAL_UINT32(5, drawn.cluster.nodes);
}

static void a_seed_is_taken_in_place(void)
{
    struct buffer first = { 0 }, second = { 0 };

    read_with(NULL, 0);
    draw(23, NULL);
    print(&drawn, &first);
    ASSERT_OK(scenario_take_seed(&scenario, 5, &err), &err);
    ASSERT_OK(scenario_take_seed(&scenario, 23, &err), &err);
    print(&scenario, &second);
    TEST_ASSERT_EQUAL_UINT64(first.count, second.count);
    TEST_ASSERT_EQUAL_MEMORY(first.at, second.at, first.count);
    buffer_close(&first);
    buffer_close(&second);
}

static void wrong_names_and_seeds_are_refused(void)
{
    static const struct {
        const char *set, *text;
    } rows[] = {
        { "swarm.configuration=[\"raaft\"]",
          "--set swarm.configuration=[\"raaft\"]: there is no dimension \"raaft\"; did you mean "
          "\"raft\"?" },
        { "swarm.configuration=\"all\"",
          "--set swarm.configuration=\"all\": swarm.configuration should be a list such as "
          "[\"protocol\", \"raft\"]" },
        { "swarm.draws={ netwrok = 3 }",
          "--set swarm.draws={ netwrok = 3 }: there is no dimension \"netwrok\"; did you mean "
          "\"network\"?" },
        { "swarm.draws={ network = -3 }",
          "--set swarm.draws={ network = -3 }: swarm.draws.network should be a seed, an integer "
          "from 0 to 9007199254740991" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        err = (struct error){ 0 };
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, scenario_read(&again, "x.toml", text_of(DRAWS),
                                                          &rows[i].set, 1, &err));
        TEST_ASSERT_EQUAL_STRING(rows[i].text, err.text);
        scenario_close(&again);
    }
    memset(&again, 0, sizeof again);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_given_is_never_drawn);
    RUN_TEST(all_protocols_are_drawn_and_only_those_that_have_the_bugs);
    RUN_TEST(rare_paths_that_go_together_are_drawn_together);
    RUN_TEST(the_tail_of_a_disk_leaves_it_fast_enough);
    RUN_TEST(a_dimension_draws_from_a_seed_of_its_own);
    RUN_TEST(seeds_of_dimensions_can_be_set);
    RUN_TEST(a_frozen_configuration_makes_the_same_run);
    RUN_TEST(whatever_is_drawn_can_be_run);
    RUN_TEST(what_draws_nothing_keeps_its_settings);
    RUN_TEST(a_seed_is_taken_in_place);
    RUN_TEST(wrong_names_and_seeds_are_refused);
    return UNITY_END();
}
