/*
 * The models of Adya, Cerone and Gotsman, and the session guarantees: what breaks which.
 */
#include <stdio.h>

#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

#define MODEL(model) LEVEL_BIT(LEVEL_##model)

/* Those that are violated when the next weaker one of some family is. */
#define ALL_MODELS (LEVEL_BIT(LEVEL_END) - LEVEL_BIT(LEVEL_COUNT + 1))
#define UPDATE_VIEWS (MODEL(FORWARD_CONSISTENT_VIEW) | MODEL(UPDATE_SERIALIZABLE))
#define CONSISTENT_VIEWS (MODEL(CONSISTENT_VIEW) | UPDATE_VIEWS)
#define MONOTONIC_VIEWS (MODEL(MONOTONIC_VIEW) | CONSISTENT_VIEWS)
#define CURSORS (MODEL(CURSOR_STABILITY) | CONSISTENT_VIEWS)
#define NO_LOST_UPDATES (MODEL(UPDATE_ATOMIC) | MODEL(PARALLEL_SNAPSHOT))
#define ATOMIC (MODEL(MONOTONIC_ATOMIC_VIEW) | NO_LOST_UPDATES)
#define SESSION_READS (MODEL(PRAM) | MODEL(MONOTONIC_READS))
#define SESSION_WRITES (MODEL(PRAM) | MODEL(MONOTONIC_WRITES))
#define STRICT_READS MODEL(STRICT_READ_COMMITTED)
#define STRICT_ALL (MODEL(STRICT_READ_UNCOMMITTED) | STRICT_READS | MODEL(LINEARIZABLE))
#define GUARANTEES                                                                                 \
    (SESSION_READS | SESSION_WRITES | MODEL(READ_YOUR_WRITES) | MODEL(WRITES_FOLLOW_READS))

struct golden_model {
    const char *label, *text;
    uint64_t violated;
};

static enum oracle_answer decide(const char *text, enum level level)
{
    struct history history;
    enum oracle_answer answer;

    notation_read(text, &history);
    answer = oracle_decide(&history, level, (struct oracle_options){ 0 });
    history_close(&history);
    return answer;
}

static void check_models(const struct golden_model *rows, size_t count)
{
    char message[256];

    for (size_t i = 0; i < count; i++)
        for (int model = LEVEL_COUNT + 1; model < LEVEL_END; model++) {
            enum oracle_answer expected =
                rows[i].violated & LEVEL_BIT(model) ? ORACLE_VIOLATED : ORACLE_HOLDS;

            if (model == LEVEL_MONOTONIC_SNAPSHOT_READ)
                expected = ORACLE_CANNOT_JUDGE;
            snprintf(message, sizeof message, "%s, %s", rows[i].label,
                     level_name((enum level)model));
            TEST_ASSERT_EQUAL_STRING_MESSAGE(
                oracle_answer_name(expected),
                oracle_answer_name(decide(rows[i].text, (enum level)model)), message);
        }
}

static void sessions_have_their_guarantees(void)
{
    static const struct golden_model rows[] = {
        { "nothing at all", "", 0 },
        { "own write missed", "T1 s1: w x 1; T2 s1: r x _",
          MODEL(READ_YOUR_WRITES) | MODEL(PRAM) | MODEL(PARALLEL_SNAPSHOT) },
        { "own write seen", "T1 s1: w x 1; T2 s1: r x 1", 0 },
        { "own write overwritten", "T1 s1: w x 1; T3: w x 3; T2 s1: r x 3", 0 },
        { "two sessions, each behind the other",
          "T1 s1: w x 1; T2 s2: w x 2; T3 s1: r x 2; T4 s2: r x 1",
          MODEL(READ_YOUR_WRITES) | MODEL(PRAM) | MODEL(PARALLEL_SNAPSHOT) },
        { "reads go back", "T1: w x 1; T2 s1: r x 1; T3 s1: r x _",
          SESSION_READS | MODEL(PARALLEL_SNAPSHOT) },
        { "reads go back within a transaction", "T1: w x 1; T2: r x 1, r x _",
          SESSION_READS | ATOMIC | MONOTONIC_VIEWS | MODEL(LINEARIZABLE) },
        { "reads go forward within a transaction", "T1: w x 1; T2: r x _, r x 1",
          NO_LOST_UPDATES | CONSISTENT_VIEWS | MODEL(LINEARIZABLE) },
        { "what was seen of another key is gone", "T1: w x 1, w y 1; T2 s1: r y 1; T3 s1: r x _",
          SESSION_READS | MODEL(PARALLEL_SNAPSHOT) },
        { "two readers, two orders",
          "T1: w x 1; T2: w x 2; T3 s1: r x 1; T4 s1: r x 2; T5 s2: r x 2; T6 s2: r x 1",
          SESSION_READS | MODEL(PARALLEL_SNAPSHOT) },
        { "a later write without the earlier one", "T1 s1: w x 1; T2 s1: w y 2; T3: r y 2, r x _",
          SESSION_WRITES | MODEL(PARALLEL_SNAPSHOT) },
        { "read after the missing one", "T1 s1: w x 1; T2 s1: w y 2; T3: r x _, r y 2",
          SESSION_WRITES | MODEL(PARALLEL_SNAPSHOT) },
        { "by two readers, each half of the order",
          "T1 s1: w x 1; T2 s1: w y 1; T3 s2: w x 2; T4 s2: w y 2; T5: r y 1, r x 2; "
          "T6: r y 2, r x 1",
          SESSION_WRITES | MODEL(PARALLEL_SNAPSHOT) },
        { "an effect without its cause", "T1: w x 1; T2 s1: r x 1; T3 s1: w y 1; T4: r y 1, r x _",
          MODEL(WRITES_FOLLOW_READS) | MODEL(PARALLEL_SNAPSHOT) },
        { "of one transaction", "T1: w x 1; T2: r x 1, w y 1; T4: r y 1, r x _",
          MODEL(WRITES_FOLLOW_READS) | MODEL(PARALLEL_SNAPSHOT) | CONSISTENT_VIEWS |
              MODEL(MONOTONIC_VIEW) },
        { "of one transaction that wrote first", "T1: w x 1; T2: w y 1, r x 1; T4: r y 1, r x _",
          MODEL(PARALLEL_SNAPSHOT) | CONSISTENT_VIEWS | MODEL(MONOTONIC_VIEW) },
        { "what was read cannot be before what was written", "T1 s1: r x 1; T2 s1: w x 1",
          GUARANTEES | MODEL(PARALLEL_SNAPSHOT) | MODEL(SESSION_READ_COMMITTED) },
    };

    check_models(rows, ROW_COUNT(rows));
}

