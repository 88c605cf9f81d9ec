/*
 * Linearizability key by key: against the oracle at strict-serializable, which is the same where
 * each transaction touches one key; on registers with known verdicts; and on long ones.
 */
#include "checkers/infer/linear/linear.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "history/jsonl/jsonl_write.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/infer/linear_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

#define ROUNDS 2000

void setUp(void) {}
void tearDown(void) {}

static struct check run(const struct history *h)
{
    struct check_options options = { .level = LEVEL_LINEARIZABLE, .flags = CHECK_WITNESS };
    struct error err = { 0 };
    struct check check;

    ASSERT_OK(checker_run(checker_find(TEXT("infer")), h, &options, &check, &err), &err);
    return check;
}

static void fail(const struct history *h, uint64_t seed, const char *why)
{
    struct buffer text = { 0 };
    struct error err = { 0 };
    struct sink sink;
    char label[1200];

    sink_open_memory(&sink, &text);
    if (h->txn_count <= 100 && jsonl_write(h, &sink, NULL, &err) == STATUS_OK)
        printf("%.*s", (int)text.count, text.at);
    sink_close(&sink);
    buffer_close(&text);
    snprintf(label, sizeof label, "seed %llu: %s", (unsigned long long)seed, why);
    TEST_FAIL_MESSAGE(label);
}

static void assert_proven(const struct history *h, const struct check *check, uint64_t seed)
{
    char reason[600];

    if (!fixture_verify(h, (struct text){ check->witness.at, check->witness.count }, reason)) {
        printf("%.*s\n", (int)check->witness.count, check->witness.at);
        fail(h, seed, reason);
    }
}

/* --- The oracle ---------------------------------------------------------------------- */

struct tally {
    unsigned verdicts[3], beyond;
};

static void compare(const struct linear_drawing *d, uint64_t seed, struct tally *tally)
{
    struct oracle_options options = { .steps_max = 300000 };
    struct history h;
    struct check check;
    enum oracle_answer answer;

    linear_draw(d, seed, &h);
    check = run(&h);
    answer = oracle_decide(&h, LEVEL_STRICT_SERIALIZABLE, options);
    tally->verdicts[check.verdict]++;
    tally->beyond += answer == ORACLE_CANNOT_JUDGE;
    if (check.verdict == VERDICT_VALID && answer == ORACLE_VIOLATED)
        fail(&h, seed, "valid, which the oracle denies");
    if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS)
        fail(&h, seed, "invalid, which the oracle denies");
    if (check.verdict == VERDICT_UNKNOWN && (d->kind != LINEAR_MIXED || answer == ORACLE_HOLDS))
        fail(&h, seed, check.reason);
    if (check.verdict != VERDICT_UNKNOWN && d->kind != LINEAR_MIXED)
        assert_proven(&h, &check, seed);
    check_close(&check);
    history_close(&h);
}

static void compare_kind(enum linear_kind kind, const char *name)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS); seed++) {
        struct linear_drawing d = { .kind = kind,
                                    .operations = 3 + seed % 7,
                                    .keys = 1 + (seed / 7) % 2,
                                    .clients = 2 + seed % 4,
                                    .values = 1 + seed % 3,
                                    .unknown_percent = seed % 3 == 0 ? 25 : 0,
                                    .wrong = seed % 4 };

        compare(&d, seed, &tally);
    }
    printf("%s: %u valid, %u invalid, %u unknown, %u beyond the oracle\n", name,
           tally.verdicts[VERDICT_VALID], tally.verdicts[VERDICT_INVALID],
           tally.verdicts[VERDICT_UNKNOWN], tally.beyond);
    TEST_ASSERT_GREATER_THAN(ROUNDS / 10, tally.verdicts[VERDICT_VALID]);
    TEST_ASSERT_GREATER_THAN(ROUNDS / 20, tally.verdicts[VERDICT_INVALID]);
    TEST_ASSERT_LESS_THAN(ROUNDS / 10, tally.beyond);
}

static void registers_of_unique_values_agree_with_the_oracle(void)
{
    compare_kind(LINEAR_UNIQUE, "unique");
}

static void registers_of_few_values_agree_with_the_oracle(void)
{
    compare_kind(LINEAR_REPEATED, "repeated");
}

static void lists_agree_with_the_oracle(void)
{
    compare_kind(LINEAR_LISTS, "lists");
}

static void lists_that_are_written_too_agree_with_the_oracle(void)
{
    compare_kind(LINEAR_MIXED, "mixed");
}

/* --- Known verdicts ------------------------------------------------------------------- */

