/*
 * weak: Plume's fourteen patterns, what others miss of the initial state, lists, values
 * that several wrote, and what is told.
 */
#include <stdio.h>
#include <string.h>

#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void) {}

/* --- Patterns --------------------------------------------------------------------- */

struct pattern {
    const char *name, *notation;
    enum level weakest; /* that it violates; what is weaker holds */
    enum anomaly kind;
    int64_t txns[6];
    size_t count;
    const char *begins; /* the explanation, or NULL */
};

#define TXNS(...) { __VA_ARGS__ }, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)

static const struct pattern patterns[] = {
    { "a value that nobody wrote", "T1: w x 1; T2: r x 9", LEVEL_READ_COMMITTED,
      ANOMALY_GARBAGE_READ, TXNS(2), "ThinAirRead: T2 read x=9" },
    { "a value that was rolled back", "T1 abort: w x 1; T2: r x 1", LEVEL_READ_COMMITTED,
      ANOMALY_G1A, TXNS(1, 2), "AbortedRead: T2 read x=1, which T1" },
    { "a value that the reader writes later", "T1: r x 1, w x 1", LEVEL_READ_COMMITTED,
      ANOMALY_FUTURE_READ, TXNS(1), "FutureRead: T1 read x=1" },
    { "another's value behind an own write", "T1: w x 1; T2: w x 2, r x 1", LEVEL_READ_COMMITTED,
      ANOMALY_INTERNAL, TXNS(2), "NotMyOwnWrite: T2 read x=1" },
    { "an own value that was overwritten", "T1: w x 1, w x 2, r x 1", LEVEL_READ_COMMITTED,
      ANOMALY_INTERNAL, TXNS(1), "NotMyLastWrite: T1 read x=1" },
    { "a value that its writer overwrote", "T1: w x 1, w x 2; T2: r x 1", LEVEL_READ_COMMITTED,
      ANOMALY_G1B, TXNS(1, 2), "IntermediateRead: T2 read x=1, which T1" },
    { "reads in a circle", "T1: r x 2, w y 1; T2: r y 1, w x 2", LEVEL_READ_COMMITTED,
      ANOMALY_CYCLIC_CO, TXNS(1, 2), NULL },
    { "sessions and reads in a circle", "T1 s1: r x 2; T2 s1: w x 2", LEVEL_READ_COMMITTED,
      ANOMALY_CYCLIC_CO, TXNS(1, 2), NULL },
    { "a later read of what was overwritten before it",
      "T1: w x 1; T2: r x 1, w x 2, w y 2; T3: r y 2, r x 1", LEVEL_READ_COMMITTED,
      ANOMALY_NON_MONO_READ_CO, TXNS(1, 2, 3), NULL },
    { "two readers who saw two writers in two orders",
      "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 2; T4: r x 2, r y 1",
      LEVEL_READ_COMMITTED, ANOMALY_NON_MONO_READ_AO, TXNS(1, 2, 3, 4), NULL },
    { "a read that is not repeated", "T1: w x 1; T2: w x 2; T3: r x 1, r x 2", LEVEL_READ_ATOMIC,
      ANOMALY_INTERNAL, TXNS(3), "NonRepeatableRead: T3 read x=2" },
    { "a part of an update that saw what was read",
      "T1: w x 1, w y 1; T2: r x 1, w x 2, w y 2; T3: r x 1, r y 2", LEVEL_READ_ATOMIC,
      ANOMALY_FRACTURED_READ_CO, TXNS(1, 2, 3), NULL },
    { "parts of two updates", "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 2",
      LEVEL_READ_ATOMIC, ANOMALY_FRACTURED_READ_AO, TXNS(1, 2, 3), NULL },
    { "what was overwritten before something that was read",
      "T1: w x 1; T2: r x 1, w x 2; T3: r x 2, w y 3; T4: r y 3, r x 1", LEVEL_CAUSAL,
      ANOMALY_CO_CONFLICT_AO, TXNS(1, 2, 3, 4), NULL },
    { "the same with a longer way from the overwritten to who overwrote it",
      "T1: w x 1, w p 1; T2: r x 1, w y 1; T3: r y 1, w z 1; T4: r z 1, w p 2; T5: r p 2, w q 1; "
      "T6: r q 1, r p 1",
      LEVEL_CAUSAL, ANOMALY_CO_CONFLICT_AO, TXNS(1, 2, 3, 4, 5, 6), NULL },
    { "two who saw two writers in two orders, through others",
      "T1: w x 1; T2: w x 2; T3: r x 1, w a 3; T4: r x 2, w b 4; T5: r a 3, r x 2; "
      "T6: r b 4, r x 1",
      LEVEL_CAUSAL, ANOMALY_CONFLICT_AO, TXNS(1, 2, 3, 4, 5, 6), NULL },
    /* The initial transaction comes before all others. */
    { "initial, behind a read of one who overwrote it", "T1: w x 1, w y 1; T2: r y 1, r x _",
      LEVEL_READ_COMMITTED, ANOMALY_NON_MONO_READ_CO, TXNS(1, 2), NULL },
    { "initial, beside a part of an update", "init x 0; T1: w x 1, w y 1; T2: r x 0, r y 1",
      LEVEL_READ_ATOMIC, ANOMALY_FRACTURED_READ_CO, TXNS(1, 2), NULL },
    { "initial, where the session had written", "T1 s1: w x 1; T2 s1: r x _", LEVEL_READ_ATOMIC,
      ANOMALY_FRACTURED_READ_CO, TXNS(1, 2), NULL },
    { "initial, behind one who had read on", "T1: w x 1; T2: r x 1, w y 2; T3: r y 2, r x _",
      LEVEL_CAUSAL, ANOMALY_CO_CONFLICT_AO, TXNS(1, 2, 3), NULL },
    /* Lists. */
    { "two lists of which neither begins with the other",
      "T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [2]", LEVEL_READ_COMMITTED,
      ANOMALY_INCOMPATIBLE_ORDER, TXNS(3, 4), "incompatible-order: " },
    { "a list with an element of an aborted transaction", "T1 abort: a l 1; T2: r l [1]",
      LEVEL_READ_COMMITTED, ANOMALY_G1A, TXNS(1, 2), "AbortedRead: " },
    { "a list in the midst of a transaction", "T1: a l 1, a l 2; T2: r l [1]", LEVEL_READ_COMMITTED,
      ANOMALY_G1B, TXNS(1, 2), "IntermediateRead: " },
    { "a list with an element twice", "T1: a l 1; T2: r l [1 1]", LEVEL_READ_COMMITTED,
      ANOMALY_DUPLICATE_ELEMENTS, TXNS(2), "ThinAirRead: " },
    { "a list without what the reader appended", "T1: a l 1; T2: a l 2, r l [1]",
      LEVEL_READ_COMMITTED, ANOMALY_INTERNAL, TXNS(2), "NotMyOwnWrite: " },
    { "a list against the session", "T1 s1: a l 1; T2 s1: a l 2; T3: r l [2 1]",
      LEVEL_READ_COMMITTED, ANOMALY_NON_MONO_READ_AO, TXNS(1, 2, 3), NULL },
    { "who is missing from a list comes behind it",
      "T1: a l 1, w x 1; T2: a l 2; T3: r l [2]; T4: r x 1, w y 4; T5: r y 4, r l [2]",
      LEVEL_CAUSAL, ANOMALY_CONFLICT_AO, TXNS(1, 2, 3, 4, 5), NULL },
    /* Unknown transactions. */
    { "an unknown one that was read from must be whole",
      "T1 unknown: w x 1, w y 1; T2: r x 1, r y _", LEVEL_READ_COMMITTED, ANOMALY_NON_MONO_READ_CO,
      TXNS(1, 2), NULL },
};

