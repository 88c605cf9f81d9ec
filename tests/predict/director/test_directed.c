#include "predict/director/directed.h"

#include <string.h>

#include "base/digest.h"
#include "tests/fixture.h"
#include "tests/predict/director/director_fixture.h"
#include "unity.h"

static struct directed *store;
static struct error err;

void setUp(void)
{
    store = NULL;
    err = (struct error){ 0 };
}

void tearDown(void)
{
    directed_fixture_close(store);
}

static void run_drawn(enum level level, enum director_mode mode, uint64_t seed, int txns,
                      struct history *h)
{
    struct random_key key = random_key_of_seed(seed);
    struct director_state state;
    struct director director = directed_fixture_director(&state, mode, seed);
    struct random random;

    random_init(&random, &key);
    store = directed_fixture_open(level, 3, true);
    for (int i = 0; i < txns; i++)
        directed_fixture_call_drawn(store, 3, &random, director);
    ASSERT_OK(
        directed_history(store, &(struct directed_telling){ .producer = TEXT("test") }, h, &err),
        &err);
}

static void close_run(struct history *h)
{
    history_close(h);
    directed_fixture_close(store);
    store = NULL;
}

/* Also of what statements did not return: by their version sets. */
static void the_history_and_its_trace_satisfy_the_level(void)
{
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < fixture_rounds(20); seed++) {
            struct history h, items;

            if (!(directed_levels() & LEVEL_BIT(level)))
                continue;
            run_drawn((enum level)level, DIRECTOR_RANDOM, seed, 15, &h);
            ASSERT_OK(directed_items(&h, &items, &err), &err);
            TEST_ASSERT_TRUE_MESSAGE(directed_fixture_holds(&items, (enum level)level),
                                     level_name((enum level)level));
            history_close(&items);
            close_run(&h);
        }
}

static void latest_is_serializable_at_every_level(void)
{
    for (int level = 0; level < LEVEL_COUNT; level++) {
        struct history items, h;

        if (!(directed_levels() & LEVEL_BIT(level)))
            continue;
        run_drawn((enum level)level, DIRECTOR_LATEST, 7, 40, &h);
        TEST_ASSERT_EQUAL_UINT64(0, directed_counts(store).stale);
        directed_fixture_items(store, &items);
        TEST_ASSERT_TRUE(directed_fixture_holds(&items, LEVEL_SERIALIZABLE));
        history_close(&items);
        close_run(&h);
    }
}

/* Two withdrawals see the same balance. */
static void at_causal_an_update_is_lost_and_at_snapshot_the_second_is_refused(void)
{
    struct director_state state;
    struct director oldest = directed_fixture_director(&state, DIRECTOR_OLDEST, 1);
    struct director latest = directed_fixture_director(&state, DIRECTOR_LATEST, 1);
    struct directed_outcome outcome;

    store = directed_fixture_open(LEVEL_CAUSAL, 2, false);
    directed_fixture_call(store, 0, "step(0, 0, 1, 0, 5)", latest);
    outcome = directed_fixture_call(store, 1, "step(0, 0, 1, 0, 7)", oldest);
    TEST_ASSERT_EQUAL_INT(DIRECTED_COMMITTED, outcome.end);
    TEST_ASSERT_EQUAL_INT64(7, directed_fixture_evaluate(store, "total"));
    directed_fixture_close(store);

    store = directed_fixture_open(LEVEL_SNAPSHOT, 2, false);
    directed_fixture_call(store, 0, "step(0, 0, 1, 0, 5)", latest);
    outcome = directed_fixture_call(store, 1, "step(0, 0, 1, 0, 7)", oldest);
    TEST_ASSERT_EQUAL_INT(DIRECTED_REFUSED, outcome.end);
    TEST_ASSERT_EQUAL_STRING("40001", outcome.sqlstate);
}

/* Who was executed last need not be last in the commit order. */
static void the_final_state_follows_the_commit_order(void)
{
    static const struct wanted_read wishes[] = {
        { .session = 1, .position = 0, .statement = 0, .key = { "t/1", 3 }, .is_initial = true },
        { .session = 2, .position = 0, .statement = 0, .key = { "t/1", 3 }, .from_session = 1 },
        { .session = 2, .position = 1, .statement = 0, .key = { "t/1", 3 }, .from_session = 0 },
    };
    struct director_state state;
    struct director director;
    struct script script;

    ASSERT_OK(script_init(&script, wishes, ROW_COUNT(wishes),
                          directed_fixture_director(&state, DIRECTOR_LATEST, 1), &err),
              &err);
    director = script_director(&script);
    store = directed_fixture_open(LEVEL_CAUSAL, 3, false);
    directed_fixture_call(store, 0, "step(0, 0, 1, 0, 5)", director);
    directed_fixture_call(store, 1, "step(0, 0, 1, 0, 7)", director);
    TEST_ASSERT_EQUAL_INT64(7, directed_fixture_evaluate(store, "total"));
    directed_fixture_call(store, 2, "step(1, 0, 0, 0, 0)", director);
    directed_fixture_call(store, 2, "step(1, 0, 0, 0, 0)", director); /* has seen 7, and then 5 */
    script_finish(&script);
    TEST_ASSERT_EQUAL_UINT64(0, script.divergences.count);
    TEST_ASSERT_EQUAL_INT64(5, directed_fixture_evaluate(store, "total"));
    directed_undo(store);
    TEST_ASSERT_EQUAL_INT64(7, directed_fixture_evaluate(store, "total"));
    script_close(&script);
}

