/*
 * Witnesses of `weak` by hand: for each level and each edge one that is true, and
 * beside it what is only nearly so.
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
    "\"checker\":\"weak\",\"level\":\"" level "\",\"verdict\":\"valid\",\"order\":" order
#define INVALID(level, kind, txns, proof)                                                          \
    "\"checker\":\"weak\",\"level\":\"" level "\",\"verdict\":\"invalid\",\"anomalies\":[{"        \
    "\"kind\":\"" kind "\",\"transactions\":" txns ",\"explanation\":\"\"," proof "}]"
#define CYCLE(edges) "\"cycle\":[" edges "]"
#define PROCESS(from, to) "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"process\",\"why\":\"\"}"
#define WR(from, to, key, from_op, to_op)                                                          \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"wr\",\"key\":\"" key "\",\"from-op\":" #from_op \
    ",\"to-op\":" #to_op ",\"from-version\":" #from ",\"to-version\":" #from ",\"why\":\"\"}"
#define CO(from, to, key, reader, because)                                                         \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"co\",\"key\":\"" key "\",\"reader\":" reader    \
    ",\"because\":[" because "],\"why\":\"\"}"
#define SHOWN(from, to, from_op, to_op, reader)                                                    \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"ww\",\"key\":\"l\",\"from-op\":" #from_op       \
    ",\"to-op\":" #to_op ",\"from-version\":" #from ",\"to-version\":" #to ",\"reader\":" reader   \
    ",\"why\":\"\"}"

/* T1 and T2 of a session both write x; T3 reads T2's y, and then T1's x. */
static const char fractured[] = "T1 s1: w x 1; T2 s1: w x 2, w y 2; T3 s2: r y 2, r x 1";

static void a_read_forces_one_writer_before_another(void)
{
    fixture_history(fractured);
    ASSERT_ACCEPTED(INVALID("read-committed", "NonMonoReadCO", "[1,2,3]",
                            CYCLE(CO(2, 1, "x", "[3,1]", WR(2, 3, "y", 1, 0)) "," PROCESS(1, 2))));
    ASSERT_ACCEPTED(INVALID("causal", "FracturedReadCO", "[1,2,3]",
                            CYCLE(CO(2, 1, "x", "[3,1]", WR(2, 3, "y", 1, 0)) "," PROCESS(1, 2))));
    ASSERT_REFUSED("is no CyclicCO",
                   INVALID("causal", "CyclicCO", "[1,2,3]",
                           CYCLE(CO(2, 1, "x", "[3,1]", WR(2, 3, "y", 1, 0)) "," PROCESS(1, 2))));
    ASSERT_REFUSED("is no NonMonoReadAO",
                   INVALID("causal", "NonMonoReadAO", "[1,2,3]",
                           CYCLE(CO(2, 1, "x", "[3,1]", WR(2, 3, "y", 1, 0)) "," PROCESS(1, 2))));
    ASSERT_REFUSED("not those of the proof",
                   INVALID("causal", "FracturedReadCO", "[1,2]",
                           CYCLE(CO(2, 1, "x", "[3,1]", WR(2, 3, "y", 1, 0)) "," PROCESS(1, 2))));
    ASSERT_REFUSED("is none at the level",
                   INVALID("read-your-writes", "NonMonoReadCO", "[1,2,3]",
                           CYCLE(CO(2, 1, "x", "[3,1]", WR(2, 3, "y", 1, 0)) "," PROCESS(1, 2))));
    ASSERT_REFUSED("was not over",
                   INVALID("causal", "FracturedReadCO", "[1,2,3]",
                           CYCLE(CO(2, 1, "x", "[3,1]", PROCESS(2, 3)) "," PROCESS(1, 2))));
    ASSERT_REFUSED("need not be from where it leads",
                   INVALID("causal", "FracturedReadCO", "[1,2,3]",
                           CYCLE(CO(1, 2, "x", "[3,1]", WR(2, 3, "y", 1, 0)) "," PROCESS(2, 1))));
}

