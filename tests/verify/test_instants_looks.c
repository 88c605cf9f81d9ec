/*
 * Proofs about statements that look for rows: each step where it is true, and beside it where one
 * thing is otherwise.
 */
#include "base/array.h"
#include "tests/verify/instants_fixture.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void)
{
    fixture_history(NULL);
}

static void rows_are_missing_or_too_many(void)
{
    static const struct proof_row rows[] = {
        { "one that matched was there", "T1 @0-10: ins {7=12}; T2 @20-30: sel v>=10 {}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), NULL },
        { "it came", "T1 @0-10: ins {7=12}; T2 @20-30: sel v>=10 {7=12}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "it did not match", "T1 @0-10: ins {7=5}; T2 @20-30: sel v>=10 {}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "it need not have been there", "T1 @0-25: ins {7=12}; T2 @20-30: sel v>=10 {}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "as many came as were wanted", "T1 @0-10: ins {7=12 8=13}; T2 @20-30: top 1 v>=10 {8=13}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "fewer came than were wanted", "T1 @0-10: ins {7=12 8=13}; T2 @20-30: top 2 v>=10 {8=13}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), NULL },
        { "what came does not match", "T2 @20-30: sel v>=10 {7=5}",
          UNTIMED PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), NULL },
        { "what came does", "T2 @20-30: sel v>=10 {7=15}",
          UNTIMED PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "no such row", "T2 @20-30: sel v>=10 {7=5}, r x _",
          UNTIMED PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "x")), "does not read" },
        { "an update of what did not match", "T1 @0-10: ins {7=5}; T2 @20-30: upd v>=10 {7=3}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), NULL },
        { "an update of what did", "T1 @0-10: ins {7=15}; T2 @20-30: upd v>=10 {7=3}",
          AT_ONCE PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "of what it had written itself", "T2 @20-30: ins {7=15}, sel v>=10 {}",
          AT_ONCE PROOF("internal", "2", ALONE("own", 2, 1, "t/7")), NULL },
        { "which did not match", "T2 @20-30: ins {7=5}, sel v>=10 {}",
          AT_ONCE PROOF("internal", "2", ALONE("own", 2, 1, "t/7")), "what it had written" },
        { "twice", "T2 @20-30: top 5 v>=10 {7=15 7=15}",
          UNTIMED PROOF("internal", "2", ALONE("row", 2, 0, "t/7")), NULL },
        { "once", "T2 @20-30: top 5 v>=10 {7=15 8=15}",
          UNTIMED PROOF("internal", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "rows one by one, and one was there all the time",
          "T1 @0-10: ins {7=12}; T2 @20-30: sel v>=10 {}",
          ROWS PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), NULL },
        { "rows one by one, and one came in place of the other",
          "T1 @0-10: ins {7=12}; T3 @15-25: upd * {7=13}; T2 @20-30: sel v>=10 {}",
          ROWS PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), "may have seen" },
        { "at one instant both match",
          "T1 @0-10: ins {7=12}; T3 @15-25: upd * {7=13}; T2 @20-30: sel v>=10 {}",
          STATEMENTS PROOF("result-set-mismatch", "2", ALONE("row", 2, 0, "t/7")), NULL },
    };

    instants_try(rows, ROW_COUNT(rows));
}

#define PHANTOMS "T1 @0-10: sel v>=10 {}, ins {8=5}; T2 @0-10: sel v<10 {}, ins {7=12}"

