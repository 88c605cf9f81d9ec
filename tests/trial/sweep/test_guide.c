#include "trial/sweep/guide_private.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define SWARM                                                                                      \
    "name = \"x\"\nseed = 1\n"                                                                     \
    "[cluster]\nprotocol = \"occ\"\n"                                                              \
    "[swarm]\nkinds = [\"all\"]\nconfiguration = [\"all\"]\ndraws = { disk = 7 }\n"
#define PLAIN "name = \"x\"\nseed = 1\n[workload]\nkind = \"rw-register\"\n"

static struct plan plan;
static struct guide guide;
static struct error err;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    plan = (struct plan){ .seed_first = 1, .seed_last = 1000, .shard_count = 1, .is_guided = true };
}

void tearDown(void)
{
    guide_close(&guide);
    plan_close(&plan);
}

static void add_scenario(const char *text)
{
    plan.scenarios = calloc(1, sizeof *plan.scenarios);
    TEST_ASSERT_NOT_NULL(plan.scenarios);
    ASSERT_OK(array_push(&plan.subjects, ((struct subject){ .path = "x.toml" }), &err), &err);
    ASSERT_OK(scenario_read(&plan.scenarios[0], "x.toml", text_of(text), NULL, 0, &err), &err);
}

static void start(void)
{
    add_scenario(SWARM);
    ASSERT_OK(guide_init(&guide, &plan, &err), &err);
}

/* A run that reached the common feature 0 and these two. */
static enum status take(uint64_t job, uint32_t feature, uint32_t other, enum verdict verdict)
{
    uint32_t list[3] = { 0, feature, other };
    struct run_outcome outcome = { .verdict = verdict };
    enum status status;

    outcome.features.at = list;
    outcome.features.count = other > feature ? 3 : feature > 0 ? 2 : 1;
    outcome.features.room = 3;
    status = guide_take(&guide, job, &outcome, &err);
    return status;
}

/* A run like any other, whose features are a function of its job. */
static void take_any(uint64_t job)
{
    uint32_t feature = COVERAGE_CLASSES * (uint32_t)(1 + job % 13);

    ASSERT_OK(take(job, feature, feature + COVERAGE_CLASSES * (uint32_t)(job % 7), VERDICT_VALID),
              &err);
}

static bool is_fresh(const struct swarm_draws *draws)
{
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (draws->of[i].is_given)
            return false;
    return true;
}

static void the_first_runs_draw_from_their_own_seeds(void)
{
    start();
    for (uint64_t job = 0; job < GUIDE_LAG; job++) {
        TEST_ASSERT_TRUE(guide_is_ready(&guide, job));
        TEST_ASSERT_TRUE(is_fresh(guide_draws(&guide, job)));
    }
    TEST_ASSERT_FALSE(guide_is_ready(&guide, GUIDE_LAG));
    take_any(1);
    TEST_ASSERT_FALSE(guide_is_ready(&guide, GUIDE_LAG));
    take_any(0);
    TEST_ASSERT_TRUE(guide_is_ready(&guide, GUIDE_LAG + 1));
    TEST_ASSERT_FALSE(guide_is_ready(&guide, GUIDE_LAG + 2));
}

/* Runs to this number, each batch of them in an order of the caller's. */
static void run_all(uint64_t count, bool backwards, struct swarm_draws *draws)
{
    const uint64_t batch = 16; /* the lag is a multiple of it */

    for (uint64_t first = 0; first < count; first += batch)
        for (uint64_t i = 0; i < batch; i++) {
            uint64_t job = first + (backwards ? batch - 1 - i : i);
            TEST_ASSERT_TRUE(guide_is_ready(&guide, job));
            draws[job] = *guide_draws(&guide, job);
            take_any(job);
        }
}