static void a_read_before_is_not_a_read_behind(void)
{
    fixture_history("T1 s1: w x 1; T2 s1: w x 2, w y 2; T3 s2: r x 1, r y 2");
    ASSERT_REFUSED("is none at the level",
                   INVALID("read-committed", "NonMonoReadCO", "[1,2,3]",
                           CYCLE(CO(2, 1, "x", "[3,0]", WR(2, 3, "y", 1, 1)) "," PROCESS(1, 2))));
    ASSERT_ACCEPTED(INVALID("read-atomic", "FracturedReadCO", "[1,2,3]",
                            CYCLE(CO(2, 1, "x", "[3,0]", WR(2, 3, "y", 1, 1)) "," PROCESS(1, 2))));
    ASSERT_REFUSED("is no NonMonoReadCO",
                   INVALID("read-atomic", "NonMonoReadCO", "[1,2,3]",
                           CYCLE(CO(2, 1, "x", "[3,0]", WR(2, 3, "y", 1, 1)) "," PROCESS(1, 2))));
    ASSERT_ACCEPTED(VALID("read-committed", "[1,2,3]"));
    ASSERT_REFUSED("comes before another of whom it read", VALID("read-atomic", "[1,2,3]"));
    ASSERT_REFUSED("should come before", VALID("read-committed", "[2,1,3]"));
}

static void what_was_there_initially_comes_before_all(void)
{
    fixture_history("T1 s1: w x 1; T2 s1: r x _");
    ASSERT_ACCEPTED(INVALID("read-your-writes", "read-your-writes-violation", "[1,2]",
                            CYCLE(CO(1, null, "x", "[2,0]", PROCESS(1, 2)))));
    ASSERT_ACCEPTED(INVALID("read-atomic", "FracturedReadCO", "[1,2]",
                            CYCLE(CO(1, null, "x", "[2,0]", PROCESS(1, 2)))));
    ASSERT_REFUSED("is none at the level",
                   INVALID("read-committed", "NonMonoReadCO", "[1,2]",
                           CYCLE(CO(1, null, "x", "[2,0]", PROCESS(1, 2)))));
    ASSERT_ACCEPTED(VALID("read-committed", "[1,2]"));
    ASSERT_REFUSED("what its session had written", VALID("read-your-writes", "[1,2]"));
    ASSERT_REFUSED("what its session had written", VALID("pram", "[1,2]"));
    ASSERT_REFUSED("what it depends on", VALID("causal", "[1,2]"));
    ASSERT_ACCEPTED(VALID("monotonic-reads", "[1,2]"));
}

static void a_session_does_not_see_less_than_before(void)
{
    fixture_history("T1 s1: w x 1; T2 s2: r x 1; T3 s2: r x _");
    ASSERT_ACCEPTED(
        INVALID("monotonic-reads", "monotonic-reads-violation", "[1,2,3]",
                CYCLE(CO(1, null, "x", "[3,0]", WR(1, 2, "x", 0, 0) "," PROCESS(2, 3)))));
    ASSERT_ACCEPTED(
        INVALID("causal", "COConflictAO", "[1,2,3]",
                CYCLE(CO(1, null, "x", "[3,0]", WR(1, 2, "x", 0, 0) "," PROCESS(2, 3)))));
    ASSERT_REFUSED("is no path", INVALID("causal", "COConflictAO", "[1,2,3]",
                                         CYCLE(CO(1, null, "x", "[3,0]",
                                                  PROCESS(2, 3) "," WR(1, 2, "x", 0, 0)))));
    ASSERT_REFUSED("does not lead to the reader",
                   INVALID("causal", "COConflictAO", "[1,2,3]",
                           CYCLE(CO(1, null, "x", "[3,0]", WR(1, 2, "x", 0, 0)))));
    ASSERT_REFUSED("what its session had read", VALID("monotonic-reads", "[1,2,3]"));
    ASSERT_ACCEPTED(VALID("read-atomic", "[1,2,3]"));
    ASSERT_REFUSED("what it depends on", VALID("causal", "[1,2,3]"));
}

