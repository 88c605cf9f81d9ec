/* The native engine says what the enumerator says, of traces at random. */
#include "tests/predict/draw_dataflow.h"
#include "tests/predict/enumerate.h"

#include "tests/fixture.h"
#include "unity.h"

static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL, LEVEL_PREFIX,
                                     LEVEL_SNAPSHOT };

static struct arena arena;
static struct error err;
static struct buffer text;

void setUp(void)
{
    ASSERT_OK(arena_init(&arena, ARENA_UNLIMITED, &err), &err);
}

void tearDown(void)
{
    arena_close(&arena);
    buffer_close(&text);
}

static void describe(const struct dataflow *trace, enum level level, bool is_relaxed, const char *what)
{
    draw_print(trace, &text);
    buffer_print(&text, " at %s, %s%s%s", level_name(level), is_relaxed ? "relaxed" : "strict", what ? ": " : "",
                 what ? what : "");
}

/* What is found in windows is a prediction of the whole, so that there is none where the whole has none. */
static void compare_windows(const struct dataflow *trace, const struct predict_options *whole,
                            enum prediction_kind expected)
{
    bool is_relaxed = strategy_is_relaxed(whole->strategy);
    size_t used = arena.used;

    for (uint32_t window = 1; window < trace->txn_count; window++) {
        struct predict_options options = *whole;
        struct prediction prediction;

        options.window = window;
        describe(trace, whole->level, is_relaxed, "in windows");
        ASSERT_OK(predict_native(trace, &options, &arena, &prediction, &err), &err);
        TEST_ASSERT_NOT_EQUAL_MESSAGE(PREDICTION_NONE, prediction.kind, text.at);
        if (prediction.kind == PREDICTION_FOUND) {
            TEST_ASSERT_EQUAL_MESSAGE(PREDICTION_FOUND, expected, text.at);
            TEST_ASSERT_NULL_MESSAGE(enumerate_refute(trace, &prediction, whole->level, is_relaxed), text.at);
        }
        arena_reset_to(&arena, used);
    }
}

static uint32_t compare(const struct dataflow *trace, bool is_relaxed)
{
    struct enumeration all = { 0 };
    uint32_t found = 0;

    enumerate(trace, is_relaxed, &all);
    for (size_t i = 0; i < ROW_COUNT(levels); i++) {
        struct predict_options options = {
            .level = levels[i],
            .strategy = is_relaxed ? STRATEGY_APPROX_RELAXED : STRATEGY_EXACT_STRICT,
        };
        enum prediction_kind expected = all.levels & LEVEL_BIT(levels[i]) ? PREDICTION_FOUND : PREDICTION_NONE;
        size_t used = arena.used;
        struct prediction prediction;

        describe(trace, levels[i], is_relaxed, NULL);
        ASSERT_OK(predict_native(trace, &options, &arena, &prediction, &err), &err);
        TEST_ASSERT_EQUAL_MESSAGE(expected, prediction.kind, text.at);
        if (prediction.kind == PREDICTION_FOUND) {
            const char *why = enumerate_refute(trace, &prediction, levels[i], is_relaxed);

            describe(trace, levels[i], is_relaxed, why);
            TEST_ASSERT_NULL_MESSAGE(why, text.at);
            found++;
        }
        arena_reset_to(&arena, used);
        compare_windows(trace, &options, expected);
    }
    return found;
}

/* Of all, some are predicted and some are not, so that both are compared. */
static void compare_drawn(const struct draw_options *options, const char *name, size_t rounds)
{
    struct random_key root = random_key_of_seed(7), key = random_key_fork(&root, "%s", name);
    struct random random;
    uint32_t found = 0;

    random_init(&random, &key);
    for (size_t i = 0; i < rounds; i++) {
        size_t used = arena.used;
        struct dataflow trace;

        draw_dataflow(&random, options, &arena, &trace);
        found += compare(&trace, false) + compare(&trace, true);
        arena_reset_to(&arena, used);
    }
    TEST_ASSERT_GREATER_THAN_UINT32(rounds / 4, found);
    TEST_ASSERT_LESS_THAN_UINT32(rounds * 2 * ROW_COUNT(levels), found);
}

static void it_agrees_on_traces_of_few_keys(void)
{
    compare_drawn(&(struct draw_options){ 5, 3, 2, 4 }, "few keys", fixture_rounds(100));
}

static void it_agrees_on_traces_of_many_sessions(void)
{
    compare_drawn(&(struct draw_options){ 5, 5, 3, 4 }, "many sessions", fixture_rounds(60));
}

static void it_agrees_on_traces_of_long_transactions(void)
{
    compare_drawn(&(struct draw_options){ 4, 3, 3, 6 }, "long transactions", fixture_rounds(40));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_agrees_on_traces_of_few_keys);
    RUN_TEST(it_agrees_on_traces_of_many_sessions);
    RUN_TEST(it_agrees_on_traces_of_long_transactions);
    return UNITY_END();
}
