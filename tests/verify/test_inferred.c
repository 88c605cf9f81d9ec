/*
 * Witnesses of `infer` by hand: for each proof one that is true, and beside it what is
 * only nearly so.
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

#define VALID(level, order)                                                                        \
    "\"checker\":\"infer\",\"level\":\"" level "\",\"verdict\":\"valid\",\"order\":" order
#define INVALID(level, kind, txns, proof)                                                          \
    "\"checker\":\"infer\",\"level\":\"" level "\",\"verdict\":\"invalid\",\"anomalies\":[{"       \
    "\"kind\":\"" kind "\",\"transactions\":" txns ",\"explanation\":\"\"," proof "}]"
#define CYCLE(edges) "\"cycle\":[" edges "]"
#define READ(fields) "\"read\":{" fields "}"
#define EDGE(from, to, kind, key, from_op, to_op, from_version, to_version)                        \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"" kind "\",\"key\":\"" key                      \
    "\",\"from-op\":" #from_op ",\"to-op\":" #to_op ",\"from-version\":" from_version              \
    ",\"to-version\":" to_version ",\"why\":\"\"}"
#define STEP(from, to, kind)                                                                       \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"" kind "\",\"why\":\"\"}"
#define READS(first, second)                                                                       \
    "\"reads\":[{\"txn\":" #first ",\"op\":0,\"key\":\"x\"},"                                      \
    "{\"txn\":" #second ",\"op\":0,\"key\":\"x\"}]"

/* --- Lists ------------------------------------------------------------------- */

static void the_longest_list_orders_what_was_appended(void)
{
    fixture_history("T1: a x 1; T2: a x 2; T3: a x 3, r y _; T4: r x [1 2], a y 1; T5: r x [1]");
    ASSERT_ACCEPTED(VALID("read-committed", "[1,5,2,4,3]"));
    ASSERT_ACCEPTED(VALID("read-uncommitted", "[1,2,3,4,5]"));
    ASSERT_REFUSED("version before of x", VALID("read-uncommitted", "[2,1,3,4,5]"));
    ASSERT_REFUSED("version before of x", VALID("read-uncommitted", "[1,3,2,4,5]"));
    ASSERT_REFUSED("read its version of x", VALID("read-committed", "[1,4,2,3,5]"));
    ASSERT_REFUSED("overwrote what it read of x", VALID("repeatable-read", "[1,2,3,4,5]"));
    /* T3 read y before T4 appended to it, and T4 read x without what T3 appended. */
    ASSERT_ACCEPTED(INVALID(
        "serializable", "G2-item", "[3,4]",
        CYCLE(EDGE(3, 4, "rw", "y", 1, 1, "null", "4") "," EDGE(4, 3, "rw", "x", 0, 0, "2", "3"))));
    ASSERT_REFUSED("in a row", INVALID("snapshot", "G2-item", "[3,4]",
                                       CYCLE(EDGE(3, 4, "rw", "y", 1, 1, "null",
                                                  "4") "," EDGE(4, 3, "rw", "x", 0, 0, "2", "3"))));
    ASSERT_REFUSED("need not have read",
                   INVALID("serializable", "G2-item", "[3,4]",
                           CYCLE(EDGE(3, 4, "rw", "y", 1, 1, "null",
                                      "4") "," EDGE(4, 3, "rw", "x", 0, 0, "1", "3"))));
    ASSERT_REFUSED("in which order", INVALID("serializable", "G2-item", "[2,3,4]",
                                             CYCLE(EDGE(3, 2, "ww", "x", 0, 0, "3", "2") "," EDGE(
                                                 2, 4, "wr", "x", 0, 0, "2",
                                                 "2") "," EDGE(4, 3, "rw", "x", 0, 0, "2", "3"))));
}

