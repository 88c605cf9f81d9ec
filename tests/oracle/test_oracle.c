#include "tests/oracle/oracle.h"

#include <stdio.h>

#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* Levels as bits, in the order of enum level. */
enum {
    RU = 1 << LEVEL_READ_UNCOMMITTED,
    RC = 1 << LEVEL_READ_COMMITTED,
    RA = 1 << LEVEL_READ_ATOMIC,
    CAUSAL = 1 << LEVEL_CAUSAL,
    PREFIX = 1 << LEVEL_PREFIX,
    SI = 1 << LEVEL_SNAPSHOT,
    RR = 1 << LEVEL_REPEATABLE_READ,
    SR = 1 << LEVEL_SERIALIZABLE,
    SESSION_SI = 1 << LEVEL_SESSION_SNAPSHOT,
    SESSION_SR = 1 << LEVEL_SESSION_SERIALIZABLE,
    STRICT_SI = 1 << LEVEL_STRICT_SNAPSHOT,
    STRICT_SR = 1 << LEVEL_STRICT_SERIALIZABLE,
    ALL = (1 << LEVEL_COUNT) - 1,
    ALL_SI = SI | SESSION_SI | STRICT_SI,
    ALL_SR = SR | SESSION_SR | STRICT_SR,
    WEAK = RU | RC | RA | CAUSAL | PREFIX,
};

struct golden {
    const char *label, *text;
    int levels; /* that hold */
};

static enum oracle_answer decide(const char *text, enum level level, struct oracle_options options)
{
    struct history history;
    enum oracle_answer answer;

    notation_read(text, &history);
    answer = oracle_decide(&history, level, options);
    history_close(&history);
    return answer;
}

static void check_level(const struct golden *row, enum level level, enum oracle_definition as)
{
    char message[256];

    snprintf(message, sizeof message, "%s, %s, definition %d", row->label, level_name(level), as);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(
        row->levels & (1 << level) ? "holds" : "violated",
        oracle_answer_name(decide(row->text, level, (struct oracle_options){ .definition = as })),
        message);
}

static void check_all(const struct golden *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (enum level level = 0; level < LEVEL_COUNT; level++) {
            check_level(&rows[i], level, ORACLE_DEFAULT);
            if (level < LEVEL_READ_ATOMIC || level > LEVEL_PREFIX)
                check_level(&rows[i], level, ORACLE_ADYA);
        }
}

