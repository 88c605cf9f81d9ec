#include "trial/prove/brute_private.h"

#include <string.h>

#include "history/io/sink.h"
#include "history/jsonl/jsonl_write.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "trial/prove/mutate_private.h"
#include "unity.h"

static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
                                     LEVEL_STRICT_SERIALIZABLE };
static struct sketch sketch;
static struct error err;

void setUp(void)
{
    memset(&err, 0, sizeof err);
}

void tearDown(void) {}

static enum oracle_answer ask_oracle(const struct history *h, enum level level)
{
    return oracle_decide(h, level, (struct oracle_options){ 0 });
}

static enum oracle_answer ask_brute(enum brute_order order)
{
    bool is_serializable = false;

    ASSERT_OK(brute_is_serializable(&sketch, order, &is_serializable, &err), &err);
    return is_serializable ? ORACLE_HOLDS : ORACLE_VIOLATED;
}

static void take(const char *notation)
{
    struct history h;

    notation_read(notation, &h);
    TEST_ASSERT_TRUE(sketch_take(&sketch, &h));
    history_close(&h);
}

static void it_knows_what_everybody_knows(void)
{
    static const struct {
        const char *what, *history;
        enum oracle_answer answers[3];
    } rows[] = {
        { "one after the other", "T1: w x 1; T2: r x 1, w x 2; T3: r x 2",
          { ORACLE_HOLDS, ORACLE_HOLDS, ORACLE_HOLDS } },
        { "write skew", "T1: r x _, w y 1; T2: r y _, w x 1",
          { ORACLE_VIOLATED, ORACLE_VIOLATED, ORACLE_VIOLATED } },
        { "an aborted read", "T1 abort: w x 1; T2: r x 1",
          { ORACLE_VIOLATED, ORACLE_VIOLATED, ORACLE_VIOLATED } },
        { "a read of what may have landed", "T1 unknown: w x 1; T2: r x 1",
          { ORACLE_HOLDS, ORACLE_HOLDS, ORACLE_HOLDS } },
        { "a session that forgets", "T1 s1: w x 1; T2 s1: r x _",
          { ORACLE_HOLDS, ORACLE_VIOLATED, ORACLE_HOLDS } },
        { "a stale read", "T1 @1-2: w x 1; T2 @3-4: r x _",
          { ORACLE_HOLDS, ORACLE_HOLDS, ORACLE_VIOLATED } },
        { "a list", "T1: a x 1; T2: a x 2; T3: r x [2 1]; T4: r x [2]",
          { ORACLE_HOLDS, ORACLE_HOLDS, ORACLE_HOLDS } },
        { "two orders of a list", "T1: a x 1; T2: a x 2; T3: r x [2 1]; T4: r x [1]",
          { ORACLE_VIOLATED, ORACLE_VIOLATED, ORACLE_VIOLATED } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        take(rows[i].history);
        for (int k = 0; k < 3; k++)
            TEST_ASSERT_EQUAL_MESSAGE(rows[i].answers[k], ask_brute((enum brute_order)k),
                                      rows[i].what);
    }
}

static void it_agrees_with_the_oracle(void)
{
    size_t rounds = fixture_rounds(3000), judged = 0, violated = 0;

    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history h;
        options.predicates = false;
        small_history(&options, seed, &h);
        if (sketch_take(&sketch, &h))
            for (int k = 0; k < 3; k++) {
                enum oracle_answer answer = ask_oracle(&h, levels[k]);
                if (answer == ORACLE_CANNOT_JUDGE)
                    continue;
                judged++;
                violated += answer == ORACLE_VIOLATED;
                TEST_ASSERT_EQUAL_MESSAGE(answer, ask_brute((enum brute_order)k),
                                          level_name(levels[k]));
            }
        history_close(&h);
    }
    TEST_ASSERT_GREATER_THAN_UINT64(rounds, judged);
    TEST_ASSERT_GREATER_THAN_UINT64(rounds / 10, violated);
    TEST_ASSERT_LESS_THAN_UINT64(judged - rounds / 10, violated);
}

/* Mutants too, as they are built again: what is built is what brute force looked at. */
static void mutants_are_judged_as_they_are_built(void)
{
    size_t made[MUTATION_COUNT] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(300); seed++) {
        struct small_options options = { .mode = SMALL_SERIAL, .txns_max = 8, .ops_max = 4,
                                         .keys = 3, .lists = seed % 2, .sessions = true,
                                         .times = true, .aborts = true, .certificate = true,
                                         .exact = true };
        struct random_key key = random_key_of_seed(seed);
        struct random random;
        struct history h;
        random_init(&random, &key);
        for (int m = 0; m < MUTATION_COUNT; m++) {
            small_history(&options, seed, &h);
            TEST_ASSERT_TRUE(sketch_take(&sketch, &h));
            history_close(&h);
            if (!mutate(&sketch, (enum mutation)m, &random) ||
                sketch_build(&sketch, false, &h, &err) != STATUS_OK)
                continue;
            made[m]++;
            for (int k = 0; k < 3; k++)
                TEST_ASSERT_EQUAL_MESSAGE(ask_oracle(&h, levels[k]),
                                          ask_brute((enum brute_order)k),
                                          mutate_name((enum mutation)m));
            history_close(&h);
        }
    }
    for (int m = 0; m < MUTATION_COUNT; m++)
        TEST_ASSERT_GREATER_THAN_UINT64_MESSAGE(0, made[m], mutate_name((enum mutation)m));
}

/* All lines but the first, which says more of the original. */
static void print_lines(const struct history *h, struct buffer *out)
{
    struct sink sink;
    const char *line;

    buffer_clear(out);
    sink_open_memory(&sink, out);
    ASSERT_OK(jsonl_write(h, &sink, NULL, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    buffer_byte(out, '\0');
    line = strchr(out->at, '\n');
    TEST_ASSERT_NOT_NULL(line);
    memmove(out->at, line, strlen(line) + 1);
}

static void what_is_not_changed_is_built_as_it_was(void)
{
    struct buffer before = { 0 }, after = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(100); seed++) {
        struct small_options options = { .mode = SMALL_SERIAL, .txns_max = 8, .ops_max = 4,
                                         .keys = 3, .lists = true, .sessions = true,
                                         .times = true, .aborts = true, .certificate = true,
                                         .exact = true };
        struct history h;
        small_history(&options, seed, &h);
        print_lines(&h, &before);
        TEST_ASSERT_TRUE(sketch_take(&sketch, &h));
        history_close(&h);
        ASSERT_OK(sketch_build(&sketch, true, &h, &err), &err);
        print_lines(&h, &after);
        TEST_ASSERT_EQUAL_STRING(before.at, after.at);
        history_close(&h);
    }
    buffer_close(&before);
    buffer_close(&after);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(it_knows_what_everybody_knows);
    RUN_TEST(it_agrees_with_the_oracle);
    RUN_TEST(mutants_are_judged_as_they_are_built);
    RUN_TEST(what_is_not_changed_is_built_as_it_was);
    return UNITY_END();
}