static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL };

static void assert_pattern(const struct pattern *p, const struct history *h, size_t at)
{
    enum level level = levels[at];
    struct check check = fixture_check("weak", h, level, CHECK_WITNESS);
    bool violates = level >= p->weakest;

    TEST_ASSERT_EQUAL_STRING_MESSAGE(violates ? "invalid" : "valid",
                                     fixture_verdict_name(check.verdict), p->name);
    if (violates) {
        TEST_ASSERT_TRUE_MESSAGE(fixture_has_finding(&check, h, p->kind, p->txns, p->count),
                                 p->name);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(level_name(p->weakest), level_name(check.weakest_violated),
                                         p->name);
        if (p->weakest != LEVEL_READ_COMMITTED)
            TEST_ASSERT_EQUAL_STRING_MESSAGE(level_name(p->weakest - 1),
                                             level_name(check.strongest), p->name);
        if (p->begins)
            TEST_ASSERT_EQUAL_INT_MESSAGE(
                0, strncmp(p->begins, check.findings.at[0].explanation, strlen(p->begins)),
                check.findings.at[0].explanation);
    }
    check_close(&check);
}

static void each_pattern_is_found_and_named_from_its_level_on(void)
{
    for (size_t i = 0; i < ROW_COUNT(patterns); i++) {
        struct history h;

        notation_read(patterns[i].notation, &h);
        for (size_t at = 0; at < ROW_COUNT(levels); at++)
            assert_pattern(&patterns[i], &h, at);
        history_close(&h);
    }
}