static void the_classic_anomalies_break_exactly_their_levels(void)
{
    static const struct golden rows[] = {
        { "nothing at all", "", ALL },
        { "one after the other", "init x 0; T1: r x 0, w x 1; T2: r x 1", ALL },
        { "dirty read", "T1 abort: w x 1; T2: r x 1", RU },
        { "what was aborted is not seen", "T1 abort: w x 1; T2: r x _", ALL },
        { "intermediate read", "T1: w x 1, w x 2; T2: r x 1", RU },
        { "the last write is seen", "T1: w x 1, w x 2; T2: r x 2", ALL },
        { "circular information flow", "T1: w x 1, r y 2; T2: w y 2, r x 1", RU },
        { "dirty write, seen by a reader", "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 2",
          RU | RC },
        { "both writes of one transaction", "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 1",
          ALL },
        { "unrepeatable read", "T1: w x 1; T2: r x _, r x 1", RU | RC },
        { "fractured read", "T1: w x 1, w y 1; T2: r x _, r y 1", RU | RC },
        { "fractured read, the other way", "T1: w x 1, w y 1; T2: r y 1, r x _", RU | RC },
        { "causality violation", "T1: w x 1; T2: r x 1, w y 1; T3: r y 1, r x _", RU | RC | RA },
        { "cause and effect", "T1: w x 1; T2: r x 1, w y 1; T3: r y 1, r x 1", ALL },
        { "long fork", "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1",
          RU | RC | RA | CAUSAL },
        { "no fork", "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x 1, r y 1", ALL },
        { "lost update", "init x 0; T1: r x 0, w x 1; T2: r x 0, w x 2", WEAK },
        { "update of an update", "init x 0; T1: r x 0, w x 1; T2: r x 1, w x 2", ALL },
        { "write skew", "T1: r x _, r y _, w x 1; T2: r x _, r y _, w y 1", WEAK | ALL_SI },
        { "no skew", "T1: r x _, r y _, w x 1; T2: r x 1, r y _, w y 1", ALL },
        { "read-only anomaly",
          "init x 0; init y 0; T1: r y 0, w y 20; T2: r x 0, r y 0, w x -11; T3: r x 0, r y 20",
          WEAK | ALL_SI },
        { "without its reader", "init x 0; init y 0; T1: r y 0, w y 20; T2: r x 0, r y 0, w x -11",
          ALL },
        { "garbage read", "T1: w x 1; T2: r x 7", RU },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void a_transaction_sees_its_own_writes(void)
{
    static const struct golden rows[] = {
        { "own write", "T1: w x 1, r x 1", ALL },
        { "own write missed", "T1: w x 1, r x _", RU | RC },
        { "own write overwritten", "T1: w x 1, w x 2, r x 2", ALL },
        { "own older write", "T1: w x 1, w x 2, r x 1", RU | RC },
        { "another's write instead", "T1: w x 1, r x 2; T2: w x 2", RU | RC },
        { "own later write", "T1: r x 1, w x 1", RU },
        { "own delete", "init x 5; T1: d x, r x _", ALL },
        { "own delete missed", "init x 5; T1: d x, r x 5", RU | RC },
        { "own append", "T1: r l _, a l 3, r l [3], a l 4, r l [3 4]", ALL },
        { "own append missed", "T1: a l 3, r l _", RU | RC },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void sessions_and_real_time_matter_where_they_are_promised(void)
{
    static const int sessionless = RU | RC | SI | RR | SR | STRICT_SI | STRICT_SR;
    const struct golden rows[] = {
        { "own session forgotten", "T1 s1: w x 1; T2 s1: r x _", sessionless },
        { "another session", "T1 s1: w x 1; T2 s2: r x _", ALL },
        { "reads go back within a session", "T1: w x 1; T2 s1: r x 1; T3 s1: r x _",
          sessionless | RA },
        { "writes of a session out of order", "T1 s1: w x 1; T2 s1: w x 2; T3: r x 2; T4: r x 1",
          ALL },
        { "writes of a session seen back to front", "T1 s1: w x 1; T2 s1: w y 1; T3: r y 1, r x _",
          sessionless | RA },
        { "stale by the clock", "T1 @0-10: w x 1; T2 @20-30: r x _",
          ALL & ~STRICT_SI & ~STRICT_SR },
        { "overlapping", "T1 @0-20: w x 1; T2 @20-30: r x _", ALL },
        { "never completed", "T1 @0-: w x 1; T2 @20-30: r x _", ALL },
        { "from the future", "T1 @20-30: w x 1; T2 @0-10: r x 1", ALL & ~STRICT_SI & ~STRICT_SR },
        { "write skew in a row", "T1 @0-10: r x _, r y _, w x 1; T2 @20-30: r x _, r y _, w y 1",
          (WEAK | ALL_SI) & ~STRICT_SI },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void unknown_transactions_are_in_or_out(void)
{
    static const struct golden rows[] = {
        { "in", "T1 unknown: w x 1; T2: r x 1", ALL },
        { "out", "T1 unknown: w x 1; T2: r x _", ALL },
        { "in, and not whole", "T1 unknown: w x 1, w y 1; T2: r x 1, r y _; T3: r y 1", RU | RC },
        { "its reads mean nothing", "T1 unknown: r x 7, w x 1; T2: r x 1", ALL },
        { "it lands late", "T1 unknown @0-10: w x 1; T2 @20-30: r x _; T3 @40-50: r x 1", ALL },
        { "it lands late within its session", "T1 s1 unknown: w x 1; T2 s1: r x _; T3: r x 1",
          ALL },
        { "it lands before it was invoked", "T2 @20-30: r x 1; T1 unknown @40-: w x 1",
          ALL & ~STRICT_SI & ~STRICT_SR },
        { "its intermediate write", "T1 unknown: w x 1, w x 2; T2: r x 1", RU },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void what_was_refused_or_unanswered_means_nothing(void)
{
    static const struct golden rows[] = {
        { "a refused write", "T1: w x 1 !; T2: r x _", ALL },
        { "a refused write, seen", "T1: w x 1 !; T2: r x 1", RU },
        { "a read without answer", "T1: w x 1, r x", ALL },
        { "reads of the aborted", "T1 abort: r x 7; T2: r x _", ALL },
        { "a refused update", "init t/1 5; T1: upd v=9 {1=6} !; T2: r t/1 5", ALL },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void repeating_values_have_whichever_writer_explains_them(void)
{
    static const struct golden rows[] = {
        { "the other writer", "T1: w x 1; T2: w x 1, w y 1; T3: r x 1, r y _", ALL },
        { "only that writer", "T2: w x 1, w y 1; T3: r x 1, r y _", RU | RC },
        { "the initial value again", "init x 0; T1: w x 1; T2: w x 0; T3 s1: r x 1; T4 s1: r x 0",
          ALL },
        { "null again", "T1: w x 1; T2: d x; T3 s1: r x 1; T4 s1: r x _", ALL },
        { "the aborted writer's value, written again", "T1 abort: w x 1; T2: w x 1; T3: r x 1",
          ALL },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void lists_show_the_order_of_their_appends(void)
{
    static const struct golden rows[] = {
        { "prefixes", "T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [1]; T5: r l []", ALL },
        { "incompatible orders", "T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [2 1]", RU },
        { "a lost append", "T1: a l 1; T2: a l 2; T3: r l [2]; T4: r l [1]", RU },
        { "an element twice", "T1: a l 1; T2: r l [1 1]", RU },
        { "an aborted element", "T1: a l 1; T2 abort: a l 2; T3: r l [1 2]", RU },
        { "half of a transaction", "T1: a l 1, a l 2; T2: r l [1]", RU },
        { "dirty write", "T1: a x 1, a y 1; T2: a x 2, a y 2; T3: r x [1 2]; T4: r y [2 1]", 0 },
        { "clean write", "T1: a x 1, a y 1; T2: a x 2, a y 2; T3: r x [1 2]; T4: r y [1 2]", ALL },
        { "lost update", "T1: r l [], a l 1; T2: r l [], a l 2; T3: r l [1 2]", WEAK },
        { "an initial list", "init l [7]; T1: a l 1; T2: r l [7 1]", ALL },
        { "a list begun anew", "T1: a l 1; T2: w l [5]; T3: a l 2; T4: r l [5 2]", ALL },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void predicates_are_judged_by_rows_present_and_absent(void)
{
    static const struct golden rows[] = {
        { "phantom write skew", "T1: sel v>=10 {}, ins {1=10}; T2: sel v>=10 {}, ins {2=20}",
          WEAK | ALL_SI | RR },
        { "the second sees the first",
          "T1: sel v>=10 {}, ins {1=10}; T2: sel v>=10 {1=10}, ins {2=20}", ALL },
        { "both out of range", "T1: sel v>=10 {}, ins {1=1}; T2: sel v>=10 {}, ins {2=2}", ALL },
        { "phantom", "T1: ins {1=10}; T2: sel * {}, sel * {1=10}", RU | RC | RR },
        { "half of the rows", "T1: ins {1=10 2=20}; T2: sel * {1=10}", RU | RC | RR },
        { "all of the rows", "T1: ins {1=10 2=20}; T2: sel * {1=10 2=20}", ALL },
        { "a row that must match", "init t/1 5; T1: sel v>=1 {}", RU },
        { "a row that cannot match", "init t/1 5; T1: sel v>=9 {1=5}", RU },
        { "a row as it never was", "init t/1 5; T1: sel v>=1 {1=6}", RU },
        { "an update of what does not match", "init t/1 5; T1: upd v>=9 {1=6}", RU },
        { "an update that misses a row", "init t/1 5; T1: upd v>=1 {}", RU },
        { "an update", "init t/1 5; T1: upd v>=1&v<9 {1=6}, sel * {1=6}; T2: r t/1 6", ALL },
        { "a delete", "init t/1 5; T1: del v=5 {1}, sel * {}; T2: r t/1 _; T3: r t/1 5", ALL },
        { "updates by predicate that lose one", "init t/1 5; T1: upd v=5 {1=6}; T2: upd v=5 {1=7}",
          WEAK | RR },
        { "own insert missed", "T1: ins {1=1}, sel * {}", RU | RC },
        /* Once the graphs let the select see T2's delete behind T1's own update. */
        { "a row gone and there again", "init t/1 1; T1: sel v=1 {}, upd v=1 {1=3}; T2: d t/1",
          RU | RC | RR },
    };

    check_all(rows, ROW_COUNT(rows));
}

static void aggregates_and_first_rows_are_computed(void)
{
    static const struct golden rows[] = {
        { "count", "init t/1 5; init t/2 7; T1: agg count(*) v>=6 1, agg count(v) * 2", ALL },
        { "count wrong", "init t/1 5; init t/2 7; T1: agg count(*) v>=6 2", RU },
        { "of nothing", "T1: agg count(*) * 0, agg min(v) * _, agg max(v) * _, agg sum(v) * _",
          ALL },
        { "min, max, sum",
          "init t/1 5; init t/2 7; T1: agg min(v) * 5, agg max(v) * 7, "
          "agg sum(v) * 12",
          ALL },
        { "min before, max after",
          "init t/1 5; init t/2 7; T1: upd v=5 {1=9}; "
          "T2: agg min(v) * 5, agg max(v) * 9",
          RU | RC },
        { "first rows", "init t/1 5; init t/2 7; init t/3 9; T1: top 2 * {1=5 2=7}", ALL },
        { "first rows, too few", "init t/1 5; init t/2 7; init t/3 9; T1: top 2 * {1=5}", RU },
        { "not the first rows", "init t/1 5; init t/2 7; init t/3 9; T1: top 2 * {1=5 3=9}", RU },
        { "out of order", "init t/1 5; init t/2 7; T1: top 2 * {2=7 1=5}", RU },
        { "a tie", "init t/1 5; init t/2 5; T1: top 1 * {2=5}; T2: top 1 * {1=5}", ALL },
    };

    check_all(rows, ROW_COUNT(rows));
}

/* --- With a certificate ------------------------------------------------------ */

struct certified {
    const char *label, *text;
    enum level level;
    enum oracle_answer observed, certified;
};

static void a_certificate_is_taken_at_its_word(void)
{
    static const struct certified rows[] = {
        { "predicate in place order",
          "T1 ts1: ins {1=1}; T2 ts2: ins {2=2}; T3 ts3: sel v>0 {1=1 2=2}; order t/1 T1; "
          "order t/2 T2",
          LEVEL_SERIALIZABLE, ORACLE_HOLDS, ORACLE_HOLDS },
        { "predicate against its place",
          "T1 ts1: ins {1=1}; T2 ts2: ins {2=2}; T3 ts3: sel v>0 {1=1}; order t/1 T1; "
          "order t/2 T2",
          LEVEL_SERIALIZABLE, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "an older version in the set than the item read",
          "T1: w t/1 4; T2: w t/1 6; T3: sel v<5 {} from t/1 T2, r t/1 4 from T1; "
          "order t/1 T1 T2",
          LEVEL_REPEATABLE_READ, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "the same at read committed",
          "T1: w t/1 4; T2: w t/1 6; T3: sel v<5 {} from t/1 T2, r t/1 4 from T1; "
          "order t/1 T1 T2",
          LEVEL_READ_COMMITTED, ORACLE_HOLDS, ORACLE_HOLDS },
        { "a set that does not give the result",
          "T1: w t/1 4; T2: w t/1 6; T3: sel v<5 {} from t/1 T1; order t/1 T1 T2",
          LEVEL_READ_COMMITTED, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "the other version order", "T1: w x 1, r y _; T2: w x 2, w y 1; order x T2 T1",
          LEVEL_SERIALIZABLE, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "the right version order", "T1: w x 1, r y _; T2: w x 2, w y 1; order x T1 T2",
          LEVEL_SERIALIZABLE, ORACLE_HOLDS, ORACLE_HOLDS },
        { "the other version order under snapshot",
          "T1: w x 1, r y _; T2: w x 2, w y 1; order x T2 T1", LEVEL_SNAPSHOT, ORACLE_HOLDS,
          ORACLE_VIOLATED },
        { "the other version order at read committed",
          "T1: w x 1, r y _; T2: w x 2, w y 1; order x T2 T1", LEVEL_READ_COMMITTED, ORACLE_HOLDS,
          ORACLE_HOLDS },
        { "a version order against causality", "T1: w x 1; T2: r x 1, w x 2; order x T2 T1",
          LEVEL_CAUSAL, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "an unknown that is listed", "T1 unknown ts1: w x 1; T2 ts2: r x _; order x T1",
          LEVEL_SERIALIZABLE, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "an unknown that is left out", "T1 unknown: w x 1; T2: w x 2; T3: r x 1; order x T2",
          LEVEL_READ_COMMITTED, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "a read of what it says", "T1: w x 1; T2: r x 1 from T1", LEVEL_SERIALIZABLE,
          ORACLE_HOLDS, ORACLE_HOLDS },
        { "a read of something else", "T1: w x 1; T2: r x 1 from init", LEVEL_SERIALIZABLE,
          ORACLE_HOLDS, ORACLE_VIOLATED },
        { "a snapshot before", "T1 ts10: w x 1; T2 ts20 snap5: r x _, w y 1", LEVEL_SNAPSHOT,
          ORACLE_HOLDS, ORACLE_HOLDS },
        { "a snapshot at the place itself", "T1 ts10: w x 1; T2 ts20 snap10: r x _, w y 1",
          LEVEL_SNAPSHOT, ORACLE_HOLDS, ORACLE_VIOLATED },
        { "own writes override", "T1 ts1: w x 1; T2 ts2: w x 2, r x 2", LEVEL_SERIALIZABLE,
          ORACLE_HOLDS, ORACLE_HOLDS },
        { "intermediate version in the set", "T1: w x 1, w x 2; T2: r x 2 from T1; order x T1",
          LEVEL_SERIALIZABLE, ORACLE_HOLDS, ORACLE_HOLDS },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct oracle_options certified = { .use_certificate = true };

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].observed,
                                  decide(rows[i].text, rows[i].level, (struct oracle_options){ 0 }),
                                  rows[i].label);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].certified, decide(rows[i].text, rows[i].level, certified),
                                  rows[i].label);
    }
}

/* --- Definitions and limits -------------------------------------------------- */

static void two_definitions_of_read_committed_differ(void)
{
    const char *backwards = "T1: w x 1; T2: r x 1, r x _";
    struct oracle_options axiomatic = { .definition = ORACLE_AXIOMATIC };

    TEST_ASSERT_EQUAL(ORACLE_HOLDS,
                      decide(backwards, LEVEL_READ_COMMITTED, (struct oracle_options){ 0 }));
    TEST_ASSERT_EQUAL(ORACLE_VIOLATED, decide(backwards, LEVEL_READ_COMMITTED, axiomatic));
    TEST_ASSERT_EQUAL(ORACLE_HOLDS,
                      decide("T1: w x 1; T2: r x _, r x 1", LEVEL_READ_COMMITTED, axiomatic));
    /* What one statement reads of two rows, it reads at once. */
    TEST_ASSERT_EQUAL(ORACLE_HOLDS, decide("T1: ins {1=1 2=2}; T2: sel * {1=1}",
                                           LEVEL_READ_COMMITTED, axiomatic));
    TEST_ASSERT_EQUAL(ORACLE_VIOLATED, decide("T1: ins {1=1 2=2}; T2: sel * {1=1}, sel * {1=1}",
                                              LEVEL_READ_COMMITTED, axiomatic));
}

static void what_is_not_defined_or_understood_or_small_is_not_judged(void)
{
    struct oracle_options adya = { .definition = ORACLE_ADYA };
    struct oracle_options axiomatic = { .definition = ORACLE_AXIOMATIC };
    struct oracle_options hasty = { .steps_max = 2 };
    const char *any = "T1: w x 1; T2: r x 1; T3: r x _";

    TEST_ASSERT_EQUAL(ORACLE_CANNOT_JUDGE, decide(any, LEVEL_CAUSAL, adya));
    TEST_ASSERT_EQUAL(ORACLE_CANNOT_JUDGE, decide(any, LEVEL_REPEATABLE_READ, axiomatic));
    TEST_ASSERT_EQUAL(ORACLE_CANNOT_JUDGE, decide(any, LEVEL_SERIALIZABLE, hasty));
    for (enum level level = 0; level < LEVEL_COUNT; level++)
        TEST_ASSERT_EQUAL(ORACLE_CANNOT_JUDGE,
                          decide("T1: sel v%2 {}", level, (struct oracle_options){ 0 }));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_classic_anomalies_break_exactly_their_levels);
    RUN_TEST(a_transaction_sees_its_own_writes);
    RUN_TEST(sessions_and_real_time_matter_where_they_are_promised);
    RUN_TEST(unknown_transactions_are_in_or_out);
    RUN_TEST(what_was_refused_or_unanswered_means_nothing);
    RUN_TEST(repeating_values_have_whichever_writer_explains_them);
    RUN_TEST(lists_show_the_order_of_their_appends);
    RUN_TEST(predicates_are_judged_by_rows_present_and_absent);
    RUN_TEST(aggregates_and_first_rows_are_computed);
    RUN_TEST(a_certificate_is_taken_at_its_word);
    RUN_TEST(two_definitions_of_read_committed_differ);
    RUN_TEST(what_is_not_defined_or_understood_or_small_is_not_judged);
    return UNITY_END();
}
