#include "store/clients/driver_builtin.h"

#include <stdio.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/programs/workloads/builtin_fixture.h"
#include "tests/store/clients/driven_store.h"
#include "unity.h"

static struct arena arena; /* the fixture's own is taken back by the builtin fixture */
static struct error err;
static struct builtin builtin;
static struct driver_builtin *driver;
static struct driven_store store;
static struct history history;

void setUp(void)
{
    ASSERT_OK(arena_init(&arena, (size_t)256 << 20, &err), &err);
    history = (struct history){ 0 };
}

void tearDown(void)
{
    arena_close(&arena);
}

static void open_workload(const char *name, const char *settings, uint32_t clients)
{
    struct builtin_options options = builtin_fixture_options(name, settings);
    struct random_key key = random_key_of_seed(7);

    ASSERT_OK(builtin_init(&builtin, &options, (struct builtin_clients){ clients, 16 }, &key, &arena, &err), &err);
    ASSERT_OK(driver_builtin_open(&driver, &builtin, &arena, &err), &err);
    driven_open(&store, driver_builtin_schema(driver), driver_builtin_shapes(driver), name,
                builtin_is_unique(&builtin));
    ASSERT_OK(driver_builtin_load(driver, &store.catalog, driven_add_row, &store, &err), &err);
}

static void close_workload(void)
{
    driver_builtin_close(driver);
    driven_close(&store);
}

static void run(const struct driven_options *options)
{
    driven_run(&store, driver_builtin_driver(driver), options);
}

/* The sentence is good until the next. */
static bool invariant_holds(const char **sentence)
{
    static char text[256];
    struct buffer said = { 0 };
    bool holds;

    driven_rows(&store, 0, driver_builtin_final_row, driver);
    ASSERT_OK(driver_builtin_check(driver, &holds, &said, &err), &err);
    snprintf(text, sizeof text, "%.*s", (int)said.count, said.count ? said.at : "");
    buffer_close(&said);
    *sentence = text;
    return holds;
}

static const char *decide(enum level level, bool use_certificate)
{
    struct oracle_options options = { .use_certificate = use_certificate };

    return oracle_answer_name(oracle_decide(&history, level, options));
}

/* Small enough for the oracle. */
static const struct {
    const char *name, *settings;
} small[] = {
    { "rw-register", "keys=4 operations_max=4" },
    { "list-append", "keys=3 operations_max=4" },
    { "bank", "keys=4" },
    { "long-fork", "" },
    { "set", "keys=2" },
    { "counter", "keys=2" },
    { "write-skew", "keys=2" },
    { "predicate", "keys=6 values=20 width=8 delete_percent=30 operations_max=3" },
    { "predicate", "keys=4 values=20 width=8 blind_percent=30 reborn_percent=40 operations_max=2" },
    { "blindw", "keys=4" },
    { "ycsb", "keys=4" },
};

static void what_is_run_in_turn_is_strictly_serializable_in_every_workload(void)
{
    for (size_t i = 0; i < ROW_COUNT(small); i++) {
        struct driven_options options = { .clients = 3, .transactions = 4, .attempts = 4 };
        const char *sentence;

        open_workload(small[i].name, small[i].settings, 3);
        run(&options);
        TEST_ASSERT_TRUE_MESSAGE(store.committed > 6, small[i].name);
        driven_history(&store, &history);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("holds", decide(LEVEL_STRICT_SERIALIZABLE, false),
                                         small[i].name);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("holds", decide(LEVEL_STRICT_SERIALIZABLE, true),
                                         small[i].name);
        TEST_ASSERT_TRUE_MESSAGE(invariant_holds(&sentence), sentence);
        TEST_ASSERT_EQUAL_MESSAGE(0, driver_builtin_broken_sight(driver).length, small[i].name);
        history_close(&history);
        close_workload();
    }
}

static void what_interleaves_and_goes_wrong_for_clients_is_still_serializable(void)
{
    for (size_t i = 0; i < ROW_COUNT(small); i++) {
        struct driven_options options = { .clients = 3,
                                          .transactions = 3,
                                          .attempts = 16,
                                          .interleaves = true,
                                          .seed = i,
                                          .unknown_every = 7,
                                          .silent_every = 13 };
        const char *sentence;

        open_workload(small[i].name, small[i].settings, 3);
        run(&options);
        driven_history(&store, &history);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("holds", decide(LEVEL_SERIALIZABLE, false), small[i].name);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("holds", decide(LEVEL_SERIALIZABLE, true), small[i].name);
        TEST_ASSERT_TRUE_MESSAGE(invariant_holds(&sentence), sentence);
        history_close(&history);
        close_workload();
    }
}

