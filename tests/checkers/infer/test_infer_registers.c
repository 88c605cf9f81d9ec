/*
 * infer on registers: each anomaly by its smallest history; and against the oracle, on
 * random small histories, at every level and model: what it calls invalid is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/level.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 3000

void setUp(void) {}
void tearDown(void) {}

/* --- Anomalies ---------------------------------------------------------------------- */

/* A history, a level, and what is found first; ANOMALY_COUNT: it is valid. */
struct row {
    const char *notation;
    enum level level;
    enum anomaly kind;
};

static void expect_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            rows[i].kind == ANOMALY_COUNT ? "valid" : anomaly_name(rows[i].kind),
            fixture_first_kind("infer", rows[i].notation, rows[i].level) == ANOMALY_COUNT
                ? "valid"
                : anomaly_name(fixture_first_kind("infer", rows[i].notation, rows[i].level)),
            rows[i].notation);
}

static void statements_that_miss_each_others_inserts_are_a_g2(void)
{
    static const struct row rows[] = {
        { "T1: sel * {}, ins {1=1}; T2: sel * {}, ins {2=2}", LEVEL_SERIALIZABLE, ANOMALY_G2 },
        { "T1: sel * {}, ins {1=1}; T2: sel * {}, ins {2=2}", LEVEL_REPEATABLE_READ,
          ANOMALY_COUNT },
        { "T1: sel * {}, ins {1=1}; T2: sel * {1=1}, ins {2=2}", LEVEL_SERIALIZABLE,
          ANOMALY_COUNT },
        { "init t/1 0; init t/2 0; T1: sel v=1 {}, w t/1 1; T2: sel v=1 {}, w t/2 1",
          LEVEL_SERIALIZABLE, ANOMALY_G2 },
        /* A row that somebody deletes, and nobody else wrote, was seen to be gone. */
        { "init t/1 5; T1: d t/1, w x 1; T2: r x _, sel * {}; T3: r x _, sel * {}",
          LEVEL_SERIALIZABLE, ANOMALY_G_SINGLE },
        { "init t/1 5; T1: upd v=5 {1=6}; T2: upd v=6 {1=7}; T3: sel v>=5 {}", LEVEL_SERIALIZABLE,
          ANOMALY_RESULT_SET_MISMATCH },
        { "init t/1 5; T1: sel v>=6 {1=5}", LEVEL_SERIALIZABLE, ANOMALY_RESULT_SET_MISMATCH },
        { "init t/1 5; T1: w t/1 7, sel v>=6 {}", LEVEL_SERIALIZABLE, ANOMALY_RESULT_SET_MISMATCH },
        { "init t/1 5; T1: w t/1 7; T2: sel v>=6 {}", LEVEL_SERIALIZABLE, ANOMALY_COUNT },
    };

    expect_rows(rows, ROW_COUNT(rows));
}

