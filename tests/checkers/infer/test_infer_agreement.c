/*
 * infer against the oracle, on random small histories of lists, at every level and model: what it
 * calls valid is, what it calls invalid is not, and verify takes its witness.
 *
 * Where reads are not judged, the oracle makes nothing of what a list lacks: there invalid verdicts
 * are held against it only where every element was read.
 */
#include <stdio.h>
#include <string.h>

#include "programs/generator/generate.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

#define ROUNDS 400

void setUp(void) {}
void tearDown(void) {}

/* How often the two answered what. */
struct tally {
    unsigned count[3][3]; /* verdict, answer */
};

static void fail_on(const char *what, enum level level, uint64_t seed)
{
    char message[700];

    snprintf(message, sizeof message, "%s at %s, seed %llu", what, level_name(level),
             (unsigned long long)seed);
    TEST_FAIL_MESSAGE(message);
}

/* --- What is known ------------------------------------------------------------------ */

static bool was_read(const struct history *h, uint32_t key, int64_t element)
{
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            int64_t list = h->op_value[op];

            if (h->txn_status[t] != TXN_OK || h->op_kind[op] != OP_READ || h->op_key[op] != key ||
                h->op_value_kind[op] != VALUE_LIST)
                continue;
            for (uint64_t i = h->list_start[list]; i < h->list_start[list + 1]; i++)
                if (h->list_element[i] == element)
                    return true;
        }
    return false;
}

/* Whether all appends of transactions that may count were read. */
static bool all_is_read(const struct history *h)
{
    for (uint32_t key = 0; key < h->key_count; key++) {
        unsigned unread = 0;

        for (uint32_t t = 0; t < h->txn_count; t++)
            for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
                unread += h->txn_status[t] != TXN_ABORT && history_makes_version(h, op) &&
                          h->op_key[op] == key && !was_read(h, key, h->op_value[op]);
        if (unread > 0)
            return false;
    }
    return true;
}

/* Where reads are not judged, and the oracle makes nothing of what a list lacks. */
static bool only_shows_orders(enum level level)
{
    return level == LEVEL_READ_UNCOMMITTED || level == LEVEL_SESSION_READ_UNCOMMITTED ||
           level == LEVEL_STRICT_READ_UNCOMMITTED;
}

/* --- The oracle --------------------------------------------------------------------- */

static void compare(const struct history *h, enum level level, uint64_t seed, struct tally *tally)
{
    struct check check = fixture_check("infer", h, level, CHECK_WITNESS);
    enum oracle_answer answer =
        oracle_decide(h, level, (struct oracle_options){ .steps_max = 300000 });

    char reason[512];

    tally->count[check.verdict][answer]++;
    if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS &&
        (!only_shows_orders(level) || all_is_read(h)))
        fail_on(check.findings.at[0].explanation, level, seed);
    if (check.verdict == VERDICT_VALID && answer == ORACLE_VIOLATED)
        fail_on("valid, which the oracle denies", level, seed);
    if (check.verdict == VERDICT_VALID && check.witness.count > 0 &&
        !fixture_verify(h, (struct text){ check.witness.at, check.witness.count }, reason))
        fail_on(reason, level, seed);
    check_close(&check);
}

static void compare_level(enum level level)
{
    struct tally tally = { 0 };
    char label[200];

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;

        options.certificate = options.repeating = options.predicates = false;
        options.only_lists = options.times = true;
        small_history(&options, seed, &history);
        compare(&history, level, seed, &tally);
        history_close(&history);
    }
    snprintf(label, sizeof label, "%s: valid %u and %u, invalid %u and %u (the oracle: violated)",
             level_name(level), tally.count[VERDICT_VALID][ORACLE_HOLDS],
             tally.count[VERDICT_VALID][ORACLE_VIOLATED],
             tally.count[VERDICT_INVALID][ORACLE_HOLDS],
             tally.count[VERDICT_INVALID][ORACLE_VIOLATED]);
    printf("%s\n", label);
    if (tally.count[VERDICT_VALID][ORACLE_CANNOT_JUDGE] > ROUNDS / 2)
        return; /* nothing of this level */
    TEST_ASSERT_GREATER_THAN_MESSAGE(ROUNDS / 4, tally.count[VERDICT_VALID][ORACLE_HOLDS], label);
    /* Lists that show an order are hardly ever wrong there. */
    if (!only_shows_orders(level))
        TEST_ASSERT_GREATER_THAN_MESSAGE(ROUNDS / 20,
                                         tally.count[VERDICT_INVALID][ORACLE_VIOLATED], label);
}

static void small_lists_are_judged_as_the_oracle_does(void)
{
    const struct checker *infer = checker_find(TEXT("infer"));

    for (int level = 0; level < LEVEL_END; level++)
        if (level != LEVEL_LINEARIZABLE && checker_decides(infer, (enum level)level))
            compare_level((enum level)level);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(small_lists_are_judged_as_the_oracle_does);
    return UNITY_END();
}
