#include "programs/workloads/builtin.h"

#include <stdio.h>
#include <string.h>

#include "tests/programs/workloads/builtin_fixture.h"
#include "tests/programs/workloads/toy_store.h"
#include "unity.h"

static struct buffer out;
static struct toy_run run;

void setUp(void) {}

void tearDown(void)
{
    toy_close(&run);
    buffer_close(&out);
}

static const char *said(void)
{
    buffer_byte(&out, '\0');
    return out.at;
}

/* 250 transactions of each of four clients. */
static void run_on(const struct builtin *builtin, enum toy_store store)
{
    toy_close(&run);
    run = (struct toy_run){
        .builtin = builtin,
        .store = store,
        .transactions = 250,
        .seed = store,
    };
    toy_run(&run);
}

static bool holds(void)
{
    buffer_clear(&out);
    return builtin_tally_holds(&run.tally, run.rows, run.row_count, &out);
}

static void every_workload_keeps_its_invariant_where_transactions_run_one_by_one(void)
{
    for (const char *const *name = workload_run_names(); *name; name++)
        for (int store = TOY_SERIAL; store <= TOY_UNKNOWN; store++) {
            struct builtin builtin = builtin_fixture_make(*name, "", TOY_CLIENTS);

            if (store == TOY_SNAPSHOT)
                continue;
            run_on(&builtin, (enum toy_store)store);
            TEST_ASSERT_TRUE_MESSAGE(holds(), said());
            TEST_ASSERT_EQUAL_MESSAGE(0, run.saw_broken, run.broken_sight);
            TEST_ASSERT_GREATER_THAN_MESSAGE(600, run.committed, *name);
        }
}

static void a_store_that_is_wrong_breaks_the_invariant(void)
{
    static const struct {
        const char *workload, *settings;
        enum toy_store store;
        const char *sentence;
    } rows[] = {
        { "bank", "read_percent=0", TOY_LOSES, "the accounts hold" },
        { "bank", "read_percent=0", TOY_UNREPEATED, "the accounts hold" },
        { "counter", "", TOY_LOSES, "increments that were acknowledged" },
        { "counter", "", TOY_UNREPEATED, "increments that were acknowledged" },
        { "counter", "", TOY_FORGETS, "increments that were acknowledged" },
        { "counter", "", TOY_REPEATS, "increments that were acknowledged" },
        { "counter", "abort_percent=20", TOY_KEEPS, "increments that were acknowledged" },
        { "set", "", TOY_FORGETS, "was acknowledged, but is not there" },
        { "set", "abort_percent=20", TOY_KEEPS, "is there, but nobody added it for good" },
        { "write-skew", "keys=2", TOY_SNAPSHOT, "accounts 0 and 1 hold -" },
        { "write-skew", "keys=2", TOY_LOSES, "accounts 0 and 1 hold -" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct builtin builtin =
            builtin_fixture_make(rows[i].workload, rows[i].settings, TOY_CLIENTS);
        char label[200];

        snprintf(label, sizeof label, "%s on store %d", rows[i].workload, (int)rows[i].store);
        run_on(&builtin, rows[i].store);
        TEST_ASSERT_FALSE_MESSAGE(holds(), label);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said(), rows[i].sentence), out.at);
    }
}

static void snapshot_isolation_breaks_write_skew_and_nothing_else(void)
{
    static const char *const names[] = { "bank", "counter", "set" };

    for (size_t i = 0; i < ROW_COUNT(names); i++) {
        struct builtin builtin = builtin_fixture_make(names[i], "", TOY_CLIENTS);

        run_on(&builtin, TOY_SNAPSHOT);
        TEST_ASSERT_TRUE_MESSAGE(holds(), said());
        TEST_ASSERT_EQUAL_MESSAGE(0, run.saw_broken, run.broken_sight);
        TEST_ASSERT_GREATER_THAN_MESSAGE(100, run.committed, names[i]);
    }
}

