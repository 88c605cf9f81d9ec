/*
 * blackbox on histories that fit on a line: what it accepts next to what it refuses, and what
 * it says. That it is right on all others is for test_blackbox_agreement.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/checkers/blackbox/blackbox_fixture.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

struct row {
    const char *what;
    const char *notation;
    enum level level;
    enum verdict verdict;
};

/* With a witness, which verify must accept; quickly and slowly. */
static void expect(const struct row *row)
{
    struct history history;

    notation_read(row->notation, &history);
    for (unsigned flags = CHECK_WITNESS; flags <= (CHECK_WITNESS | CHECK_SLOWLY);
         flags += CHECK_SLOWLY) {
        struct check check = fixture_check("blackbox", &history, row->level, flags);
        char reason[512];

        TEST_ASSERT_EQUAL_STRING_MESSAGE(fixture_verdict_name(row->verdict),
                                         fixture_verdict_name(check.verdict), row->what);
        if (check.verdict != VERDICT_UNKNOWN) {
            bool is_accepted = fixture_verify(
                &history, (struct text){ check.witness.at, check.witness.count }, reason);

            TEST_ASSERT_TRUE_MESSAGE(is_accepted, row->what);
        }
        check_close(&check);
    }
    history_close(&history);
}

static void expect_all(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(&rows[i]);
}

static struct check check_notation(const char *notation, enum level level, struct history *history)
{
    notation_read(notation, history);
    return fixture_check("blackbox", history, level, CHECK_WITNESS);
}