static void writes_are_seen_in_the_order_of_their_session(void)
{
    fixture_history("T1 s1: w x 1; T2 s1: w y 1; T3 s2: r y 1, r x _");
    ASSERT_ACCEPTED(
        INVALID("monotonic-writes", "monotonic-writes-violation", "[1,2,3]",
                CYCLE(CO(1, null, "x", "[3,1]", PROCESS(1, 2) "," WR(2, 3, "y", 0, 0)))));
    ASSERT_ACCEPTED(
        INVALID("pram", "pram-violation", "[1,2,3]",
                CYCLE(CO(1, null, "x", "[3,1]", PROCESS(1, 2) "," WR(2, 3, "y", 0, 0)))));
    ASSERT_REFUSED(
        "is none at the level",
        INVALID("writes-follow-reads", "monotonic-writes-violation", "[1,2,3]",
                CYCLE(CO(1, null, "x", "[3,1]", PROCESS(1, 2) "," WR(2, 3, "y", 0, 0)))));
    ASSERT_REFUSED("had written before", VALID("monotonic-writes", "[1,2,3]"));
    ASSERT_ACCEPTED(VALID("writes-follow-reads", "[1,2,3]"));
}

static void what_was_seen_is_seen_with_what_was_written_then(void)
{
    fixture_history("T1 s1: w x 1; T2 s2: r x 1, w y 1; T3 s3: r y 1, r x _");
    ASSERT_ACCEPTED(
        INVALID("writes-follow-reads", "writes-follow-reads-violation", "[1,2,3]",
                CYCLE(CO(1, null, "x", "[3,1]", WR(1, 2, "x", 0, 0) "," WR(2, 3, "y", 1, 0)))));
    ASSERT_REFUSED("one had read", VALID("writes-follow-reads", "[1,2,3]"));
    ASSERT_ACCEPTED(VALID("pram", "[1,2,3]"));
    /* Not if it was read behind what was written. */
    fixture_history("T1 s1: w x 1; T2 s2: w y 1, r x 1; T3 s3: r y 1, r x _");
    ASSERT_REFUSED(
        "is none at the level",
        INVALID("writes-follow-reads", "writes-follow-reads-violation", "[1,2,3]",
                CYCLE(CO(1, null, "x", "[3,1]", WR(1, 2, "x", 0, 1) "," WR(2, 3, "y", 0, 0)))));
    ASSERT_ACCEPTED(VALID("writes-follow-reads", "[1,2,3]"));
    ASSERT_REFUSED("what it depends on", VALID("causal", "[1,2,3]"));
}

static void lists_show_the_order_of_those_who_appended(void)
{
    fixture_history("T1 s1: a l 1; T2 s2: a l 2; T3 s3: r l [1 2]; T4 s2: w x 4; T5 s1: r x 4");
    ASSERT_ACCEPTED(VALID("causal", "[1,2,3,4,5]"));
    ASSERT_REFUSED("the answer is not", VALID("causal", "[2,1,3,4,5]"));
    ASSERT_REFUSED("does not show them",
                   INVALID("causal", "ConflictAO", "[1,2,3]",
                           CYCLE(SHOWN(1, 2, 0, 0, "[3,0]") "," SHOWN(2, 1, 0, 0, "[3,0]"))));
    fixture_history("T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [2]");
    ASSERT_ACCEPTED(INVALID("read-committed", "NonMonoReadAO", "[1,2,3,4]",
                            CYCLE(SHOWN(1, 2, 0, 0, "[3,0]") "," SHOWN(2, 1, 0, 0, "[4,0]"))));
    ASSERT_ACCEPTED(INVALID("read-committed", "incompatible-order", "[3,4]",
                            "\"reads\":[{\"txn\":3,\"op\":0,\"key\":\"l\"},"
                            "{\"txn\":4,\"op\":0,\"key\":\"l\"}]"));
    fixture_history("T1: a l 1; T2: a l 2; T3: r l [1 2]; T4: r l [1]");
    ASSERT_REFUSED("is a prefix", INVALID("read-committed", "incompatible-order", "[3,4]",
                                          "\"reads\":[{\"txn\":3,\"op\":0,\"key\":\"l\"},"
                                          "{\"txn\":4,\"op\":0,\"key\":\"l\"}]"));
}

static void a_read_that_may_be_of_two_proves_nothing(void)
{
    fixture_history("T1 s1: w x 1; T2 s2: w x 1; T3 s1: w x 2; T4 s1: r x 1");
    ASSERT_REFUSED("need not be from where it leads",
                   INVALID("read-your-writes", "read-your-writes-violation", "[1,3,4]",
                           CYCLE(CO(3, 1, "x", "[4,0]", PROCESS(3, 4)) "," PROCESS(1, 3))));
    ASSERT_ACCEPTED(VALID("read-your-writes", "[1,3,2,4]"));
    ASSERT_REFUSED("what its session had written", VALID("read-your-writes", "[1,2,3,4]"));
}

