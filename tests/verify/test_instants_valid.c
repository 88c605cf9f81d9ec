/*
 * Orders of instants by hand: what explains a history, and beside it what does so only nearly.
 */
#include <string.h>

#include "base/array.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void)
{
    fixture_history(NULL);
}

#define VALID(level, view, timing, certifier, rules)                                               \
    "\"checker\":\"interval\",\"level\":\"" level "\",\"verdict\":\"valid\",\"profile\":{"         \
    "\"view\":\"" view "\",\"timing\":\"" timing "\",\"certifier\":\"" certifier                   \
    "\",\"rules\":[" rules "]},\"instants\":"
#define AT_ONCE VALID("strict-serializable", "commit", "full", "none", "\"by_operations\"")
#define UNTIMED VALID("serializable", "commit", "none", "cycles", "")
#define BY_KEY VALID("serializable", "commit", "key", "cycles", "")
#define SNAPSHOTS                                                                                  \
    VALID("strict-snapshot", "transaction", "full", "none", "\"by_operations\",\"first_updater\"")
#define UNTIMED_SNAPSHOTS VALID("snapshot", "transaction", "none", "none", "\"first_updater\"")
#define CERTIFIED VALID("serializable", "transaction", "none", "cycles", "\"first_updater\"")
#define VALIDATION VALID("serializable", "transaction", "none", "validation", "")
#define TIMESTAMPS VALID("serializable", "transaction", "full", "timestamp-order", "")
#define STATEMENTS                                                                                 \
    VALID("read-committed", "statement", "full", "none",                                           \
          "\"by_operations\",\"locks_writes\",\"locks_for\"")
#define ROWS VALID("read-committed", "row", "none", "none", "")
#define LOCKS                                                                                      \
    VALID("strict-serializable", "commit", "full", "none",                                         \
          "\"by_operations\",\"locks_writes\",\"locks_reads\",\"locks_absent\"")
#define ANY_READ                                                                                   \
    VALID("read-committed", "statement", "none", "none", "\"reads_any\",\"ignores_times\"")

/* Refused with these words; NULL: accepted. */
struct row {
    const char *what, *history, *fields, *refusal;
};

static void try_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char reason[512], both[1024];
        bool is_accepted;

        fixture_history(rows[i].history);
        is_accepted = fixture_accepts(reason, "%s", rows[i].fields);
        snprintf(both, sizeof both, "%s: %s", rows[i].what, reason);
        TEST_ASSERT_EQUAL_MESSAGE(!rows[i].refusal, is_accepted, both);
        if (rows[i].refusal && !strstr(reason, rows[i].refusal))
            TEST_FAIL_MESSAGE(both);
    }
}

#define TWO "T1 @0-10: w x 1; T2 @5-20: r x 1"

static void an_order_has_all_instants_within_their_times(void)
{
    static const struct row rows[] = {
        { "as it was", TWO, AT_ONCE "[\"c1\",\"c2\"]", NULL },
        { "one is missing", TWO, AT_ONCE "[\"c1\"]", "its commit is missing" },
        { "one is there twice", TWO, AT_ONCE "[\"c1\",\"c2\",\"c1\"]", "twice" },
        { "the reader first", TWO, AT_ONCE "[\"c2\",\"c1\"]", "another version there" },
        { "there is no such view", TWO, AT_ONCE "[\"b1\",\"c1\",\"c2\"]", "no such views" },
        { "of one who did not commit", "T1 abort @0-10: w x 1", AT_ONCE "[\"c1\"]",
          "did not commit" },
        { "against time", "T1 @0-10: w x 1; T2 @11-20: w x 2", AT_ONCE "[\"c2\",\"c1\"]",
          "behind one that is later" },
        { "at the same time", "T1 @0-11: w x 1; T2 @11-20: w x 2", AT_ONCE "[\"c2\",\"c1\"]",
          NULL },
        { "whatever the times are", "T1 @0-10: w x 1; T2 @11-20: w x 2", UNTIMED "[\"c2\",\"c1\"]",
          NULL },
        { "with clocks that are off", "T1 @0-10: w x 1; T2 @11-20: w x 2",
          AT_ONCE "[\"c2\",\"c1\"],\"clock-error\":1", NULL },
        { "a view behind its commit", "T1 @0-10: w x 1", SNAPSHOTS "[\"c1\",\"b1\"]",
          "does not stand before" },
        { "a view that is missing", "T1 @0-10: w x 1", SNAPSHOTS "[\"c1\"]",
          "does not stand before" },
        { "an unknown one that did commit", "T1 unknown @0-: w x 1; T2 @5-20: r x 1",
          AT_ONCE "[\"c1\",\"c2\"]", NULL },
        { "and one that did not", "T1 unknown @0-: w x 1; T2 @5-20: r x _", AT_ONCE "[\"c2\"]",
          NULL },
        { "which must then be left out", "T1 unknown @0-: w x 1; T2 @5-20: r x _",
          AT_ONCE "[\"c1\",\"c2\"]", "another version there" },
        { "or in half", "T1 unknown @0-: w x 1", SNAPSHOTS "[\"b1\"]", "and no commit" },
        { "an order of transactions", TWO, AT_ONCE "[1,2]", "is no instant" },
    };

    try_rows(rows, ROW_COUNT(rows));
}

