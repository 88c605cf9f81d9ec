#include "trial/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "trial/run/outcome.h"
#include "trial/sweep/workers.h"
#include "unity.h"

#define BANK                                                                                       \
    "name = \"x\"\nseed = 1\n"                                                                     \
    "[cluster]\nnodes = 3\nshards = 2\nbugs = [\"no-timestamp-cache\"]\n"                          \
    "[network]\nloss = 0.01\n"                                                                     \
    "[workload]\nkind = \"bank\"\nkeys = 4\nsessions = 4\ntransactions = 12\n"                     \
    "think = \"20ms\"\nduration = \"5s\"\n"                                                        \
    "[[nemesis]]\nkind = \"partition\"\nevery = \"500ms\"\nlasts = \"200ms\"\n"

static struct scenario *scenario;
static struct error err;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    scenario = calloc(1, sizeof *scenario);
    TEST_ASSERT_NOT_NULL(scenario);
    ASSERT_OK(scenario_read(scenario, "x.toml", text_of(BANK), NULL, 0, &err), &err);
}

void tearDown(void)
{
    scenario_close(scenario);
    free(scenario);
}

/* All that a run of this seed comes to, as a line. */
static enum status tell(uint64_t seed, const struct run_options *options, struct buffer *line,
                        struct error *why)
{
    struct trial trial = { 0 };
    struct run_outcome outcome = { 0 };
    enum status status;

    scenario->seed = seed;
    status = trial_run(&trial, scenario, options, why);
    if (status == STATUS_OK)
        status = outcome_of_trial(&outcome, &trial, why);
    outcome_print(&outcome, line);
    outcome_close(&outcome);
    trial_close(&trial);
    return status;
}

static void assert_same(const struct buffer *a, const struct buffer *b)
{
    TEST_ASSERT_EQUAL_UINT64(a->count, b->count);
    TEST_ASSERT_EQUAL_MEMORY(a->at, b->at, a->count);
}

static void a_run_that_is_asked_what_it_reaches_is_the_same_run(void)
{
    struct buffer plain = { 0 }, covered = { 0 };
    struct coverage *coverage = calloc(1, sizeof *coverage);
    uint32_t *features = calloc(COVERAGE_PLACES, sizeof *features);

    TEST_ASSERT_TRUE(coverage && features);
    ASSERT_OK(tell(7, NULL, &plain, &err), &err);
    ASSERT_OK(tell(7, &(struct run_options){ .coverage = coverage }, &covered, &err), &err);
    assert_same(&plain, &covered);
    TEST_ASSERT_GREATER_THAN_UINT32(100, coverage_features(coverage, features));
    buffer_close(&plain);
    buffer_close(&covered);
    free(coverage);
    free(features);
}

/* Each in a process of its own. */
static enum status tell_alone(void *context, struct text job, struct buffer *answer,
                              struct error *why)
{
    (void)context;
    return tell(strtoull(job.at, NULL, 10), NULL, answer, why);
}

static void start_alone(struct workers *workers, size_t count)
{
    struct workers_options options = { .count = 2, .jobs_max = 1, .in_order = true,
                                       .work = tell_alone };

    ASSERT_OK(workers_open(workers, &options, &err), &err);
    for (size_t seed = 0; seed < count; seed++) {
        struct buffer job = { 0 };
        buffer_print(&job, "%zu", seed);
        ASSERT_OK(workers_submit(workers, (struct text){ job.at, job.count }, &err), &err);
        buffer_close(&job);
    }
}

static void a_seed_is_the_same_alone_in_a_batch_and_in_reverse(void)
{
    size_t count = fixture_rounds(20);
    struct buffer *lines = calloc(count, sizeof *lines);
    struct workers workers;
    struct buffer line = { 0 };
    size_t failed = 0;

    TEST_ASSERT_NOT_NULL(lines);
    for (size_t seed = 0; seed < count; seed++)
        ASSERT_OK(tell(seed, NULL, &lines[seed], &err), &err);
    for (size_t seed = count; seed-- > 0;) {
        buffer_clear(&line);
        ASSERT_OK(tell(seed, NULL, &line, &err), &err);
        assert_same(&lines[seed], &line);
        buffer_byte(&line, '\0');
        failed += strstr(line.at, "\"verdict\":\"invalid\"") != NULL;
    }
    start_alone(&workers, count);
    for (size_t seed = 0; seed < count; seed++) {
        const struct work *work;
        ASSERT_OK(workers_next(&workers, -1, &work, &err), &err);
        TEST_ASSERT_EQUAL(WORK_DONE, work->end);
        assert_same(&lines[seed], &work->answer);
    }
    workers_close(&workers);
    /* Or else nothing was compared but that nothing happens. */
    TEST_ASSERT_GREATER_THAN_UINT64(0, failed);
    TEST_ASSERT_LESS_THAN_UINT64(count, failed);
    for (size_t seed = 0; seed < count; seed++)
        buffer_close(&lines[seed]);
    free(lines);
    buffer_close(&line);
}