static void elements_of_one_may_stand_on_both_sides_of_another(void)
{
    fixture_history("T1: a x 1, a x 3; T2: a x 2; T3: r x [1 2 3]");
    ASSERT_ACCEPTED(INVALID("read-uncommitted", "G0", "[1,2]",
                            CYCLE(EDGE(1, 2, "ww", "x", 0, 0, "[1,1]",
                                       "2") "," EDGE(2, 1, "ww", "x", 0, 1, "2", "1"))));
    ASSERT_REFUSED("in which order",
                   INVALID("read-uncommitted", "G0", "[1,2]",
                           CYCLE(EDGE(1, 2, "ww", "x", 0, 0, "[1,1]",
                                      "2") "," EDGE(2, 1, "ww", "x", 0, 0, "2", "[1,1]"))));
    ASSERT_REFUSED("should come before", VALID("read-uncommitted", "[1,2,3]"));
}

static void two_lists_exclude_each_other(void)
{
    fixture_history("T1: a x 1; T2: a x 2; T3: r x [1 2]; T4: r x [2]; T5: r x [1]");
    ASSERT_ACCEPTED(INVALID("read-committed", "incompatible-order", "[3,4]", READS(3, 4)));
    ASSERT_REFUSED("is a prefix",
                   INVALID("read-committed", "incompatible-order", "[3,5]", READS(3, 5)));
    ASSERT_REFUSED("does not judge",
                   INVALID("read-uncommitted", "incompatible-order", "[3,4]", READS(3, 4)));
    ASSERT_REFUSED("two reads are no G0", INVALID("read-committed", "G0", "[3,4]", READS(3, 4)));
    ASSERT_REFUSED("no list at any time", VALID("read-committed", "[1,2,3,4,5]"));
}

static void an_update_of_what_was_aborted_is_dirty(void)
{
#define DIRTY(first, second, reader)                                                               \
    "\"writes\":{\"key\":\"x\",\"versions\":[" #first "," #second "],\"read\":[" #reader ",0]}"
    fixture_history("T1 abort: a x 1; T2: a x 2; T3: r x [1 2]; T4: a x 3");
    ASSERT_ACCEPTED(INVALID("read-committed", "dirty-update", "[1,2,3]", DIRTY(1, 2, 3)));
    ASSERT_REFUSED("does not have the one before",
                   INVALID("read-committed", "dirty-update", "[1,3,4]", DIRTY(1, 4, 3)));
    ASSERT_REFUSED("is not of one who aborted",
                   INVALID("read-committed", "dirty-update", "[2,3]", DIRTY(2, 2, 3)));
    ASSERT_REFUSED("no list was read", INVALID("read-committed", "dirty-update", "[1,2]",
                                               "\"writes\":{\"key\":\"x\",\"versions\":[1,2]}"));
    ASSERT_ACCEPTED(INVALID("read-committed", "G1a", "[1,3]",
                            READ("\"txn\":3,\"op\":0,\"key\":\"x\",\"version\":1")));
}

/* --- Registers --------------------------------------------------------------- */

static void what_was_read_is_before_what_was_then_written(void)
{
    fixture_history("T1: w x 1; T2: r x 1, w x 2; T3: r x 2, w x 3; T4: r x 1, w y 4; T5: r y 4, "
                    "w x 5");
    ASSERT_ACCEPTED(VALID("serializable", "[1,4,2,3,5]"));
    ASSERT_REFUSED("overwrote what it read", VALID("serializable", "[1,2,4,3,5]"));
    ASSERT_ACCEPTED(VALID("read-committed", "[1,2,4,3,5]"));
    fixture_history("T1: w x 1, r y _; T2: r x 1, w x 2; T3: r x 2, w y 3; T4: r x 1, r y 3");
    ASSERT_ACCEPTED(
        INVALID("serializable", "G-single", "[2,3,4]",
                CYCLE(EDGE(4, 2, "rw", "x", 0, 1, "1", "2") "," EDGE(
                    2, 3, "wr", "x", 1, 0, "2", "2") "," EDGE(3, 4, "wr", "y", 1, 1, "3", "3"))));
    ASSERT_REFUSED("in which order", INVALID("serializable", "G0", "[1,2]",
                                             CYCLE(EDGE(1, 2, "ww", "x", 0, 1, "1", "2") "," EDGE(
                                                 2, 1, "ww", "x", 1, 0, "2", "1"))));
    ASSERT_REFUSED(
        "has no such edges",
        INVALID("read-committed", "G-single", "[2,3,4]",
                CYCLE(EDGE(4, 2, "rw", "x", 0, 1, "1", "2") "," EDGE(
                    2, 3, "wr", "x", 1, 0, "2", "2") "," EDGE(3, 4, "wr", "y", 1, 1, "3", "3"))));
}