static void each_anomaly_of_registers_has_its_smallest_history(void)
{
    static const struct row rows[] = {
        { "T1: w x 1; T2: r x 1", LEVEL_SESSION_SERIALIZABLE, ANOMALY_COUNT },
        { "T1 abort: w x 1; T2: r x 1", LEVEL_READ_COMMITTED, ANOMALY_G1A },
        { "T1 abort: w x 1; T2: r x 1", LEVEL_READ_UNCOMMITTED, ANOMALY_COUNT },
        { "T1 unknown: w x 1; T2: r x 1", LEVEL_SERIALIZABLE, ANOMALY_COUNT },
        { "T1: w x 1, w x 2; T2: r x 1", LEVEL_READ_COMMITTED, ANOMALY_G1B },
        { "T1: w x 1, r x 1, w x 2, r x 2", LEVEL_SERIALIZABLE, ANOMALY_COUNT },
        { "T1: r x 1", LEVEL_READ_COMMITTED, ANOMALY_GARBAGE_READ },
        { "init x 1; T1: r x 1", LEVEL_SERIALIZABLE, ANOMALY_COUNT },
        { "init x 1; T1: r x _", LEVEL_READ_COMMITTED, ANOMALY_GARBAGE_READ },
        { "T1: r x 1, w x 1", LEVEL_READ_COMMITTED, ANOMALY_FUTURE_READ },
        { "T1: w x 1; T2: w x 2, r x 1", LEVEL_READ_COMMITTED, ANOMALY_COUNT },
        { "T1: w x 1, w x 2, r x 1", LEVEL_READ_COMMITTED, ANOMALY_COUNT },
        { "T1: w x 1, w x 2, r x 1", LEVEL_READ_ATOMIC, ANOMALY_INTERNAL },
        /* It had read x before, and wrote 5 only later: nobody can have left that. */
        { "T1: w x 2; T2: r x 2, r x 5, w x 5, w x 6", LEVEL_READ_COMMITTED,
          ANOMALY_FUTURE_READ },
        { "T1: w x 1; T2: w x 2, r x 1", LEVEL_READ_ATOMIC, ANOMALY_INTERNAL },
        { "T1: w x 1; T2: r x _, r x 1", LEVEL_SERIALIZABLE, ANOMALY_INTERNAL },
        { "T1: w x 1, r y 2; T2: w y 2, r x 1", LEVEL_READ_COMMITTED, ANOMALY_G1C },
        { "T1: w x 1, w y 1; T2: r x 1, r y _", LEVEL_SNAPSHOT, ANOMALY_G_SINGLE },
        { "T1: w x 1, w y 1; T2: r x 1, r y _", LEVEL_READ_COMMITTED, ANOMALY_COUNT },
        { "T1: r x _, w y 1; T2: r y _, w x 1", LEVEL_SERIALIZABLE, ANOMALY_G2_ITEM },
        { "T1: r x _, w y 1; T2: r y _, w x 1", LEVEL_SNAPSHOT, ANOMALY_COUNT },
        { "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1", LEVEL_SNAPSHOT,
          ANOMALY_G_NONADJACENT },
        { "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1",
          LEVEL_PARALLEL_SNAPSHOT, ANOMALY_COUNT },
        { "T1: r x _, w x 1; T2: r x _, w x 2", LEVEL_CURSOR_STABILITY,
          ANOMALY_LOST_UPDATE },
        { "T1: r x 2, w x 1; T2: r x 1, w x 2", LEVEL_READ_COMMITTED, ANOMALY_CYCLIC_VERSIONS },
        { "T1: w x 1; T2 s1: r x 1; T3 s1: r x _", LEVEL_SESSION_SERIALIZABLE,
          ANOMALY_G_SINGLE_PROCESS },
        { "T1: w x 1; T2 s1: r x 1; T3 s1: r x _", LEVEL_SERIALIZABLE, ANOMALY_COUNT },
        { "T1 @1-2: w x 1; T2 @3-4: r x _", LEVEL_STRICT_SERIALIZABLE,
          ANOMALY_G_SINGLE_REALTIME },
        { "T1 @1-2: w x 1; T2 @2-4: r x _", LEVEL_STRICT_SERIALIZABLE, ANOMALY_COUNT },
        /* What a session, or time, says of versions that nobody read before writing. */
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s2: r x 2; T4 s2: r x 1", LEVEL_SESSION_SERIALIZABLE,
          ANOMALY_CYCLIC_VERSIONS },
        { "T1 @1-2: w x 1; T2 @3-4: w x 2; T3 @5-6: r x 1", LEVEL_STRICT_SERIALIZABLE,
          ANOMALY_CYCLIC_VERSIONS },
    };

    expect_rows(rows, ROW_COUNT(rows));
}

