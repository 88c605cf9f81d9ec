/*
 * blackbox on statements with predicates, against the oracle: small histories in which every other key
 * is a row, consistent, nearly so and wild, at all levels; each witness goes through verify.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/checkers/blackbox/blackbox_fixture.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 250 /* histories of each kind, at six levels */

void setUp(void) {}
void tearDown(void) {}

struct tally {
    unsigned verdicts[3], beyond;
};

/* How the histories are drawn. */
struct kind {
    const char *name;
    bool unknowns, repeating, aborts;
};

static void small_of_kind(const struct kind *kind, uint64_t seed, struct history *history)
{
    struct small_options options = small_options_of_seed(seed);

    options.certificate = options.lists = options.only_lists = false;
    options.predicates = options.times = true;
    options.unknowns = kind->unknowns;
    options.repeating = kind->repeating;
    options.aborts = kind->aborts;
    options.deletes = seed % 3 != 0;
    small_history(&options, seed, history);
}

static void compare(const struct kind *kind, const struct history *history, enum level level,
                    uint64_t seed, struct tally *tally)
{
    struct oracle_options oracle = { .steps_max = 300000 };
    struct blackbox_question question = {
        .history = history,
        .what = kind->name,
        .seed = seed,
        .options = { .level = level,
                     .flags = seed % 4 == 3 ? CHECK_SLOWLY : 0,
                     .threads = 1,
                     .version_order = { seed % 2, 1 },
                     .seed = seed },
    };
    enum verdict verdict = blackbox_ask(&question);
    enum oracle_answer answer = oracle_decide(history, level, oracle);

    tally->verdicts[verdict]++;
    tally->beyond += answer == ORACLE_CANNOT_JUDGE;
    if (verdict == VERDICT_VALID && answer == ORACLE_VIOLATED)
        blackbox_fail(&question, "valid, which the oracle denies");
    if (verdict == VERDICT_INVALID && answer == ORACLE_HOLDS)
        blackbox_fail(&question, "invalid, which the oracle denies");
}

static void compare_kind(const struct kind *kind)
{
    const char *first = getenv("FIRST_SEED"), *rounds = getenv("SEEDS");
    uint64_t start = first ? strtoull(first, NULL, 10) : 0;
    uint64_t end = start + (rounds ? strtoull(rounds, NULL, 10) : fixture_rounds(ROUNDS));
    struct tally tally = { 0 };
    unsigned judged;

    for (uint64_t seed = start; seed < end; seed++) {
        struct history history;

        small_of_kind(kind, seed, &history);
        for (size_t i = 0; i < BLACKBOX_LEVELS; i++)
            compare(kind, &history, blackbox_levels[i], seed, &tally);
        history_close(&history);
    }
    judged = tally.verdicts[0] + tally.verdicts[1] + tally.verdicts[2];
    printf("%s: %u valid, %u invalid, %u unknown, %u beyond the oracle\n", kind->name,
           tally.verdicts[VERDICT_VALID], tally.verdicts[VERDICT_INVALID],
           tally.verdicts[VERDICT_UNKNOWN], tally.beyond);
    TEST_ASSERT_GREATER_THAN(judged / 10, tally.verdicts[VERDICT_VALID]);
    TEST_ASSERT_GREATER_THAN(judged / 10, tally.verdicts[VERDICT_INVALID]);
    TEST_ASSERT_LESS_THAN(judged / 50, tally.verdicts[VERDICT_UNKNOWN]);
    TEST_ASSERT_LESS_THAN(judged / 20 + 1, tally.beyond);
}

static void statements_are_judged_as_the_oracle_does(void)
{
    compare_kind(&(struct kind){ "unique values", false, false, false });
    compare_kind(&(struct kind){ "repeating values", false, true, true });
}

static void statements_see_unknown_transactions_or_not_as_the_oracle_says(void)
{
    compare_kind(&(struct kind){ "unknowns", true, false, true });
    compare_kind(&(struct kind){ "unknowns, repeating values", true, true, false });
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(statements_are_judged_as_the_oracle_does);
    RUN_TEST(statements_see_unknown_transactions_or_not_as_the_oracle_says);
    return UNITY_END();
}