static void nobody_judges_if_nobody_is_to(void)
{
    static const char *const none[] = { "check.checkers=[]" };
    struct trial trial = { 0 };

    scenario_close(scenario);
    ASSERT_OK(scenario_read(scenario, "x.toml", text_of(BANK), none, 1, &err), &err);
    ASSERT_OK(trial_run(&trial, scenario, NULL, &err), &err);
    TEST_ASSERT_FALSE(trial.is_judged);
    TEST_ASSERT_EQUAL(trial.simulation->verdict, trial_verdict(&trial));
    trial_close(&trial);
    ASSERT_OK(trial_run(&trial, scenario, &(struct run_options){ .flags = TRIAL_HISTORY }, &err), &err);
    TEST_ASSERT_TRUE(trial.is_judged);
    TEST_ASSERT_EQUAL_UINT32(0, trial.jury.juror_count);
    trial_close(&trial);
}

static enum profile_timing timing_with(const char *const *sets, size_t count)
{
    struct trial trial = { 0 };
    enum profile_timing timing;

    scenario_close(scenario);
    ASSERT_OK(scenario_read(scenario, "x.toml", text_of(BANK), sets, count, &err), &err);
    ASSERT_OK(trial_run(&trial, scenario, NULL, &err), &err);
    timing = trial.offered->timing;
    trial_close(&trial);
    return timing;
}

/* Nor does a store promise more than what its clocks can give. */
static void recency_is_asked_of_clocks_that_are_as_right_as_the_store_believes(void)
{
    static const char *const near[] = { "clocks.offset=100ms" };
    static const char *const far[] = { "clocks.offset=200ms" };
    static const char *const far_in_peace[] = { "clocks.offset=200ms", "network.loss=0",
                                                "nemesis.0.every=1h" };
    static const char *const jumping[] = { "nemesis.0.kind=clock", "nemesis.0.shape=step",
                                           "nemesis.0.amount=1s" };

    TEST_ASSERT_EQUAL(TIMING_KEY, timing_with(near, ROW_COUNT(near)));
    TEST_ASSERT_EQUAL(TIMING_NONE, timing_with(far, ROW_COUNT(far)));
    TEST_ASSERT_EQUAL(TIMING_KEY, timing_with(far_in_peace, ROW_COUNT(far_in_peace)));
    TEST_ASSERT_EQUAL(TIMING_NONE, timing_with(jumping, ROW_COUNT(jumping)));
}

/* A clock had jumped by more than that, and a read missed a write of its node: so it may. */
static void a_read_that_clocks_made_miss_its_past_is_not_held_against_the_store(void)
{
    struct trial trial = { 0 };

    scenario_close(scenario);
    ASSERT_OK(scenario_load(scenario, "scenarios/mvto-clocks.toml", NULL, 0, &err), &err);
    scenario->seed = 38;
    ASSERT_OK(trial_run(&trial, scenario, NULL, &err), &err);
    for (uint32_t i = 0; i < trial.jury.juror_count; i++)
        TEST_ASSERT_NOT_EQUAL(VERDICT_INVALID, trial.jury.jurors[i].check.verdict);
    trial_close(&trial);
}

static void witnesses_are_made_where_they_are_wanted(void)
{
    struct trial trial = { 0 };

    ASSERT_OK(trial_run(&trial, scenario, NULL, &err), &err);
    TEST_ASSERT_GREATER_THAN_UINT32(0, trial.jury.juror_count);
    TEST_ASSERT_EQUAL_UINT64(0, trial.jury.jurors[0].check.witness.count);
    trial_close(&trial);
    ASSERT_OK(trial_run(&trial, scenario, &(struct run_options){ .flags = TRIAL_WITNESS }, &err), &err);
    TEST_ASSERT_GREATER_THAN_UINT64(0, trial.jury.jurors[0].check.witness.count);
    trial_close(&trial);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_seed_is_the_same_alone_in_a_batch_and_in_reverse);
    RUN_TEST(nobody_judges_if_nobody_is_to);
    RUN_TEST(recency_is_asked_of_clocks_that_are_as_right_as_the_store_believes);
    RUN_TEST(a_read_that_clocks_made_miss_its_past_is_not_held_against_the_store);
    RUN_TEST(witnesses_are_made_where_they_are_wanted);
    RUN_TEST(a_run_that_is_asked_what_it_reaches_is_the_same_run);
    return UNITY_END();
}