static void two_updates_of_one_version_lose_one(void)
{
    fixture_history("T1: w x 1; T2: r x 1, w x 2; T3: r x 1, w x 3; T4: r x 1");
    ASSERT_ACCEPTED(INVALID("cursor-stability", "lost-update", "[2,3]", READS(2, 3)));
    ASSERT_ACCEPTED(INVALID("repeatable-read", "lost-update", "[2,3]", READS(2, 3)));
    ASSERT_REFUSED("does not forbid",
                   INVALID("read-committed", "lost-update", "[2,3]", READS(2, 3)));
    ASSERT_REFUSED("did not go on",
                   INVALID("repeatable-read", "lost-update", "[2,4]", READS(2, 4)));
}

#define VERSIONS(steps) "\"versions\":{\"key\":\"x\",\"cycle\":[" steps "]}"
#define BY(from, to, reason, txns)                                                                 \
    "{\"from\":" #from ",\"to\":" #to ",\"by\":\"" reason "\",\"txns\":" txns "}"

static void versions_that_precede_each_other_are_a_circle(void)
{
    fixture_history("T1: r x 2, w x 1; T2: r x 1, w x 2; T3: r x 1");
    ASSERT_ACCEPTED(INVALID(
        "read-committed", "cyclic-versions", "[1,2]",
        VERSIONS(BY(1, 2, "read-then-write", "[2]") "," BY(2, 1, "read-then-write", "[1]"))));
    ASSERT_REFUSED("nothing says", INVALID("read-uncommitted", "cyclic-versions", "[1,2]",
                                           VERSIONS(BY(1, 2, "read-then-write", "[2]") "," BY(
                                               2, 1, "read-then-write", "[1]"))));
    ASSERT_REFUSED("does not lead to the first",
                   INVALID("read-committed", "cyclic-versions", "[1,2]",
                           VERSIONS(BY(1, 2, "read-then-write", "[2]"))));
    ASSERT_REFUSED("nothing says", INVALID("read-committed", "cyclic-versions", "[1,2]",
                                           VERSIONS(BY(1, 2, "read-then-write", "[1]") "," BY(
                                               2, 1, "read-then-write", "[2]"))));
    fixture_history("T1 s1: w x 1; T2 s1: w x 2; T3 s2: r x 2; T4 s2: r x 1");
    ASSERT_ACCEPTED(
        INVALID("session-serializable", "cyclic-versions", "[1,2,3,4]",
                VERSIONS(BY(1, 2, "process", "[1,2]") "," BY(2, 1, "process", "[3,4]"))));
    ASSERT_REFUSED("nothing says", INVALID("serializable", "cyclic-versions", "[1,2,3,4]",
                                           VERSIONS(BY(1, 2, "process",
                                                       "[1,2]") "," BY(2, 1, "process", "[3,4]"))));
    /* At read-committed a later read may be of an earlier version. */
    ASSERT_REFUSED(
        "nothing says",
        INVALID("strong-session-read-committed", "cyclic-versions", "[1,2,3,4]",
                VERSIONS(BY(1, 2, "process", "[1,2]") "," BY(2, 1, "process", "[3,4]"))));
    ASSERT_ACCEPTED(INVALID("session-serializable", "G-single-process", "[2,3,4]",
                            CYCLE(EDGE(2, 3, "wr", "x", 0, 0, "2", "2") "," STEP(
                                3, 4, "process") "," EDGE(4, 2, "rw", "x", 0, 0, "1", "2"))));
}

