/*
 * Traces in IsoPredict's format, tests/predict/traces, and what is predicted from them: by the native engine, by the
 * encodings through Z3, and by the enumerator. Written and read again, they are the same traces.
 */
#include "history/format.h"
#include "predict/z3/z3.h"

#include <stdio.h>
#include <unistd.h>

#include "smt/smt.h"
#include "tests/fixture.h"
#include "tests/predict/enumerate.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

#define FOLDER "tests/predict/traces/"

#define RC LEVEL_BIT(LEVEL_READ_COMMITTED)
#define RA LEVEL_BIT(LEVEL_READ_ATOMIC)
#define CC LEVEL_BIT(LEVEL_CAUSAL)
#define PC LEVEL_BIT(LEVEL_PREFIX)
#define SI LEVEL_BIT(LEVEL_SNAPSHOT)
#define ALL (RC | RA | CC | PC | SI)

static const struct {
    const char *file;
    uint64_t strict, relaxed; /* the levels at which there is a prediction */
} rows[] = {
    { "long-fork", RC | RA | CC, RC | RA | CC },
    { "lost-already", RC | RA | CC | PC, RC | RA | CC | PC },
    { "members-of-a-set", ALL, ALL },
    { "one-writer", 0, 0 },
    { "question-and-answer", RC | RA, ALL },
    { "read-twice", 0, RC },
    { "session-goes-back", RC | RA, RC | RA },
    { "sessions-of-many", ALL, ALL },
    { "two-deposits", 0, RC | RA | CC | PC },
    { "two-guards", ALL, ALL },
    { "written-behind-the-cut", 0, ALL },
};

static struct history history, again;
static struct buffer text, text_again;
static struct error err;
static char path[96];

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void)
{
    history_close(&history);
    history_close(&again);
    buffer_close(&text);
    buffer_close(&text_again);
}

static struct dataflow read_trace(size_t row, struct arena *arena)
{
    struct dataflow trace;

    snprintf(path, sizeof path, FOLDER "%s.isopredict", rows[row].file);
    ASSERT_OK(format_read_history(path, FORMAT_ANY, NULL, &history, &err), &err);
    ASSERT_OK(dataflow_of_history(&trace, &history, arena, &err), &err);
    return trace;
}

typedef enum status predict(const struct dataflow *, const struct predict_options *, struct arena *,
                            struct prediction *, struct error *);

/* `may_miss`: unknown is what it says where there is none. */
static void expect(predict *engine, enum predict_strategy strategy, bool may_miss)
{
    bool is_relaxed = strategy_is_relaxed(strategy);

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct arena *arena = fixture_arena();
        struct dataflow trace = read_trace(i, arena);
        uint64_t levels = is_relaxed ? rows[i].relaxed : rows[i].strict;

        for (unsigned level = 0; level < LEVEL_COUNT; level++) {
            struct predict_options options = { .level = (enum level)level, .strategy = strategy };
            enum prediction_kind expected = levels >> level & 1
                                                ? PREDICTION_FOUND
                                                : (may_miss ? PREDICTION_UNKNOWN : PREDICTION_NONE);
            struct prediction p;

            if (!(ENUMERATE_LEVELS >> level & 1))
                continue;
            ASSERT_OK(engine(&trace, &options, arena, &p, &err), &err);
            TEST_ASSERT_EQUAL_MESSAGE(expected, p.kind, path);
            if (p.kind == PREDICTION_FOUND) {
                const char *why = enumerate_refute(&trace, &p, (enum level)level, is_relaxed);

                TEST_ASSERT_NULL_MESSAGE(why, path);
            }
        }
        history_close(&history);
    }
}

static void the_table_says_what_the_definitions_say(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct dataflow trace = read_trace(i, fixture_arena());
        struct enumeration strict = { 0 }, relaxed = { 0 };

        enumerate(&trace, false, &strict);
        enumerate(&trace, true, &relaxed);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(rows[i].strict, strict.levels, path);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(rows[i].relaxed, relaxed.levels, path);
        history_close(&history);
    }
}

static void the_native_engine_says_what_the_table_says(void)
{
    expect(predict_native, STRATEGY_EXACT_STRICT, false);
    expect(predict_native, STRATEGY_APPROX_STRICT, false);
    expect(predict_native, STRATEGY_APPROX_RELAXED, false);
}

static void z3_says_what_the_table_says(void)
{
    if (smt_probe(&err) != STATUS_OK)
        TEST_IGNORE_MESSAGE(err.text);
    expect(predict_z3, STRATEGY_EXACT_STRICT, false);
    expect(predict_z3, STRATEGY_APPROX_STRICT, true);
    expect(predict_z3, STRATEGY_APPROX_RELAXED, true);
}

static void a_trace_that_is_written_and_read_again_is_the_same(void)
{
    char written[] = "/tmp/ordeal-trace-XXXXXX";
    int file = mkstemp(written);

    TEST_ASSERT_TRUE(file >= 0);
    close(file);
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct arena *arena = fixture_arena();
        struct dataflow trace = read_trace(i, arena), same;

        ASSERT_OK(format_write_history(&history, FORMAT_ISOPREDICT, written, NULL, &err), &err);
        ASSERT_OK(format_read_history(written, FORMAT_ISOPREDICT, NULL, &again, &err), &err);
        ASSERT_OK(dataflow_of_history(&same, &again, arena, &err), &err);
        fixture_print_dataflow(&trace, &text);
        fixture_print_dataflow(&same, &text_again);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(text.at, text_again.at, path);
        history_close(&history);
        history_close(&again);
    }
    unlink(written);
}

static void a_write_that_was_not_the_last_of_its_key_is_none(void)
{
    struct dataflow trace = read_trace(ROW_COUNT(rows) - 1, fixture_arena());

    fixture_print_dataflow(&trace, &text);
    TEST_ASSERT_EQUAL_STRING("T0: r a init, w b | T1: r b T0, w a", text.at);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_table_says_what_the_definitions_say);
    RUN_TEST(the_native_engine_says_what_the_table_says);
    RUN_TEST(z3_says_what_the_table_says);
    RUN_TEST(a_trace_that_is_written_and_read_again_is_the_same);
    RUN_TEST(a_write_that_was_not_the_last_of_its_key_is_none);
    return UNITY_END();
}