static void what_is_in_order_holds_at_every_level(void)
{
    static const char *const notations[] = {
        "T1: w x 1",
        "init x 7; T1: r x 7, r y _; T2: w x 1, r x 1",
        "T1 s1: w x 1; T2 s1: r x 1, w x 2; T3 s2: r x 1; T4 s2: r x 2",
        "T1: w x 1; T2: w x 2; T3: r x 1; T4: r x 2", /* two replicas */
        "T1 s1: r x 2; T2 s2: w x 2",                 /* later in the file */
        "T1: w x 1, w y 1; T2: r x 1, r y 1; T3: r x _, r y _",
        "T1: a l 1; T2: a l 2, a l 3; T3: r l [1 2 3]; T4: r l [1]; T5: r l _; T6: a l 4",
        "T1: a l 1; T2: a l 2, r l [1 2], a l 3; T3: r l [1 2 3]",
        "init l [5]; T1: a l 6; T2: r l [5 6]; T3: r l [5]",
        "T1 unknown: w x 1; T2: r x _",
        "T1 s1: w x 1; T2 s1 unknown: w x 2; T3 s1: r x 1", /* it may have landed later */
        "T1: d x; T2: w x 1; T3: r x 1",
        "T1 abort: r x 9, w x 1; T2: r x _",
    };

    for (size_t i = 0; i < ROW_COUNT(notations); i++)
        for (size_t at = 0; at < ROW_COUNT(levels); at++)
            fixture_expect("weak", notations[i], levels[at], VERDICT_VALID);
}

/* --- Doubts ----------------------------------------------------------------------- */

static void what_several_may_have_written_is_no_ground_for_valid(void)
{
    fixture_expect("weak", "T1: w x 1; T2: w x 1; T3: r x 1", LEVEL_CAUSAL, VERDICT_UNKNOWN);
    fixture_expect("weak", "init x 1; T1: w x 1; T2: r x 1", LEVEL_CAUSAL, VERDICT_UNKNOWN);
    /* Nobody reads from himself: one is left. */
    fixture_expect("weak", "T1: w x 1; T2: r x 1, w x 1", LEVEL_CAUSAL, VERDICT_VALID);
}

static void what_is_wrong_without_them_is_invalid_all_the_same(void)
{
    fixture_expect("weak", "T1: w x 1; T2: w x 1; T3: r x 1; T4: r y 2, w z 4; T5: r z 4, w y 2",
                   LEVEL_READ_COMMITTED, VERDICT_INVALID);
    fixture_expect("weak", "T1: w x 1; T2: w x 1; T3: r x 1, r y 9", LEVEL_READ_COMMITTED,
                   VERDICT_INVALID);
}