static void versions_in_time_are_ordered_at_strict_levels_alone(void)
{
    fixture_history("T1 @1-2: w x 1; T2 @3-4: w x 2; T3 @1-9: r x 2, w y 1; T4 @1-9: r x 1, r y 1");
    ASSERT_ACCEPTED(
        INVALID("strict-serializable", "G-single-realtime", "[2,3,4]",
                CYCLE(EDGE(4, 2, "rw", "x", 0, 0, "1", "2") "," EDGE(
                    2, 3, "wr", "x", 0, 0, "2", "2") "," EDGE(3, 4, "wr", "y", 1, 1, "3", "3"))));
    ASSERT_REFUSED("in which order", INVALID("session-serializable", "G-single", "[2,3,4]",
                                             CYCLE(EDGE(4, 2, "rw", "x", 0, 0, "1", "2") "," EDGE(
                                                 2, 3, "wr", "x", 0, 0, "2",
                                                 "2") "," EDGE(3, 4, "wr", "y", 1, 1, "3", "3"))));
    ASSERT_REFUSED("should come before", VALID("strict-serializable", "[1,2,3,4]"));
}

static void models_forbid_circles_of_their_shape(void)
{
    static const char cycle[] =
        CYCLE(EDGE(2, 3, "wr", "y", 1, 0, "2", "2") "," EDGE(3, 2, "rw", "x", 1, 0, "null", "2"));

    fixture_history("T2: w x 2, w y 2; T3: r y 2, r x _, w z 3");
    ASSERT_ACCEPTED(INVALID("monotonic-atomic-view", "G-single", "[2,3]", "%s"), cycle);
    ASSERT_ACCEPTED(INVALID("read-atomic", "G-single", "[2,3]", "%s"), cycle);
    ASSERT_ACCEPTED(INVALID("consistent-view", "G-single", "[2,3]", "%s"), cycle);
    ASSERT_ACCEPTED(INVALID("monotonic-view", "G-single", "[2,3]", "%s"), cycle);
    ASSERT_REFUSED("allows such a cycle", INVALID("cursor-stability", "G-single", "[2,3]", "%s"),
                   cycle);
    fixture_history("T2: w x 2, w y 2; T3: r x _, r y 2, w z 3");
    ASSERT_REFUSED("allows such a cycle",
                   INVALID("monotonic-atomic-view", "G-single", "[2,3]",
                           CYCLE(EDGE(2, 3, "wr", "y", 1, 1, "2", "2") "," EDGE(3, 2, "rw", "x", 0,
                                                                                0, "null", "2"))));
    ASSERT_ACCEPTED(INVALID(
        "read-atomic", "G-single", "[2,3]",
        CYCLE(EDGE(2, 3, "wr", "y", 1, 1, "2", "2") "," EDGE(3, 2, "rw", "x", 0, 0, "null", "2"))));
}

/* Where a level lets a read stand that does not find what its own transaction had appended. */
static void a_list_behind_own_appends_is_a_list_of_some_time(void)
{
    fixture_history("T1: a x 2; T2: a x 3, r x _; T3: r x [2 3]");
    ASSERT_ACCEPTED(VALID("read-committed", "[1,2,3]"));
    ASSERT_ACCEPTED(VALID("cursor-stability", "[1,2,3]"));
    ASSERT_REFUSED("allows such a cycle",
                   INVALID("cursor-stability", "G-single", "[1,2]",
                           CYCLE(EDGE(1, 2, "ww", "x", 0, 0, "1", "2") "," EDGE(2, 1, "rw", "x", 1,
                                                                                0, "null", "1"))));
}