static void a_wrong_read_is_wrong_at_every_level(void)
{
#define READ(fields) "\"read\":{" fields "}"
    fixture_history("T1 abort: w x 5; T2: r x 5; T3: w y 1, w y 2; T4: r y 1; T5: a l 1, a l 2;"
                    "T6: r l [1]; T7: w z 1, r z _; T8: r y 2");
    ASSERT_ACCEPTED(
        INVALID("pram", "G1a", "[1,2]", READ("\"txn\":2,\"op\":0,\"key\":\"x\",\"version\":1")));
    ASSERT_ACCEPTED(INVALID("read-committed", "G1b", "[3,4]",
                            READ("\"txn\":4,\"op\":0,\"key\":\"y\",\"version\":[3,1]")));
    ASSERT_ACCEPTED(INVALID("read-committed", "G1b", "[5,6]",
                            READ("\"txn\":6,\"op\":0,\"key\":\"l\",\"version\":[5,1]")));
    ASSERT_ACCEPTED(
        INVALID("monotonic-reads", "internal", "[7]", READ("\"txn\":7,\"op\":1,\"key\":\"z\"")));
    ASSERT_REFUSED("is no garbage-read", INVALID("causal", "garbage-read", "[1,2]",
                                                 READ("\"txn\":2,\"op\":0,\"key\":\"x\","
                                                      "\"version\":1")));
    ASSERT_REFUSED("its answer is right",
                   INVALID("causal", "internal", "[8]", READ("\"txn\":8,\"op\":0,\"key\":\"y\"")));
}

static void two_reads_of_a_key_may_differ_at_read_committed(void)
{
    fixture_history("T1: w x 1; T2: w x 2; T3: r x 1, r x 2");
    ASSERT_ACCEPTED(VALID("read-committed", "[1,2,3]"));
    ASSERT_REFUSED("its answer is right", INVALID("read-committed", "internal", "[3]",
                                                  READ("\"txn\":3,\"op\":1,\"key\":\"x\"")));
    ASSERT_ACCEPTED(
        INVALID("read-atomic", "internal", "[3]", READ("\"txn\":3,\"op\":1,\"key\":\"x\"")));
    ASSERT_REFUSED("another of whom it read", VALID("read-committed", "[2,1,3]"));
}

static void at_prefix_each_sees_a_beginning_of_the_order(void)
{
    fixture_history("T1 s1: w x 1; T2 s2: w y 1; T3 s3: r x 1, r y _; T4 s4: r x _, r y 1");
    ASSERT_ACCEPTED(VALID("causal", "[1,2,3,4]"));
    ASSERT_REFUSED("the answer is not", VALID("prefix", "[1,2,3,4],\"snapshots\":[0,0,1,2]"));
    ASSERT_REFUSED("not one snapshot", VALID("prefix", "[1,2,3,4]"));
    ASSERT_REFUSED("not one snapshot", VALID("causal", "[1,2],\"snapshots\":[0,0]"));
    fixture_history("T1 s1: r x _, w x 1; T2 s2: r x _, w x 2; T3 s1: r x 2");
    ASSERT_ACCEPTED(VALID("prefix", "[1,2,3],\"snapshots\":[0,0,2]"));
    ASSERT_REFUSED("should come before", VALID("prefix", "[2,1,3],\"snapshots\":[0,0,1]"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_read_forces_one_writer_before_another);
    RUN_TEST(a_read_before_is_not_a_read_behind);
    RUN_TEST(what_was_there_initially_comes_before_all);
    RUN_TEST(a_session_does_not_see_less_than_before);
    RUN_TEST(writes_are_seen_in_the_order_of_their_session);
    RUN_TEST(what_was_seen_is_seen_with_what_was_written_then);
    RUN_TEST(lists_show_the_order_of_those_who_appended);
    RUN_TEST(a_read_that_may_be_of_two_proves_nothing);
    RUN_TEST(a_wrong_read_is_wrong_at_every_level);
    RUN_TEST(two_reads_of_a_key_may_differ_at_read_committed);
    RUN_TEST(at_prefix_each_sees_a_beginning_of_the_order);
    return UNITY_END();
}
