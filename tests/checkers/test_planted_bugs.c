/*
 * The bugs that Leopard's paper tells of (test_paper_bugs.c has them as they are told there),
 * planted in the simulated store, and what interval says of its runs; and that of reads that
 * miss what was there infer says nothing in runs where interval finds them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/checkers/checker_fixture.h"
#include "trial/run/run.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

struct planted {
    const char *bug;
    uint64_t first_seed; /* of a few */
    enum anomaly kind;   /* that interval tells in one of them at least */
    bool infer_is_blind; /* in one of these it says nothing */
};

#define SEEDS_OF_EACH 12

static const struct juror *find_juror(const struct trial *trial, const char *name)
{
    for (uint32_t i = 0; i < trial->jury.juror_count; i++)
        if (strcmp(trial->jury.jurors[i].check.checker->name, name) == 0)
            return &trial->jury.jurors[i];
    TEST_FAIL_MESSAGE(name);
    return NULL;
}

struct seen {
    unsigned found;       /* runs in which interval tells of the kind */
    unsigned found_alone; /* and infer of nothing */
    unsigned accused;     /* runs in which interval tells of anything */
};

static void look_at(const struct planted *planted, struct scenario *scenario, struct seen *seen)
{
    for (uint64_t i = 0; i < SEEDS_OF_EACH; i++) {
        const struct check *interval, *infer;
        struct trial trial = { 0 };

        scenario->seed = planted->first_seed + i;
        ASSERT_OK(trial_run(&trial, scenario, NULL, &err), &err);
        interval = &find_juror(&trial, "interval")->check;
        infer = &find_juror(&trial, "infer")->check;
        seen->accused += interval->verdict == VERDICT_INVALID;
        if (interval->verdict == VERDICT_INVALID && fixture_has_kind(interval, planted->kind)) {
            seen->found++;
            seen->found_alone += infer->verdict != VERDICT_INVALID;
        }
        trial_close(&trial);
    }
}

static struct seen run_planted(const struct planted *planted, bool without)
{
    static const char *const none[] = { "cluster.bugs=[]" };
    struct scenario *scenario = calloc(1, sizeof *scenario);
    struct seen seen = { 0 };
    char path[200];

    TEST_ASSERT_NOT_NULL(scenario);
    snprintf(path, sizeof path, "scenarios/bugs/%s.toml", planted->bug);
    ASSERT_OK(scenario_load(scenario, path, none, without ? 1 : 0, &err), &err);
    look_at(planted, scenario, &seen);
    scenario_close(scenario);
    free(scenario);
    return seen;
}

/*
 * A version that is in the snapshot is passed over; recency is what breaks without any cycle,
 * where a store's clocks do.
 */
static const struct planted all[] = {
    { "stale-version-in-snapshot", 180, ANOMALY_INCONSISTENT_READ, false },
    { "uncertainty-ignored", 1, ANOMALY_INCONSISTENT_READ, true },
    { "clock-not-forwarded", 10, ANOMALY_INCONSISTENT_READ, true },
    { "no-lock-for-no-op-update", 1, ANOMALY_LOCK_VIOLATION, true },
    { "join-for-update-misses-a-lock", 1, ANOMALY_LOCK_VIOLATION, false },
    { "own-delete-then-insert-returns-both", 1, ANOMALY_INTERNAL, false },
    { "no-predicate-locks", 1, ANOMALY_LOCK_VIOLATION, true },
};

static void each_is_found_in_the_store(void)
{
    for (size_t i = 0; i < ROW_COUNT(all); i++) {
        struct seen seen = run_planted(&all[i], false);

        TEST_ASSERT_GREATER_THAN_MESSAGE(0, seen.found, all[i].bug);
        if (all[i].infer_is_blind)
            TEST_ASSERT_GREATER_THAN_MESSAGE(0, seen.found_alone, all[i].bug);
    }
}

static void nothing_is_found_where_they_are_not(void)
{
    for (size_t i = 0; i < ROW_COUNT(all); i++)
        TEST_ASSERT_EQUAL_MESSAGE(0, run_planted(&all[i], true).accused, all[i].bug);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_is_found_in_the_store);
    RUN_TEST(nothing_is_found_where_they_are_not);
    return UNITY_END();
}