static void models_of_items_forbid_nothing_of_predicates(void)
{
    static const char cycle[] = CYCLE(EDGE(1, 2, "wr", "t/1", 0, 0, "1", "1") "," EDGE(
        2, 1, "predicate-rw", "t/1", 1, 0, "null", "1"));

    fixture_history("T1: w t/1 5; T2: r t/1 5, sel v>=1 {}");
    ASSERT_ACCEPTED(INVALID("consistent-view", "G-single", "[1,2]", "%s"), cycle);
    ASSERT_REFUSED("no such edges", INVALID("monotonic-atomic-view", "G-single", "[1,2]", "%s"),
                   cycle);
    ASSERT_REFUSED("no such edges", INVALID("cursor-stability", "G-single", "[1,2]", "%s"), cycle);
}

static void each_key_is_linearizable_on_its_own(void)
{
    fixture_history("T1 @1-9: r x _, w y 1; T2 @1-9: r y _, w x 2; T3 @1-2: w z 3; T4 @3-4: r z _");
    ASSERT_REFUSED("on its own", INVALID("linearizable", "G2-item", "[1,2]",
                                         CYCLE(EDGE(1, 2, "rw", "x", 0, 1, "null", "2") "," EDGE(
                                             2, 1, "rw", "y", 0, 1, "null", "1"))));
    ASSERT_ACCEPTED(
        INVALID("linearizable", "G-single-realtime", "[3,4]",
                CYCLE(EDGE(4, 3, "rw", "z", 0, 0, "null", "3") "," STEP(3, 4, "realtime"))));
}

static void an_order_with_snapshots_loses_no_update(void)
{
    fixture_history("T1: r x _, w x 1; T2: r x _, w x 2");
    ASSERT_REFUSED("wrote the version before", VALID("snapshot", "[1,2],\"snapshots\":[0,0]"));
    ASSERT_REFUSED("wrote the version before",
                   VALID("parallel-snapshot-isolation", "[1,2],\"snapshots\":[0,0]"));
    ASSERT_ACCEPTED(VALID("prefix", "[1,2],\"snapshots\":[0,0]"));
    fixture_history("T1: r x _, w x 1; T2: r x 1, w x 2");
    ASSERT_ACCEPTED(VALID("snapshot", "[1,2],\"snapshots\":[0,1]"));
}

/* T3 saw a part of each of two writers, of whom nobody knows which was first. */
static void registers_in_no_order_show_no_more_than_the_order_explains(void)
{
    static const char *const levels[] = { "read-atomic", "causal", "prefix",
                                          "parallel-snapshot-isolation", "update-atomic" };

    fixture_history("T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 2");
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        ASSERT_REFUSED(i == 2 ? "overwrote what it read" : "missed what 2 wrote",
                       "\"checker\":\"infer\",\"level\":\"%s\",\"verdict\":\"valid\","
                       "\"order\":[1,2,3]",
                       levels[i]);
    ASSERT_REFUSED("missed what 2 wrote", VALID("consistent-view", "[1,2,3]"));
    ASSERT_REFUSED("overwrote what it read", VALID("serializable", "[1,2,3]"));
    ASSERT_ACCEPTED(VALID("read-committed", "[1,2,3]"));
    ASSERT_ACCEPTED(VALID("monotonic-view", "[1,2,3]"));
    fixture_history("T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 2, r y 2");
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        ASSERT_ACCEPTED("\"checker\":\"infer\",\"level\":\"%s\",\"verdict\":\"valid\","
                        "\"order\":[1,2,3]",
                        levels[i]);
    /* x was never read, but one of its two writers must have seen the other. */
    fixture_history("T1: r z _, w x 1, w y 1; T2: r y _, w x 2, w z 2");
    ASSERT_ACCEPTED(VALID("causal", "[1,2]"));
    ASSERT_REFUSED("missed what 1 wrote", VALID("parallel-snapshot-isolation", "[1,2]"));
    ASSERT_REFUSED("missed what 2 wrote", VALID("parallel-snapshot-isolation", "[2,1]"));
    ASSERT_REFUSED("wrote the version before",
                   VALID("snapshot", "[1,2],\"snapshots\":[0,0]"));
}