/* A level holds, and one beside it does not. */
static void models_tell_histories_apart(void)
{
    static const struct {
        const char *notation;
        enum level violated, holds;
    } rows[] = {
        { "T1: w x 1, w y 1; T2: r x 1, r y _", LEVEL_MONOTONIC_ATOMIC_VIEW,
          LEVEL_CURSOR_STABILITY },
        { "T1: w x 1, w y 1; T2: r y _, r x 1", LEVEL_READ_ATOMIC, LEVEL_MONOTONIC_ATOMIC_VIEW },
        { "T1: w x 1, w y 1; T2: r y _, r x 1", LEVEL_CONSISTENT_VIEW, LEVEL_MONOTONIC_VIEW },
        { "T1: w x 1; T2: r x 1, w y 1; T3: r y 1, r x _", LEVEL_CAUSAL, LEVEL_READ_ATOMIC },
        { "T1: w x 1; T2: r x 1, w y 1; T3: r y 1, r x _", LEVEL_MONOTONIC_VIEW,
          LEVEL_MONOTONIC_ATOMIC_VIEW },
        { "T1: r x _, w x 1; T2: r x _, w x 2", LEVEL_UPDATE_ATOMIC, LEVEL_CAUSAL },
        { "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1", LEVEL_PREFIX,
          LEVEL_PARALLEL_SNAPSHOT },
        { "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1",
          LEVEL_SERIALIZABLE, LEVEL_UPDATE_SERIALIZABLE },
        { "T1: r x _, w y 1; T2: r y _, w x 1", LEVEL_UPDATE_SERIALIZABLE,
          LEVEL_FORWARD_CONSISTENT_VIEW },
        { "T1: r x _, w y 1; T2: r y _, w x 1", LEVEL_REPEATABLE_READ,
          LEVEL_SESSION_SNAPSHOT },
        { "T1 s1: w x 1; T2 s1: r x _", LEVEL_READ_ATOMIC, LEVEL_SERIALIZABLE },
        { "T1: w x 1, r y 1; T2 s1: r x 1; T3 s1: w y 1", LEVEL_SESSION_READ_COMMITTED,
          LEVEL_SERIALIZABLE },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        fixture_expect("infer", rows[i].notation, rows[i].violated, VERDICT_INVALID);
        fixture_expect("infer", rows[i].notation, rows[i].holds, VERDICT_VALID);
    }
}

/* What it says of all levels at once. */
static void the_weakest_violated_and_the_strongest_that_holds_are_told(void)
{
    static const struct {
        const char *notation;
        enum level weakest, strongest;
    } rows[] = {
        { "T1: w x 1; T2: r x 1", LEVEL_COUNT, LEVEL_SESSION_SERIALIZABLE },
        { "T1: r x _, w y 1; T2: r y _, w x 1", LEVEL_REPEATABLE_READ, LEVEL_SESSION_SNAPSHOT },
        { "T1: w x 1; T2: r x 1, w y 1; T3: r y 1, r x _", LEVEL_MONOTONIC_VIEW,
          LEVEL_UPDATE_ATOMIC },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history history;
        struct check check;

        notation_read(rows[i].notation, &history);
        check = fixture_check("infer", &history, LEVEL_READ_UNCOMMITTED, 0);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("valid", fixture_verdict_name(check.verdict),
                                         rows[i].notation);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].weakest, check.weakest_violated, rows[i].notation);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].strongest, check.strongest, rows[i].notation);
        check_close(&check);
        history_close(&history);
    }
}

static void values_that_are_not_unique_are_named_as_that(void)
{
    struct history history;
    struct check check;

    notation_read("T1: w x 1; T2: w x 1; T3: r x 1", &history);
    check = fixture_check("infer", &history, LEVEL_SERIALIZABLE, 0);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "not unique"));
    check_close(&check);
    history_close(&history);
    /* A write of the initial value is one more of it; what else is wrong is found. */
    fixture_expect("infer", "init x 1; T1: w x 1; T2: r x 1", LEVEL_SERIALIZABLE, VERDICT_UNKNOWN);
    fixture_expect("infer", "init x 1; T1: w x 1; T2: r x 1, r y 7", LEVEL_SERIALIZABLE,
                   VERDICT_INVALID);
    fixture_expect("infer", "T1: w x 1; T2: d x; T3: r x _", LEVEL_SERIALIZABLE,
                   VERDICT_UNKNOWN);
    fixture_expect("infer", "init x 1; T2: d x; T3: r x _", LEVEL_SERIALIZABLE, VERDICT_VALID);
}

