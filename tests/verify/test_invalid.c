/*
 * Invalid witnesses by hand: for each kind one that is true, and beside it what
 * is only nearly so.
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

#define CERTIFICATE(level)                                                                         \
    "\"checker\":\"certificate\",\"level\":\"" level "\",\"verdict\":\"invalid\","
#define ORDER(level) "\"checker\":\"order\",\"level\":\"" level "\",\"verdict\":\"invalid\","
#define ANOMALY(kind, txns, proof)                                                                 \
    "\"anomalies\":[{\"kind\":\"" kind "\",\"transactions\":" txns ",\"explanation\":\"\"," proof  \
    "}]"
#define EDGE(from, to, kind, key, from_op, to_op, from_version, to_version)                        \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"" kind "\",\"key\":\"" key                      \
    "\",\"from-op\":" #from_op ",\"to-op\":" #to_op ",\"from-version\":" from_version              \
    ",\"to-version\":" to_version ",\"why\":\"\"}"
#define STEP(from, to, kind)                                                                       \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"" kind "\",\"why\":\"\"}"
#define CYCLE(edges) "\"cycle\":[" edges "]"
#define READ(fields) "\"read\":{" fields "}"

/* --- Cycles of items --------------------------------------------------------- */

static const char write_skew[] = "T1 ts1 snap0: r x _, w y 1; T2 ts2 snap0: r y _, w x 1;"
                                 "order x T2; order y T1";

#define SKEW(kind, first, second)                                                                  \
    ANOMALY(kind, "[1,2]",                                                                         \
            CYCLE(EDGE(1, 2, first, "x", 0, 1, "null", "2") "," EDGE(2, 1, second, "y", 0, 1,      \
                                                                     "null", "1")))

static void write_skew_is_a_cycle_where_the_level_forbids_it(void)
{
    fixture_history(write_skew);
    ASSERT_ACCEPTED(CERTIFICATE("serializable") SKEW("G2-item", "rw", "rw"));
    ASSERT_ACCEPTED(CERTIFICATE("repeatable-read") SKEW("G2-item", "rw", "rw"));
    ASSERT_REFUSED("in a row", CERTIFICATE("snapshot") SKEW("G2-item", "rw", "rw"));
    ASSERT_REFUSED("no such edges", CERTIFICATE("read-committed") SKEW("G2-item", "rw", "rw"));
    ASSERT_REFUSED("allows such a cycle", CERTIFICATE("causal") SKEW("G2-item", "rw", "rw"));
    ASSERT_REFUSED("does not decide", CERTIFICATE("read-atomic") SKEW("G2-item", "rw", "rw"));
}

static void a_cycle_is_called_what_it_is(void)
{
    fixture_history(write_skew);
    ASSERT_REFUSED("no G2", CERTIFICATE("serializable") SKEW("G2", "rw", "rw"));
    ASSERT_REFUSED("no G-single", CERTIFICATE("serializable") SKEW("G-single", "rw", "rw"));
    ASSERT_REFUSED("no G-nonadjacent",
                   CERTIFICATE("serializable") SKEW("G-nonadjacent", "rw", "rw"));
    ASSERT_REFUSED("no G2-item-process",
                   CERTIFICATE("session-serializable") SKEW("G2-item-process", "rw", "rw"));
    ASSERT_REFUSED("no lost-update", CERTIFICATE("serializable") SKEW("lost-update", "rw", "rw"));
    ASSERT_REFUSED("no stuck", CERTIFICATE("serializable") SKEW("stuck", "rw", "rw"));
    ASSERT_REFUSED("did not write", CERTIFICATE("serializable") SKEW("G1c", "ww", "rw"));
    ASSERT_REFUSED("did not write", CERTIFICATE("serializable") SKEW("G-single", "rw", "wr"));
}

static void a_cycle_goes_round(void)
{
    fixture_history(write_skew);
    ASSERT_REFUSED("is followed by",
                   CERTIFICATE("serializable")
                       ANOMALY("G2-item", "[1]", CYCLE(EDGE(1, 2, "rw", "x", 0, 1, "null", "2"))));
    ASSERT_REFUSED("is on the cycle twice",
                   CERTIFICATE("serializable") ANOMALY(
                       "G2-item", "[1,2]",
                       CYCLE(EDGE(1, 2, "rw", "x", 0, 1, "null", "2") "," EDGE(
                           2, 1, "rw", "y", 0, 1, "null",
                           "1") "," EDGE(1, 2, "rw", "x", 0, 1, "null",
                                         "2") "," EDGE(2, 1, "rw", "y", 0, 1, "null", "1"))));
}