/* Of appends that nobody read, one comes first, and its transaction is over before the other begins. */
static void appends_that_nobody_read_stand_in_the_order_of_the_witness(void)
{
    fixture_history("T1: r x _, a y 1, a z 10; T2: r y _, a x 2, a z 20");
    ASSERT_REFUSED("wrote the version before of z", VALID("snapshot", "[1,2],\"snapshots\":[0,0]"));
    ASSERT_REFUSED("overwrote what it read of y", VALID("snapshot", "[1,2],\"snapshots\":[0,1]"));
    ASSERT_REFUSED("missed what 1 wrote of y", VALID("consistent-view", "[1,2]"));
    ASSERT_ACCEPTED(VALID("causal", "[1,2]"));
    ASSERT_ACCEPTED(VALID("prefix", "[1,2],\"snapshots\":[0,0]"));
}

#define ORDER(key, first, second, edges)                                                           \
    "\"orders\":[{\"key\":\"" key "\",\"first\":" #first ",\"second\":" #second ",\"cycle\":[" edges     \
    "]}]"

/* Whichever of two appended first, he did not see the other. */
static void an_order_follows_where_the_other_one_closes_a_cycle(void)
{
#define MISSES_1 EDGE(2, 1, "rw", "y", 0, 1, "null", "1")
#define MISSES_2 EDGE(1, 2, "rw", "x", 0, 1, "null", "2")
#define TEN_FIRST EDGE(1, 2, "ww", "z", 2, 2, "1", "2")
#define TWENTY_FIRST EDGE(2, 1, "ww", "z", 2, 2, "2", "1")
    static const char *const levels[] = { "snapshot", "session-snapshot", "consistent-view",
                                          "update-atomic", "parallel-snapshot-isolation",
                                          "serializable" };
    static const char *const history = "T1: r x _, a y 1, a z 10; T2: r y _, a x 2, a z 20";

    fixture_history(history);
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        ASSERT_ACCEPTED(INVALID("%s", "G-single", "[1,2]", "%s,%s"), levels[i],
                        ORDER("z", 2, 1, MISSES_1 "," TEN_FIRST), CYCLE(MISSES_2 "," TWENTY_FIRST));
    /* Nothing but the order says so; nor is it the other one, nor of another key. */
    ASSERT_REFUSED("in which order",
                   INVALID("snapshot", "G-single", "[1,2]", CYCLE(MISSES_2 "," TWENTY_FIRST)));
    ASSERT_REFUSED("in which order",
                   INVALID("snapshot", "G-single", "[1,2]",
                           ORDER("z", 2, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(MISSES_1
                                                                            "," TEN_FIRST)));
    ASSERT_REFUSED("in which order",
                   INVALID("snapshot", "G-single", "[1,2]",
                           ORDER("z", 1, 2, MISSES_1 "," TEN_FIRST) "," CYCLE(MISSES_1
                                                                            "," TEN_FIRST)));
    ASSERT_REFUSED("in which order",
                   INVALID("snapshot", "G-single", "[1,2]",
                           ORDER("z", 2, 1, MISSES_2 "," TWENTY_FIRST) "," CYCLE(MISSES_2
                                                                               "," TWENTY_FIRST)));
    ASSERT_REFUSED("made no such version",
                   INVALID("snapshot", "G-single", "[1,2]",
                           ORDER("y", 2, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(MISSES_2
                                                                            "," TWENTY_FIRST)));
    ASSERT_REFUSED("left both", INVALID("snapshot", "G-single", "[1,2]",
                                        ORDER("z", 1, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(
                                            MISSES_2 "," TWENTY_FIRST)));
    ASSERT_REFUSED("initial version", INVALID("snapshot", "G-single", "[1,2]",
                                              ORDER("z", null, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(
                                                  MISSES_2 "," TWENTY_FIRST)));
    /* The kind is the weakest that is there, and the level forbids each cycle. */
    ASSERT_REFUSED("is no G1c", INVALID("snapshot", "G1c", "[1,2]",
                                        ORDER("z", 2, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(
                                            MISSES_2 "," TWENTY_FIRST)));
    ASSERT_REFUSED("allows such a cycle",
                   INVALID("causal", "G-single", "[1,2]",
                           ORDER("z", 2, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(MISSES_2
                                                                            "," TWENTY_FIRST)));
    ASSERT_REFUSED("no such edges",
                   INVALID("read-committed", "G-single", "[1,2]",
                           ORDER("z", 2, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(MISSES_2
                                                                            "," TWENTY_FIRST)));
    /* Who may not have committed need not have appended at all. */
    fixture_history("T1: r x _, a y 1, a z 10; T2 unknown: r y _, a x 2, a z 20");
    ASSERT_REFUSED("not left behind",
                   INVALID("snapshot", "G-single", "[1,2]",
                           ORDER("z", 2, 1, MISSES_1 "," TEN_FIRST) "," CYCLE(MISSES_2
                                                                            "," TWENTY_FIRST)));
}

/* Two reads of a session order versions for causal, and not for read-atomic. */
static void at_read_atomic_two_readers_order_nothing(void)
{
    static const char cycle[] =
        CYCLE(EDGE(3, 2, "rw", "x", 0, 0, "1", "2") "," EDGE(2, 3, "wr", "y", 1, 1, "2", "2"));

    fixture_history("T1 s1: w x 1; T2 s2: w x 2, w y 2; T3 s3: r x 1, r y 2; T4 s4: r x 1; "
                    "T5 s4: r x 2");
    ASSERT_ACCEPTED(INVALID("causal", "G-single-process", "[2,3]", "%s"), cycle);
    ASSERT_REFUSED("in which order", INVALID("read-atomic", "G-single-process", "[2,3]", "%s"),
                   cycle);
    fixture_history("T1 s4: w x 1; T2 s4: w x 2, w y 2; T3 s3: r x 1, r y 2");
    ASSERT_ACCEPTED(INVALID("read-atomic", "G-single-process", "[2,3]", "%s"), cycle);
}

/* Below the levels that forbid `internal` that is no more wrong than what others left. */
static void what_a_transaction_wrote_over_itself_it_may_still_read(void)
{
    fixture_history("T1: w x 1, w x 2, r x 1");
    ASSERT_ACCEPTED(VALID("read-committed", "[1]"));
    ASSERT_ACCEPTED(VALID("monotonic-atomic-view", "[1]"));
    ASSERT_REFUSED("nobody can have read that", VALID("read-atomic", "[1]"));
    fixture_history("T1: w x 1, r x 2, w x 2, w x 3");
    ASSERT_REFUSED("nobody can have read that", VALID("read-committed", "[1]"));
}

/* Behind own appends, too, a list has all or nothing of what another one appended. */
static void a_part_of_what_one_appended_is_wrong_behind_own_appends(void)
{
    fixture_history("T1: a x 2, a x 4; T2: a x 5, r x [2]");
    ASSERT_ACCEPTED(INVALID("read-committed", "G1b", "[1,2]",
                            READ("\"txn\":2,\"op\":1,\"key\":\"x\",\"version\":[1,1]")));
    ASSERT_REFUSED("nobody can have read that", VALID("read-committed", "[1,2]"));
    fixture_history("T1: a x 2, a x 4; T2: a x 5, r x [2 4]");
    ASSERT_ACCEPTED(VALID("read-committed", "[1,2]"));
}

/* What others had appended is what it was when the reader first looked, behind own appends, too. */
static void a_list_that_lost_what_others_had_appended_is_internal(void)
{
    fixture_history("T1: a x 2; T2: a x 3; T3: a x 7, r x [2 3 7], a x 8, r x [2 7 8]");
    ASSERT_ACCEPTED(INVALID("read-atomic", "internal", "[3]",
                            READ("\"txn\":3,\"op\":3,\"key\":\"x\"")));
    ASSERT_REFUSED("its answer is right", INVALID("read-atomic", "internal", "[3]",
                                                  READ("\"txn\":3,\"op\":1,\"key\":\"x\"")));
}

/* A cursor stands at what was read and is then written, also behind an own write. */
static void a_cursor_may_stand_behind_an_own_write(void)
{
    static const char cycle[] =
        CYCLE(EDGE(2, 1, "rw", "x", 1, 0, "null", "1") "," EDGE(1, 2, "ww", "x", 0, 2, "1", "2"));

    fixture_history("T1: a x 2; T2: a x 5, r x _, a x 7; T3: r x [2 5 7]");
    ASSERT_ACCEPTED(INVALID("cursor-stability", "G-single", "[1,2]", "%s"), cycle);
    ASSERT_REFUSED("had been updated", VALID("cursor-stability", "[1,2,3]"));
    fixture_history("T1: a x 2; T2: a x 5, r x _; T3: r x [2 5]");
    ASSERT_ACCEPTED(VALID("cursor-stability", "[1,2,3]"));
}

static void what_is_ambiguous_proves_nothing(void)
{
    fixture_history("T1: w x 1; T2: w x 1; T3: r x 1, r y _; T4: w y 1");
    ASSERT_REFUSED("nothing says what was read", VALID("serializable", "[1,2,3,4]"));
    ASSERT_REFUSED("need not have read",
                   INVALID("serializable", "G1c", "[1,3]",
                           CYCLE(EDGE(1, 3, "wr", "x", 0, 0, "1", "1") "," EDGE(3, 1, "rw", "x", 0,
                                                                                0, "null", "1"))));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_longest_list_orders_what_was_appended);
    RUN_TEST(elements_of_one_may_stand_on_both_sides_of_another);
    RUN_TEST(two_lists_exclude_each_other);
    RUN_TEST(an_update_of_what_was_aborted_is_dirty);
    RUN_TEST(what_was_read_is_before_what_was_then_written);
    RUN_TEST(two_updates_of_one_version_lose_one);
    RUN_TEST(versions_that_precede_each_other_are_a_circle);
    RUN_TEST(versions_in_time_are_ordered_at_strict_levels_alone);
    RUN_TEST(models_forbid_circles_of_their_shape);
    RUN_TEST(a_list_behind_own_appends_is_a_list_of_some_time);
    RUN_TEST(models_of_items_forbid_nothing_of_predicates);
    RUN_TEST(each_key_is_linearizable_on_its_own);
    RUN_TEST(an_order_with_snapshots_loses_no_update);
    RUN_TEST(registers_in_no_order_show_no_more_than_the_order_explains);
    RUN_TEST(appends_that_nobody_read_stand_in_the_order_of_the_witness);
    RUN_TEST(an_order_follows_where_the_other_one_closes_a_cycle);
    RUN_TEST(at_read_atomic_two_readers_order_nothing);
    RUN_TEST(what_a_transaction_wrote_over_itself_it_may_still_read);
    RUN_TEST(a_part_of_what_one_appended_is_wrong_behind_own_appends);
    RUN_TEST(a_list_that_lost_what_others_had_appended_is_internal);
    RUN_TEST(a_cursor_may_stand_behind_an_own_write);
    RUN_TEST(what_is_ambiguous_proves_nothing);
    return UNITY_END();
}