static void registers_of_known_verdict_are_judged_so(void)
{
    static const struct {
        const char *what, *history;
        enum verdict verdict;
    } rows[] = {
        { "one after the other", "T1 @0-1: w x 1; T2 @2-3: r x 1", VERDICT_VALID },
        { "a stale read", "T1 @0-1: w x 1; T2 @2-3: r x _", VERDICT_INVALID },
        { "a read while it is written", "T1 @0-10: w x 1; T2 @2-3: r x _; T3 @4-5: r x 1",
          VERDICT_VALID },
        { "seen, and then no more", "T1 @0-10: w x 1; T2 @2-3: r x 1; T3 @4-5: r x _",
          VERDICT_INVALID },
        { "at one moment is not before", "T1 @0-5: w x 1; T2 @5-6: r x _", VERDICT_VALID },
        { "two of one value, with another between",
          "T1 @0-1: w x 1; T2 @2-9: w x 2; T3 @3-4: r x 2; T4 @5-12: w x 1; T5 @6-7: r x 1; "
          "T6 @10-11: r x 1",
          VERDICT_VALID },
        { "back to a value that nobody writes again",
          "T1 @0-1: w x 1; T2 @2-3: w x 2; T3 @4-5: w x 3, w x 3; T4 @6-7: r x 2",
          VERDICT_INVALID },
        { "an unknown write takes effect late",
          "T1 @0-1: w x 1; T2 unknown @2-: w x 2; T3 @5-6: r x 1; T4 @50-51: r x 2", VERDICT_VALID },
        { "an unknown write takes effect once",
          "T1 @0-1: w x 1; T2 unknown @2-: w x 2; T3 @5-6: r x 2; T4 @7-8: w x 1; T5 @9-10: r x 2",
          VERDICT_INVALID },
        { "nor before it was invoked",
          "T1 @0-1: w x 1; T2 @3-4: r x 2; T3 unknown @5-: w x 2", VERDICT_INVALID },
        { "an aborted write is never read", "T1 abort @0-1: w x 1; T2 @2-3: r x 1",
          VERDICT_INVALID },
        { "two compare-and-sets of one value",
          "T1 @0-1: w x 1; T2 @2-9: r x 1, w x 2; T3 @2-9: r x 1, w x 3", VERDICT_INVALID },
        { "a circle of compare-and-sets",
          "T1 @0-9: r x 1, w x 2; T2 @0-9: r x 2, w x 1", VERDICT_INVALID },
        { "a lock that two hold",
          "T1 @0-1: r m _, w m 1; T2 @2-3: r m _, w m 1; T3 @4-5: r m 1, w m _", VERDICT_INVALID },
        { "a lock that one holds after the other",
          "T1 @0-1: r m _, w m 1; T3 @2-5: r m 1, w m _; T2 @3-6: r m _, w m 1", VERDICT_VALID },
        { "deleted, and gone", "T1 @0-1: w x 1; T2 @2-3: d x; T3 @4-5: r x _", VERDICT_VALID },
        { "a list that goes back", "T1 @0-1: a l 1; T2 @2-3: r l [1]; T3 @4-5: r l _",
          VERDICT_INVALID },
        { "an append that is over and missing", "T1 @0-1: a l 1; T2 @2-3: a l 2; T3 @4-5: r l [2]",
          VERDICT_INVALID },
        { "appends at once, in either order",
          "T1 @0-9: a l 1; T2 @0-9: a l 2; T3 @10-11: r l [2 1]", VERDICT_VALID },
        { "two orders of a list",
          "T1 @0-9: a l 1; T2 @0-9: a l 2; T3 @10-11: r l [2 1]; T4 @10-11: r l [1 2]",
          VERDICT_INVALID },
        { "the initial value", "init x 5; T1 @0-1: r x 5; T2 @2-3: w x 6; T3 @4-5: r x 6",
          VERDICT_VALID },
        { "the initial value, again", "init x 5; T2 @2-3: w x 6; T3 @4-5: r x 5", VERDICT_INVALID },
        { "keys each by itself",
          "T1 @0-9: w x 1; T2 @0-9: w y 1; T3 @0-9: r x _; T4 @0-9: r y 1", VERDICT_VALID },
        { "nothing at all", "T1 @0-1: r x _; T2 @0-1: r y _", VERDICT_VALID },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history h;
        struct check check;

        notation_read(rows[i].history, &h);
        check = run(&h);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(fixture_verdict_name(rows[i].verdict),
                                         fixture_verdict_name(check.verdict), rows[i].what);
        assert_proven(&h, &check, i);
        check_close(&check);
        history_close(&h);
    }
}

