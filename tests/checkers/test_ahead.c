#include "checkers/interval/ahead.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "history/builder.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/truth.h"
#include "unity.h"

static struct error err;
static struct history history;

void setUp(void)
{
    err = (struct error){ 0 };
    history = (struct history){ 0 };
}

void tearDown(void)
{
    history_close(&history);
}

/* --- The same of any number of threads ------------------------------------------------------- */

static struct check check_of(const struct check_options *asked, unsigned threads, unsigned flags)
{
    struct check_options options = *asked;
    struct check check;

    options.threads = threads;
    options.flags = flags;
    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &options, &check, &err), &err);
    return check;
}

static void expect_same_finding(const struct check_finding *a, const struct check_finding *b,
                                const char *message)
{
    TEST_ASSERT_EQUAL_MESSAGE(a->kind, b->kind, message);
    TEST_ASSERT_EQUAL_MESSAGE(a->proven, b->proven, message);
    TEST_ASSERT_EQUAL_MESSAGE(a->txn_count, b->txn_count, message);
    for (size_t i = 0; i < a->txn_count; i++)
        TEST_ASSERT_EQUAL_MESSAGE(a->txns[i], b->txns[i], message);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(a->explanation, b->explanation, message);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(a->drawing, b->drawing, message);
}

static void expect_same(const struct check *a, const struct check *b, const char *message)
{
    TEST_ASSERT_EQUAL_MESSAGE(a->verdict, b->verdict, message);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(a->reason, b->reason, message);
    TEST_ASSERT_EQUAL_MESSAGE(a->findings.count, b->findings.count, message);
    TEST_ASSERT_EQUAL_MESSAGE(a->has_more_findings, b->has_more_findings, message);
    TEST_ASSERT_EQUAL_MESSAGE(a->strongest, b->strongest, message);
    TEST_ASSERT_EQUAL_MESSAGE(a->weakest_violated, b->weakest_violated, message);
    TEST_ASSERT_EQUAL_MESSAGE(a->unjudged_predicates, b->unjudged_predicates, message);
    TEST_ASSERT_EQUAL_INT64_MESSAGE(a->clock_error_ns, b->clock_error_ns, message);
    for (size_t i = 0; i < a->findings.count; i++)
        expect_same_finding(&a->findings.at[i], &b->findings.at[i], message);
}

/* How many findings there are: as many, and the same, whoever looks. */
static size_t expect_same_of_all(const struct check_options *options, const char *label)
{
    static const unsigned threads[] = { 0, 1, 2, 5 };
    struct check slow = check_of(options, 1, CHECK_SLOWLY);
    size_t found = slow.findings.count;
    char message[200];

    for (size_t i = 0; i < ROW_COUNT(threads); i++) {
        struct check check = check_of(options, threads[i], 0);

        snprintf(message, sizeof message, "%s, of %u threads", label, threads[i]);
        expect_same(&slow, &check, message);
        check_close(&check);
    }
    check_close(&slow);
    return found;
}

static size_t expect_same_of_truth(const struct truth_options *options,
                                   const struct profile *judged)
{
    struct check_options asked = { .level = judged->level,
                                   .profile = judged,
                                   .clock_error_ns = options->clock_error_ns };
    char label[150];
    size_t found;

    snprintf(label, sizeof label, "%s judged as %s, workload %d, %s, seed %" PRIu64,
             options->profile->name, judged->name, options->workload,
             truth_fault_name(options->fault), options->seed);
    ASSERT_OK(truth_history(options, &history, &err), &err);
    found = expect_same_of_all(&asked, label);
    history_close(&history);
    history = (struct history){ 0 };
    return found;
}

static struct truth_options random_options(const struct profile *profile, uint64_t seed)
{
    static const uint32_t keys[] = { 3, 20, 200, 2000 }, sessions[] = { 1, 3, 8, 30 };
    struct truth_options o = truth_options(profile);
    struct random_key key = random_key_of_seed(seed);
    struct random random;

    random_init(&random, &key);
    o.seed = seed;
    o.transactions = random_between(&random, 200, 1100);
    o.workload = (enum truth_workload)random_below(&random, TRUTH_WORKLOAD_COUNT);
    o.keys = keys[random_below(&random, ROW_COUNT(keys))];
    o.sessions = sessions[random_below(&random, ROW_COUNT(sessions))];
    o.values = random_below(&random, 2) == 0 ? 0 : (uint32_t)random_between(&random, 1, 6);
    o.deletes = o.locking = (struct ratio){ 1, 10 };
    o.unknown = o.deaths = o.stalls =
        (struct ratio){ random_below(&random, 2) == 0, 100 };
    o.clock_error_ns = random_below(&random, 3) == 0 ? random_between(&random, 1, 3000) : 0;
    o.tick_ns = random_below(&random, 3) == 0 ? random_between(&random, 1, 3000) : 1;
    o.fault = (enum truth_fault)random_below(&random, TRUTH_FAULT_COUNT);
    o.fault_every = random_below(&random, 2) == 0 ? 1 : 40;
    return o;
}

static void findings_are_the_same_of_any_number_of_threads(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);
    size_t found = 0;

    for (unsigned i = 0; i < count; i++)
        for (uint64_t round = 0; round < 2; round++) {
            struct truth_options options = random_options(&profiles[i], 100 * i + round);

            found += expect_same_of_truth(&options, &profiles[i]);
        }
    TEST_ASSERT_GREATER_THAN(count, found);
}

