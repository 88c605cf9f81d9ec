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

/* --- The same of any number of threads ----------------------------------------------- */

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
    static const unsigned threads[] = { 1, 2, 5 };
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
    o.transactions = random_between(&random, 200, 900);
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

/* A sieve that lets it pass does not see another instead. */
static void so_is_a_fault_that_is_alone(void)
{
    static const struct {
        const char *profile;
        enum truth_fault fault;
        uint32_t every;
    } rows[] = {
        { "postgresql/serializable", TRUTH_STALE_READ, 1500 },
        { "postgresql/serializable", TRUTH_DIRTY_READ, 500 },
        { "postgresql/serializable", TRUTH_LOST_UPDATE, 3 },
        { "postgresql/read-committed", TRUTH_LOCK_SKIPPED, 20 },
        { "cockroachdb/serializable", TRUTH_STALE_READ, 1500 },
        { "ordeal/2pl", TRUTH_LOCK_SKIPPED, 20 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct truth_options options = truth_options(profile_find(text_of(rows[i].profile)));
        size_t found = 0;

        options.workload = TRUTH_MIXED;
        options.transactions = 500;
        options.sessions = 6;
        options.keys = 150;
        options.fault = rows[i].fault;
        options.fault_every = rows[i].every;
        for (options.seed = 0; options.seed < 6; options.seed++)
            found += expect_same_of_truth(&options, options.profile);
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, found, rows[i].profile);
        TEST_ASSERT_LESS_THAN_MESSAGE(6 * 6, found, rows[i].profile);
    }
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

/* --- By hand ------------------------------------------------------------------------- */

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

/* --- Cycles of keys that are quiet --------------------------------------------------- */

static void end(struct builder *b, int64_t from, int64_t to)
{
    ASSERT_OK(builder_set_txn_at(b, from, to, &err), &err);
}

/*
 * T2 looks before T1 commits, and T3 looks behind it and before T2 commits: T2 -> T1 -> T3 -> T2.
 * On each key one thing comes after the other, and only dependencies that a sieve has found tell.
 */
static void expect_cycle(bool by_read)
{
    struct profile profile = *profile_find(TEXT("postgresql/snapshot"));
    struct check_options options = { .level = LEVEL_SERIALIZABLE, .profile = &profile };
    struct check check;
    struct builder b;

    profile.certifier = CERTIFIER_CYCLES;
    builder_init(&b);
    for (const char *const *name = (const char *const[]){ "x", "y", "z", NULL }; *name; name++) {
        uint32_t key;

        ASSERT_OK(builder_key(&b, text_of(*name), &key, &err), &err);
        ASSERT_OK(builder_add_initial(&b, key, value_integer(1), &err), &err);
    }
    for (int64_t id = 10; id < 15; id++) { /* others, on keys of their own */
        begin(&b, id);
        add(&b, OP_WRITE, "other", id, 1000 * id);
        end(&b, 1000 * id, 1000 * id + 10);
    }
    begin(&b, 2);
    add(&b, OP_READ, "x", 1, 20100);
    add(&b, OP_WRITE, "y", 2, 20300);
    end(&b, 20100, 20310);
    begin(&b, 1);
    add(&b, OP_WRITE, "x", 5, 20140);
    add(&b, OP_WRITE, "z", 5, 20145);
    end(&b, 20140, 20155);
    begin(&b, 3);
    if (by_read)
        add(&b, OP_READ, "x", 5, 20200);
    else
        add(&b, OP_WRITE, "z", 6, 20200);
    add(&b, OP_READ, "y", 1, 20210);
    end(&b, 20200, 20250);
    for (int64_t id = 20; id < 22; id++) {
        begin(&b, id);
        add(&b, OP_READ, "y", 2, 1000 * id + 1000);
        end(&b, 1000 * id + 1000, 1000 * id + 1010);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    TEST_ASSERT_EQUAL(1, expect_same_of_all(&options, by_read ? "read" : "written"));
    check = check_of(&options, 2, 0);
    TEST_ASSERT_EQUAL(ANOMALY_G2_ITEM, check.findings.at[0].kind);
    check_close(&check);
}

static void a_cycle_through_what_was_read_is_found(void)
{
    expect_cycle(true);
}

static void so_is_one_through_what_was_overwritten(void)
{
    expect_cycle(false);
}

/* The mirror says that it does not judge it, and a sieve leaves it to the mirror to say so. */
static void a_key_of_too_many_versions_is_doubted_all_the_same(void)
{
    struct check_options options = { .level = LEVEL_SNAPSHOT,
                                     .profile = profile_find(TEXT("postgresql/snapshot")) };
    struct builder b;
    struct check check;

    builder_init(&b);
    begin(&b, 3000000); /* for as long as it runs, nothing is past */
    add(&b, OP_WRITE, "y", 1, 10);
    end(&b, 10, 10000000);
    for (int64_t id = 1; id <= 4400; id++) {
        begin(&b, 3 * id + 1);
        add(&b, OP_WRITE, "x", id, 100 * id);
        end(&b, 100 * id, 100 * id + 10);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    (void)expect_same_of_all(&options, "too many");
    check = check_of(&options, 2, 0);
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "too many versions"));
    check_close(&check);
}

/* --- A part of it -------------------------------------------------------------------- */

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
            ASSERT_OK(ahead_init(&ahead, &history, &mirror, sorted, threads, false, &err), &err);
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

/* --- Sieves -------------------------------------------------------------------------- */

/* How many reads the mirror judged itself. */
static uint64_t count_judged(const struct truth_options *options, unsigned threads)
{
    struct invoked *sorted = NULL;
    const struct arrival *arrival;
    struct mirror mirror;
    struct ahead ahead;
    uint64_t reads;

    ASSERT_OK(truth_history(options, &history, &err), &err);
    ASSERT_OK(memory_resize((void **)&sorted, history.txn_count, sizeof *sorted, &err), &err);
    for (uint32_t t = 0; t < history.txn_count; t++)
        sorted[t] = (struct invoked){ history.txn_invoked[t], t };
    mirror_init(&mirror, options->profile, options->clock_error_ns);
    ASSERT_OK(ahead_init(&ahead, &history, &mirror, sorted, threads, true, &err), &err);
    for (;;) {
        ASSERT_OK(ahead_next(&ahead, &arrival, &err), &err);
        if (!arrival)
            break;
        ASSERT_OK(mirror_advance(&mirror, arrival->invoked, &err), &err);
        ASSERT_OK(arrival_take(&mirror, arrival, &err), &err);
    }
    ASSERT_OK(mirror_end(&mirror, SIZE_MAX, &err), &err);
    mirror_check(&mirror);
    TEST_ASSERT_EQUAL(0, mirror.finding_count);
    TEST_ASSERT_FALSE(ahead_is_given_up(&ahead));
    reads = mirror.counts.reads;
    ahead_close(&ahead);
    mirror_close(&mirror);
    free(sorted);
    history_close(&history);
    history = (struct history){ 0 };
    return reads;
}

/* Else all else that is said here of sieves would be true of one that does nothing. */
static void times_alone_settle_most_of_an_ordinary_run(void)
{
    static const char *const profiles[] = { "postgresql/serializable", "postgresql/snapshot",
                                            "postgresql/read-committed", "tidb/snapshot" };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        struct truth_options options = truth_options(profile_find(text_of(profiles[i])));

        options.transactions = 4000;
        for (unsigned threads = 1; threads <= 4; threads++)
            TEST_ASSERT_LESS_THAN_MESSAGE(4000 * 4 / 5, count_judged(&options, threads),
                                          profiles[i]);
    }
}

/* Nothing is settled for who may have been anywhere; it is judged all the same. */
static void a_crowded_key_is_left_to_the_mirror(void)
{
    struct truth_options options = truth_options(profile_find(TEXT("postgresql/read-committed")));

    options.transactions = 2000;
    options.keys = 1;
    options.sessions = 40;
    TEST_ASSERT_GREATER_THAN(1000, count_judged(&options, 2));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(findings_are_the_same_of_any_number_of_threads);
    RUN_TEST(so_is_a_fault_that_is_alone);
    RUN_TEST(so_they_are_where_the_database_is_another);
    RUN_TEST(who_misreads_what_it_wrote_itself_is_told_of_in_turn);
    RUN_TEST(a_large_transaction_knows_what_it_wrote_itself);
    RUN_TEST(a_cycle_through_what_was_read_is_found);
    RUN_TEST(so_is_one_through_what_was_overwritten);
    RUN_TEST(a_key_of_too_many_versions_is_doubted_all_the_same);
    RUN_TEST(who_stops_leaves_nothing_behind);
    RUN_TEST(times_alone_settle_most_of_an_ordinary_run);
    RUN_TEST(a_crowded_key_is_left_to_the_mirror);
    return UNITY_END();
}