static void those_who_take_part_are_told_once(void)
{
    static const char *const txns[] = { "[1]", "[1,2,2]", "[1,3]", "[]", "[1,2,3]" };

    fixture_history(write_skew);
    ASSERT_ACCEPTED(CERTIFICATE("serializable")
                        ANOMALY("G2-item", "[2,1]",
                                CYCLE(EDGE(1, 2, "rw", "x", 0, 1, "null",
                                           "2") "," EDGE(2, 1, "rw", "y", 0, 1, "null", "1"))));
    for (size_t i = 0; i < ROW_COUNT(txns); i++)
        ASSERT_REFUSED("are not those of the proof",
                       CERTIFICATE("serializable")
                           ANOMALY("G2-item", "%s",
                                   CYCLE(EDGE(1, 2, "rw", "x", 0, 1, "null",
                                              "2") "," EDGE(2, 1, "rw", "y", 0, 1, "null", "1"))),
                       txns[i]);
}

static void an_update_of_an_overwritten_version_is_lost(void)
{
    fixture_history("T1 ts1 snap0: r x _, w x 1; T2 ts2 snap0: r x _, w x 2; order x T1 T2");
#define LOST(kind)                                                                                 \
    ANOMALY(                                                                                       \
        kind, "[1,2]",                                                                             \
        CYCLE(EDGE(1, 2, "ww", "x", 1, 1, "1", "2") "," EDGE(2, 1, "rw", "x", 0, 1, "null", "1")))
    ASSERT_ACCEPTED(CERTIFICATE("snapshot") LOST("G-single"));
    ASSERT_ACCEPTED(CERTIFICATE("snapshot") LOST("lost-update"));
    ASSERT_ACCEPTED(CERTIFICATE("repeatable-read") LOST("G2-item"));
    ASSERT_ACCEPTED(CERTIFICATE("snapshot") ANOMALY(
        "lost-update", "[1,2]", "\"writes\":{\"key\":\"x\",\"versions\":[1,2]}"));
    ASSERT_REFUSED("has the first", CERTIFICATE("snapshot")
                                        ANOMALY("lost-update", "[1,2]",
                                                "\"writes\":{\"key\":\"x\",\"versions\":[2,1]}"));
    ASSERT_REFUSED("only snapshots", CERTIFICATE("serializable")
                                         ANOMALY("lost-update", "[1,2]",
                                                 "\"writes\":{\"key\":\"x\",\"versions\":[1,2]}"));
}

static void versions_stand_as_the_certificate_orders_them(void)
{
    fixture_history("T1 ts1: w x 1; T2 ts2: w x 2; T3 ts3: r x 2; order x T1 T2");
#define WW(from, to)                                                                               \
    ANOMALY(                                                                                       \
        "G0", "[1,2]",                                                                             \
        CYCLE(EDGE(1, 2, "ww", "x", 0, 0, "1", "2") "," EDGE(2, 1, "ww", "x", 0, 0, from, to)))
    ASSERT_REFUSED("the other way round", CERTIFICATE("serializable") WW("2", "1"));
    ASSERT_REFUSED("did not write", CERTIFICATE("serializable") WW("1", "2"));
    ASSERT_REFUSED("did not write", CERTIFICATE("serializable") WW("null", "1"));
    ASSERT_REFUSED("made no such version", CERTIFICATE("serializable") WW("[2,2]", "1"));
    ASSERT_REFUSED("no transaction 9", CERTIFICATE("serializable") WW("9", "1"));
}

static void what_was_overwritten_by_its_own_transaction_makes_no_edge(void)
{
    fixture_history("T1 ts1: w x 1, w x 2; T2 ts2: r y _, w x 3; T3 ts3: r x 3, w y 1;"
                    "order x T1 T2; order y T3");
    ASSERT_REFUSED("by one who committed",
                   CERTIFICATE("serializable")
                       ANOMALY("G0", "[1,2]",
                               CYCLE(EDGE(1, 2, "ww", "x", 0, 1, "[1,1]",
                                          "2") "," EDGE(2, 1, "ww", "x", 1, 1, "2", "1"))));
}

