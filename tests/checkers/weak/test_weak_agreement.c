/*
 * weak against the oracle, on random small histories of every kind: at each of its levels it may
 * call nothing valid that is not and nothing invalid that is not, and be in doubt only where
 * several may have written what was read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/anomaly.h"
#include "history/level.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

#define ROUNDS 1500

void setUp(void) {}
void tearDown(void) {}

/* read-committed last: the oracle's default for it is Adya's. */
static const enum level levels[] = {
    LEVEL_READ_COMMITTED,   LEVEL_READ_ATOMIC,         LEVEL_CAUSAL,
    LEVEL_PREFIX,           LEVEL_READ_YOUR_WRITES,    LEVEL_MONOTONIC_READS,
    LEVEL_MONOTONIC_WRITES, LEVEL_WRITES_FOLLOW_READS, LEVEL_PRAM,
};

/* How histories are drawn. */
struct kind {
    const char *name;
    bool lists, unknowns, repeating, deletes;
    bool statements;              /* what is absent from their answers is not judged */
    unsigned unknown_percent_max; /* verdicts in doubt */
};

/* How the verdicts came out, to see that a test had something to say. */
struct tally {
    unsigned verdicts[3], unjudged;
};

struct question {
    const struct kind *kind;
    const struct history *history;
    uint64_t seed;
    enum level level;
};

static void fail(const struct question *q, const struct check *check, const char *what)
{
    char message[900];

    snprintf(message, sizeof message, "%s, seed %llu, %s: %s%s%s%s%s", q->kind->name,
             (unsigned long long)q->seed, level_name(q->level), what,
             check->findings.count > 0 ? ": " : "",
             check->findings.count > 0 ? anomaly_name(check->findings.at[0].kind) : "",
             check->findings.count > 0 ? ", " : "",
             check->findings.count > 0 ? check->findings.at[0].explanation : check->reason);
    TEST_FAIL_MESSAGE(message);
}

static enum oracle_answer ask_oracle(const struct question *q)
{
    struct oracle_options options = { .steps_max = 300000 };

    if (q->level == LEVEL_READ_COMMITTED)
        options.definition = ORACLE_AXIOMATIC;
    return oracle_decide(q->history, q->level, options);
}

/* --- Single verdicts -------------------------------------------------------------- */

/* Reasons for which weak may be in doubt. */
static bool is_stated(const char *reason)
{
    static const char *const stated[] = {
        "several may have written",
        "it is both written and appended to, or its elements repeat",
        "reads of values written more than once",
        "before and behind own appends",
        "of lists behind its own appends",
    };

    for (size_t i = 0; i < ROW_COUNT(stated); i++)
        if (strstr(reason, stated[i]))
            return true;
    return false;
}

/*
 * Whether it rules the level out. Reads that are wrong by themselves, and circles of nothing but
 * sessions, reads and lists, are of no axiom: the lattice has them no lower than read-committed.
 */
static bool rules_out(enum anomaly kind, enum level level)
{
    if (!level_implies(level, LEVEL_READ_COMMITTED) &&
        anomaly_ruled_out(kind) & LEVEL_BIT(LEVEL_READ_COMMITTED))
        return true;
    return kind == ANOMALY_INTERNAL || (anomaly_ruled_out(kind) & LEVEL_BIT(level));
}

static void examine_findings(const struct question *q, const struct check *check)
{
    if ((check->verdict == VERDICT_INVALID) != (check->findings.count > 0))
        fail(q, check, "a verdict without findings, or findings without it");
    for (size_t i = 0; i < check->findings.count; i++)
        if (!rules_out(check->findings.at[i].kind, q->level))
            fail(q, check, "a finding that leaves the level standing");
    if (check->verdict == VERDICT_UNKNOWN && !is_stated(check->reason))
        fail(q, check, "in doubt for a reason that nobody knows");
}

static void examine_witness(const struct question *q, const struct check *check)
{
    char reason[512], message[600];

    if (check->verdict == VERDICT_UNKNOWN) {
        TEST_ASSERT_EQUAL(0, check->witness.count);
        return;
    }
    if (fixture_verify(q->history, (struct text){ check->witness.at, check->witness.count },
                       reason))
        return;
    snprintf(message, sizeof message, "a witness that verify refuses: %s", reason);
    fail(q, check, message);
}

