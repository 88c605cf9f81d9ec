/*
 * The checkers against the oracle, in bulk: random small histories with everything in them,
 * each judged by the checkers that know the store's order, at every level that they decide.
 *
 * The tests beside the checkers ask the same of some thousands of histories, and also how it is
 * told; here there are 200,000, of up to eight transactions, so that what needs several coincidences
 * comes up as well; under ORDEAL_SOAK ten millions. `make check` runs this from the optimised
 * build for their sake: with sanitizers, or not optimised, there are a hundredth of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "checkers/checker.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#ifdef __has_feature
#define IS_SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

#if IS_SANITIZED || !defined(__OPTIMIZE__)
#define HISTORIES 2000
#else
#define HISTORIES 200000
#endif
#define STEPS_MAX 100000

static const enum level certificate_levels[] = {
    LEVEL_READ_UNCOMMITTED,  LEVEL_READ_COMMITTED,       LEVEL_REPEATABLE_READ,
    LEVEL_SNAPSHOT,          LEVEL_SESSION_SNAPSHOT,     LEVEL_STRICT_SNAPSHOT,
    LEVEL_SERIALIZABLE,      LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE,
    LEVEL_CAUSAL,
};

static const enum level order_levels[] = {
    LEVEL_SERIALIZABLE,
    LEVEL_SESSION_SERIALIZABLE,
    LEVEL_STRICT_SERIALIZABLE,
};

/* What came of the histories of one level. */
struct tally {
    unsigned valid, invalid, unknown;
    unsigned refused;  /* what the checker needs is not there */
    unsigned unjudged; /* by the oracle */
};

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static void fail_on(const char *what, enum level level, uint64_t seed)
{
    char label[200];

    snprintf(label, sizeof label, "%s: %s, seed %llu", level_name(level), what,
             (unsigned long long)seed);
    TEST_FAIL_MESSAGE(label);
}

static void count(struct tally *tally, enum verdict verdict, enum oracle_answer answer)
{
    tally->valid += verdict == VERDICT_VALID;
    tally->invalid += verdict == VERDICT_INVALID;
    tally->unknown += verdict == VERDICT_UNKNOWN;
    tally->unjudged += answer == ORACLE_CANNOT_JUDGE;
}

/* Enough of everything, so that agreement says something. */
static void assert_tally(const struct tally *tally, enum level level, const char *checker)
{
    unsigned all = tally->valid + tally->invalid + tally->unknown + tally->refused;
    char label[200];

    snprintf(label, sizeof label,
             "%s at %s: %u valid, %u invalid, %u unknown, %u refused, %u beyond the oracle",
             checker, level_name(level), tally->valid, tally->invalid, tally->unknown,
             tally->refused, tally->unjudged);
    if (getenv("VERBOSE"))
        puts(label);
    TEST_ASSERT_GREATER_THAN_MESSAGE(all / 5, tally->valid, label);
    TEST_ASSERT_GREATER_THAN_MESSAGE(level == LEVEL_READ_UNCOMMITTED ? all / 100 : all / 8,
                                     tally->invalid, label);
    TEST_ASSERT_LESS_THAN_MESSAGE(all / 50, tally->unknown, label);
    TEST_ASSERT_LESS_THAN_MESSAGE(all / 100, tally->unjudged, label);
}

static void run(const char *checker, const struct history *h, enum level level, struct check *check,
                bool *is_refused)
{
    struct check_options options = { .level = level };

    *is_refused = checker_run(checker_find(text_of(checker)), h, &options, check, &err) != STATUS_OK;
    if (*is_refused)
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, err.status);
}

/* --- Certificate ------------------------------------------------------------------ */

/* What only the checker sees: places, equal values. */
static bool is_beyond_the_oracle(const struct check *check)
{
    for (size_t i = 0; i < check->findings.count; i++)
        if (check->findings.at[i].kind != ANOMALY_LOST_UPDATE &&
            check->findings.at[i].kind != ANOMALY_CYCLIC_VERSIONS &&
            check->findings.at[i].kind != ANOMALY_DUPLICATE_WRITE)
            return false;
    return true;
}

static void judge_by_certificate(const struct history *h, enum level level, uint64_t seed,
                                 struct tally *tally)
{
    struct check check;
    enum oracle_answer answer;
    bool is_refused;

    run("certificate", h, level, &check, &is_refused);
    if (is_refused) {
        tally->refused++;
    } else {
        answer = oracle_decide(
            h, level, (struct oracle_options){ .use_certificate = true, .steps_max = STEPS_MAX });
        count(tally, check.verdict, answer);
        if (check.verdict == VERDICT_VALID && answer == ORACLE_VIOLATED)
            fail_on("valid, which the oracle denies", level, seed);
        if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS &&
            !is_beyond_the_oracle(&check))
            fail_on("invalid, which the oracle denies", level, seed);
    }
    check_close(&check);
}