static void views_of_statements_follow_the_program(void)
{
    static const struct row rows[] = {
        { "each its own", "T1 @0-9: w x 1; T2 @0-9: w x 2; T3 @0-9: r x 1, r x 2",
          STATEMENTS "[\"c1\",[3,0],\"c2\",[3,1],\"c3\"]", NULL },
        { "one is missing", "T1 @0-9: w x 1; T2 @0-9: w x 2; T3 @0-9: r x 1, r x 2",
          STATEMENTS "[\"c1\",[3,0],\"c2\",\"c3\"]", "does not stand before" },
        { "in another order", "T1 @0-9: w x 1; T2 @0-9: w x 2; T3 @0-9: r x 2, r x 1",
          STATEMENTS "[\"c1\",[3,1],\"c2\",[3,0],\"c3\"]", "in another order" },
        { "rows may come in any", "T1 @0-9: w x 1; T2 @0-9: w x 2; T3 @0-9: r x 2, r x 1",
          ROWS "[\"c1\",[3,1],\"c2\",[3,0],\"c3\"]", NULL },
        { "what it wrote itself has none", "T3 @0-9: w x 1, r x 1", STATEMENTS "[\"c3\"]", NULL },
        { "nor has a write", "T3 @0-9: w x 1", STATEMENTS "[[3,0],\"c3\"]", "no view of its own" },
        { "each row its own", "T1 @0-9: ins {7=1}; T2 @0-9: ins {8=1}; T3 @0-9: sel v<5 {7=1 8=1}",
          ROWS "[\"c1\",[3,0,\"t/7\"],[3,0],\"c2\",[3,0,\"t/8\"],\"c3\"]", NULL },
        { "of which one came too early",
          "T1 @0-9: ins {7=1}; T2 @0-9: ins {8=1}; T3 @0-9: sel v<5 {7=1 8=1}",
          ROWS "[\"c1\",[3,0,\"t/7\"],[3,0],[3,0,\"t/8\"],\"c2\",\"c3\"]",
          "another version there" },
        { "of which one is missing",
          "T1 @0-9: ins {7=1}; T2 @0-9: ins {8=1}; T3 @0-9: sel v<5 {7=1 8=1}",
          ROWS "[\"c1\",[3,0,\"t/7\"],[3,0],\"c2\",\"c3\"]", "does not stand before" },
    };

    try_rows(rows, ROW_COUNT(rows));
}