static void compare(const struct question *q, struct tally *tally)
{
    struct check_options options = { .level = q->level,
                                     .flags =
                                         CHECK_WITNESS | (q->seed % 4 == 3 ? CHECK_SLOWLY : 0),
                                     .allows_unjudged = q->kind->statements };
    enum oracle_answer answer = ask_oracle(q);
    struct check check;
    struct error err = { 0 };

    ASSERT_OK(checker_run(checker_find(TEXT("weak")), q->history, &options, &check, &err), &err);
    tally->verdicts[check.verdict]++;
    tally->unjudged += answer == ORACLE_CANNOT_JUDGE;
    if (check.verdict == VERDICT_VALID && answer == ORACLE_VIOLATED && !q->kind->statements)
        fail(q, &check, "valid, which the oracle denies");
    if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS)
        fail(q, &check, "invalid, which the oracle denies");
    examine_findings(q, &check);
    examine_witness(q, &check);
    check_close(&check);
}

/* --- Many ------------------------------------------------------------------------- */

static void small_of_kind(const struct kind *kind, uint64_t seed, struct history *history)
{
    struct small_options options = small_options_of_seed(seed);

    options.certificate = false;
    options.sessions = seed % 8 != 0;
    options.lists = kind->lists;
    options.predicates = kind->statements;
    options.unknowns = kind->unknowns;
    options.repeating = kind->repeating;
    options.deletes = kind->deletes;
    small_history(&options, seed, history);
}

static void assert_telling(const struct tally *tally, const struct kind *kind, const char *level)
{
    const unsigned *verdicts = tally->verdicts;
    unsigned judged = verdicts[0] + verdicts[1] + verdicts[2];
    char what[128];

    snprintf(what, sizeof what, "%s, %s", kind->name, level);
    printf("%s: %u valid, %u invalid, %u unknown, %u beyond the oracle\n", what,
           verdicts[VERDICT_VALID], verdicts[VERDICT_INVALID], verdicts[VERDICT_UNKNOWN],
           tally->unjudged);
    TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(judged / 25, verdicts[VERDICT_VALID], what);
    TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(judged / 25, verdicts[VERDICT_INVALID], what);
    TEST_ASSERT_LESS_OR_EQUAL_MESSAGE(judged * kind->unknown_percent_max / 100,
                                      verdicts[VERDICT_UNKNOWN], what);
    TEST_ASSERT_LESS_THAN_MESSAGE(judged / 20 + 1, tally->unjudged, what);
}

static void compare_kind(const struct kind *kind, size_t rounds)
{
    struct tally tallies[ROW_COUNT(levels)] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(rounds); seed++) {
        struct history history;

        small_of_kind(kind, seed, &history);
        for (size_t i = 0; i < ROW_COUNT(levels); i++)
            compare(&(struct question){ kind, &history, seed, levels[i] }, &tallies[i]);
        history_close(&history);
    }
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        assert_telling(&tallies[i], kind, level_name(levels[i]));
}

static void registers_with_unique_values_are_always_decided(void)
{
    compare_kind(&(struct kind){ .name = "unique" }, ROUNDS);
    compare_kind(&(struct kind){ .name = "unique, unknowns", .unknowns = true }, ROUNDS);
}

static void lists_are_always_decided(void)
{
    compare_kind(&(struct kind){ .name = "lists", .lists = true }, ROUNDS);
    compare_kind(&(struct kind){ .name = "lists, unknowns", .lists = true, .unknowns = true },
                 ROUNDS);
}

static void deleted_and_repeating_values_may_leave_doubts(void)
{
    compare_kind(&(struct kind){ .name = "deletes", .deletes = true, .unknown_percent_max = 30 },
                 ROUNDS / 2);
    compare_kind(&(struct kind){ .name = "repeating",
                                 .repeating = true,
                                 .lists = true,
                                 .deletes = true,
                                 .unknowns = true,
                                 .unknown_percent_max = 70 },
                 ROUNDS / 2);
}

static void rows_that_came_back_are_judged_and_those_that_did_not_are_not(void)
{
    compare_kind(
        &(struct kind){
            .name = "statements", .statements = true, .unknowns = true, .unknown_percent_max = 30 },
        ROUNDS / 2);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(registers_with_unique_values_are_always_decided);
    RUN_TEST(lists_are_always_decided);
    RUN_TEST(deleted_and_repeating_values_may_leave_doubts);
    RUN_TEST(rows_that_came_back_are_judged_and_those_that_did_not_are_not);
    return UNITY_END();
}