/* --- Cycles of predicates ---------------------------------------------------- */

static void a_phantom_is_a_predicate_edge(void)
{
    fixture_history("init t/7 0; init t/9 0;"
                    "T1 ts1 snap0: sel v>=10 {}, w t/7 50; T2 ts2 snap0: sel v>=10 {}, w t/9 20;"
                    "order t/7 T1; order t/9 T2");
#define PHANTOM(kind, edge, first_key, first_version)                                              \
    ANOMALY(kind, "[1,2]",                                                                         \
            CYCLE(EDGE(1, 2, edge, first_key, 0, 1, "null",                                        \
                       first_version) "," EDGE(2, 1, "predicate-rw", "t/7", 0, 1, "null", "1")))
    ASSERT_ACCEPTED(CERTIFICATE("serializable") PHANTOM("G2", "predicate-rw", "t/9", "2"));
    ASSERT_REFUSED("no such edges",
                   CERTIFICATE("repeatable-read") PHANTOM("G2", "predicate-rw", "t/9", "2"));
    ASSERT_REFUSED("in a row", CERTIFICATE("snapshot") PHANTOM("G2", "predicate-rw", "t/9", "2"));
    ASSERT_REFUSED("no G2-item",
                   CERTIFICATE("serializable") PHANTOM("G2-item", "predicate-rw", "t/9", "2"));
    ASSERT_REFUSED("did not read into",
                   CERTIFICATE("serializable") PHANTOM("G2", "rw", "t/9", "2"));
    ASSERT_REFUSED("did not write",
                   CERTIFICATE("serializable") PHANTOM("G2", "predicate-rw", "t/7", "1"));
}

static void a_version_that_changes_no_match_is_no_phantom(void)
{
    fixture_history("init t/7 0; init t/9 0;"
                    "T1 ts1 snap0: sel v>=10 {}, w t/7 50; T2 ts2 snap0: sel v>=10 {}, w t/9 5;"
                    "order t/7 T1; order t/9 T2");
    ASSERT_REFUSED("does not change",
                   CERTIFICATE("serializable") PHANTOM("G2", "predicate-rw", "t/9", "2"));
}

static void a_statement_that_saw_its_own_future_is_a_cycle_of_one(void)
{
    fixture_history("T1 ts1: sel v>=10 {7=20} from t/7 T2, w t/7 5; T2 ts2: w t/7 20;"
                    "order t/7 T1 T2");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed")
                        ANOMALY("G1c", "[1,2]",
                                CYCLE(EDGE(2, 1, "predicate-wr", "t/7", 0, 0, "2",
                                           "2") "," EDGE(1, 2, "ww", "t/7", 1, 0, "1", "2"))));
    fixture_history("T1 ts1: sel v>=10 {} from t/7 T2, w t/7 15; T2 ts2: w t/7 5;"
                    "order t/7 T1 T2");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed") ANOMALY(
        "G1c", "[1]", CYCLE(EDGE(1, 1, "predicate-wr", "t/7", 1, 0, "1", "2"))));
    ASSERT_REFUSED("no such edges",
                   CERTIFICATE("read-uncommitted") ANOMALY(
                       "G1c", "[1]", CYCLE(EDGE(1, 1, "predicate-wr", "t/7", 1, 0, "1", "2"))));
}

/* --- Sessions and real time -------------------------------------------------- */

static void an_order_that_turns_time_round_is_a_cycle(void)
{
    fixture_history("T1 s1 @10-20 ts2: w x 1; T2 s1 @30-40 ts1: r x _; order x T1");
#define TURNED(kind, edge)                                                                         \
    ANOMALY(kind, "[1,2]", CYCLE(STEP(1, 2, edge) "," EDGE(2, 1, "rw", "x", 0, 0, "null", "1")))
    ASSERT_ACCEPTED(CERTIFICATE("strict-serializable") TURNED("G-single-realtime", "realtime"));
    ASSERT_ACCEPTED(CERTIFICATE("session-serializable") TURNED("G-single-process", "process"));
    ASSERT_ACCEPTED(CERTIFICATE("strict-snapshot") TURNED("G-single-realtime", "realtime"));
    ASSERT_REFUSED("no G-single",
                   CERTIFICATE("strict-serializable") TURNED("G-single", "realtime"));
    ASSERT_REFUSED("no such edges",
                   CERTIFICATE("strict-serializable") TURNED("G-single-process", "process"));
    ASSERT_REFUSED("no such edges",
                   CERTIFICATE("serializable") TURNED("G-single-realtime", "realtime"));
    ASSERT_REFUSED("only the checker order",
                   CERTIFICATE("serializable") TURNED("G-single", "order"));
    ASSERT_ACCEPTED(ORDER("strict-serializable") ANOMALY(
        "G0-realtime", "[1,2]", CYCLE(STEP(1, 2, "realtime") "," STEP(2, 1, "order"))));
    ASSERT_REFUSED("was not over", ORDER("strict-serializable") ANOMALY(
                                       "G0-realtime", "[1,2]",
                                       CYCLE(STEP(2, 1, "realtime") "," STEP(1, 2, "order"))));
}