static void what_was_read_is_there(void)
{
    static const struct row rows[] = {
        { "its own", "T1 @0-9: w x 1, r x 1", AT_ONCE "[\"c1\"]", NULL },
        { "not its own", "T1 @0-9: w x 1, r x 2", AT_ONCE "[\"c1\"]", "had written itself" },
        { "which this database need not show", "T1 @0-9: w x 1, r x 2", ANY_READ "[\"c1\"]", NULL },
        { "any version will do", "T1 @0-9: w x 1; T2 @0-9: w x 2; T3 @0-9: r x 1",
          ANY_READ "[\"c1\",\"c2\",[3,0],\"c3\"]", NULL },
        { "if it is there", "T1 @0-9: w x 1; T2 @0-9: w x 2; T3 @0-9: r x 1",
          ANY_READ "[\"c2\",[3,0],\"c1\",\"c3\"]", "no version before its view" },
        { "sent when the read was over", "T1 @0-20: w x 1 @10-11; T2 @0-20: r x 1 @5-6",
          UNTIMED "[\"c1\",\"c2\"]", "times speak against" },
        { "where times are ignored", "T1 @0-20: w x 1 @10-11; T2 @0-20: r x 1 @5-6",
          ANY_READ "[\"c1\",[2,0],\"c2\"]", NULL },
        { "by key who begins later sees it", "T1 @0-9: w x 1; T2 @10-20: r x _",
          BY_KEY "[\"c2\",\"c1\"]", "times speak against" },
        { "but not who begins at once", "T1 @0-9: w x 1; T2 @9-20: r x _", BY_KEY "[\"c2\",\"c1\"]",
          NULL },
        { "nor of another key", "T1 @0-9: w y 1; T2 @10-20: r x _", BY_KEY "[\"c2\",\"c1\"]",
          NULL },
        { "versions of a key are in the order of times",
          "T1 @0-9: w x 1; T2 @10-20: w x 2; T3 @21-30: r x 1", BY_KEY "[\"c2\",\"c1\",\"c3\"]",
          "times speak against" },
        { "who was read from had committed by then",
          "T1 unknown @0-: w x 1; T2 @1-5: r x 1; T3 @10-20: r x _",
          BY_KEY "[\"c3\",\"c1\",\"c2\"]", "times speak against" },
        { "or not yet", "T1 unknown @0-: w x 1; T2 @1-15: r x 1; T3 @10-20: r x _",
          BY_KEY "[\"c3\",\"c1\",\"c2\"]", NULL },
    };

    try_rows(rows, ROW_COUNT(rows));
}

static void what_is_left_open_is_right_by_times(void)
{
    static const struct row rows[] = {
        { "a read that the order does not explain", "T1 @0-10: w x 1; T2 @5-20: r x 1",
          AT_ONCE "[\"c2\",\"c1\"],\"open\":[[2,0]]", NULL },
        { "another", "T1 @0-10: w x 1; T2 @5-20: r x 1, r x 1",
          AT_ONCE "[\"c2\",\"c1\"],\"open\":[[2,0]]", "operation 1 of transaction 2" },
        { "one that nothing explains", "T1 @0-10: w x 1; T2 @5-20: r x 2",
          AT_ONCE "[\"c2\",\"c1\"],\"open\":[[2,0]]", "no version can have been seen" },
        { "one that times rule out", "T1 @0-10: w x 1; T2 @11-20: r x _",
          AT_ONCE "[\"c1\",\"c2\"],\"open\":[[2,0]]", "no version can have been seen" },
        { "one of its own", "T1 @0-10: w x 1, r x 2", AT_ONCE "[\"c1\"],\"open\":[[1,1]]",
          "had written itself" },
        { "a row", "T1 @0-10: ins {7=1 8=1}; T2 @5-20: sel v<5 {7=1 8=1}",
          AT_ONCE "[\"c2\",\"c1\"],\"open\":[[2,0,\"t/7\"],[2,0,\"t/8\"]]", NULL },
        { "one of two rows", "T1 @0-10: ins {7=1 8=1}; T2 @5-20: sel v<5 {7=1 8=1}",
          AT_ONCE "[\"c2\",\"c1\"],\"open\":[[2,0,\"t/7\"]]", "t/8" },
        { "the whole of a look", "T1 @0-10: ins {7=1 8=1}; T2 @5-20: sel v<5 {}",
          AT_ONCE "[\"c1\",\"c2\"],\"open\":[[2,0]]", NULL },
        { "a look at one key", "T1 @0-10: ins {7=1}; T2 @5-20: sel v<5 {}",
          AT_ONCE "[\"c1\",\"c2\"],\"open\":[[2,0,\"t/7\"]]", NULL },
        { "a look that times rule out", "T1 @0-10: ins {7=1}; T2 @15-20: sel v<5 {}",
          AT_ONCE "[\"c1\",\"c2\"],\"open\":[[2,0]]", "no version can have been seen" },
        { "no operation", TWO, AT_ONCE "[\"c1\",\"c2\"],\"open\":[\"c1\"]", "operations are left" },
    };

    try_rows(rows, ROW_COUNT(rows));
}