static void what_is_drawn_does_not_depend_on_who_was_first(void)
{
    static struct swarm_draws one[320], two[320];

    start();
    run_all(320, false, one);
    guide_close(&guide);
    ASSERT_OK(guide_init(&guide, &plan, &err), &err);
    run_all(320, true, two);
    for (size_t i = 0; i < ROW_COUNT(one); i++)
        TEST_ASSERT_TRUE(swarm_draws_equal(&one[i], &two[i]));
}

static void some_runs_are_fresh_and_some_are_bred(void)
{
    static struct swarm_draws draws[640];
    unsigned fresh = 0, changed = 0;

    start();
    run_all(640, false, draws);
    for (uint64_t job = GUIDE_LAG; job < 640; job++) {
        if (is_fresh(&draws[job])) {
            fresh++;
            continue;
        }
        /* Of a scenario's own draws none is lost; what it gives is not drawn at all. */
        TEST_ASSERT_TRUE(draws[job].of[SWARM_DISK].is_given);
        TEST_ASSERT_EQUAL_UINT64(7, draws[job].of[SWARM_DISK].seed);
        TEST_ASSERT_FALSE(draws[job].of[SWARM_PROTOCOL].is_given);
        for (int i = 0; i < SWARM_DIMENSION_COUNT; i++) {
            if (draws[job].of[i].is_given && i != SWARM_DISK) {
                TEST_ASSERT_TRUE(draws[job].of[i].seed < plan_seed(&plan, job - GUIDE_LAG) + 1);
            }
        }
        changed += !draws[job].of[SWARM_NETWORK].is_given;
    }
    TEST_ASSERT_TRUE(fresh > 60 && fresh < 400);
    TEST_ASSERT_GREATER_THAN_UINT(10, changed);
}

/* How many of the bred runs have the network of this job; job 5 alone reaches something. */
static unsigned children_of(uint64_t parent, enum verdict verdict)
{
    unsigned children = 0;

    for (uint64_t job = 0; job < 16 * GUIDE_LAG; job++) {
        const struct swarm_draws *draws = guide_draws(&guide, job);
        children += draws->of[SWARM_NETWORK].is_given &&
                    draws->of[SWARM_NETWORK].seed == plan_seed(&plan, parent);
        if (job == 5)
            ASSERT_OK(take(job, 5 * COVERAGE_CLASSES, 9 * COVERAGE_CLASSES, verdict), &err);
        else
            ASSERT_OK(take(job, 0, 0, VERDICT_VALID), &err);
    }
    return children;
}

static void who_reaches_what_others_do_not_has_more_children(void)
{
    unsigned of_five, of_six;

    start();
    of_five = children_of(5, VERDICT_VALID);
    guide_close(&guide);
    ASSERT_OK(guide_init(&guide, &plan, &err), &err);
    of_six = children_of(6, VERDICT_VALID);
    TEST_ASSERT_GREATER_THAN_UINT(2 * of_six + 2, of_five);
}

static void runs_that_failed_have_none(void)
{
    start();
    TEST_ASSERT_EQUAL_UINT(0, children_of(5, VERDICT_INVALID));
}

static void shards_guide_themselves(void)
{
    plan.shard = 1;
    plan.shard_count = 3;
    start();
    for (uint64_t turn = 0; turn < 10 * GUIDE_LAG; turn++) {
        TEST_ASSERT_TRUE(guide_is_ready(&guide, 3 * turn + 1));
        take_any(3 * turn + 1);
    }
}

static void without_a_swarm_there_is_nothing_to_guide(void)
{
    add_scenario(PLAIN);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, guide_init(&guide, &plan, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "[swarm]"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_first_runs_draw_from_their_own_seeds);
    RUN_TEST(what_is_drawn_does_not_depend_on_who_was_first);
    RUN_TEST(some_runs_are_fresh_and_some_are_bred);
    RUN_TEST(who_reaches_what_others_do_not_has_more_children);
    RUN_TEST(runs_that_failed_have_none);
    RUN_TEST(shards_guide_themselves);
    RUN_TEST(without_a_swarm_there_is_nothing_to_guide);
    return UNITY_END();
}