static void times_that_touch_are_in_no_order(void)
{
    fixture_history("T1 @10-20 ts2: w x 1; T2 @20-40 ts1: r x _; order x T1");
    ASSERT_REFUSED("was not over",
                   CERTIFICATE("strict-serializable") TURNED("G-single-realtime", "realtime"));
}

static void an_unknown_transaction_is_before_none(void)
{
    fixture_history("T1 unknown s1 @10-20 ts2: w x 1; T2 s1 @30-40 ts1: r x _; order x T1");
    ASSERT_REFUSED("was not over",
                   CERTIFICATE("strict-serializable") TURNED("G-single-realtime", "realtime"));
    ASSERT_REFUSED("was not over",
                   CERTIFICATE("session-serializable") TURNED("G-single-process", "process"));
}

/* --- Cycles by values -------------------------------------------------------- */

static void a_stale_read_is_a_cycle_with_the_order(void)
{
    fixture_history("T1 ts1: w x 1; T2 ts2: w x 2; T3 ts3: r x 1");
#define STALE(version)                                                                             \
    ANOMALY("G-single", "[2,3]",                                                                   \
            CYCLE(EDGE(3, 2, "rw", "x", 0, 0, version, "2") "," STEP(2, 3, "order")))
    ASSERT_ACCEPTED(ORDER("serializable") STALE("1"));
    ASSERT_REFUSED("not of that version", ORDER("serializable") STALE("null"));
    fixture_history("T1 ts1: w x 1; T2 ts2: w x 1; T3 ts3: r x 1");
    ASSERT_REFUSED("was there", ORDER("serializable") STALE("1"));
}

static void a_read_of_what_may_be_there_is_no_anomaly(void)
{
    fixture_history("T1 ts1: w x 1; T2 ts2: w x 2; T4 unknown ts4: w x 1; T3 ts3: r x 1");
    ASSERT_REFUSED("was there", ORDER("serializable") STALE("1"));
    ASSERT_REFUSED("nothing says",
                   ORDER("serializable") ANOMALY("result-set-mismatch", "[3]",
                                                 READ("\"txn\":3,\"op\":0,\"key\":\"x\"")));
}

/* --- Reads ------------------------------------------------------------------- */

#define OF_READ(kind, txns, fields) ANOMALY(kind, txns, READ(fields))
#define VERSION ",\"version\":"
#define OP(txn, op) "\"txn\":" #txn ",\"op\":" #op ",\"key\":\"x\""

static void an_aborted_read_names_who_was_aborted(void)
{
    fixture_history("T1 abort ts1: w x 5; T2 ts2: r x 5; T3 ts3: w x 6; order x T3");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed") OF_READ("G1a", "[1,2]", OP(2, 0) VERSION "1"));
    ASSERT_ACCEPTED(ORDER("serializable") OF_READ("G1a", "[1,2]", OP(2, 0) VERSION "1"));
    ASSERT_REFUSED("does not judge",
                   CERTIFICATE("read-uncommitted") OF_READ("G1a", "[1,2]", OP(2, 0) VERSION "1"));
    ASSERT_REFUSED("no G1a", CERTIFICATE("read-committed") OF_READ("G1a", "[2]", OP(2, 0)));
    ASSERT_REFUSED("not of that version",
                   CERTIFICATE("read-committed") OF_READ("G1a", "[2,3]", OP(2, 0) VERSION "3"));
    ASSERT_REFUSED("no G1b",
                   CERTIFICATE("read-committed") OF_READ("G1b", "[1,2]", OP(2, 0) VERSION "1"));
    ASSERT_REFUSED("somebody wrote",
                   CERTIFICATE("read-committed") OF_READ("garbage-read", "[2]", OP(2, 0)));
    ASSERT_REFUSED("no operation 1",
                   CERTIFICATE("read-committed") OF_READ("G1a", "[1,2]", OP(2, 1) VERSION "1"));
    ASSERT_REFUSED("no answer",
                   CERTIFICATE("read-committed") OF_READ("G1a", "[1]", OP(1, 0) VERSION "1"));
}

