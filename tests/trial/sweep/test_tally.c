#include "trial/sweep/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/report_sweep.h"
#include "tests/fixture.h"
#include "unity.h"

#define JOBS 24

static struct plan plan;
static struct run_outcome outcomes[JOBS];
static struct error err;

/* Two scenarios with twelve seeds each; of the first every third run fails, in two ways. */
static void make_outcome(struct run_outcome *outcome, uint64_t job)
{
    *outcome = (struct run_outcome){ .seed = plan_seed(&plan, job), .has_store = true,
                                 .committed = 10, .nemesis_count = 1 };
    strcpy(outcome->trace, "abc");
    outcome->trace[0] = (char)('a' + job);
    outcome->felt[0] = job % 4;
    outcome->sometimes[SOMETIMES_PREPARE_REFUSED] = job;
    if (job % 3 != 0 || plan_subject(&plan, job) != 0)
        return;
    outcome->verdict = VERDICT_INVALID;
    ASSERT_OK(outcome_add_failure(outcome, "order serializable G1a item", outcome->trace, &err),
              &err);
    if (job % 2 == 0)
        ASSERT_OK(outcome_add_failure(outcome, "run - stuck", outcome->trace, &err), &err);
}

static void add_subject(const char *name)
{
    struct subject subject = { .has_store = true, .on_raft = true, .nemesis_count = 1 };

    strcpy(subject.name, name);
    strcpy(subject.path, name);
    strcpy(subject.digest, name);
    strcpy(subject.protocol, "mvto");
    strcpy(subject.nemeses[0], "crash one");
    ASSERT_OK(array_push(&plan.subjects, subject, &err), &err);
}

void setUp(void)
{
    memset(&err, 0, sizeof err);
    plan = (struct plan){ .seed_first = 5, .seed_last = 16, .shard_count = 1 };
    strcpy(plan.version, "1");
    strcpy(plan.build, "b");
    add_subject("first.toml");
    add_subject("second.toml");
    for (uint64_t job = 0; job < JOBS; job++)
        make_outcome(&outcomes[job], job);
}

void tearDown(void)
{
    for (uint64_t job = 0; job < JOBS; job++)
        outcome_close(&outcomes[job]);
    plan_close(&plan);
}

/* The reports of a tally of the jobs in this order, one behind the other. */
static void report(const uint32_t *jobs, size_t count, struct buffer *out)
{
    struct tally tally;
    struct sweep_report said = { .plan = &plan, .tally = &tally, .wall_ns = 1000000000 };

    ASSERT_OK(tally_init(&tally, &plan, &err), &err);
    for (size_t i = 0; i < count; i++)
        ASSERT_OK(tally_add(&tally, jobs[i], &outcomes[jobs[i]], &err), &err);
    tally_sort(&tally);
    report_sweep_print(&said, out);
    report_sweep_print_json(&said, out);
    report_sweep_print_junit(&said, out);
    buffer_byte(out, '\0');
    tally_close(&tally);
}

static void in_whatever_order_outcomes_come_the_report_is_the_same(void)
{
    uint32_t jobs[JOBS];
    struct buffer first = { 0 }, other = { 0 };
    struct random_key key = random_key_of_seed(1);
    struct random random;

    random_init(&random, &key);
    for (uint32_t job = 0; job < JOBS; job++)
        jobs[job] = job;
    report(jobs, JOBS, &first);
    TEST_ASSERT_NOT_NULL(strstr(first.at, "4 of 24 runs failed"));
    for (int i = 0; i < 20; i++) {
        random_shuffle(&random, jobs, JOBS);
        buffer_clear(&other);
        report(jobs, JOBS, &other);
        TEST_ASSERT_EQUAL_STRING(first.at, other.at);
    }
    buffer_close(&first);
    buffer_close(&other);
}

static void failures_are_grouped_by_what_they_look_like(void)
{
    struct tally tally;

    ASSERT_OK(tally_init(&tally, &plan, &err), &err);
    for (uint64_t job = JOBS; job-- > 0;)
        ASSERT_OK(tally_add(&tally, job, &outcomes[job], &err), &err);
    tally_sort(&tally);
    TEST_ASSERT_EQUAL_UINT64(2, tally.groups.count);
    TEST_ASSERT_EQUAL_STRING("order serializable G1a item", tally.groups.at[0].signature);
    TEST_ASSERT_EQUAL_UINT64(0, tally.groups.at[0].job);
    TEST_ASSERT_EQUAL_STRING("abc", tally.groups.at[0].explanation);
    TEST_ASSERT_EQUAL_UINT64(4, tally.groups.at[0].seeds.count);
    TEST_ASSERT_EQUAL_UINT64(5, tally.groups.at[0].seeds.at[0]);
    TEST_ASSERT_EQUAL_UINT64(8, tally.groups.at[0].seeds.at[1]);
    TEST_ASSERT_EQUAL_UINT64(0, tally.failed_job);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, tally_verdict(&tally));
    tally_close(&tally);
}

