#include "predict/z3/z3.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "smt/smt.h"
#include "tests/fixture.h"
#include "tests/predict/draw_dataflow.h"
#include "tests/predict/enumerate.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

static struct buffer text;
static struct history history;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void)
{
    history_close(&history);
    buffer_close(&text);
}

static void needs_z3(void)
{
    if (smt_probe(&err) != STATUS_OK)
        TEST_IGNORE_MESSAGE(err.text);
}

/* --- Against the enumerator --------------------------------------------------------------- */

struct tally {
    uint64_t found, none, missed;
};

static const char *tell(const struct dataflow *trace, const struct predict_options *options,
                        const char *what)
{
    draw_print(trace, &text);
    buffer_print(&text, " %s %s: %s", level_name(options->level),
                 strategy_is_relaxed(options->strategy) ? "relaxed" : "strict", what);
    return text.at;
}

/* `may_miss`: unknown is an answer, and where there is a prediction it is counted. */
static void compare(const struct dataflow *trace, const struct predict_options *options,
                    struct arena *arena, bool expected, bool may_miss, struct tally *tally)
{
    struct prediction p;
    const char *why;

    ASSERT_OK(predict_z3(trace, options, arena, &p, &err), &err);
    if (p.kind == PREDICTION_UNKNOWN && may_miss) {
        tally->none += !expected;
        tally->missed += expected;
        return;
    }
    if (p.kind != (expected ? PREDICTION_FOUND : PREDICTION_NONE))
        TEST_FAIL_MESSAGE(tell(trace, options, p.reason[0] ? p.reason : "found or not"));
    tally->found += expected;
    tally->none += !expected;
    if (!expected)
        return;
    why = enumerate_refute(trace, &p, options->level, strategy_is_relaxed(options->strategy));
    if (why)
        TEST_FAIL_MESSAGE(tell(trace, options, why));
}

static void compare_at_random(enum predict_strategy strategy, uint64_t seed, size_t rounds,
                              bool may_miss)
{
    const struct draw_options draw = { 6, 3, 3, 3 };
    struct random_key key = random_key_of_seed(seed);
    struct random random;
    struct tally tally = { 0 };

    random_init(&random, &key);
    for (size_t round = 0; round < rounds; round++) {
        struct arena *arena = fixture_arena();
        struct enumeration all = { 0 };
        struct dataflow trace;
        size_t used;

        draw_dataflow(&random, &draw, arena, &trace);
        enumerate(&trace, strategy_is_relaxed(strategy), &all);
        used = arena->used;
        for (unsigned level = 0; level < LEVEL_COUNT; level++) {
            struct predict_options options = { .level = (enum level)level, .strategy = strategy };

            if (!(ENUMERATE_LEVELS >> level & 1))
                continue;
            compare(&trace, &options, arena, all.levels >> level & 1, may_miss, &tally);
            arena_reset_to(arena, used);
        }
    }
    TEST_ASSERT_GREATER_THAN_UINT64(0, tally.found);
    TEST_ASSERT_GREATER_THAN_UINT64(0, tally.none);
    /* Nobody has seen a trace yet whose predictions all lack a forced cycle. */
    TEST_ASSERT_EQUAL_UINT64(0, tally.missed);
}

static void z3_predicts_what_there_is_with_a_quantifier(void)
{
    needs_z3();
    compare_at_random(STRATEGY_EXACT_STRICT, 1, fixture_rounds(8), false);
}

static void z3_predicts_what_has_a_forced_cycle_with_a_strict_boundary(void)
{
    needs_z3();
    compare_at_random(STRATEGY_APPROX_STRICT, 2, fixture_rounds(8), true);
}

static void z3_predicts_what_has_a_forced_cycle_with_a_relaxed_boundary(void)
{
    needs_z3();
    compare_at_random(STRATEGY_APPROX_RELAXED, 3, fixture_rounds(8), true);
}

/* --- By hand ------------------------------------------------------------------------------ */

/* At snapshot, too, and with a strict boundary: T2 has written before it reads. */
#define WRITE_SKEW "T1: r y _, w x 1; T2: w y 2, r x 1"
#define NOTHING "T1: w x 1; T2: r x 1; T3: r x 1"

static struct prediction predict(const char *notation, const struct predict_options *options)
{
    struct arena *arena = fixture_arena();
    struct dataflow trace = fixture_dataflow(notation, &history, arena);
    struct prediction p;

    needs_z3();
    ASSERT_OK(predict_z3(&trace, options, arena, &p, &err), &err);
    return p;
}