static void a_right_answer_is_no_anomaly(void)
{
    fixture_history("T1 abort ts1: w x 5; T4 ts1: w x 5; T2 ts2: r x 5; order x T4");
    ASSERT_REFUSED("is right",
                   CERTIFICATE("read-committed") OF_READ("G1a", "[1,2]", OP(2, 0) VERSION "1"));
    ASSERT_REFUSED("is right",
                   CERTIFICATE("read-committed") OF_READ("result-set-mismatch", "[2]", OP(2, 0)));
}

static void an_intermediate_read_names_what_was_overwritten(void)
{
    fixture_history("T1 ts1: w x 5, w x 6; T2 ts2: r x 5; order x T1");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed")
                        OF_READ("G1b", "[1,2]", OP(2, 0) VERSION "[1,1]"));
    ASSERT_REFUSED("not of that version",
                   CERTIFICATE("read-committed") OF_READ("G1b", "[1,2]", OP(2, 0) VERSION "[1,2]"));
    ASSERT_REFUSED("no such version",
                   CERTIFICATE("read-committed") OF_READ("G1b", "[1,2]", OP(2, 0) VERSION "[1,3]"));
    ASSERT_REFUSED("not of that version",
                   CERTIFICATE("read-committed") OF_READ("G1b", "[1,2]", OP(2, 0) VERSION "1"));
}

static void a_transaction_contradicts_itself(void)
{
    fixture_history("T1 ts1: w x 5, r x 4, w x 4; order x T1");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed") OF_READ("internal", "[1]", OP(1, 1)));
    ASSERT_ACCEPTED(CERTIFICATE("read-committed")
                        OF_READ("future-read", "[1]", OP(1, 1) VERSION "[1,2]"));
    ASSERT_REFUSED("not of that version", CERTIFICATE("read-committed") OF_READ(
                                              "future-read", "[1]", OP(1, 1) VERSION "[1,1]"));
    fixture_history("T1 ts1: r x _, r x 4; T2 ts2: w x 4; order x T2");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed") OF_READ("internal", "[1]", OP(1, 1)));
    ASSERT_REFUSED("is right", CERTIFICATE("read-committed") OF_READ("internal", "[1]", OP(1, 0)));
    fixture_history("T1 ts1: r x 4; T2 ts2: w x 4; order x T2");
    ASSERT_REFUSED("no internal",
                   CERTIFICATE("read-committed") OF_READ("internal", "[1]", OP(1, 0)));
}

static void garbage_was_written_by_nobody(void)
{
    fixture_history("init x 3; T1 ts1: w x 5; T2 ts2: r x 7; T3 ts3: r y [1 9]; T4 ts1: a y 1;"
                    "T5 abort: a y 9; order x T1; order y T4");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed") OF_READ("garbage-read", "[2]", OP(2, 0)));
    ASSERT_REFUSED("somebody wrote",
                   CERTIFICATE("read-committed")
                       ANOMALY("garbage-read", "[3]", READ("\"txn\":3,\"op\":0,\"key\":\"y\"")));
    ASSERT_ACCEPTED(CERTIFICATE("read-committed") ANOMALY(
        "G1a", "[3,5]", READ("\"txn\":3,\"op\":0,\"key\":\"y\",\"version\":5")));
    fixture_history("T3 ts3: r y [1 9]; T4 ts1: a y 1; order y T4");
    ASSERT_ACCEPTED(CERTIFICATE("read-committed")
                        ANOMALY("garbage-read", "[3]", READ("\"txn\":3,\"op\":0,\"key\":\"y\"")));
    /* By elements, whoever wrote them; and what somebody wrote to another key is garbage. */
    fixture_history("init y [3]; T1 ts1: w y [4 5], w x 5; T2 ts2: r y [3 4], r y [4 6], r z 5;"
                    "order y T1; order x T1");
    ASSERT_REFUSED("somebody wrote",
                   CERTIFICATE("read-committed")
                       ANOMALY("garbage-read", "[2]", READ("\"txn\":2,\"op\":0,\"key\":\"y\"")));
    ASSERT_ACCEPTED(CERTIFICATE("read-committed")
                        ANOMALY("garbage-read", "[2]", READ("\"txn\":2,\"op\":1,\"key\":\"y\"")));
    ASSERT_ACCEPTED(CERTIFICATE("read-committed")
                        ANOMALY("garbage-read", "[2]", READ("\"txn\":2,\"op\":2,\"key\":\"z\"")));
}