static void an_order_of_all_versions_is_enough_where_the_level_may_use_what_shows_it(void)
{
    static const struct {
        const char *notation;
        enum level level;
        enum verdict verdict;
    } rows[] = {
        { "T1: r x _, w x 1; T2: r x 1, w x 2; T3: r x 2", LEVEL_UPDATE_ATOMIC, VERDICT_VALID },
        { "T1: r x _, w x 1; T2: r x 1, w x 2; T3: r x 2", LEVEL_READ_ATOMIC, VERDICT_VALID },
        { "T1: r x _, w x 1; T2: r x 1, w x 2; T3: r x 2", LEVEL_CAUSAL, VERDICT_VALID },
        { "T1: r x _, w x 1; T2: r x 1, w x 2; T3: r x 2", LEVEL_PREFIX, VERDICT_VALID },
        { "T1: r x _, w x 1; T2: r x 1, w x 2; T3: r x 2", LEVEL_PARALLEL_SNAPSHOT,
          VERDICT_VALID },
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s2: r x 2", LEVEL_READ_ATOMIC, VERDICT_VALID },
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s2: r x 2", LEVEL_UPDATE_ATOMIC, VERDICT_VALID },
        /* That reads of a session go forward is no matter of read-atomic. */
        { "T1 s1: w x 1; T2 s2: w x 2; T3 s3: r x 1; T4 s3: r x 2", LEVEL_CAUSAL, VERDICT_VALID },
        { "T1 s1: w x 1; T2 s2: w x 2; T3 s3: r x 1; T4 s3: r x 2", LEVEL_READ_ATOMIC,
          VERDICT_VALID },
        { "T1: w x 1; T2: w x 2; T3: r x 1; T4: r x 2", LEVEL_CAUSAL, VERDICT_VALID },
        /* Nobody read x: whoever of the two overwrote the other has seen it, and missed a write. */
        { "T1: w x 1, w z 1, r q _; T2: r z _, w x 2, w q 1", LEVEL_CAUSAL, VERDICT_VALID },
        { "T1: w x 1, w z 1, r q _; T2: r z _, w x 2, w q 1", LEVEL_UPDATE_ATOMIC,
          VERDICT_INVALID },
        { "T1: w x 1, w z 1, r q _; T2: r z _, w x 2, w q 1", LEVEL_PARALLEL_SNAPSHOT,
          VERDICT_INVALID },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        fixture_expect("infer", rows[i].notation, rows[i].level, rows[i].verdict);
}

/* --- The oracle --------------------------------------------------------------------- */

struct tally {
    unsigned valid, invalid, unknown, unjudged, missed;
};

static struct tally tallies[LEVEL_END];

static void fail_on(uint64_t seed, enum level level, const char *what, const struct check *check)
{
    char message[700];

    snprintf(message, sizeof message, "seed %llu at %s: %s: %s", (unsigned long long)seed,
             level_name(level), what,
             check->findings.count ? check->findings.at[0].explanation : check->reason);
    TEST_FAIL_MESSAGE(message);
}

/* As far as unique values go: infer has nothing to say of others. */
static struct small_options options_of(uint64_t seed, bool predicates)
{
    struct small_options options = small_options_of_seed(seed);

    options.certificate = options.lists = false;
    options.predicates = predicates;
    options.repeating = seed % 8 == 0;
    options.deletes = seed % 16 == 1;
    options.times = options.sessions = true;
    if (options.txns_max > 6)
        options.txns_max = 6;
    return options;
}

/* `answers` are the oracle's, by level. */
static void compare(const struct history *history, enum level level, uint64_t seed,
                    const enum oracle_answer *answers)
{
    struct check check = fixture_check("infer", history, level, seed % 3 ? 0 : CHECK_SLOWLY);
    enum oracle_answer answer = answers[level];
    struct tally *tally = &tallies[level];
    bool has_statements = history->statement_count > 0;

    tally->valid += check.verdict == VERDICT_VALID;
    tally->invalid += check.verdict == VERDICT_INVALID;
    tally->unknown += check.verdict == VERDICT_UNKNOWN;
    tally->unjudged += answer == ORACLE_CANNOT_JUDGE;
    tally->missed += answer == ORACLE_VIOLATED && check.verdict == VERDICT_VALID;
    if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS)
        fail_on(seed, level, "invalid, which the oracle denies", &check);
    if (check.verdict == VERDICT_VALID && answer == ORACLE_VIOLATED &&
        (!has_statements || level_is_snapshot(level) ||
         level_implies(level, LEVEL_SERIALIZABLE)))
        fail_on(seed, level, "valid, which the oracle denies", &check);
    if (check.strongest != LEVEL_COUNT && !has_statements &&
        answers[check.strongest] == ORACLE_VIOLATED)
        fail_on(seed, check.strongest, "said to hold, which the oracle denies", &check);
    if (check.weakest_violated != LEVEL_COUNT && answers[check.weakest_violated] == ORACLE_HOLDS)
        fail_on(seed, check.weakest_violated, "said to be violated, which the oracle denies",
                &check);
    check_close(&check);
}