/* A read without a source stands between two that have one, among few reads and among many. */
static void a_read_without_a_source_hides_no_other(void)
{
    const char *few = "T1: w x 1; T2: w x 2; T3: w x 3; T4: w x 3; T5: r x 1, r x 3, r x 2";
    char many[1000], *end;

    fixture_expect("weak", few, LEVEL_READ_ATOMIC, VERDICT_INVALID);
    strcpy(many, few);
    end = many + strlen(many);
    for (int i = 0; i < 20; i++)
        end += sprintf(end, ", r k%d _", i);
    fixture_expect("weak", many, LEVEL_READ_ATOMIC, VERDICT_INVALID);
}

static void a_key_both_written_and_appended_to_is_not_judged(void)
{
    fixture_expect("weak", "T1: a l 1; T2: w l [2]; T3: r l [2]", LEVEL_CAUSAL, VERDICT_UNKNOWN);
    fixture_expect("weak", "T1: a l 1; T2: a l 1; T3: r l [1]", LEVEL_CAUSAL, VERDICT_UNKNOWN);
}

/* --- What is told ----------------------------------------------------------------- */

static struct check check_notation(const char *notation, enum level level, struct history *h)
{
    notation_read(notation, h);
    return fixture_check("weak", h, level, CHECK_WITNESS);
}

static void the_smallest_of_several_cycles_is_told(void)
{
    struct history h;
    /* T1 to T4 go round by reads, and T2 and T3 by themselves. */
    struct check check = check_notation("T1: r d 4, w a 1; T2: r a 1, r q 3, w b 2; "
                                        "T3: r b 2, w c 3, w q 3; T4: r c 3, w d 4",
                                        LEVEL_READ_COMMITTED, &h);

    TEST_ASSERT_EQUAL_UINT64(1, check.findings.count);
    TEST_ASSERT_TRUE(fixture_has_finding(&check, &h, ANOMALY_CYCLIC_CO, (int64_t[]){ 2, 3 }, 2));
    check_close(&check);
    history_close(&h);
}

static void an_edge_tells_what_it_rests_on(void)
{
    struct history h;
    struct check check = check_notation("T1: w x 1; T2: r x 1, w x 2, w y 2; T3: r y 2, r x 1",
                                        LEVEL_READ_COMMITTED, &h);
    const char *told = check.findings.at[0].explanation;

    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(told, "T1 wrote x=1, which T2 read"), told);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(told, "T2 wrote y=2, which T3 read"), told);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(told, "T3 read x=1 of T1"), told);
    TEST_ASSERT_NOT_NULL(strstr(check.findings.at[0].proof, "\"because\":[{\"from\":2,\"to\":3"));
    check_close(&check);
    history_close(&h);
}

static void violations_that_have_nothing_to_do_with_each_other_are_all_told(void)
{
    struct history h;
    struct check check =
        check_notation("T1: r x 2, w y 1; T2: r y 1, w x 2; T3: w p 1, w q 1; T4: r p 1, r q _; "
                       "T5: r m 6, w n 5; T6: r n 5, w m 6",
                       LEVEL_READ_COMMITTED, &h);

    TEST_ASSERT_EQUAL_UINT64(3, check.findings.count);
    check_close(&check);
    history_close(&h);
    check = check_notation("T3: w p 1, w q 1; T4: r p 1, r q _; T5: w x 5, w y 5; "
                           "T6: r x 5, w x 6, w y 6; T7: r x 5, r y 6",
                           LEVEL_CAUSAL, &h);
    TEST_ASSERT_EQUAL_UINT64(2, check.findings.count);
    TEST_ASSERT_TRUE(fixture_has_kind(&check, ANOMALY_NON_MONO_READ_CO));
    TEST_ASSERT_TRUE(fixture_has_kind(&check, ANOMALY_FRACTURED_READ_CO));
    check_close(&check);
    history_close(&h);
}