static void looks_agree_with_what_is_there(void)
{
    static const struct row rows[] = {
        { "it came", "T1 @0-10: ins {7=1}; T2 @5-20: sel v<5 {7=1}", AT_ONCE "[\"c1\",\"c2\"]",
          NULL },
        { "it did not come", "T1 @0-10: ins {7=1}; T2 @5-20: sel v<5 {}", AT_ONCE "[\"c1\",\"c2\"]",
          "does not agree" },
        { "it was not there", "T1 @0-10: ins {7=1}; T2 @5-20: sel v<5 {}",
          AT_ONCE "[\"c2\",\"c1\"]", NULL },
        { "as many as were wanted", "T1 @0-10: ins {7=1}; T2 @5-20: top 0 v<5 {}",
          AT_ONCE "[\"c1\",\"c2\"]", NULL },
        { "an update of what matched", "T1 @0-10: ins {7=1}; T2 @5-20: upd v<5 {7=2}",
          AT_ONCE "[\"c1\",\"c2\"]", NULL },
        { "or did not", "T1 @0-10: ins {7=9}; T2 @5-20: upd v<5 {7=2}", AT_ONCE "[\"c1\",\"c2\"]",
          "does not agree" },
        { "what came does not match", "T1 @0-10: ins {7=9}; T2 @5-20: sel v<5 {7=9}",
          AT_ONCE "[\"c1\",\"c2\"]", "does not match" },
        { "it came twice", "T1 @0-10: ins {7=1}; T2 @5-20: top 5 v<5 {7=1 7=1}",
          AT_ONCE "[\"c1\",\"c2\"]", "twice" },
        { "what it wrote itself", "T2 @5-20: ins {7=1}, sel v<5 {}", AT_ONCE "[\"c2\"]",
          "had written itself" },
        { "one by one nothing is said of what did not come",
          "T1 @0-4: ins {7=1}; T2 @5-20: sel v<5 {}", ROWS "[\"c1\",[2,0],\"c2\"]", NULL },
    };

    try_rows(rows, ROW_COUNT(rows));
}

static void locks_and_updaters_do_not_overlap(void)
{
    static const struct row rows[] = {
        { "one behind the other", "T1 @0-10: w x 1; T2 @5-20: w x 2", LOCKS "[\"c1\",\"c2\"]",
          NULL },
        { "one too late for the other",
          "T1 @0-40: w x 1 @0-5, r y _ @20-30; T2 @5-40: w x 2 @6-10, r y _ @20-30",
          LOCKS "[\"c1\",\"c2\"]", "locked by two" },
        { "which is left open",
          "T1 @0-40: w x 1 @0-5, r y _ @20-30; T2 @5-40: w x 2 @6-10, r y _ @20-30",
          LOCKS "[\"c1\",\"c2\"],\"open\":[[1,0]]", NULL },
        { "a read and a write",
          "init x 1; T1 @0-40: r x 1 @0-5, r y _ @20-30; T2 @5-40: w x 2 @6-10, r y _ @20-30",
          LOCKS "[\"c1\",\"c2\"]", "locked by two" },
        { "two reads",
          "init x 1; T1 @0-40: r x 1 @0-5, r y _ @20-30; T2 @5-40: r x 1 @6-10, r y _ @20-30",
          LOCKS "[\"c1\",\"c2\"]", NULL },
        { "who reads under a lock looks when it has it",
          "init x 1; T1 @0-40: w x 2 @0-5; T2 @0-40: r x 1 locked @6-40",
          STATEMENTS "[[2,0],\"c1\",\"c2\"]", "locked by two" },
        { "and commits first", "init x 1; T1 @0-40: w x 2 @0-40; T2 @0-40: r x 1 locked @6-40",
          STATEMENTS "[[2,0],\"c2\",\"c1\"]", NULL },
        { "a range",
          "T1 @0-40: sel v<5 {} @0-5, r y _ @20-30; T2 @5-40: ins {7=1} @6-10, r y _ @20-30",
          LOCKS "[\"c1\",\"c2\"]", "a range was locked" },
        { "beside it",
          "T1 @0-40: sel v<5 {} @0-5, r y _ @20-30; T2 @5-40: ins {7=9} @6-10, r y _ @20-30",
          LOCKS "[\"c1\",\"c2\"]", NULL },
        { "a range, and who wrote into it first",
          "init t/7 1; T1 @0-40: upd v<5 {7=2} @6-10, r y _ @20-30; T2 @5-40: sel v<5 {7=2} @6-10, "
          "r y _ @20-30",
          LOCKS "[\"c1\",\"c2\"]", "locked by two" },
        { "updaters one behind the other", "T1 @0-9: r x _, w x 1; T2 @0-9: r x 1, w x 2",
          UNTIMED_SNAPSHOTS "[\"b1\",\"c1\",\"b2\",\"c2\"]", NULL },
        { "or at once", "T1 @0-9: r y _, w x 1; T2 @0-9: r y _, w x 2",
          UNTIMED_SNAPSHOTS "[\"b1\",\"b2\",\"c1\",\"c2\"]", "looked before another updater" },
        { "of which one is open", "T1 @0-9: r y _, w x 1; T2 @0-9: r y _, w x 2",
          UNTIMED_SNAPSHOTS "[\"b1\",\"b2\",\"c1\",\"c2\"],\"open\":[[1,1]]", NULL },
    };

    try_rows(rows, ROW_COUNT(rows));
}

