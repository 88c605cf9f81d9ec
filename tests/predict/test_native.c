#include "predict/prediction.h"

#include "tests/fixture.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

static struct arena arena;
static struct history history;
static struct buffer text;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    ASSERT_OK(arena_init(&arena, ARENA_UNLIMITED, &err), &err);
}

void tearDown(void)
{
    history_close(&history);
    buffer_close(&text);
    arena_close(&arena);
}

static struct dataflow trace;

static struct prediction predict(const char *notation, enum level level, enum predict_strategy strategy,
                                 uint32_t window)
{
    struct predict_options options = { .level = level, .strategy = strategy, .window = window };
    struct prediction prediction;

    history_close(&history);
    trace = fixture_dataflow(notation, &history, &arena);
    ASSERT_OK(predict_native(&trace, &options, &arena, &prediction, &err), &err);
    return prediction;
}

static void is_predicted(const char *expected, const char *notation, enum level level, enum predict_strategy strategy)
{
    struct prediction prediction = predict(notation, level, strategy, 0);
    struct dataflow predicted;

    TEST_ASSERT_EQUAL(PREDICTION_FOUND, prediction.kind);
    ASSERT_OK(prediction_dataflow(&prediction, &trace, &arena, &predicted, &err), &err);
    fixture_print_dataflow(&predicted, &text);
    TEST_ASSERT_EQUAL_STRING(expected, text.at);
}

static void two_deposits_lose_one_with_the_relaxed_boundary(void)
{
    is_predicted("T1: r x init, w x | T2: r x init, w x", "T1: r x _, w x 1; T2: r x 1, w x 2", LEVEL_CAUSAL,
                 STRATEGY_APPROX_RELAXED);
}

static void the_strict_boundary_cuts_the_second_write_off(void)
{
    TEST_ASSERT_EQUAL(PREDICTION_NONE,
                      predict("T1: r x _, w x 1; T2: r x 1, w x 2", LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 0).kind);
}

static void write_skew_is_predicted_at_snapshot_and_a_lost_update_is_not(void)
{
    is_predicted("T1: r x init, r y init, w x | T2: r x init, r y init, w y",
                 "T1: r x _, r y _, w x 1; T2: r x 1, r y _, w y 1", LEVEL_SNAPSHOT, STRATEGY_APPROX_RELAXED);
    TEST_ASSERT_EQUAL(PREDICTION_NONE,
                      predict("T1: r x _, w x 1; T2: r x 1, w x 2", LEVEL_SNAPSHOT, STRATEGY_APPROX_RELAXED, 0).kind);
}

static void boundary_transactions_that_are_not_needed_are_left_out(void)
{
    is_predicted("T1: r x init, w x | T2: r x init, w x",
                 "T1 s1: r x _, w x 1; T2 s2: r x 1, w x 2; T3 s3: r x 2, r y _; T4 s4: r x 2", LEVEL_CAUSAL,
                 STRATEGY_APPROX_RELAXED);
}

static void whoever_reads_from_a_boundary_transaction_is_left_out(void)
{
    is_predicted("T1: r x init, w x | T2: r x init, w x", "T1: r x _, w x 1; T2: r x 1, w x 2; T3: r x 2, w y 3",
                 LEVEL_READ_ATOMIC, STRATEGY_APPROX_RELAXED);
}

/* Each session reads one key, which one transaction writes: stale or fresh, that is always serializable. */
static void sessions_that_only_read_take_few_lemmas(void)
{
    struct buffer notation = { 0 };

    buffer_print(&notation, "T1 s1: w x 1");
    for (int session = 2; session < 52; session++)
        buffer_print(&notation, "; T%d s%d: r x _; T%d s%d: r x 1", 2 * session, session, 2 * session + 1, session);
    for (enum predict_strategy s = STRATEGY_EXACT_STRICT; s <= STRATEGY_APPROX_RELAXED; s++) {
        struct prediction prediction = predict(notation.at, LEVEL_CAUSAL, s, 0);

        TEST_ASSERT_EQUAL(PREDICTION_NONE, prediction.kind);
        TEST_ASSERT_LESS_THAN_UINT64(20, prediction.counts.iterations);
    }
    buffer_close(&notation);
}

static void windows_find_what_lies_close_together_and_never_say_that_there_is_none(void)
{
    struct buffer notation = { 0 };

    buffer_print(&notation, "T1 s0: w x 1");
    for (int txn = 2; txn < 100; txn++)
        buffer_print(&notation, "; T%d s%d: %s", txn, txn % 4, txn == 70 ? "r x 1, w x 2" : "r y _, w z 1");
    buffer_print(&notation, "; T100 s4: r x 2, w x 3");
    TEST_ASSERT_EQUAL(PREDICTION_FOUND, predict(notation.at, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, 40).kind);
    TEST_ASSERT_EQUAL(PREDICTION_UNKNOWN, predict(notation.at, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 40).kind);
    TEST_ASSERT_EQUAL(PREDICTION_NONE, predict(notation.at, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, 0).kind);
    buffer_close(&notation);
}

/*
 * Each window had written its reads behind those of the window before, and so behind the end of the array: on Voter, one
 * call failed an assertion, and others crashed or did not end.
 */
static void each_window_has_its_own_reads(void)
{
    struct buffer notation = { 0 };

    buffer_print(&notation, "T1 s0: w x 1");
    for (int txn = 2; txn < 40; txn++)
        buffer_print(&notation, "; T%d s%d: r x 1, r y _", txn, txn % 2);
    buffer_print(&notation, "; T40 s0: w y 2");
    for (uint32_t window = 3; window < 12; window++)
        TEST_ASSERT_EQUAL(PREDICTION_UNKNOWN, predict(notation.at, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT, window).kind);
    buffer_close(&notation);
}

static void a_search_that_is_stopped_is_unknown_and_says_why(void)
{
    atomic_bool stop = true;
    struct predict_options options = { .level = LEVEL_CAUSAL, .stop = &stop };
    struct prediction prediction;

    trace = fixture_dataflow("T1: r x _, w x 1; T2: r x 1, w x 2; T3: r x 2, w x 3", &history, &arena);
    ASSERT_OK(predict_native(&trace, &options, &arena, &prediction, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_UNKNOWN, prediction.kind);
    TEST_ASSERT_NOT_EQUAL('\0', prediction.reason[0]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(two_deposits_lose_one_with_the_relaxed_boundary);
    RUN_TEST(the_strict_boundary_cuts_the_second_write_off);
    RUN_TEST(write_skew_is_predicted_at_snapshot_and_a_lost_update_is_not);
    RUN_TEST(boundary_transactions_that_are_not_needed_are_left_out);
    RUN_TEST(whoever_reads_from_a_boundary_transaction_is_left_out);
    RUN_TEST(sessions_that_only_read_take_few_lemmas);
    RUN_TEST(windows_find_what_lies_close_together_and_never_say_that_there_is_none);
    RUN_TEST(each_window_has_its_own_reads);
    RUN_TEST(a_search_that_is_stopped_is_unknown_and_says_why);
    return UNITY_END();
}