static void a_row_is_missing_or_too_many_or_another(void)
{
    fixture_history(
        "init t/7 12; init t/9 3;"
        "T1 ts1: sel v>=10 {}, sel v>=10 {7=12 9=3}, sel v>=10 {7=13}, sel v>=10 {7=12},"
        "agg min(v) * 4, agg min(v) * 3, top 1 * {7=12}");
#define ROW(op, key) READ("\"txn\":1,\"op\":" #op ",\"key\":\"t/" #key "\"")
#define ALL(op) READ("\"txn\":1,\"op\":" #op)
#define MISMATCH(proof) CERTIFICATE("serializable") ANOMALY("result-set-mismatch", "[1]", proof)
    ASSERT_ACCEPTED(MISMATCH(ROW(0, 7)));
    ASSERT_ACCEPTED(MISMATCH(ALL(0)));
    ASSERT_REFUSED("is right", MISMATCH(ROW(0, 9)));
    ASSERT_ACCEPTED(MISMATCH(ROW(1, 9)));
    ASSERT_REFUSED("is right", MISMATCH(ROW(1, 7)));
    ASSERT_ACCEPTED(MISMATCH(ROW(2, 7)));
    ASSERT_REFUSED("is right", MISMATCH(ALL(3)));
    ASSERT_REFUSED("is right", MISMATCH(ROW(3, 7)));
    ASSERT_ACCEPTED(MISMATCH(ALL(4)));
    ASSERT_REFUSED("is right", MISMATCH(ALL(5)));
    ASSERT_ACCEPTED(MISMATCH(ALL(6)));
    ASSERT_REFUSED("no key t/8", MISMATCH(ROW(0, 8)));
}

/* --- Writes ------------------------------------------------------------------ */

static void two_writes_of_one_value_where_values_are_unique(void)
{
    fixture_history("T1 ts1: w x 1; T2 ts2: w x 1; order x T1 T2");
    ASSERT_REFUSED("does not say", CERTIFICATE("serializable")
                                       ANOMALY("duplicate-write", "[1,2]",
                                               "\"writes\":{\"key\":\"x\",\"versions\":[1,2]}"));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(write_skew_is_a_cycle_where_the_level_forbids_it);
    RUN_TEST(a_cycle_is_called_what_it_is);
    RUN_TEST(a_cycle_goes_round);
    RUN_TEST(those_who_take_part_are_told_once);
    RUN_TEST(an_update_of_an_overwritten_version_is_lost);
    RUN_TEST(versions_stand_as_the_certificate_orders_them);
    RUN_TEST(what_was_overwritten_by_its_own_transaction_makes_no_edge);
    RUN_TEST(a_phantom_is_a_predicate_edge);
    RUN_TEST(a_version_that_changes_no_match_is_no_phantom);
    RUN_TEST(a_statement_that_saw_its_own_future_is_a_cycle_of_one);
    RUN_TEST(an_order_that_turns_time_round_is_a_cycle);
    RUN_TEST(times_that_touch_are_in_no_order);
    RUN_TEST(an_unknown_transaction_is_before_none);
    RUN_TEST(a_stale_read_is_a_cycle_with_the_order);
    RUN_TEST(a_read_of_what_may_be_there_is_no_anomaly);
    RUN_TEST(an_aborted_read_names_who_was_aborted);
    RUN_TEST(a_right_answer_is_no_anomaly);
    RUN_TEST(an_intermediate_read_names_what_was_overwritten);
    RUN_TEST(a_transaction_contradicts_itself);
    RUN_TEST(garbage_was_written_by_nobody);
    RUN_TEST(a_row_is_missing_or_too_many_or_another);
    RUN_TEST(two_writes_of_one_value_where_values_are_unique);
    return UNITY_END();
}