static void long_runs_keep_their_invariants_and_make_whole_histories(void)
{
    for (size_t i = 0; i < ROW_COUNT(small); i++) {
        struct driven_options options = { .clients = 8,
                                          .transactions = 300,
                                          .attempts = 16,
                                          .interleaves = true,
                                          .unknown_every = 50,
                                          .silent_every = 200 };
        struct record_counts counts;
        const char *sentence;

        open_workload(small[i].name, "", 8);
        run(&options);
        counts = record_counts(store.record);
        TEST_ASSERT_EQUAL(store.committed, counts.committed);
        TEST_ASSERT_EQUAL(store.aborted, counts.aborted);
        TEST_ASSERT_EQUAL(store.unknown, counts.unknown);
        TEST_ASSERT_TRUE_MESSAGE(store.unknown > 0 && store.aborted > 0, small[i].name);
        driven_history(&store, &history);
        TEST_ASSERT_EQUAL(counts.committed + counts.aborted + counts.unknown, history.txn_count);
        TEST_ASSERT_TRUE_MESSAGE(invariant_holds(&sentence), sentence);
        history_close(&history);
        close_workload();
    }
}

static void a_store_that_forgets_what_it_acknowledged_is_found_out(void)
{
    static const char *const names[] = { "set", "counter" };

    for (size_t i = 0; i < ROW_COUNT(names); i++) {
        struct driven_options options = {
            .clients = 4, .transactions = 20, .attempts = 4, .forget_every = 3
        };
        const char *sentence;

        open_workload(names[i], "read_percent=0", 4);
        run(&options);
        TEST_ASSERT_FALSE_MESSAGE(invariant_holds(&sentence), names[i]);
        TEST_ASSERT_TRUE_MESSAGE(*sentence, names[i]);
        close_workload();
    }
}

static void the_oracle_refuses_the_history_of_a_store_that_forgets(void)
{
    struct driven_options options = {
        .clients = 3, .transactions = 4, .attempts = 4, .forget_every = 2
    };

    open_workload("list-append", "keys=1 operations_max=4 read_percent=50", 3);
    run(&options);
    driven_history(&store, &history);
    TEST_ASSERT_EQUAL_STRING("violated", decide(LEVEL_STRICT_SERIALIZABLE, false));
    history_close(&history);
    close_workload();
}

static void a_store_that_isolates_nothing_lets_its_clients_see_it(void)
{
    struct driven_options options = {
        .clients = 8, .transactions = 200, .attempts = 4, .interleaves = true, .sees_all = true
    };
    const char *sentence;

    open_workload("bank", "", 8);
    run(&options);
    TEST_ASSERT_TRUE(driver_builtin_broken_sight(driver).length > 0);
    TEST_ASSERT_TRUE(driver_builtin_broken_sight(driver).length > 0);
    TEST_ASSERT_FALSE(invariant_holds(&sentence));
    close_workload();
}

/* How often each kind of operation stands in the history. */
static void count_kinds(size_t kinds[OP_KIND_COUNT])
{
    for (size_t op = 0; op < history.op_count; op++)
        kinds[history.op_kind[op]]++;
}

static void an_append_is_one_operation_and_an_update_one_statement(void)
{
    struct driven_options options = { .clients = 2, .transactions = 50, .attempts = 4 };
    size_t lists[OP_KIND_COUNT] = { 0 }, rows[OP_KIND_COUNT] = { 0 };

    open_workload("list-append", "keys=3 read_percent=0", 2);
    run(&options);
    driven_history(&store, &history);
    count_kinds(lists);
    TEST_ASSERT_EQUAL(history.op_count, lists[OP_APPEND]);
    TEST_ASSERT_TRUE(lists[OP_APPEND] > 0);
    history_close(&history);
    close_workload();

    open_workload("predicate", "keys=10 values=20 width=10 delete_percent=20", 2);
    run(&options);
    driven_history(&store, &history);
    count_kinds(rows);
    TEST_ASSERT_TRUE(rows[OP_SELECT] > 0 && rows[OP_UPDATE] > 0 && rows[OP_DELETE] > 0);
    TEST_ASSERT_TRUE(rows[OP_INSERT] > 0 && rows[OP_WRITE] > 0 && rows[OP_REMOVE] > 0);
    TEST_ASSERT_TRUE(rows[OP_ROW_READ] > 0 && rows[OP_ROW_WRITE] > 0 && rows[OP_ROW_REMOVE] > 0);
    history_close(&history);
    close_workload();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_run_in_turn_is_strictly_serializable_in_every_workload);
    RUN_TEST(what_interleaves_and_goes_wrong_for_clients_is_still_serializable);
    RUN_TEST(long_runs_keep_their_invariants_and_make_whole_histories);
    RUN_TEST(a_store_that_forgets_what_it_acknowledged_is_found_out);
    RUN_TEST(the_oracle_refuses_the_history_of_a_store_that_forgets);
    RUN_TEST(a_store_that_isolates_nothing_lets_its_clients_see_it);
    RUN_TEST(an_append_is_one_operation_and_an_update_one_statement);
    return UNITY_END();
}