static void print_tallies(uint64_t levels)
{
    for (int level = 0; level < LEVEL_END; level++) {
        const struct tally *t = &tallies[level];

        if (level == LEVEL_COUNT || !(levels >> level & 1))
            continue;
        printf("%-32s %6u valid (%u of them violated) %6u invalid %5u unknown %5u beyond\n",
               level_name((enum level)level), t->valid, t->missed, t->invalid, t->unknown,
               t->unjudged);
    }
}

static void compare_all(bool predicates, unsigned count)
{
    uint64_t levels = checker_find(TEXT("infer"))->levels & ~LEVEL_BIT(LEVEL_LINEARIZABLE);
    const char *first = getenv("FIRST_SEED"), *rounds = getenv("SEEDS");
    uint64_t start = first ? strtoull(first, NULL, 10) : 0;
    uint64_t end = start + (rounds ? strtoull(rounds, NULL, 10) : count);

    memset(tallies, 0, sizeof tallies);
    for (uint64_t seed = start; seed < end; seed++) {
        struct small_options options = options_of(seed, predicates);
        struct history history;

        enum oracle_answer answers[LEVEL_END];

        small_history(&options, seed, &history);
        for (int level = 0; level < LEVEL_END; level++)
            answers[level] = levels >> level & 1 && level != LEVEL_COUNT
                                 ? oracle_decide(&history, (enum level)level,
                                                 (struct oracle_options){ .steps_max = 100000 })
                                 : ORACLE_CANNOT_JUDGE;
        for (int level = 0; level < LEVEL_END; level++)
            if (level != LEVEL_COUNT && levels >> level & 1)
                compare(&history, (enum level)level, seed, answers);
        history_close(&history);
    }
    print_tallies(levels);
}

static void nothing_is_invalid_that_the_oracle_accepts(void)
{
    compare_all(false, ROUNDS);
}

static void nothing_that_statements_saw_is_invalid_that_the_oracle_accepts(void)
{
    compare_all(true, ROUNDS / 3);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_anomaly_of_registers_has_its_smallest_history);
    RUN_TEST(statements_that_miss_each_others_inserts_are_a_g2);
    RUN_TEST(models_tell_histories_apart);
    RUN_TEST(the_weakest_violated_and_the_strongest_that_holds_are_told);
    RUN_TEST(values_that_are_not_unique_are_named_as_that);
    RUN_TEST(an_order_of_all_versions_is_enough_where_the_level_may_use_what_shows_it);
    RUN_TEST(nothing_is_invalid_that_the_oracle_accepts);
    RUN_TEST(nothing_that_statements_saw_is_invalid_that_the_oracle_accepts);
    return UNITY_END();
}