static void a_run_twice_is_one_run_and_two_ways_are_a_failure(void)
{
    struct tally tally;

    ASSERT_OK(tally_init(&tally, &plan, &err), &err);
    ASSERT_OK(tally_add(&tally, 1, &outcomes[1], &err), &err);
    ASSERT_OK(tally_add(&tally, 1, &outcomes[1], &err), &err);
    TEST_ASSERT_EQUAL_UINT64(1, tally.entries.count);
    TEST_ASSERT_EQUAL_UINT64(0, tally_failed(&tally));
    outcomes[1].trace[1]++;
    ASSERT_OK(tally_add(&tally, 1, &outcomes[1], &err), &err);
    TEST_ASSERT_EQUAL_UINT64(1, tally.entries.count);
    TEST_ASSERT_EQUAL_UINT64(1, tally_failed(&tally));
    TEST_ASSERT_EQUAL_STRING("run - differs from one time to another",
                             tally.groups.at[0].signature);
    tally_close(&tally);
}

/* What the machine failed counts as long as nobody has judged it, whichever of them comes first. */
static void a_run_that_was_not_judged_gives_way_to_its_judgement(void)
{
    static const struct {
        bool judged_before, judged_behind;
        size_t runs, not_judged;
        enum verdict verdict;
    } rows[] = {
        { false, false, 1, 1, VERDICT_UNKNOWN },
        { true, false, 2, 0, VERDICT_VALID },
        { false, true, 2, 0, VERDICT_VALID },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct run_outcome failed = { .seed = plan_seed(&plan, 1) };
        struct tally tally;

        ASSERT_OK(outcome_not_judged(&failed, "killed", &err), &err);
        ASSERT_OK(tally_init(&tally, &plan, &err), &err);
        ASSERT_OK(tally_add(&tally, 3, &outcomes[3], &err), &err);
        if (rows[i].judged_before)
            ASSERT_OK(tally_add(&tally, 1, &outcomes[1], &err), &err);
        ASSERT_OK(tally_add(&tally, 1, &failed, &err), &err);
        ASSERT_OK(tally_add(&tally, 1, &failed, &err), &err);
        TEST_ASSERT_EQUAL(rows[i].judged_before, tally_has(&tally, 1));
        if (rows[i].judged_behind)
            ASSERT_OK(tally_add(&tally, 1, &outcomes[1], &err), &err);
        tally_sort(&tally);
        TEST_ASSERT_EQUAL_UINT64(rows[i].runs, tally.entries.count);
        TEST_ASSERT_EQUAL_UINT64(rows[i].not_judged, tally.not_judged.count);
        TEST_ASSERT_EQUAL(rows[i].verdict, tally_verdict(&tally));
        tally_close(&tally);
        outcome_close(&failed);
    }
}

/* Whether what the tally has of the jobs of the second scenario shows something. */
static enum verdict verdict_of(const uint64_t *jobs, size_t count)
{
    struct tally tally;
    enum verdict verdict;

    ASSERT_OK(tally_init(&tally, &plan, &err), &err);
    for (size_t i = 0; i < count; i++)
        ASSERT_OK(tally_add(&tally, jobs[i], &outcomes[jobs[i]], &err), &err);
    verdict = tally_verdict(&tally);
    tally_close(&tally);
    return verdict;
}

static void what_was_never_felt_shows_nothing(void)
{
    static const uint64_t jobs[] = { 1, 3 };

    TEST_ASSERT_EQUAL(VERDICT_VALID, verdict_of(jobs, 2));
    outcomes[1].felt[0] = outcomes[3].felt[0] = 0;
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, verdict_of(jobs, 2));
}

static void where_nothing_committed_in_any_run_nothing_is_shown(void)
{
    static const uint64_t jobs[] = { 1, 3 };

    outcomes[1].committed = 0;
    TEST_ASSERT_EQUAL(VERDICT_VALID, verdict_of(jobs, 2));
    outcomes[3].committed = 0;
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, verdict_of(jobs, 2));
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, verdict_of(jobs, 0));
}

static void one_run_that_nobody_could_judge_leaves_the_sweep_undecided(void)
{
    static const uint64_t jobs[] = { 1, 3 };

    outcomes[3].verdict = VERDICT_UNKNOWN;
    outcomes[3].undecided = strdup("nobody could tell");
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, verdict_of(jobs, 2));
}

/* --- Plans ------------------------------------------------------------------------------------ */