static void the_explanation_says_who_could_not_be_placed_and_what_was_held(void)
{
    struct history h;
    struct check check;

    notation_read("T1 @0-1: w x 1; T2 @2-9: w x 2; T3 @3-4: r x 2; T4 @5-6: r x 1; T5 @30-31: r x 2",
                  &h);
    check = run(&h);
    TEST_ASSERT_EQUAL(ANOMALY_NOT_LINEARIZABLE, check.findings.at[0].kind);
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(check.findings.at[0].explanation,
               "x is not linearizable: no order explains the first 3 operations that were over; "
               "T4 (found 1) cannot be placed: where all that was over before it fits, what is "
               "held can be 2; "),
        check.findings.at[0].explanation);
    check_close(&check);
    history_close(&h);
}

static void statements_and_histories_without_times_are_refused(void)
{
    struct check_options options = { .level = LEVEL_LINEARIZABLE };
    struct check check = { .level = LEVEL_LINEARIZABLE };
    struct error err = { 0 };
    struct history h;

    notation_read("T1: w x 1", &h);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, linear_run(&h, &options, &check, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "real time"));
    history_close(&h);
    notation_read("T1 @0-1: sel v>=10 {}", &h);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, linear_run(&h, &options, &check, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "predicates"));
    history_close(&h);
    check_close(&check);
}

/* Projected to its keys: they are refuted one by one, and have one order if all of it has. */
static void transactions_of_several_keys_are_judged_by_the_keys(void)
{
    struct history h;
    struct check check;

    notation_read("T1 @0-1: w x 1, w y 1; T2 @2-3: r x 1, r y 1", &h);
    check = run(&h);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
    assert_proven(&h, &check, 0);
    check_close(&check);
    history_close(&h);
    /* Each key is linearizable by itself: that is all that is asked, but nothing shows it. */
    notation_read("T1 @0-9: r x _, w y 1; T2 @0-9: r y _, w x 1", &h);
    check = run(&h);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "several keys"));
    check_close(&check);
    history_close(&h);
    notation_read("T1 @0-1: w x 1, w y 1; T2 @2-3: r x _, r y 1", &h);
    check = run(&h);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_NULL(strstr(check.findings.at[0].proof, "\"y\""));
    assert_proven(&h, &check, 0);
    check_close(&check);
    history_close(&h);
}

/* --- Long ones ------------------------------------------------------------------------ */

static double seconds_of(const struct linear_drawing *d, uint64_t seed, enum verdict *verdict)
{
    struct history h;
    struct check check;
    clock_t begin;
    double seconds;

    linear_draw(d, seed, &h);
    begin = clock();
    check = run(&h);
    seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    *verdict = check.verdict;
    if (check.verdict == VERDICT_UNKNOWN)
        printf("unknown: %s\n", check.reason);
    if (check.verdict != VERDICT_UNKNOWN && d->kind != LINEAR_MIXED)
        assert_proven(&h, &check, seed);
    check_close(&check);
    history_close(&h);
    return seconds;
}

static void ten_thousand_operations_of_many_clients_are_judged(void)
{
    static const char *const names[] = { "unique", "repeated", "lists", "mixed" };

    for (int kind = 0; kind < LINEAR_MIXED; kind++)
        for (uint32_t clients = 10; clients <= 20; clients += 10)
            for (uint32_t wrong = 0; wrong < 2; wrong++) {
                struct linear_drawing d = { .kind = (enum linear_kind)kind,
                                            .operations = 10000,
                                            .keys = 1,
                                            .clients = clients,
                                            .values = 5,
                                            .wrong = wrong * 3,
                                            .unknown_percent = kind == LINEAR_REPEATED ? 0 : 1 };
                enum verdict verdict;
                double seconds = seconds_of(&d, clients + wrong, &verdict);

                printf("%s, %u clients: %s in %.3f s\n", names[kind], clients,
                       fixture_verdict_name(verdict), seconds);
                if (wrong == 0)
                    TEST_ASSERT_EQUAL(VERDICT_VALID, verdict);
            }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(registers_of_known_verdict_are_judged_so);
    RUN_TEST(the_explanation_says_who_could_not_be_placed_and_what_was_held);
    RUN_TEST(statements_and_histories_without_times_are_refused);
    RUN_TEST(transactions_of_several_keys_are_judged_by_the_keys);
    RUN_TEST(registers_of_unique_values_agree_with_the_oracle);
    RUN_TEST(registers_of_few_values_agree_with_the_oracle);
    RUN_TEST(lists_agree_with_the_oracle);
    RUN_TEST(lists_that_are_written_too_agree_with_the_oracle);
    RUN_TEST(ten_thousand_operations_of_many_clients_are_judged);
    return UNITY_END();
}
