#include "tests/checkers/interval/truth.h"

#include <inttypes.h>
#include <stdio.h>

#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "tests/checkers/checker_fixture.h"
#include "unity.h"

#define ROUNDS 12 /* of random options for each profile */

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

/* --- By the model ----------------------------------------------------------------------- */

static void judge(struct truth *truth, const struct profile *by, int64_t clock_error,
                  struct interval_model *model)
{
    const struct truth_txn *txn;

    interval_model_init(model, by, clock_error);
    for (;;) {
        ASSERT_OK(truth_next(truth, &txn, &err), &err);
        if (!txn)
            break;
        ASSERT_OK(interval_model_advance(model, txn->trace.invoked, &err), &err);
        ASSERT_OK(interval_model_add(model, &txn->trace, &err), &err);
    }
    ASSERT_OK(interval_model_end(model, SIZE_MAX, &err), &err);
    TEST_ASSERT_EQUAL(0, model->counts.late);
    TEST_ASSERT_EQUAL(truth->committed + truth->aborted + truth->unknown, model->counts.txns);
}

static void expect_nothing(const struct truth_options *options, const struct profile *by)
{
    struct interval_model model;
    struct truth truth;
    char message[900];

    ASSERT_OK(truth_init(&truth, options, &err), &err);
    judge(&truth, by, options->clock_error_ns, &model);
    if (model.finding_count > 0) {
        buffer_byte(&model.findings.at[0].explanation, '\0');
        snprintf(message, sizeof message, "%s judged as %s, workload %d, seed %" PRIu64 ": %s",
                 options->profile->name, by->name, options->workload, options->seed,
                 model.findings.at[0].explanation.at);
        TEST_FAIL_MESSAGE(message);
    }
    TEST_ASSERT_EQUAL(0, model.counts.unjudged);
    interval_model_close(&model);
    truth_close(&truth);
}

/* --- Runs of all kinds --------------------------------------------------------------------- */

static void what_a_database_did_as_it_should_is_not_accused(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);

    for (unsigned i = 0; i < count; i++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            struct truth_options options = truth_random_options(&profiles[i], 1000 * i + round);

            expect_nothing(&options, &profiles[i]);
        }
}

/* Who only knows the level asks for less than who knows the database. */
static void nor_by_who_knows_nothing_but_the_level(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);

    for (unsigned i = 0; i < count; i++)
        for (uint64_t round = 0; round < ROUNDS / 3 && !profiles[i].hides_own; round++) {
            struct truth_options options = truth_random_options(&profiles[i], 1000 * i + round + 500);
            struct profile any = profile_of_level(profiles[i].level);

            expect_nothing(&options, &any);
        }
}

static void large_runs_are_not_accused_either(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "innodb/serializable",
                                            "postgresql/read-committed",
                                            "cockroachdb/serializable" };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++)
        for (int workload = 0; workload < TRUTH_WORKLOAD_COUNT; workload++) {
            struct truth_options options = truth_options(profile_find(text_of(profiles[i])));

            options.workload = (enum truth_workload)workload;
            options.transactions = 4000;
            options.sessions = 24;
            options.unknown = options.deaths = (struct ratio){ 1, 100 };
            expect_nothing(&options, options.profile);
        }
}

/* --- Faults --------------------------------------------------------------------------------- */

/* That of a read is found at who read: what hides the version may be long gone. */
static bool is_at(const struct interval_finding *f, const struct truth_plant *plant)
{
    bool at[2] = { false, plant->fault == TRUTH_STALE_READ || plant->fault == TRUTH_DIRTY_READ };

    for (size_t i = 0; i < f->txns.count; i++)
        for (size_t t = 0; t < 2; t++)
            at[t] |= f->txns.at[i] == plant->txns[t];
    return at[0] && at[1];
}

static bool is_found(const struct interval_model *model, const struct truth_plant *plant)
{
    for (size_t i = 0; i < model->findings.count; i++)
        if (is_at(&model->findings.at[i], plant))
            return true;
    return false;
}

static size_t find_plants(const struct truth_options *options)
{
    struct interval_model model;
    struct truth truth;
    char message[200];
    size_t sure = 0;

    ASSERT_OK(truth_init(&truth, options, &err), &err);
    judge(&truth, options->profile, options->clock_error_ns, &model);
    for (size_t i = 0; i < truth.plants.count; i++) {
        const struct truth_plant *plant = &truth.plants.at[i];

        if (!plant->is_sure || model.finding_count > model.findings.count)
            continue;
        snprintf(message, sizeof message, "%s, seed %" PRIu64 ": %s of T%" PRIu32 " and T%" PRIu32,
                 options->profile->name, options->seed, truth_fault_name(plant->fault),
                 plant->txns[0], plant->txns[1]);
        TEST_ASSERT_TRUE_MESSAGE(is_found(&model, plant), message);
        sure++;
    }
    interval_model_close(&model);
    truth_close(&truth);
    return sure;
}

