#include "trial/explore/schedules.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "trial/run/run.h"
#include "unity.h"

/* Two clients that both add to one counter; with the bug they may read the same and both write. */
#define COUNTER(bugs)                                                                              \
    "name = \"x\"\nseed = 1\n"                                                                     \
    "[cluster]\nprotocol = \"2pl\"\nnodes = 3\nshards = 1\n" bugs                                  \
    "[network]\nlatency = { min = \"1ms\", max = \"3ms\" }\nloss = 0.1\n"                          \
    "[workload]\nkind = \"counter\"\nkeys = 1\nsessions = 5\ntransactions = 100\n"                 \
    "[[nemesis]]\nkind = \"crash\"\nevery = \"1s\"\n"

static struct scenario scenario;
static struct schedules_options options;
static struct schedules_result result;
static struct buffer left_out;
static struct error err;

static void load(const char *text, uint64_t transactions)
{
    ASSERT_OK(scenario_read(&scenario, "x.toml", text_of(text), NULL, 0, &err), &err);
    explore_store_fix(&scenario, transactions, &left_out);
    options = (struct schedules_options){ .scenario = &scenario, .max = { 1 }, .worker_count = 1 };
}

static void explore(void)
{
    schedules_close(&result);
    ASSERT_OK(schedules_explore(&result, &options, &err), &err);
}

static uint64_t runs_with(uint32_t postponed, uint32_t crashed, uint32_t isolated)
{
    const uint32_t counts[STEERING_KIND_COUNT] = { postponed, crashed, isolated };

    return schedules_cell(&result, counts)->runs;
}

void setUp(void)
{
    memset(&err, 0, sizeof err);
}

void tearDown(void)
{
    schedules_close(&result);
    result = (struct schedules_result){ 0 };
    scenario_close(&scenario);
    memset(&scenario, 0, sizeof scenario);
    buffer_close(&left_out);
}

static void what_chance_would_decide_is_left_out_and_said(void)
{
    static const char wanted[] =
        "latencies of messages as they are drawn, loss, duplicates and reordering by chance, "
        "nemeses whose strikes are drawn";

    load(COUNTER(""), 2);
    TEST_ASSERT_EQUAL_UINT64(sizeof wanted - 1, left_out.count);
    TEST_ASSERT_EQUAL_MEMORY(wanted, left_out.at, left_out.count);
    TEST_ASSERT_EQUAL_INT64(2000000, scenario.network.link.latency.base_ns);
    TEST_ASSERT_EQUAL_UINT32(2, scenario.workload.sessions);
}

static void nothing_is_left_out_of_a_scenario_in_which_nothing_is_drawn(void)
{
    load("name = \"x\"\n[workload]\nkind = \"counter\"\n"
         "[[nemesis]]\nkind = \"crash\"\nnodes = [1]\nvictims = \"nodes\"\nat = [\"1s\"]\nlasts = "
         "\"1s\"\n",
         2);
    TEST_ASSERT_EQUAL_UINT64(0, left_out.count);
    TEST_ASSERT_EQUAL_UINT32(1, scenario.nemesis_count);
}

/* Those that the run without a deviation lists, each run alone. */
static uint64_t count_by_hand(uint32_t kind)
{
    struct steering_choices choices = { .list = { 0 } };
    struct run_options run = { .choices = &choices };
    struct trial trial = { 0 };
    uint64_t count = 0;

    ASSERT_OK(trial_run(&trial, &scenario, &run, &err), &err);
    TEST_ASSERT_EQUAL(VERDICT_VALID, trial_verdict(&trial));
    for (size_t i = 0; i < choices.list.count; i++)
        count += (choices.list.at[i].kinds & kind) != 0;
    trial_close(&trial);
    array_close(&choices.list);
    return count;
}

static void every_schedule_with_one_deviation_is_run_once(void)
{
    load(COUNTER(""), 2);
    options.max[STEERING_CRASH] = 1;
    options.within_ns = 5000000;
    explore();
    TEST_ASSERT_TRUE(result.is_complete);
    TEST_ASSERT_EQUAL_UINT64(0, result.violations);
    TEST_ASSERT_EQUAL_UINT64(1, runs_with(0, 0, 0));
    TEST_ASSERT_GREATER_THAN_UINT64(2, runs_with(1, 0, 0));
    TEST_ASSERT_GREATER_THAN_UINT64(runs_with(0, 1, 0), runs_with(1, 1, 0));
    TEST_ASSERT_EQUAL_UINT64(result.runs, runs_with(0, 0, 0) + runs_with(1, 0, 0) +
                                              runs_with(0, 1, 0) + runs_with(1, 1, 0));
    options.within_ns = 0;
    options.max[STEERING_CRASH] = 0;
    explore();
    TEST_ASSERT_EQUAL_UINT64(count_by_hand(STEERING_BIT(STEERING_POSTPONE)), runs_with(1, 0, 0));
}