static void audits_see_what_is_broken_while_it_is(void)
{
    struct builtin bank = builtin_fixture_make("bank", "select_percent=0", TOY_CLIENTS);
    struct builtin skew;

    run_on(&bank, TOY_UNREPEATED);
    TEST_ASSERT_GREATER_THAN(0, run.saw_broken);
    TEST_ASSERT_NOT_NULL(strstr(run.broken_sight, "a read of all accounts found "));
    TEST_ASSERT_NOT_NULL(strstr(run.broken_sight, " instead of 1000"));
    skew = builtin_fixture_make("write-skew", "keys=2", TOY_CLIENTS);
    run_on(&skew, TOY_SNAPSHOT);
    TEST_ASSERT_GREATER_THAN(0, run.saw_broken);
    TEST_ASSERT_NOT_NULL(strstr(run.broken_sight, "accounts 0 and 1 hold -"));
}

static void a_row_that_is_gone_is_missed(void)
{
    static const struct {
        const char *workload, *sentence;
    } rows[] = {
        { "bank", "there are 9 accounts instead of 10" },
        { "counter", "there are 4 counters instead of 5" },
        { "write-skew", "there are 9 accounts instead of 10" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct builtin builtin = builtin_fixture_make(rows[i].workload, "", TOY_CLIENTS);

        run_on(&builtin, TOY_SERIAL);
        run.row_count--;
        TEST_ASSERT_FALSE_MESSAGE(holds(), rows[i].workload);
        TEST_ASSERT_EQUAL_STRING(rows[i].sentence, said());
    }
}

static void an_overdrawn_account_is_named_though_the_total_is_right(void)
{
    struct builtin builtin = builtin_fixture_make("bank", "", TOY_CLIENTS);

    run_on(&builtin, TOY_SERIAL);
    run.rows[4].value += run.rows[3].value + 7;
    run.rows[3].value = -7;
    TEST_ASSERT_FALSE(holds());
    TEST_ASSERT_EQUAL_STRING("account 3 is overdrawn: it holds -7", said());
}

static void a_transaction_that_misses_a_row_gives_up(void)
{
    struct builtin builtin = builtin_fixture_make("bank", "read_percent=0", 1);
    struct builtin_txn txn;

    builtin_begin(&txn, &builtin, 0, 0, 0);
    TEST_ASSERT_EQUAL(BUILTIN_READ, builtin_next(&txn).kind);
    builtin_answer(&txn, NULL, 0);
    TEST_ASSERT_EQUAL(BUILTIN_ABORT, builtin_next(&txn).kind);
    TEST_ASSERT_TRUE(builtin_saw_broken(&txn, &out));
}

static void an_invariant_holds_from_its_level_on(void)
{
    static const struct {
        const char *workload;
        enum level level;
        bool holds;
    } rows[] = {
        { "bank", LEVEL_READ_COMMITTED, false },
        { "bank", LEVEL_PREFIX, false },
        { "bank", LEVEL_SNAPSHOT, true },
        { "bank", LEVEL_REPEATABLE_READ, true },
        { "bank", LEVEL_STRICT_SERIALIZABLE, true },
        { "counter", LEVEL_CAUSAL, false },
        { "counter", LEVEL_SESSION_SNAPSHOT, true },
        { "set", LEVEL_READ_UNCOMMITTED, true },
        { "set", LEVEL_CAUSAL, true },
        { "set", LEVEL_SERIALIZABLE, true },
        { "write-skew", LEVEL_STRICT_SNAPSHOT, false },
        { "write-skew", LEVEL_REPEATABLE_READ, true },
        { "write-skew", LEVEL_SERIALIZABLE, true },
        { "ycsb", LEVEL_SERIALIZABLE, false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_MESSAGE(
            rows[i].holds,
            builtin_invariant_holds_at(workload_find(text_of(rows[i].workload)), rows[i].level),
            rows[i].workload);
    TEST_ASSERT_NULL(workload_find(TEXT("banc")));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_workload_keeps_its_invariant_where_transactions_run_one_by_one);
    RUN_TEST(a_store_that_is_wrong_breaks_the_invariant);
    RUN_TEST(snapshot_isolation_breaks_write_skew_and_nothing_else);
    RUN_TEST(audits_see_what_is_broken_while_it_is);
    RUN_TEST(a_row_that_is_gone_is_missed);
    RUN_TEST(an_overdrawn_account_is_named_though_the_total_is_right);
    RUN_TEST(a_transaction_that_misses_a_row_gives_up);
    RUN_TEST(an_invariant_holds_from_its_level_on);
    return UNITY_END();
}