static void shards_have_every_job_once(void)
{
    for (uint64_t count = 1; count < 30; count++) {
        uint64_t sum = 0;
        plan.shard_count = count;
        for (plan.shard = 0; plan.shard < count; plan.shard++) {
            uint64_t jobs = 0;
            for (uint64_t job = 0; job < JOBS; job++)
                jobs += plan_has_job(&plan, job);
            TEST_ASSERT_EQUAL_UINT64(jobs, plan_shard_job_count(&plan));
            sum += jobs;
        }
        TEST_ASSERT_EQUAL_UINT64(JOBS, sum);
    }
}

static void a_plan_reads_back_as_the_same(void)
{
    struct plan copy = { 0 };
    struct buffer line = { 0 }, again = { 0 };
    char *set = strdup("cluster.bugs=[\"x\"]");

    ASSERT_OK(array_push(&plan.sets, set, &err), &err);
    plan.subjects.at[1].has_fault[FAULT_LOSS] = true;
    plan.until_failure = true;
    plan_print(&plan, &line);
    ASSERT_OK(plan_read(&copy, (struct text){ line.at, line.count }, &err), &err);
    plan_print(&copy, &again);
    TEST_ASSERT_EQUAL_UINT64(line.count, again.count);
    TEST_ASSERT_EQUAL_MEMORY(line.at, again.at, line.count);
    ASSERT_OK(plan_check_resume(&copy, &plan, &err), &err);
    plan_close(&copy);
    for (size_t length = 0; length < line.count; length++) {
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                          plan_read(&copy, (struct text){ line.at, length }, &err));
        plan_close(&copy);
    }
    buffer_close(&line);
    buffer_close(&again);
}

static void assert_refused(enum status status, const char *text)
{
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, text), err.text);
}

static void another_sweep_is_not_gone_on_with(void)
{
    struct plan other = plan;

    other.seed_last++;
    assert_refused(plan_check_resume(&other, &plan, &err), "the seeds 5..17, not of 5..16");
    other = plan;
    strcpy(other.version, "2");
    assert_refused(plan_check_resume(&other, &plan, &err), "ordeal 2, and here is 1");
    other = plan;
    strcpy(other.build, "c");
    assert_refused(plan_check_resume(&other, &plan, &err), "another build");
    ASSERT_OK(plan_check_merge(&plan, &other, &err), &err);
    other = plan;
    other.shard_count = 3;
    assert_refused(plan_check_resume(&other, &plan, &err), "shard 3/3, not of 1/1");
    assert_refused(plan_check_merge(&plan, &other, &err), "one of 3 shards");
}

static void seeds_and_shards_are_read(void)
{
    static const struct {
        const char *text;
        uint64_t first, last;
    } good[] = {
        { "7", 7, 7 },
        { "0..0", 0, 0 },
        { "1..9007199254740991", 1, SEED_MAX },
    };
    static const char *const bad[] = { "", "..", "1..", "..2", "2..1", "-1..2", "1..9007199254740992",
                                       "1...2", "1-2", "x" };
    static const char *const bad_shards[] = { "", "/", "1/", "/2", "3/2", "1/0", "-1/2", "1", "a/b" };

    for (size_t i = 0; i < ROW_COUNT(good); i++) {
        ASSERT_OK(plan_take_seeds(&plan, good[i].text, &err), &err);
        TEST_ASSERT_EQUAL_UINT64(good[i].first, plan.seed_first);
        TEST_ASSERT_EQUAL_UINT64(good[i].last, plan.seed_last);
    }
    for (size_t i = 0; i < ROW_COUNT(bad); i++)
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, plan_take_seeds(&plan, bad[i], &err), bad[i]);
    for (size_t i = 0; i < ROW_COUNT(bad_shards); i++)
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, plan_take_shard(&plan, bad_shards[i], &err),
                                  bad_shards[i]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(in_whatever_order_outcomes_come_the_report_is_the_same);
    RUN_TEST(failures_are_grouped_by_what_they_look_like);
    RUN_TEST(a_run_that_was_not_judged_gives_way_to_its_judgement);
    RUN_TEST(a_run_twice_is_one_run_and_two_ways_are_a_failure);
    RUN_TEST(what_was_never_felt_shows_nothing);
    RUN_TEST(where_nothing_committed_in_any_run_nothing_is_shown);
    RUN_TEST(one_run_that_nobody_could_judge_leaves_the_sweep_undecided);
    RUN_TEST(shards_have_every_job_once);
    RUN_TEST(a_plan_reads_back_as_the_same);
    RUN_TEST(another_sweep_is_not_gone_on_with);
    RUN_TEST(seeds_and_shards_are_read);
    return UNITY_END();
}