/* What one profile does, another accuses. */
static void so_they_are_where_the_database_is_another(void)
{
    unsigned count;
    const struct profile *profiles = profile_all(&count);
    size_t found = 0;

    for (unsigned i = 0; i < count; i++) {
        struct truth_options options =
            random_options(profile_find(TEXT("postgresql/read-committed")), 7000 + i);

        found += expect_same_of_truth(&options, &profiles[i]);
    }
    TEST_ASSERT_GREATER_THAN(count, found);
}

/* --- By hand ------------------------------------------------------------------------------- */

static void begin(struct builder *b, int64_t id)
{
    ASSERT_OK(builder_begin_txn(b, id, id % 3, TXN_OK, &err), &err);
}

static void add(struct builder *b, enum op_kind kind, const char *name, int64_t value, int64_t at)
{
    uint32_t key;

    ASSERT_OK(builder_key(b, text_of(name), &key, &err), &err);
    ASSERT_OK(builder_add_op(b, kind, key, value_integer(value), &err), &err);
    ASSERT_OK(builder_set_op_at(b, at, at + 5, &err), &err);
}

/* It is told in its turn: between what was found before it and what comes behind. */
static void who_misreads_what_it_wrote_itself_is_told_of_in_turn(void)
{
    struct check_options options = { .level = LEVEL_SNAPSHOT,
                                     .profile = profile_find(TEXT("postgresql/snapshot")) };
    struct builder b;
    struct check check;

    builder_init(&b);
    for (int64_t id = 1; id <= 600; id++) {
        bool is_wrong = id == 300 || id == 301 || id == 590;
        char name[20];

        snprintf(name, sizeof name, "k%" PRId64, id % 40);
        begin(&b, id);
        add(&b, OP_WRITE, name, id, 100 * id);
        add(&b, OP_READ, name, id, 100 * id + 10);
        add(&b, OP_WRITE, name, id + 1, 100 * id + 20);
        add(&b, OP_READ, name, is_wrong ? id : id + 1, 100 * id + 30);
        ASSERT_OK(builder_set_txn_at(&b, 100 * id, 100 * id + 50, &err), &err);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    TEST_ASSERT_EQUAL(3, expect_same_of_all(&options, "misread"));
    check = check_of(&options, 2, 0);
    for (size_t i = 0; i < check.findings.count; i++)
        TEST_ASSERT_EQUAL(ANOMALY_INTERNAL, check.findings.at[i].kind);
    check_close(&check);
}

/* More of its own than it has slots for at first. */
static void a_large_transaction_knows_what_it_wrote_itself(void)
{
    struct check_options options = { .level = LEVEL_SNAPSHOT,
                                     .profile = profile_find(TEXT("postgresql/snapshot")) };
    struct builder b;

    builder_init(&b);
    for (int64_t id = 1; id <= 2; id++) {
        int64_t from = 1000000 * id;

        begin(&b, id);
        for (int64_t round = 0; round < 2; round++)
            for (int64_t i = 0; i < 3000; i++) {
                char name[20];

                snprintf(name, sizeof name, "k%" PRId64, i);
                add(&b, round == 0 ? OP_WRITE : OP_READ, name, i * id + (round == 1 && i == 7),
                    from + 10 * i + 30000 * round);
            }
        ASSERT_OK(builder_set_txn_at(&b, from, from + 100000, &err), &err);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    TEST_ASSERT_EQUAL(2, expect_same_of_all(&options, "large"));
}

/* --- A part of it ------------------------------------------------------------------------------ */

/* Who stops early leaves pieces behind that were made, or are being made. */
static void who_stops_leaves_nothing_behind(void)
{
    struct truth_options options = truth_options(profile_find(TEXT("postgresql/snapshot")));
    struct invoked *sorted = NULL;
    struct mirror mirror;

    options.transactions = 6000;
    ASSERT_OK(truth_history(&options, &history, &err), &err);
    ASSERT_OK(memory_resize((void **)&sorted, history.txn_count, sizeof *sorted, &err), &err);
    for (uint32_t t = 0; t < history.txn_count; t++)
        sorted[t] = (struct invoked){ history.txn_invoked[t], t };
    for (unsigned threads = 1; threads <= 4; threads++)
        for (uint32_t count = 0; count < 1000; count += 333) {
            const struct arrival *arrival;
            struct ahead ahead;

            mirror_init(&mirror, options.profile, 0);
            ASSERT_OK(ahead_init(&ahead, &history, &mirror, sorted, threads, &err), &err);
            for (uint32_t i = 0; i < count; i++) {
                ASSERT_OK(ahead_next(&ahead, &arrival, &err), &err);
                TEST_ASSERT_EQUAL(i, arrival->live.number);
                ASSERT_OK(arrival_take(&mirror, arrival, &err), &err);
            }
            ahead_close(&ahead);
            mirror_close(&mirror);
        }
    free(sorted);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(findings_are_the_same_of_any_number_of_threads);
    RUN_TEST(so_they_are_where_the_database_is_another);
    RUN_TEST(who_misreads_what_it_wrote_itself_is_told_of_in_turn);
    RUN_TEST(a_large_transaction_knows_what_it_wrote_itself);
    RUN_TEST(who_stops_leaves_nothing_behind);
    return UNITY_END();
}
