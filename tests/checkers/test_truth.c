#include "tests/checkers/truth.h"

#include <inttypes.h>
#include <stdio.h>

#include "checkers/interval/profile.h"
#include "tests/checkers/checker_fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static void judge(const struct truth_options *options, const struct profile *by,
                  struct mirror *mirror)
{
    const struct truth_txn *txn;
    struct truth truth;

    mirror_init(mirror, by, options->clock_error_ns);
    ASSERT_OK(truth_init(&truth, options, &err), &err);
    for (;;) {
        ASSERT_OK(truth_next(&truth, &txn, &err), &err);
        if (!txn)
            break;
        ASSERT_OK(mirror_advance(mirror, txn->trace.invoked, &err), &err);
        ASSERT_OK(mirror_add(mirror, &txn->trace, &err), &err);
    }
    ASSERT_OK(mirror_end(mirror, SIZE_MAX, &err), &err);
    TEST_ASSERT_GREATER_THAN(options->transactions / 20, truth.committed);
    truth_close(&truth);
}

static void expect_nothing(const struct truth_options *options, const struct profile *by)
{
    struct mirror mirror;
    char message[600];

    judge(options, by, &mirror);
    if (mirror.finding_count > 0) {
        buffer_byte(&mirror.findings.at[0].explanation, '\0');
        snprintf(message, sizeof message, "%s judged as %s, workload %d, seed %" PRIu64 ": %s",
                 options->profile->name, by->name, options->workload, options->seed,
                 mirror.findings.at[0].explanation.at);
        TEST_FAIL_MESSAGE(message);
    }
    TEST_ASSERT_EQUAL(0, mirror.counts.late);
    mirror_close(&mirror);
}

static void what_a_database_did_as_it_should_is_not_accused(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);

    for (unsigned i = 0; i < count; i++)
        for (int workload = 0; workload < TRUTH_WORKLOAD_COUNT; workload++) {
            struct truth_options options = truth_options(&profiles[i]);

            options.workload = (enum truth_workload)workload;
            options.transactions = 400;
            options.keys = 40;
            options.sessions = 8;
            options.ops = 4;
            for (options.seed = 0; options.seed < 8; options.seed++)
                expect_nothing(&options, &profiles[i]);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_a_database_did_as_it_should_is_not_accused);
    return UNITY_END();
}