static void looks_make_orders(void)
{
    static const struct proof_row rows[] = {
        { "two phantoms", PHANTOMS,
          AT_ONCE PROOF("G2", "1,2",
                        FINDS(1, 0, "t/7", null) "," FINDS(2, 0, "t/8", null) "," OTHER(
                            "overwrites", 1, 0, "t/7", 2) "," OTHER("overwrites", 2, 0, "t/8", 1)),
          NULL },
        { "of which one does not match",
          "T1 @0-10: sel v>=10 {}, ins {8=15}; T2 @0-10: sel v<10 {}, ins {7=12}",
          AT_ONCE PROOF("G2", "1,2",
                        FINDS(1, 0, "t/7", null) "," FINDS(2, 0, "t/8", null) "," OTHER(
                            "overwrites", 1, 0, "t/7", 2) "," OTHER("overwrites", 2, 0, "t/8", 1)),
          "may have seen another" },
        { "not of one instant", PHANTOMS, ROWS PROOF("G2", "1,2", FINDS(1, 0, "t/7", null)),
          "not look at one instant" },
        { "dependencies alone",
          "T0 @0-10: ins {7=12}; T1 @20-30: sel v>=10 {7=12}, sel v>=20 {}, w x 1;"
          "T2 @20-30: r x _, r t/7 12, w t/7 25",
          UNTIMED_SNAPSHOTS PROOF(
              "G2", "1,2",
              READS(1, 0, "t/7", 0) "," FINDS(1, 1, "t/7", 0) "," READS(2, 1, "t/7", 0) "," OTHER(
                  "overwrites", 1, 1, "t/7", 2) "," READS(2, 0, "x", null) "," OTHER("overwrites",
                                                                                     2, 0, "x", 1)),
          NULL },
        { "and one version is not known to be later",
          "T0 @0-10: ins {7=12}; T1 @20-30: sel v>=10 {7=12}, sel v>=20 {}, w x 1;"
          "T2 @20-30: r x _, w t/7 25",
          UNTIMED_SNAPSHOTS PROOF("G2", "1,2",
                                  READS(1, 0, "t/7", 0) "," FINDS(1, 1, "t/7", 0) "," OTHER(
                                      "overwrites", 1, 1, "t/7", 2)),
          "not known to be later" },
        { "one that is found", "init t/7 15; T1 @0-10: upd v>=10 {7=5}; T2 @20-30: sel v>=10 {}",
          INVALID("strict-serializable") PROFILE("transaction", "full", "cycles", "")
              PROOF("G1c", "1,2", OTHER("found", 2, 0, "t/7", 1)),
          "may agree" },
        { "one that is found, though it was changed again",
          "init t/7 5; T1 @0-10: upd v<10 {7=15}; T3 @12-15: upd v>=10 {7=3}; T2 @20-30: sel v>=10 "
          "{}",
          INVALID("strict-serializable") PROFILE("transaction", "full", "cycles", "")
              PROOF("G1c", "1,2", OTHER("found", 2, 0, "t/7", 1)),
          "do not contradict" },
        { "where any version will do",
          "init t/7 5; T1 @0-10: upd v<10 {7=15}; T2 @20-30: sel v>=10 {}",
          ANY_READ PROOF("G1c", "1,2", OTHER("found", 2, 0, "t/7", 1)), "see any version" },
        { "one that is not yet", "T1 @0-10: sel v>=10 {}; T2 @20-30: ins {7=12}",
          INVALID("strict-serializable") PROFILE("transaction", "full", "cycles", "")
              PROOF("G1c", "1,2", OTHER("not-found", 1, 0, "t/7", 2)),
          "do not contradict" },
        { "one that may be", "T1 @0-20: sel v>=10 {}; T2 @20-30: ins {7=12}",
          INVALID("strict-serializable") PROFILE("transaction", "full", "cycles", "")
              PROOF("G1c", "1,2", OTHER("not-found", 1, 0, "t/7", 2)),
          "may have been there" },
        { "sent later is not enough", "T1 @0-20: sel v>=10 {}; T2 @20-30: ins {7=12} @25-26",
          INVALID("strict-serializable") PROFILE("transaction", "full", "cycles", "")
              PROOF("G1c", "1,2", OTHER("not-found", 1, 0, "t/7", 2)),
          "may have been there" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(rows_are_missing_or_too_many);
    RUN_TEST(looks_make_orders);
    return UNITY_END();
}