/* --- Taking back -------------------------------------------------------------------------------- */

/* The history, the log of calls, the counts and a sum of the final rows. */
static struct digest state_of(struct directed *d)
{
    struct directed_telling telling = { .producer = TEXT("test") };
    struct buffer bytes = { 0 };
    struct digest_stream stream;
    struct history h;
    struct digest digest;

    ASSERT_OK(directed_history(d, &telling, &h, &err), &err);
    buffer_print(&bytes, "%lu %lu %ld\n", (unsigned long)directed_counts(d).reads,
                 (unsigned long)directed_counts(d).stale,
                 (long)directed_fixture_evaluate(d, "total"));
    digest = history_digest(&h);
    ASSERT_OK(directed_call_log(d, &telling, &bytes, &err), &err);
    digest_begin(&stream);
    digest_add(&stream, &digest, sizeof digest);
    digest_add(&stream, bytes.at, bytes.count);
    digest = digest_end(&stream);
    buffer_close(&bytes);
    history_close(&h);
    return digest;
}

static void assert_same(struct digest expected, struct digest actual)
{
    TEST_ASSERT_EQUAL_MEMORY(&expected, &actual, sizeof expected);
}

/* What follows a detour that was taken back is what would have followed without it. */
static void undo_leaves_no_trace(void)
{
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (uint64_t seed = 0; seed < fixture_rounds(10); seed++) {
            struct random_key key = random_key_of_seed(seed);
            struct director_state state, other_state;
            struct random random, other;
            struct digest before, after;

            if (!(directed_levels() & LEVEL_BIT(level)))
                continue;
            random_init(&random, &key);
            random_init(&other, &(struct random_key){ { seed, 1, 2, 3 } });
            store = directed_fixture_open((enum level)level, 3, true);
            for (int i = 0; i < 12; i++) {
                struct director director =
                    directed_fixture_director(&state, DIRECTOR_RANDOM, seed + 100U + (unsigned)i);
                struct director detour =
                    directed_fixture_director(&other_state, DIRECTOR_RANDOM, seed + (unsigned)i);

                before = state_of(store);
                for (int k = 0; k < i % 4; k++)
                    directed_fixture_call_drawn(store, 3, &other, detour);
                for (int k = 0; k < i % 4; k++)
                    directed_undo(store);
                assert_same(before, state_of(store));
                directed_fixture_call_drawn(store, 3, &random, director);
            }
            before = state_of(store);
            directed_fixture_close(store);
            store = directed_fixture_open((enum level)level, 3, true);
            random_init(&random, &key);
            for (int i = 0; i < 12; i++)
                directed_fixture_call_drawn(
                    store, 3, &random,
                    directed_fixture_director(&state, DIRECTOR_RANDOM, seed + 100U + (unsigned)i));
            after = state_of(store);
            assert_same(before, after);
            directed_fixture_close(store);
            store = NULL;
        }
}

static void a_transaction_that_fails_leaves_nothing_and_is_told_as_aborted(void)
{
    struct director_state state;
    struct director latest = directed_fixture_director(&state, DIRECTOR_LATEST, 1);
    struct directed_outcome outcome;
    struct history h;

    store = directed_fixture_open(LEVEL_CAUSAL, 1, true);
    outcome = directed_fixture_call(store, 0, "fail(1)", latest);
    TEST_ASSERT_EQUAL_INT(DIRECTED_FAILED, outcome.end);
    TEST_ASSERT_EQUAL_STRING("P0001", outcome.sqlstate);
    TEST_ASSERT_EQUAL_INT64(0, directed_fixture_evaluate(store, "total"));
    directed_fixture_call(store, 0, "step(1, 0, 0, 0, 0)", latest);
    ASSERT_OK(directed_history(store, &(struct directed_telling){ .has_places = true }, &h, &err),
              &err);
    TEST_ASSERT_EQUAL_INT(TXN_ABORT, h.txn_status[0]);
    TEST_ASSERT_EQUAL_INT(TXN_OK, h.txn_status[1]);
    history_close(&h);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_history_and_its_trace_satisfy_the_level);
    RUN_TEST(latest_is_serializable_at_every_level);
    RUN_TEST(at_causal_an_update_is_lost_and_at_snapshot_the_second_is_refused);
    RUN_TEST(the_final_state_follows_the_commit_order);
    RUN_TEST(undo_leaves_no_trace);
    RUN_TEST(a_transaction_that_fails_leaves_nothing_and_is_told_as_aborted);
    return UNITY_END();
}