static void certificate_agrees_with_the_oracle_on_every_level(void)
{
    struct tally tallies[ROW_COUNT(certificate_levels)] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(HISTORIES); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;

        options.certificate = options.times = true;
        options.txns_max = SMALL_TXNS_MAX;
        small_history(&options, seed, &history);
        for (size_t i = 0; i < ROW_COUNT(certificate_levels); i++)
            /* Where reads are not judged, lists say more to the oracle than version orders do. */
            if (certificate_levels[i] != LEVEL_READ_UNCOMMITTED || !options.lists)
                judge_by_certificate(&history, certificate_levels[i], seed, &tallies[i]);
        history_close(&history);
    }
    for (size_t i = 0; i < ROW_COUNT(certificate_levels); i++)
        assert_tally(&tallies[i], certificate_levels[i], "certificate");
}

/* --- Order -------------------------------------------------------------------------- */

/*
 * Sees to it that the oracle can tell: a copy of the history in which real time says all, as
 * transactions follow each other in the order of their ts. Then its strict serializability is
 * what `order` decides of serializability.
 */
struct timed {
    struct history history;
    int64_t invoked[SMALL_TXNS_MAX], completed[SMALL_TXNS_MAX];
};

static void time_by_ts(const struct history *h, struct timed *timed)
{
    TEST_ASSERT_LESS_OR_EQUAL(SMALL_TXNS_MAX, h->txn_count);
    timed->history = *h;
    timed->history.txn_invoked = timed->invoked;
    timed->history.txn_completed = timed->completed;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        int64_t rank = 0;

        for (uint32_t other = 0; other < h->txn_count; other++)
            rank += history_compare_places(history_ts(h, other), history_ts(h, t)) < 0;
        timed->invoked[t] = 10 * rank;
        timed->completed[t] = 10 * rank + 5;
    }
}

static bool goes_before(const struct history *h, enum level level, uint32_t a, uint32_t b)
{
    if (level == LEVEL_SERIALIZABLE)
        return false;
    if (level == LEVEL_SESSION_SERIALIZABLE)
        return h->txn_session[a] == h->txn_session[b] && a < b;
    return h->txn_completed[a] != TIME_ABSENT && h->txn_invoked[b] != TIME_ABSENT &&
           h->txn_completed[a] < h->txn_invoked[b];
}

/* Above serializability all that is asked for is that ts puts no pair the other way round. */
static bool has_inversion(const struct history *h, enum level level)
{
    for (uint32_t a = 0; a < h->txn_count; a++)
        for (uint32_t b = 0; b < h->txn_count; b++)
            if (h->txn_status[a] == TXN_OK && h->txn_status[b] == TXN_OK &&
                goes_before(h, level, a, b) &&
                history_compare_places(history_ts(h, b), history_ts(h, a)) < 0)
                return true;
    return false;
}

static void judge_by_order(const struct history *h, enum oracle_answer answer, enum level level,
                           uint64_t seed, struct tally *tally)
{
    struct check check;
    bool is_refused, holds;

    run("order", h, level, &check, &is_refused);
    if (is_refused) {
        tally->refused++;
    } else {
        count(tally, check.verdict, answer);
        holds = answer == ORACLE_HOLDS && !has_inversion(h, level);
        /* Of version orders against places it was not asked. */
        if (answer != ORACLE_CANNOT_JUDGE && holds != (check.verdict == VERDICT_VALID) &&
            !(holds && is_beyond_the_oracle(&check)))
            fail_on("the oracle says otherwise", level, seed);
    }
    check_close(&check);
}

static void order_agrees_with_the_oracle_on_every_level(void)
{
    struct tally tallies[ROW_COUNT(order_levels)] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(HISTORIES); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;
        struct timed timed;
        enum oracle_answer answer;

        options.certificate = options.times = true;
        options.unknowns = false; /* nobody has timed those */
        options.txns_max = SMALL_TXNS_MAX;
        /* Those that read elsewhere than at their own place are not for `order`. */
        if (options.mode != SMALL_NOISE)
            options.mode = SMALL_SERIAL;
        small_history(&options, seed, &history);
        time_by_ts(&history, &timed);
        answer = oracle_decide(&timed.history, LEVEL_STRICT_SERIALIZABLE,
                               (struct oracle_options){ .steps_max = STEPS_MAX });
        for (size_t i = 0; i < ROW_COUNT(order_levels); i++)
            judge_by_order(&history, answer, order_levels[i], seed, &tallies[i]);
        history_close(&history);
    }
    for (size_t i = 0; i < ROW_COUNT(order_levels); i++)
        assert_tally(&tallies[i], order_levels[i], "order");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(certificate_agrees_with_the_oracle_on_every_level);
    RUN_TEST(order_agrees_with_the_oracle_on_every_level);
    return UNITY_END();
}