static void crashes_and_isolations_are_where_a_node_has_handled_something(void)
{
    load(COUNTER(""), 1);
    options.max[STEERING_POSTPONE] = 0;
    options.max[STEERING_CRASH] = options.max[STEERING_ISOLATE] = 1;
    options.within_ns = 5000000;
    explore();
    TEST_ASSERT_TRUE(result.is_complete);
    TEST_ASSERT_EQUAL_UINT64(0, result.violations);
    TEST_ASSERT_GREATER_THAN_UINT64(5, runs_with(0, 1, 0));
    TEST_ASSERT_EQUAL_UINT64(runs_with(0, 1, 0), runs_with(0, 0, 1));
    TEST_ASSERT_GREATER_THAN_UINT64(runs_with(0, 1, 0), runs_with(0, 1, 1));
}

/* Of each run with one deviation, its own events behind it. */
static void runs_with_two_deviations_deviate_from_those_with_one(void)
{
    uint64_t wanted = 0;
    struct steering_choices first = { .list = { 0 } };
    struct run_options run = { .choices = &first };
    struct trial trial = { 0 };

    load(COUNTER(""), 1);
    ASSERT_OK(trial_run(&trial, &scenario, &run, &err), &err);
    trial_close(&trial);
    for (size_t i = 0; i < first.list.count; i++) {
        struct steering_choices second = { .list = { 0 } };
        struct run_options again = { .choices = &second };

        if (!(first.list.at[i].kinds & STEERING_BIT(STEERING_POSTPONE)))
            continue;
        scenario.explore.events[STEERING_POSTPONE] =
            (struct steering_events){ 1, { first.list.at[i].event } };
        ASSERT_OK(trial_run(&trial, &scenario, &again, &err), &err);
        trial_close(&trial);
        for (size_t k = 0; k < second.list.count; k++)
            wanted += second.list.at[k].event > first.list.at[i].event &&
                      (second.list.at[k].kinds & STEERING_BIT(STEERING_POSTPONE));
        array_close(&second.list);
    }
    array_close(&first.list);
    options.max[STEERING_POSTPONE] = 2;
    explore();
    TEST_ASSERT_TRUE(result.is_complete);
    TEST_ASSERT_EQUAL_UINT64(wanted, runs_with(2, 0, 0));
}

static void a_bug_is_found_and_its_schedule_repeats_it(void)
{
    struct trial trial = { 0 };

    load(COUNTER("bugs = [\"upgrade-race\"]\n"), 2);
    explore();
    TEST_ASSERT_TRUE(result.is_complete);
    TEST_ASSERT_GREATER_THAN_UINT64(0, result.violations);
    TEST_ASSERT_GREATER_THAN_UINT64(0, result.failures.count);
    schedule_put(&scenario, &result.failures.at[0].first);
    ASSERT_OK(trial_run(&trial, &scenario, NULL, &err), &err);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, trial_verdict(&trial));
    trial_close(&trial);
}

static void the_first_violation_can_end_it(void)
{
    load(COUNTER("bugs = [\"upgrade-race\"]\n"), 2);
    options.until_failure = true;
    explore();
    TEST_ASSERT_FALSE(result.is_complete);
    TEST_ASSERT_EQUAL_UINT64(1, result.violations);
}

static void however_many_work_the_result_is_the_same(void)
{
    struct schedules_cell cells[SCHEDULES_CELLS_MAX];
    struct schedule schedule;
    uint64_t histories;

    load(COUNTER("bugs = [\"upgrade-race\"]\n"), 2);
    explore();
    memcpy(cells, result.cells, sizeof cells);
    schedule = result.failures.at[0].first;
    histories = result.histories;
    options.worker_count = 3;
    explore();
    TEST_ASSERT_EQUAL_MEMORY(cells, result.cells, sizeof cells);
    TEST_ASSERT_EQUAL_MEMORY(&schedule, &result.failures.at[0].first, sizeof schedule);
    TEST_ASSERT_EQUAL_UINT64(histories, result.histories);
}

static void who_is_stopped_is_not_complete(void)
{
    const atomic_bool stop = true;

    load(COUNTER(""), 2);
    options.stop = &stop;
    explore();
    TEST_ASSERT_FALSE(result.is_complete);
}

static void a_schedule_is_told_in_the_order_of_its_events(void)
{
    struct schedule schedule = { .events = { { 2, { 5, 90 } }, { 1, { 17 } }, { 1, { 18 } } } };
    struct buffer out = { 0 };

    schedule_print(&schedule, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_EQUAL_STRING("postpone 5, crash 17, isolate 18, postpone 90", out.at);
    buffer_close(&out);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_chance_would_decide_is_left_out_and_said);
    RUN_TEST(nothing_is_left_out_of_a_scenario_in_which_nothing_is_drawn);
    RUN_TEST(every_schedule_with_one_deviation_is_run_once);
    RUN_TEST(crashes_and_isolations_are_where_a_node_has_handled_something);
    RUN_TEST(runs_with_two_deviations_deviate_from_those_with_one);
    RUN_TEST(a_bug_is_found_and_its_schedule_repeats_it);
    RUN_TEST(the_first_violation_can_end_it);
    RUN_TEST(however_many_work_the_result_is_the_same);
    RUN_TEST(who_is_stopped_is_not_complete);
    RUN_TEST(a_schedule_is_told_in_the_order_of_its_events);
    return UNITY_END();
}
