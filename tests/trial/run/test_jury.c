/*
 * Who is due to judge a run, and what it means if one of them does not.
 */
#include "trial/run/jury.h"

#include <string.h>

#include "checkers/interval/profile.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "store/store.h"
#include "unity.h"

static struct error err;
static struct jury jury;
static struct history history;

void setUp(void)
{
    memset(&jury, 0, sizeof jury);
    memset(&err, 0, sizeof err);
}

void tearDown(void)
{
    jury_close(&jury);
}

/* As a run of the protocol has it judged; NULL: nobody is named. */
static void judge(const char *protocol, const char *notation, const uint32_t *named)
{
    struct store_protocol_facts facts = store_protocol_facts(store_protocol(text_of(protocol)));
    struct jury_options options = { .check.level = facts.level, .rule = JURY_DUE };

    notation_read(notation, &history);
    options.is_named = named != NULL;
    options.named = named ? *named : 0;
    options.due = named ? *named : jury_due(&facts, &history, facts.level);
    ASSERT_OK(jury_judge(&jury, &history, &options, &err), &err);
    history_close(&history);
}

static bool is_due(const char *checker, const char *protocol, const char *notation, int unique)
{
    struct store_protocol_facts facts = store_protocol_facts(store_protocol(text_of(protocol)));
    bool due;

    notation_read(notation, &history);
    history.unique = (int8_t)unique;
    due = jury_due(&facts, &history, facts.level) & jury_bit(checker_find(text_of(checker)));
    history_close(&history);
    return due;
}

#define ITEMS "T1 @1-2: w x 1; T2 @3-4: r x 1"
#define LISTS "T1 @1-2: a x 1; T2 @3-4: r x [1]"
#define ROWS "T1 @1-2: w t/1 1; T2 @3-4: sel * {1=1}"

static void who_is_due_follows_from_protocol_level_and_history(void)
{
    static const struct {
        const char *checker, *protocol, *history;
        int unique;
        bool is_due;
    } rows[] = {
        { "order", "mvto", ITEMS, 1, true },        { "order", "2pl", ROWS, 0, true },
        { "order", "occ", LISTS, 1, true },         { "order", "ssi", ITEMS, 1, false },
        { "order", "si", ITEMS, 1, false },         { "order", "eventual", ITEMS, 1, false },
        { "certificate", "mvto", ROWS, 0, true },   { "certificate", "rc", ROWS, 0, true },
        { "certificate", "eventual", ITEMS, 1, true },
        { "certificate", "causal", ITEMS, 1, true },
        { "interval", "si", ROWS, 0, true },        { "interval", "causal", ITEMS, 1, false },
        { "blackbox", "ssi", ITEMS, 0, true },      { "blackbox", "ssi", ROWS, 1, false },
        { "blackbox", "rc", ITEMS, 1, false },      { "weak", "causal", ITEMS, 1, true },
        { "weak", "causal", ITEMS, 0, false },      { "weak", "causal", ROWS, 1, false },
        { "weak", "mvto", ITEMS, 1, false },        { "infer", "mvto", LISTS, 1, true },
        { "infer", "mvto", ITEMS, 1, false },       { "infer", "mvto", LISTS, 0, false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        char label[100];

        snprintf(label, sizeof label, "%s %s %zu", rows[i].checker, rows[i].protocol, i);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_due, is_due(rows[i].checker, rows[i].protocol,
                                                         rows[i].history, rows[i].unique),
                                  label);
    }
}

static bool has_gap(const char *checker)
{
    struct jury_gap gap;

    for (uint32_t i = 0; jury_gap(&jury, i, &gap); i++)
        if (strcmp(gap.checker, checker) == 0)
            return gap.reason[0] != '\0';
    return false;
}

/* Blackbox judges all of it, and that used to do. */
static void a_run_without_its_certificate_is_unknown(void)
{
    judge("mvto", ITEMS, NULL);
    TEST_ASSERT_TRUE(has_gap("order"));
    TEST_ASSERT_TRUE(has_gap("certificate"));
    TEST_ASSERT_FALSE(has_gap("blackbox"));
    TEST_ASSERT_FALSE(has_gap("weak"));
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, jury.verdict);
}

static void a_violation_is_one_whoever_did_not_judge(void)
{
    judge("mvto", "init x 0; T1: r x 0, w x 1; T2: r x 0, w x 2; T3: r x 1, r x 0", NULL);
    TEST_ASSERT_TRUE(has_gap("order"));
    TEST_ASSERT_EQUAL(VERDICT_INVALID, jury.verdict);
}

static uint32_t bit_of(const char *checker)
{
    return jury_bit(checker_find(text_of(checker)));
}

static void who_is_not_asked_is_not_due_and_who_is_named_is(void)
{
    uint32_t named = bit_of("blackbox");

    judge("mvto", ITEMS, &named);
    TEST_ASSERT_FALSE(has_gap("order"));
    TEST_ASSERT_TRUE(jury_is_due(&jury, checker_find(TEXT("blackbox"))));
    TEST_ASSERT_FALSE(jury_is_due(&jury, checker_find(TEXT("order"))));
    TEST_ASSERT_EQUAL(VERDICT_VALID, jury.verdict);
    jury_close(&jury);

    /* It cannot tell which 1 was read. */
    named |= bit_of("infer");
    judge("mvto", "T1: w x 1; T2: w x 1; T3: r x 1", &named);
    TEST_ASSERT_TRUE(has_gap("infer"));
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, jury.verdict);
}

static void a_run_that_nobody_is_to_judge_is_not_in_doubt(void)
{
    uint32_t nobody = 0;

    judge("mvto", ITEMS, &nobody);
    TEST_ASSERT_FALSE(has_gap("order"));
    TEST_ASSERT_EQUAL(VERDICT_VALID, jury.verdict);
}

/*
 * A list lost what a client was told is there: some order explains it, but none within times. Once
 * the profile was passed over because its level is stronger than the one asked for.
 */
static void a_profile_that_is_promised_is_judged_at_its_own_level(void)
{
    struct jury_options options = { .check.level = LEVEL_SERIALIZABLE,
                                    .profile = profile_find(TEXT("postgresql/serializable")) };

    for (int promised = 0; promised < 2; promised++) {
        options.is_promised = promised;
        notation_read("T1 @1-2: a x 1; T2 @3-4: r x []", &history);
        ASSERT_OK(jury_judge(&jury, &history, &options, &err), &err);
        TEST_ASSERT_EQUAL(promised ? VERDICT_INVALID : VERDICT_VALID, jury.verdict);
        if (promised) {
            TEST_ASSERT_EQUAL_STRING("interval", jury.decisive->check.checker->name);
            TEST_ASSERT_EQUAL(LEVEL_STRICT_SERIALIZABLE, jury.decisive->check.level);
        }
        jury_close(&jury);
        history_close(&history);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(who_is_due_follows_from_protocol_level_and_history);
    RUN_TEST(a_run_without_its_certificate_is_unknown);
    RUN_TEST(a_violation_is_one_whoever_did_not_judge);
    RUN_TEST(who_is_not_asked_is_not_due_and_who_is_named_is);
    RUN_TEST(a_run_that_nobody_is_to_judge_is_not_in_doubt);
    RUN_TEST(a_profile_that_is_promised_is_judged_at_its_own_level);
    return UNITY_END();
}
