/*
 * infer's models on lists, whose orders of versions are known: against the oracle, on random
 * small histories. What it calls violated is, at every level and model; and what it says
 * of a model goes with what it says of those that the model implies.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/level.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 1500

void setUp(void) {}
void tearDown(void) {}

/*
 * At those of read-uncommitted the oracle takes a list for what it has and not for what it lacks;
 * to infer, as to Elle, what was never read comes behind.
 */
static uint64_t levels_of_infer(void)
{
    return checker_find(TEXT("infer"))->levels &
           ~(LEVEL_BIT(LEVEL_LINEARIZABLE) | LEVEL_BIT(LEVEL_READ_UNCOMMITTED) |
             LEVEL_BIT(LEVEL_SESSION_READ_UNCOMMITTED) | LEVEL_BIT(LEVEL_STRICT_READ_UNCOMMITTED));
}

static void fail_on(uint64_t seed, enum level level, const char *what, const struct check *check)
{
    char message[700];

    snprintf(message, sizeof message, "seed %llu at %s: %s: %s", (unsigned long long)seed,
             level_name(level), what,
             check->findings.count ? check->findings.at[0].explanation : check->reason);
    TEST_FAIL_MESSAGE(message);
}

struct tally {
    unsigned valid, invalid, unknown, missed;
};

static void compare(const struct history *history, enum level level, uint64_t seed,
                    uint64_t *invalid, uint64_t *valid, struct tally *tally)
{
    struct check check = fixture_check("infer", history, level, seed % 3 ? 0 : CHECK_SLOWLY);
    struct oracle_options options = { .steps_max = 100000 };
    enum oracle_answer answer = oracle_decide(history, level, options);

    tally->valid += check.verdict == VERDICT_VALID;
    tally->invalid += check.verdict == VERDICT_INVALID;
    tally->unknown += check.verdict == VERDICT_UNKNOWN;
    tally->missed += answer == ORACLE_VIOLATED && check.verdict == VERDICT_VALID;
    if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS)
        fail_on(seed, level, "invalid, which the oracle denies", &check);
    if (check.verdict == VERDICT_INVALID)
        *invalid |= LEVEL_BIT(level);
    if (check.verdict == VERDICT_VALID)
        *valid |= LEVEL_BIT(level);
    check_close(&check);
}

static void check_lattice(uint64_t seed, uint64_t invalid, uint64_t valid)
{
    struct check none = { .reason = "" };

    for (int strong = 0; strong < LEVEL_END; strong++)
        for (int weak = 0; weak < LEVEL_END; weak++)
            if (strong != LEVEL_COUNT && weak != LEVEL_COUNT && (valid >> strong & 1) &&
                (invalid >> weak & 1) && level_implies((enum level)strong, (enum level)weak))
                fail_on(seed, (enum level)weak, "violated, and a level that implies it holds",
                        &none);
}

static void what_is_violated_of_lists_is_so_by_the_oracle(void)
{
    const char *first = getenv("FIRST_SEED"), *rounds = getenv("SEEDS");
    uint64_t start = first ? strtoull(first, NULL, 10) : 0;
    uint64_t end = start + (rounds ? strtoull(rounds, NULL, 10) : ROUNDS);
    uint64_t levels = levels_of_infer();
    struct tally tallies[LEVEL_END] = { { 0 } };

    for (uint64_t seed = start; seed < end; seed++) {
        struct small_options options = small_options_of_seed(seed);
        uint64_t invalid = 0, valid = 0;
        struct history history;

        options.certificate = options.predicates = options.repeating = options.deletes = false;
        options.lists = options.only_lists = true;
        options.times = options.sessions = true;
        options.txns_max = options.txns_max > 6 ? 6 : options.txns_max;
        small_history(&options, seed, &history);
        for (int level = 0; level < LEVEL_END; level++)
            if (level != LEVEL_COUNT && levels >> level & 1)
                compare(&history, (enum level)level, seed, &invalid, &valid, &tallies[level]);
        check_lattice(seed, invalid, valid);
        history_close(&history);
    }
    for (int level = 0; level < LEVEL_END; level++)
        if (level != LEVEL_COUNT && levels >> level & 1) {
            printf("%-32s %6u valid (%u of them violated) %6u invalid %5u unknown\n",
                   level_name((enum level)level), tallies[level].valid, tallies[level].missed,
                   tallies[level].invalid, tallies[level].unknown);
            TEST_ASSERT_GREATER_THAN(0, tallies[level].valid);
            TEST_ASSERT_GREATER_THAN(0, tallies[level].invalid);
            /* What no read shows of the orders of versions. */
            TEST_ASSERT_LESS_THAN(tallies[level].valid / 50 + 2, tallies[level].missed);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_violated_of_lists_is_so_by_the_oracle);
    return UNITY_END();
}