static void expect_found(enum truth_fault fault, uint32_t one_in, const char *const *profiles)
{
    for (; *profiles; profiles++) {
        struct truth_options options = truth_options(profile_find(text_of(*profiles)));
        size_t found = 0;

        options.workload = TRUTH_MIXED;
        options.transactions = 500;
        options.sessions = 8;
        options.keys = fault == TRUTH_WRITE_SKEW ? 30 : 60;
        options.ops = 6;
        options.unknown = (struct ratio){ 1, 50 };
        options.fault = fault;
        options.fault_every = one_in;
        for (options.seed = 0; options.seed < 8; options.seed++)
            found += find_plants(&options);
        options.clock_error_ns = 200;
        for (; options.seed < 12; options.seed++)
            found += find_plants(&options);
        TEST_ASSERT_GREATER_THAN_MESSAGE(2, found, *profiles);
    }
}

static void reads_of_what_had_been_overwritten_are_found(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "postgresql/read-committed",
                                            "innodb/serializable", "innodb/repeatable-read",
                                            "sqlserver/repeatable-read", "tidb/snapshot",
                                            "foundationdb/serializable", "cockroachdb/serializable",
                                            "spanner/serializable", "ordeal/2pl", NULL };

    expect_found(TRUTH_STALE_READ, 150, profiles);
}

static void reads_of_what_is_aborted_are_found(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "innodb/read-committed",
                                            "cockroachdb/serializable", "ordeal/occ", "ordeal/si",
                                            NULL };

    expect_found(TRUTH_DIRTY_READ, 50, profiles);
}

static void locks_that_were_not_waited_for_are_found(void)
{
    static const char *const profiles[] = { "postgresql/snapshot", "postgresql/read-committed",
                                            "innodb/serializable", "innodb/repeatable-read",
                                            "sqlite/serializable", "ordeal/2pl", NULL };

    expect_found(TRUTH_LOCK_SKIPPED, 4, profiles);
}

static void lost_updates_are_found(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "postgresql/snapshot",
                                            "rocksdb/optimistic-snapshot", "tidb/snapshot",
                                            "sqlite/serializable", NULL };

    expect_found(TRUTH_LOST_UPDATE, 4, profiles);
}

static void write_skews_are_found(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "sqlite/serializable",
                                            NULL };

    expect_found(TRUTH_WRITE_SKEW, 1, profiles);
}

static void a_clock_that_is_off_is_accused_unless_that_is_admitted(void)
{
    struct truth_options options = truth_options(profile_find(TEXT("postgresql/snapshot")));
    struct interval_model model;
    struct truth truth;

    options.transactions = 500;
    options.keys = 30;
    options.clock_off_ns = 50000;
    for (int64_t admitted = 0; admitted <= 50000; admitted += 25000) {
        ASSERT_OK(truth_init(&truth, &options, &err), &err);
        judge(&truth, options.profile, admitted, &model);
        if (admitted == 0)
            TEST_ASSERT_GREATER_THAN(0, model.finding_count);
        else /* half is enough: each clock may be off by it */
            TEST_ASSERT_EQUAL(0, model.finding_count);
        interval_model_close(&model);
        truth_close(&truth);
    }
}

/* --- As a history ------------------------------------------------------------------------------ */

static enum verdict verdict_of(const struct truth_options *options)
{
    struct check_options check_options = { .level = options->profile->level,
                                           .profile = options->profile,
                                           .clock_error_ns = options->clock_error_ns };
    enum verdict verdict;
    struct history history;
    struct check check;

    ASSERT_OK(truth_history(options, &history, &err), &err);
    TEST_ASSERT_EQUAL(options->transactions, history.txn_count);
    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &check_options, &check, &err),
              &err);
    verdict = check.verdict;
    check_close(&check);
    history_close(&history);
    return verdict;
}

static void it_can_be_had_as_a_history(void)
{
    struct truth_options options = truth_options(profile_find(TEXT("postgresql/serializable")));

    options.workload = TRUTH_MIXED;
    options.transactions = 1000;
    options.keys = 100;
    options.deletes = options.unknown = options.deaths = options.locking = (struct ratio){ 1, 20 };
    TEST_ASSERT_EQUAL(VERDICT_VALID, verdict_of(&options));
    options.deletes = (struct ratio){ 0, 1 };
    options.fault = TRUTH_STALE_READ;
    options.fault_every = 50;
    TEST_ASSERT_EQUAL(VERDICT_INVALID, verdict_of(&options));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_a_database_did_as_it_should_is_not_accused);
    RUN_TEST(nor_by_who_knows_nothing_but_the_level);
    RUN_TEST(large_runs_are_not_accused_either);
    RUN_TEST(reads_of_what_had_been_overwritten_are_found);
    RUN_TEST(reads_of_what_is_aborted_are_found);
    RUN_TEST(locks_that_were_not_waited_for_are_found);
    RUN_TEST(lost_updates_are_found);
    RUN_TEST(write_skews_are_found);
    RUN_TEST(a_clock_that_is_off_is_accused_unless_that_is_admitted);
    RUN_TEST(it_can_be_had_as_a_history);
    return UNITY_END();
}