static void the_order_of_a_valid_verdict_is_in_the_witness(void)
{
    struct history h;
    struct check check = check_notation("T1: r x 2; T2: w x 2; T3 abort: w x 3", LEVEL_CAUSAL, &h);

    buffer_byte(&check.witness, '\0');
    TEST_ASSERT_NOT_NULL(strstr(check.witness.at, "\"order\":[2,1]"));
    check_close(&check);
    history_close(&h);
}

static void returned_rows_are_reads_and_absence_is_not_judged(void)
{
    struct history h;
    struct check check =
        check_notation("T1: ins {1=5}; T2: sel * {1=5}; T3: sel * {}", LEVEL_CAUSAL, &h);

    TEST_ASSERT_EQUAL_STRING("unknown", fixture_verdict_name(check.verdict));
    TEST_ASSERT_EQUAL_UINT64(2, check.unjudged_predicates);
    check_close(&check);
    history_close(&h);
    check = check_notation("T1: ins {1=5}; T2: sel * {1=6}", LEVEL_CAUSAL, &h);
    TEST_ASSERT_TRUE(fixture_has_kind(&check, ANOMALY_GARBAGE_READ));
    check_close(&check);
    history_close(&h);
}

static void a_check_that_is_stopped_is_unknown_and_says_so(void)
{
    atomic_bool stop = true;
    struct check_options options = { .level = LEVEL_CAUSAL, .stop = &stop };
    struct error err = { 0 };
    struct history h;
    struct check check;

    notation_read("T1: w x 1; T2: r x 1", &h);
    ASSERT_OK(checker_run(checker_find(TEXT("weak")), &h, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL_STRING("unknown", fixture_verdict_name(check.verdict));
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "stopped"));
    check_close(&check);
    history_close(&h);
}

static void set_stop(void *stop, uint64_t done, uint64_t total)
{
    if (2 * done >= total)
        atomic_store((atomic_bool *)stop, true);
}