static void models_between_the_levels_have_their_anomalies(void)
{
    static const struct golden_model rows[] = {
        { "lost update", "init x 0; T1: r x 0, w x 1; T2: r x 0, w x 2",
          CURSORS | NO_LOST_UPDATES | MODEL(LINEARIZABLE) },
        { "write skew", "T1: r x _, r y _, w x 1; T2: r x _, r y _, w y 1",
          MODEL(UPDATE_SERIALIZABLE) },
        { "long fork", "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1", 0 },
        { "fork of a writer",
          "T1: w x 1; T2: w y 1; T3: r x 1, r y _, w z 1; T4: r x _, r y 1, w z 2",
          CONSISTENT_VIEWS | MODEL(PARALLEL_SNAPSHOT) },
        { "read skew", "T1: w x 1, w y 1; T2: r x _, r y 1", CONSISTENT_VIEWS | NO_LOST_UPDATES },
        { "read skew, the other way", "T1: w x 1, w y 1; T2: r x 1, r y _",
          MONOTONIC_VIEWS | ATOMIC | SESSION_READS },
        { "own write missed", "T1: w x 1, r x _",
          NO_LOST_UPDATES | GUARANTEES | MODEL(LINEARIZABLE) },
        { "dirty read", "T1 abort: w x 1; T2: r x 1",
          ALL_MODELS & ~(MODEL(SESSION_READ_UNCOMMITTED) | MODEL(STRICT_READ_UNCOMMITTED)) },
    };

    check_models(rows, ROW_COUNT(rows));
}

static void each_key_by_itself_is_in_time(void)
{
    static const struct golden_model rows[] = {
        { "stale", "T1 @0-10: w x 1; T2 @20-30: r x _", MODEL(LINEARIZABLE) },
        { "from the future", "T1 @20-30: w x 1; T2 @0-10: r x 1",
          STRICT_READS | MODEL(LINEARIZABLE) },
        { "only across keys", "T1 @0-10: w x 1, w y 1; T2 @5-30: r x 1; T3 @40-50: r x 1, r y 1",
          0 },
        { "skewed across keys",
          "T1 @0-30: w x 1; T2 @0-30: w y 1; T3 @0-30: r x 1, r y _; T4 @0-30: r x _, r y 1", 0 },
        { "unknown, in for one key and out for the other",
          "T1 unknown @0-: w x 1, w y 1; T2 @10-20: r x 1; T3 @10-20: r y _", 0 },
        { "unknown, gone again", "T1 unknown @0-: w x 1; T2 @10-20: r x 1; T3 @30-40: r x _",
          MODEL(LINEARIZABLE) },
        { "two orders of two writes", "T1 @0-10: w x 1; T2 @20-30: w x 2; T3 @40-50: r x 1",
          MODEL(LINEARIZABLE) },
        { "lists back to front", "T1 @0-10: a l 1; T2 @20-30: a l 2; T3 @40-50: r l [2 1]",
          STRICT_ALL },
    };

    check_models(rows, ROW_COUNT(rows));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(sessions_have_their_guarantees);
    RUN_TEST(models_between_the_levels_have_their_anomalies);
    RUN_TEST(each_key_by_itself_is_in_time);
    return UNITY_END();
}