static void a_prediction_says_who_is_full_and_where_the_others_are_cut(void)
{
    const struct predict_options options = { .level = LEVEL_SNAPSHOT,
                                             .strategy = STRATEGY_EXACT_STRICT };
    struct prediction p = predict(WRITE_SKEW, &options);

    TEST_ASSERT_EQUAL(PREDICTION_FOUND, p.kind);
    TEST_ASSERT_EQUAL_UINT32(0, p.full[1]);
    TEST_ASSERT_EQUAL_UINT32(1, p.boundary[1]);
    TEST_ASSERT_EQUAL_UINT32(2, p.included[1]);
    TEST_ASSERT_EQUAL_UINT32(DATAFLOW_INITIAL, p.writer[3]);
    TEST_ASSERT_TRUE(p.is_saturated);
    TEST_ASSERT_GREATER_THAN_UINT64(0, p.counts.literals);
    TEST_ASSERT_GREATER_THAN_UINT64(0, p.counts.variables);
    TEST_ASSERT_GREATER_THAN_INT64(0, p.counts.generate_ns);
    TEST_ASSERT_GREATER_THAN_INT64(0, p.counts.solve_ns);
}

static void only_the_exact_encoding_says_that_there_is_none(void)
{
    struct predict_options options = { .level = LEVEL_READ_COMMITTED,
                                       .strategy = STRATEGY_EXACT_STRICT };

    TEST_ASSERT_EQUAL(PREDICTION_NONE, predict(NOTHING, &options).kind);
    for (int i = 0; i < 2; i++) {
        struct prediction p;

        history_close(&history);
        options.strategy = i == 0 ? STRATEGY_APPROX_STRICT : STRATEGY_APPROX_RELAXED;
        p = predict(NOTHING, &options);
        TEST_ASSERT_EQUAL(PREDICTION_UNKNOWN, p.kind);
        TEST_ASSERT_EQUAL_STRING("the approximate encoding has none", p.reason);
    }
}

static void a_trace_without_transactions_has_no_prediction(void)
{
    const struct predict_options options = { .level = LEVEL_CAUSAL,
                                             .strategy = STRATEGY_APPROX_STRICT };

    TEST_ASSERT_EQUAL(PREDICTION_NONE, predict("", &options).kind);
}

static void steps_are_counted(void)
{
    const struct predict_options options = { .level = LEVEL_SNAPSHOT,
                                             .strategy = STRATEGY_EXACT_STRICT,
                                             .steps_max = 10 };
    struct prediction p = predict(WRITE_SKEW, &options);

    TEST_ASSERT_EQUAL(PREDICTION_UNKNOWN, p.kind);
    TEST_ASSERT_EQUAL_STRING("Z3 gave up; it was given 10 steps", p.reason);
}

static void it_stops_when_it_is_told_to(void)
{
    const atomic_bool stop = true;
    const struct predict_options options = { .level = LEVEL_SNAPSHOT,
                                             .strategy = STRATEGY_EXACT_STRICT,
                                             .stop = &stop };
    /* With so many readers nothing is found at once. */
    char notation[4096] = "T1: w x 1; T2: w y 1";
    size_t length = strlen(notation);
    struct prediction p;

    for (int t = 3; t < 33; t++)
        length +=
            (size_t)snprintf(notation + length, sizeof notation - length, "; T%d: r x 1, r y 1", t);
    p = predict(notation, &options);
    TEST_ASSERT_EQUAL(PREDICTION_UNKNOWN, p.kind);
    TEST_ASSERT_EQUAL_STRING("it was stopped before Z3 answered", p.reason);
}

static void what_the_engine_cannot_do_is_refused(void)
{
    struct arena *arena = fixture_arena();
    struct dataflow trace = fixture_dataflow(NOTHING, &history, arena);
    static const struct {
        struct predict_options options;
        const char *why;
    } rows[] = {
        { { .level = LEVEL_CAUSAL, .strategy = STRATEGY_SEMANTIC },
          "the engine z3 executes no transactions: semantic is for native" },
        { { .level = LEVEL_CAUSAL, .window = 2 },
          "the engine z3 looks at all transactions: windows are for native" },
        { { .level = LEVEL_SERIALIZABLE }, "nothing is predicted at serializable" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct prediction p;

        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, predict_z3(&trace, &rows[i].options, arena, &p, &err));
        TEST_ASSERT_EQUAL_STRING(rows[i].why, err.text);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_prediction_says_who_is_full_and_where_the_others_are_cut);
    RUN_TEST(only_the_exact_encoding_says_that_there_is_none);
    RUN_TEST(a_trace_without_transactions_has_no_prediction);
    RUN_TEST(steps_are_counted);
    RUN_TEST(it_stops_when_it_is_told_to);
    RUN_TEST(what_the_engine_cannot_do_is_refused);
    RUN_TEST(z3_predicts_what_there_is_with_a_quantifier);
    RUN_TEST(z3_predicts_what_has_a_forced_cycle_with_a_strict_boundary);
    RUN_TEST(z3_predicts_what_has_a_forced_cycle_with_a_relaxed_boundary);
    return UNITY_END();
}