/* The transactions are at hand by then, and none of the axioms has been looked at. */
static void what_was_not_judged_before_a_stop_is_not_said_to_hold(void)
{
    atomic_bool stop = false;
    struct progress progress = { .report = set_stop, .context = &stop };
    struct check_options options = { .level = LEVEL_CAUSAL, .stop = &stop, .progress = &progress };
    struct error err = { 0 };
    struct history h;
    struct check check;

    notation_read("T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r x 2; T4: r y 2, r y 1", &h);
    ASSERT_OK(checker_run(checker_find(TEXT("weak")), &h, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL_STRING("invalid", fixture_verdict_name(check.verdict));
    TEST_ASSERT_EQUAL(LEVEL_COUNT, check.strongest);
    check_close(&check);
    history_close(&h);
}

static void what_is_said_twice_is_the_same_to_the_byte(void)
{
    for (size_t i = 0; i < ROW_COUNT(patterns); i++) {
        struct history h;
        struct check first, second;

        notation_read(patterns[i].notation, &h);
        first = fixture_check("weak", &h, LEVEL_CAUSAL, CHECK_WITNESS);
        second = fixture_check("weak", &h, LEVEL_CAUSAL, CHECK_WITNESS);
        TEST_ASSERT_EQUAL_UINT64(first.witness.count, second.witness.count);
        TEST_ASSERT_EQUAL_MEMORY(first.witness.at, second.witness.at, first.witness.count);
        check_close(&first);
        check_close(&second);
        history_close(&h);
    }
}

/* Each of the guarantees goes backward in the order of the file: T1 before T2 before T1. */
static void no_verdict_depends_on_whether_a_witness_is_wanted(void)
{
    static const struct {
        const char *notation;
        enum level level;
    } rows[] = {
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s1: r x 1", LEVEL_READ_YOUR_WRITES },
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s1: r x 1", LEVEL_PRAM },
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s2: r x 2; T4 s2: r x 1", LEVEL_MONOTONIC_READS },
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s1: w y 3; T4 s2: r y 3, r x 1", LEVEL_MONOTONIC_WRITES },
        { "T1 s1: w x 1; T2 s1: w x 2; T3 s2: r x 2, w y 3; T4 s3: r y 3, r x 1",
          LEVEL_WRITES_FOLLOW_READS },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history h;

        notation_read(rows[i].notation, &h);
        for (unsigned flags = 0; flags <= (CHECK_WITNESS | CHECK_SLOWLY); flags++) {
            struct check check = fixture_check("weak", &h, rows[i].level, flags);

            TEST_ASSERT_EQUAL_STRING_MESSAGE("invalid", fixture_verdict_name(check.verdict),
                                             rows[i].notation);
            check_close(&check);
        }
        history_close(&h);
    }
}

static void nothing_comes_before_the_initial_transaction(void)
{
    struct history h;
    struct check check =
        check_notation("T1: w x 1, w y 1; T2: r y 1, r x _", LEVEL_READ_COMMITTED, &h);

    TEST_ASSERT_EQUAL_STRING("T1 wrote y=1, which T2 read; T2 read x=null, so T1 must have written "
                             "x before there was anything, which cannot be",
                             check.findings.at[0].explanation);
    TEST_ASSERT_NOT_NULL(strstr(check.findings.at[0].proof, "\"from\":1,\"to\":null"));
    check_close(&check);
    history_close(&h);
}

/* Many wrote what a session reads, and its readers are long: the tables of long readers. */
static void long_transactions_are_judged_like_short_ones(void)
{
    char fresh[6000] = "T1: ", stale[6000], *end = fresh + 4;
    struct history h;
    struct check check;

    for (int i = 0; i < 100; i++)
        end += sprintf(end, "w k%d 1, ", i);
    end += sprintf(end, "w z 1; T2: r z 1");
    for (int i = 0; i < 99; i++)
        end += sprintf(end, ", r k%d 1", i);
    memcpy(stale, fresh, sizeof stale);
    strcpy(end, ", r k99 1");
    strcpy(stale + (end - fresh), ", r k99 _");
    for (size_t at = 0; at < ROW_COUNT(levels); at++) {
        fixture_expect("weak", fresh, levels[at], VERDICT_VALID);
        check = check_notation(stale, levels[at], &h);
        TEST_ASSERT_TRUE(fixture_has_finding(&check, &h, ANOMALY_NON_MONO_READ_CO,
                                             (int64_t[]){ 1, 2 }, 2));
        check_close(&check);
        history_close(&h);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_pattern_is_found_and_named_from_its_level_on);
    RUN_TEST(what_is_in_order_holds_at_every_level);
    RUN_TEST(what_several_may_have_written_is_no_ground_for_valid);
    RUN_TEST(what_is_wrong_without_them_is_invalid_all_the_same);
    RUN_TEST(a_read_without_a_source_hides_no_other);
    RUN_TEST(a_key_both_written_and_appended_to_is_not_judged);
    RUN_TEST(the_smallest_of_several_cycles_is_told);
    RUN_TEST(an_edge_tells_what_it_rests_on);
    RUN_TEST(violations_that_have_nothing_to_do_with_each_other_are_all_told);
    RUN_TEST(the_order_of_a_valid_verdict_is_in_the_witness);
    RUN_TEST(returned_rows_are_reads_and_absence_is_not_judged);
    RUN_TEST(what_is_said_twice_is_the_same_to_the_byte);
    RUN_TEST(no_verdict_depends_on_whether_a_witness_is_wanted);
    RUN_TEST(nothing_comes_before_the_initial_transaction);
    RUN_TEST(long_transactions_are_judged_like_short_ones);
    RUN_TEST(what_was_not_judged_before_a_stop_is_not_said_to_hold);
    RUN_TEST(a_check_that_is_stopped_is_unknown_and_says_so);
    return UNITY_END();
}