#define SKEW "T1 @0-9: r x _, w y 1; T2 @0-9: r y _, w x 1"
#define SKEWED "[\"b1\",\"b2\",\"c1\",\"c2\"]"

static void dependencies_make_no_circle(void)
{
    static const struct row rows[] = {
        { "write skew", SKEW, UNTIMED_SNAPSHOTS SKEWED, NULL },
        { "that is certified", SKEW, CERTIFIED SKEWED, "in a circle" },
        { "but for what is open", SKEW, CERTIFIED SKEWED ",\"open\":[[1,0]]", NULL },
        { "what was read is still there", SKEW, VALIDATION SKEWED, "was overwritten when" },
        { "who only reads need not be", "T1 @0-9: r x _, r y _; T2 @0-9: r y _, w x 1",
          VALIDATION "[\"b1\",\"b2\",\"c2\",\"c1\"]", NULL },
        { "by what was looked for",
          "T1 @0-9: sel v<5 {}, ins {8=9}; T2 @0-9: sel v>=5 {}, ins {7=1}", CERTIFIED SKEWED,
          "in a circle" },
        { "which did not match", "T1 @0-9: sel v<5 {}, ins {8=9}; T2 @0-9: sel v>=5 {}, ins {7=8}",
          CERTIFIED SKEWED, NULL },
        { "timestamps are within times",
          "T1 @20-30: r x _; T2 @0-25: r z _, w x 1; T3 @0-9: w y 1",
          TIMESTAMPS "[\"b2\",\"b3\",\"c3\",\"b1\",\"c2\",\"c1\"]", NULL },
        { "or are not",
          "T1 @20-30: r x _; T2 @0-25: r y _, w x 1; T3 @0-9: w y 1",
          TIMESTAMPS "[\"b2\",\"b3\",\"c3\",\"b1\",\"c2\",\"c1\"]", "no timestamps" },
    };

    try_rows(rows, ROW_COUNT(rows));
}

static void an_order_goes_with_its_checker_alone(void)
{
    static const struct row rows[] = {
        { "of transactions", TWO,
          "\"checker\":\"weak\",\"level\":\"causal\",\"verdict\":\"valid\",\"instants\":[\"c1\"],"
          "\"order\":[1]",
          "of interval alone" },
        { "of both", TWO, AT_ONCE "[\"c1\",\"c2\"],\"order\":[1,2]", "no order" },
        { "of neither", TWO,
          "\"checker\":\"interval\",\"level\":\"serializable\",\"verdict\":\"valid\",\"profile\":"
          "{\"view\":\"commit\",\"timing\":\"none\",\"certifier\":\"none\",\"rules\":[]}",
          "\"instants\" is missing" },
        { "of an invalid one", TWO,
          "\"checker\":\"interval\",\"level\":\"serializable\",\"verdict\":\"invalid\",\"profile\":"
          "{\"view\":\"commit\",\"timing\":\"none\",\"certifier\":\"none\",\"rules\":[]},"
          "\"instants\":[],\"anomalies\":[]",
          "an invalid verdict with an order" },
    };

    try_rows(rows, ROW_COUNT(rows));
}

static void it_says_what_was_proved(void)
{
    char reason[512];

    fixture_history(TWO);
    TEST_ASSERT_TRUE(fixture_accepts(reason, "%s", AT_ONCE "[\"c2\",\"c1\"],\"open\":[[2,0]]"));
    TEST_ASSERT_EQUAL_STRING("strict-serializable holds, of a database that works like the profile "
                             "of the witness: 2 instants in an order, 1 reads left open",
                             reason);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_order_has_all_instants_within_their_times);
    RUN_TEST(views_of_statements_follow_the_program);
    RUN_TEST(what_was_read_is_there);
    RUN_TEST(what_is_left_open_is_right_by_times);
    RUN_TEST(looks_agree_with_what_is_there);
    RUN_TEST(locks_and_updaters_do_not_overlap);
    RUN_TEST(dependencies_make_no_circle);
    RUN_TEST(an_order_goes_with_its_checker_alone);
    RUN_TEST(it_says_what_was_proved);
    return UNITY_END();
}