static void the_levels_differ_as_they_should(void)
{
    static const struct row rows[] = {
        { "one after the other", "T1: r x _, w y 1; T2: r y 1, w x 1", LEVEL_SERIALIZABLE,
          VERDICT_VALID },
        { "equal ts are no more than a hint", "T1 ts5: w x 1; T2 ts5: r x 1", LEVEL_SERIALIZABLE,
          VERDICT_VALID },
        { "write skew", "T1: r x _, w y 1; T2: r y _, w x 1", LEVEL_SERIALIZABLE, VERDICT_INVALID },
        { "write skew is a snapshot", "T1: r x _, w y 1; T2: r y _, w x 1", LEVEL_SNAPSHOT,
          VERDICT_VALID },
        { "lost update", "T1: r x _, w x 1; T2: r x _, w x 2", LEVEL_SNAPSHOT, VERDICT_INVALID },
        { "long fork", "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1", LEVEL_SNAPSHOT,
          VERDICT_INVALID },
        { "blind writers overlap in nobody's sight",
          "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 1", LEVEL_SNAPSHOT, VERDICT_VALID },
        { "a write torn between two", "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 2",
          LEVEL_SNAPSHOT, VERDICT_INVALID },
        { "stale in its session", "T1 s1: w x 1; T2 s1: r x _", LEVEL_SESSION_SERIALIZABLE,
          VERDICT_INVALID },
        { "stale, but nobody asks for sessions", "T1 s1: w x 1; T2 s1: r x _", LEVEL_SERIALIZABLE,
          VERDICT_VALID },
        { "stale in time", "T1 s1 @1-2: w x 1; T2 s2 @3-4: r x _", LEVEL_STRICT_SNAPSHOT,
          VERDICT_INVALID },
        { "not stale: they overlap", "T1 s1 @1-3: w x 1; T2 s2 @3-4: r x _",
          LEVEL_STRICT_SERIALIZABLE, VERDICT_VALID },
        { "the initial value comes before all",
          "init x 5; T1: w x 1; T2: r x 1, w y 1; T3: r y 1, r x 5", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
    };

    expect_all(rows, ROW_COUNT(rows));
}

static void values_that_repeat_are_choices(void)
{
    static const struct row rows[] = {
        { "either writer will do", "T1: w x 1; T2: w x 1; T3: r x 1", LEVEL_SERIALIZABLE,
          VERDICT_VALID },
        { "only the second will do", "T1 s1: w x 1; T2 s1: w x 2; T3 s1: w x 1; T4 s1: r x 1",
          LEVEL_SESSION_SERIALIZABLE, VERDICT_VALID },
        { "neither will do", "T1 s1: w x 1; T2 s1: w x 1; T3 s1: w x 2; T4 s1: r x 1",
          LEVEL_SESSION_SERIALIZABLE, VERDICT_INVALID },
        { "back to the initial value", "init x 1; T1: w x 2; T2: w x 1; T3: r x 1",
          LEVEL_SERIALIZABLE, VERDICT_VALID },
        { "null, which nobody left", "init x 1; T1: r x _, w y 1", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
        { "what it writes itself explains nothing", "T1: r x 1, w x 1", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
        { "null from who deleted it", "T1 s1: w x 1; T2 s1: d x; T3 s1: r x _",
          LEVEL_SESSION_SERIALIZABLE, VERDICT_VALID },
    };

    expect_all(rows, ROW_COUNT(rows));
}

static void unknown_transactions_are_in_or_out(void)
{
    static const struct row rows[] = {
        { "in: it was read", "T1 unknown: w x 1; T2: r x 1", LEVEL_SERIALIZABLE, VERDICT_VALID },
        { "out: it was not seen", "T1 s1 @1- unknown: w x 1; T2 s2 @3-4: r x _",
          LEVEL_STRICT_SERIALIZABLE, VERDICT_VALID },
        { "in as a whole", "T1 unknown: w x 1, w y 1; T2: r x 1, r y _", LEVEL_SNAPSHOT,
          VERDICT_INVALID },
        { "others come before it",
          "T1 s1: w x 2; T2 s1 unknown: w x 1; T3 s2: r x 1, r y _; "
          "T4 s1: r x 2",
          LEVEL_SESSION_SERIALIZABLE, VERDICT_VALID },
        { "a version order leaves it out", "T1 unknown: w x 1; T2: w x 2; T3: r x 1; order x T2",
          LEVEL_SERIALIZABLE, VERDICT_INVALID },
    };

    expect_all(rows, ROW_COUNT(rows));
}

static void lists_show_the_order_of_their_appends(void)
{
    static const struct row rows[] = {
        { "a prefix", "T1: a l 1; T2: a l 2; T3: r l [1]; T4: r l [1 2]", LEVEL_SERIALIZABLE,
          VERDICT_VALID },
        { "two orders", "T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [2 1]", LEVEL_SNAPSHOT,
          VERDICT_INVALID },
        { "one without the other", "T1: a l 1; T2: a l 2; T3: r l [1]; T4: r l [2]", LEVEL_SNAPSHOT,
          VERDICT_INVALID },
        { "torn", "T1: a l 1, a l 2; T2: r l [1]", LEVEL_SNAPSHOT, VERDICT_INVALID },
        { "in the wrong order", "T1: a l 1, a l 2; T2: r l [2 1]", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
        { "another in between", "T1: a l 1, a l 2; T2: a l 3; T3: r l [1 3 2]", LEVEL_SNAPSHOT,
          VERDICT_INVALID },
        { "its own at the end", "T1: a l 1; T2: a l 2, r l [1 2]", LEVEL_SERIALIZABLE,
          VERDICT_VALID },
        { "its own is missing", "T1: a l 1; T2: a l 2, r l [1]", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
        { "before what was there", "init l [7]; T1: a l 1; T2: r l [1 7]", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
        { "without what was there", "init l [7]; T1: a l 1; T2: r l []", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
        { "nothing, where there was something", "init l [7]; T1: r l _", LEVEL_SNAPSHOT,
          VERDICT_INVALID },
        { "an element twice", "T1: a l 1; T2: r l [1 1]", LEVEL_SERIALIZABLE, VERDICT_INVALID },
        { "an element twice, that somebody rolled back",
          "T1: a l 3, a l 1; T2 abort: a l 2; T3: a l 2; T4: r l [1 2 2]", LEVEL_SERIALIZABLE,
          VERDICT_INVALID },
        { "one that it appends later", "T1: r l [1], a l 1", LEVEL_SERIALIZABLE, VERDICT_INVALID },
    };

    expect_all(rows, ROW_COUNT(rows));
}

static void lists_that_cannot_be_read_off_are_unknown_with_the_key(void)
{
    struct history history;
    struct check check =
        check_notation("T1: a l 1; T2: w l [5]; T3: r l [1]; T4: r l [5]; T5: w m 1",
                       LEVEL_SERIALIZABLE, &history);

    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "reads of l cannot be judged"));
    check_close(&check);
    history_close(&history);
}

static void a_read_that_nobody_explains_has_its_name(void)
{
    static const struct {
        const char *notation;
        enum anomaly kind;
    } rows[] = {
        { "T1 abort: w x 1; T2: r x 1", ANOMALY_G1A },
        { "T1: w x 1, w x 2; T2: r x 1", ANOMALY_G1B },
        { "T1: a l 1, a l 2; T2: r l [1]", ANOMALY_G1B },
        { "T1: r x 1, w x 1", ANOMALY_FUTURE_READ },
        { "T1: r x 7", ANOMALY_GARBAGE_READ },
        { "T1: w x 1, r x 2; T2: w x 2", ANOMALY_INTERNAL },
        { "T1: r x _, r x 1; T2: w x 1", ANOMALY_INTERNAL },
        { "T1: r x _, w y 1; T2: r y _, w x 1", ANOMALY_G2_ITEM },
        { "T1: w x 1, r y 1; T2: r x 1, w y 1", ANOMALY_G1C },
        { "T1: w x 1, w y 1; T2: r x 1, r y _", ANOMALY_G_SINGLE },
        { "T1: a l 1, a m 1; T2: a l 2, a m 2; T3: r l [1 2]; T4: r m [2 1]", ANOMALY_G0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            anomaly_name(rows[i].kind),
            anomaly_name(fixture_first_kind("blackbox", rows[i].notation, LEVEL_SERIALIZABLE)),
            rows[i].notation);
}

static void sessions_are_in_the_name_where_they_are_needed(void)
{
    TEST_ASSERT_EQUAL(ANOMALY_G2_ITEM,
                      fixture_first_kind("blackbox", "T1 s1: r x _, w y 1; T2 s2: r y _, w x 1",
                                         LEVEL_SESSION_SERIALIZABLE));
    TEST_ASSERT_EQUAL(
        ANOMALY_G_SINGLE_PROCESS,
        fixture_first_kind("blackbox", "T1 s1: w x 1; T2 s1: r x _", LEVEL_SESSION_SNAPSHOT));
    TEST_ASSERT_EQUAL(ANOMALY_G_SINGLE_REALTIME,
                      fixture_first_kind("blackbox", "T1 s1 @1-2: w x 1; T2 s2 @3-4: r x _",
                                         LEVEL_STRICT_SERIALIZABLE));
}

static void what_is_told_is_a_core(void)
{
    static const int64_t ids[] = { 4, 5 };
    struct history history;
    struct check check = check_notation("T1: w a 1; T2: r a 1, w b 1; T3: r b 1, w x 1, w y 1; "
                                        "T4: r x 1, w y 2; T5: r y 1, w x 2; T6: r x 2, w c 1",
                                        LEVEL_SERIALIZABLE, &history);

    TEST_ASSERT_EQUAL(1, check.findings.count);
    TEST_ASSERT_LESS_OR_EQUAL(3, check.findings.at[0].txn_count);
    for (size_t i = 0; i < ROW_COUNT(ids); i++)
        TEST_ASSERT_TRUE(strstr(check.findings.at[0].explanation,
                                ids[i] == 4 ? "T4 read x=1 before T5 wrote it"
                                            : "T5 read y=1 before T4 wrote it") != NULL);
    check_close(&check);
    history_close(&history);
}

static void without_any_of_its_transactions_a_core_is_none(void)
{
    /* Three writers of x and y, none of which can be the last. */
    const char *notation = "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 2, w z 1; "
                           "T4: w q 1; T5: r q 1, r z 1";
    struct history history;
    struct check check = check_notation(notation, LEVEL_SERIALIZABLE, &history);

    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_TRUE(fixture_has_finding(&check, &history, check.findings.at[0].kind,
                                         (int64_t[]){ 1, 2, 3 }, 3));
    check_close(&check);
    history_close(&history);
}

static void version_orders_are_kept(void)
{
    static const struct row rows[] = {
        { "as given", "T1: w x 1; T2: w x 2; T3: r x 2; order x T1 T2", LEVEL_SERIALIZABLE,
          VERDICT_VALID },
        { "the other way round", "T1 s1: w x 1; T2 s1: w x 2; order x T2 T1",
          LEVEL_SESSION_SERIALIZABLE, VERDICT_INVALID },
        { "the reader missed it",
          "T1: w x 1, w y 1; T2: w x 2; T3: r x 2, w y 2; T4: r x 1, r y 2; "
          "order x T1 T2",
          LEVEL_SERIALIZABLE, VERDICT_INVALID },
    };

    expect_all(rows, ROW_COUNT(rows));
}

static void no_share_of_a_version_order_is_no_version_order(void)
{
    struct check_options options = { .level = LEVEL_SESSION_SERIALIZABLE,
                                     .flags = CHECK_WITNESS,
                                     .version_order = { 0, 1 } };
    struct history history;
    struct error err = { 0 };
    struct check check;
    char reason[512];

    notation_read("T1 s1: w x 1; T2 s1: w x 2; order x T2 T1", &history);
    ASSERT_OK(checker_run(checker_find(TEXT("blackbox")), &history, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
    TEST_ASSERT_TRUE(
        fixture_verify(&history, (struct text){ check.witness.at, check.witness.count }, reason));
    check_close(&check);
    history_close(&history);
}

/* A statement that saw a row, or did not see it, is a read of one of several versions. */
static void statements_are_judged_by_rows_that_came_and_rows_that_did_not(void)
{
    static const struct {
        const char *why, *notation;
        enum verdict serializable, snapshot;
    } rows[] = {
        { "a row that its own transaction read must match",
          "T1: ins {7=12}; T2: sel v>=10 {}, r t/7 12; T3: sel v>=10 {7=12}", VERDICT_INVALID,
          VERDICT_INVALID },
        { "before and after it was there",
          "T1: ins {7=12}; T2: sel v>=10 {}; T3: sel v>=10 {7=12}", VERDICT_VALID, VERDICT_VALID },
        { "two miss what the other inserts",
          "T1: sel v>=1 {}, ins {1=101}; T2: sel v>=3 {}, ins {2=4}", VERDICT_INVALID,
          VERDICT_VALID },
        { "and of one row, as both write it",
          "T1: sel v>=1 {}, r t/1 _, ins {1=101}; T2: sel v>=3 {}, ins {1=4}, sel v>=0 {1=4}",
          VERDICT_INVALID, VERDICT_INVALID },
        { "a session goes back to before a delete",
          "init t/7 12; T1: d t/7, w x 1; T2: r x 1, sel * {7=12}", VERDICT_INVALID,
          VERDICT_INVALID },
        { "an update matched what nobody left", "T1: ins {7=3}; T2: upd v>=10 {7=20}",
          VERDICT_INVALID, VERDICT_INVALID },
        { "an update matched what one of two left",
          "T1: ins {7=12}; T2: w t/7 3, w x 1; T3: r x 1, upd v>=10 {7=20}", VERDICT_VALID,
          VERDICT_VALID },
        { "what a limit lets through comes first",
          "init t/7 12; init t/9 13; T1: top 1 v>=10 {9=13}", VERDICT_INVALID, VERDICT_INVALID },
        { "what a limit left out may be anything behind that",
          "init t/7 12; T1: w t/9 13; T2: top 1 v>=10 {7=12}", VERDICT_VALID, VERDICT_VALID },
        { "what it wrote itself is what it sees", "init t/7 12; T1: w t/7 3, sel v>=10 {7=12}",
          VERDICT_INVALID, VERDICT_INVALID },
        { "the least value is somebody's", "T1: ins {7=12}; T2: agg min(v) v>=10 13",
          VERDICT_INVALID, VERDICT_INVALID },
        { "the least value was there before a row with less",
          "init t/9 20; T1: ins {7=12}; T2: agg min(v) v>=10 20", VERDICT_VALID, VERDICT_VALID },
        { "the least value, after the one with less was read",
          "init t/9 20; T1: ins {7=12}; T2: r t/7 12, agg min(v) v>=10 20", VERDICT_INVALID,
          VERDICT_INVALID },
        { "nothing is counted, and there is something",
          "init t/7 12; T1: agg count(*) v>=10 0", VERDICT_INVALID, VERDICT_INVALID },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (int level = 0; level < 2; level++) {
            struct history history;
            struct blackbox_question question = {
                .history = &history,
                .what = rows[i].why,
                .options = { .level = level ? LEVEL_SNAPSHOT : LEVEL_SERIALIZABLE },
            };

            notation_read(rows[i].notation, &history);
            TEST_ASSERT_EQUAL_STRING_MESSAGE(
                fixture_verdict_name(level ? rows[i].snapshot : rows[i].serializable),
                fixture_verdict_name(blackbox_ask(&question)), rows[i].why);
            history_close(&history);
        }
    TEST_ASSERT_EQUAL(
        ANOMALY_GARBAGE_READ,
        fixture_first_kind("blackbox", "T1: ins {7=12}; T2: sel v>=10 {7=13}", LEVEL_SERIALIZABLE));
    TEST_ASSERT_EQUAL(ANOMALY_G2,
                      fixture_first_kind(
                          "blackbox", "T1: sel v>=1 {}, ins {1=101}; T2: sel v>=3 {}, ins {2=4}",
                          LEVEL_SERIALIZABLE));
    TEST_ASSERT_EQUAL(ANOMALY_RESULT_SET_MISMATCH,
                      fixture_first_kind("blackbox", "init t/7 12; T1: sel v>=10 {}",
                                         LEVEL_SERIALIZABLE));
}

static void who_is_stopped_does_not_know(void)
{
    atomic_bool stop = true;
    struct check_options options = { .level = LEVEL_SERIALIZABLE, .stop = &stop };
    struct history history;
    struct error err = { 0 };
    struct check check;

    notation_read("T1: r x _, w y 1; T2: r y _, w x 1", &history);
    ASSERT_OK(checker_run(checker_find(TEXT("blackbox")), &history, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_EQUAL_STRING("it was stopped before all that follows from the reads was known",
                             check.reason);
    check_close(&check);
    history_close(&history);
}

/* Each writer of x comes behind all readers of null, and the other way round: the edges that
 * lead to one of them were once sorted by insertion, which took minutes for a few thousand. */
static void many_readers_before_many_writers_are_soon_refuted(void)
{
    struct buffer notation = { 0 };
    struct history history;
    struct check check;
    struct error err = { 0 };

    for (int i = 1; i <= 600; i++)
        buffer_print(&notation, "T%d: r x _, w y %d; T%d: r y _, w x %d; ", i, i, 1000 + i, i);
    buffer_byte(&notation, '\0');
    ASSERT_OK(buffer_status(&notation, &err), &err);
    check = check_notation(notation.at, LEVEL_SERIALIZABLE, &history);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_EQUAL(1, check.findings.count);
    check_close(&check);
    history_close(&history);
    buffer_close(&notation);
}

static void a_history_without_transactions_is_valid(void)
{
    fixture_expect("blackbox", "init x 1", LEVEL_SNAPSHOT, VERDICT_VALID);
    fixture_expect("blackbox", "init x 1", LEVEL_SESSION_SERIALIZABLE, VERDICT_VALID);
}

/* Any two of them may come in either order. */
static void write_blindly(struct history *history, uint32_t count)
{
    struct buffer text = { 0 };

    for (uint32_t t = 1; t <= count; t++)
        buffer_print(&text, "%sT%" PRIu32 ": w x %" PRIu32, t > 1 ? "; " : "", t, t);
    buffer_byte(&text, '\0');
    notation_read(text.at, history);
    buffer_close(&text);
}

static void z3_is_not_asked_what_would_take_it_gigabytes(void)
{
    struct check_options options = { .level = LEVEL_SNAPSHOT,
                                     .engine = ENGINE_Z3,
                                     .threads = 1,
                                     .version_order = { 0, 1 } };
    struct history history;
    struct error err;
    struct check check;

    write_blindly(&history, 1100);
    ASSERT_OK(checker_run(checker_find(TEXT("blackbox")), &history, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "there are too many open orders for Z3: "));
    TEST_ASSERT_NOT_NULL(strstr(check.reason, "and 604450 orders and sources are open"));
    check_close(&check);
    history_close(&history);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_levels_differ_as_they_should);
    RUN_TEST(values_that_repeat_are_choices);
    RUN_TEST(unknown_transactions_are_in_or_out);
    RUN_TEST(lists_show_the_order_of_their_appends);
    RUN_TEST(lists_that_cannot_be_read_off_are_unknown_with_the_key);
    RUN_TEST(a_read_that_nobody_explains_has_its_name);
    RUN_TEST(sessions_are_in_the_name_where_they_are_needed);
    RUN_TEST(what_is_told_is_a_core);
    RUN_TEST(without_any_of_its_transactions_a_core_is_none);
    RUN_TEST(version_orders_are_kept);
    RUN_TEST(no_share_of_a_version_order_is_no_version_order);
    RUN_TEST(statements_are_judged_by_rows_that_came_and_rows_that_did_not);
    RUN_TEST(who_is_stopped_does_not_know);
    RUN_TEST(many_readers_before_many_writers_are_soon_refuted);
    RUN_TEST(a_history_without_transactions_is_valid);
    RUN_TEST(z3_is_not_asked_what_would_take_it_gigabytes);
    return UNITY_END();
}
