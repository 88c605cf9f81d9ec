/*
 * Proofs about instants by hand: each step where it is true, and beside it where one thing is
 * otherwise.
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

#define STALE "T1 @0-10: w x 1; T2 @20-30: w x 2; T3 @40-50: r x 1"
#define STALE_STEPS ALONE("unread", 3, 0, "x")
#define CIRCLE "T1 @0-90: r y 1, w x 1; T2 @0-90: r x 1, w y 1; T3 @0-90: r x 1"
#define CIRCLE_STEPS READS(1, 0, "y", 2) "," READS(2, 0, "x", 1)

static void a_read_is_wrong_if_it_may_see_no_version_with_the_value(void)
{
    static const struct proof_row rows[] = {
        { "overwritten before it began", STALE,
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), NULL },
        { "read as it was left", "T1 @0-10: w x 1; T2 @20-30: w x 2; T3 @40-50: r x 2",
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), "may have seen" },
        { "overwritten meanwhile", "T1 @0-10: w x 1; T2 @20-45: w x 2; T3 @40-50: r x 1",
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), "may have seen" },
        { "clocks that are off by as much", STALE,
          AT_ONCE "\"clock-error\":5," PROOF("inconsistent-read", "3", STALE_STEPS),
          "may have seen" },
        { "clocks that are off by less", STALE,
          AT_ONCE "\"clock-error\":4," PROOF("inconsistent-read", "3", STALE_STEPS), NULL },
        { "nothing said of times", STALE, UNTIMED PROOF("inconsistent-read", "3", STALE_STEPS),
          "may have seen" },
        { "times by key", STALE, BY_KEY PROOF("inconsistent-read", "3", STALE_STEPS), NULL },
        { "any committed version will do", STALE,
          ANY_READ PROOF("inconsistent-read", "3", STALE_STEPS), "may have seen" },
        { "by another name", STALE, AT_ONCE PROOF("G1a", "3", STALE_STEPS), "prove no G1a" },
        { "of one who does not take part", STALE "; T4 @0-10: w y 1",
          AT_ONCE PROOF("inconsistent-read", "3,4", STALE_STEPS), "does not stand in the steps" },
        { "of one who wrote what was not read", STALE,
          AT_ONCE PROOF("inconsistent-read", "2,3", STALE_STEPS), NULL },
        { "of nobody", STALE, AT_ONCE PROOF("inconsistent-read", "", STALE_STEPS), "are none" },
        { "of one twice", STALE, AT_ONCE PROOF("inconsistent-read", "3,3", STALE_STEPS), "twice" },
        { "nobody wrote it", "T1 @0-10: w x 1; T3 @40-50: r x 7",
          UNTIMED PROOF("inconsistent-read", "3", STALE_STEPS), NULL },
        { "an unknown one does not hide",
          "T1 @0-10: w x 1; T2 unknown @20-30: w x 2; T3 @40-50: r x 1",
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), "may have seen" },
        { "an unknown one's may be read", "T1 unknown @0-10: w x 1; T3 @40-50: r x 1",
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), "may have seen" },
        { "a read of its own", "T3 @40-50: w x 1, r x 2",
          AT_ONCE PROOF("inconsistent-read", "3", ALONE("unread", 3, 1, "x")),
          "had written the key" },
        { "of lists the last element counts",
          "T1 @0-10: a l 1; T2 @12-20: a l 2; T3 @40-50: r l [2 1]",
          AT_ONCE PROOF("inconsistent-read", "3", ALONE("unread", 3, 0, "l")), NULL },
        { "of lists no other does", "T1 @0-10: a l 1; T2 @12-20: a l 2; T3 @40-50: r l [7 2]",
          AT_ONCE PROOF("inconsistent-read", "3", ALONE("unread", 3, 0, "l")), "may have seen" },
        { "deleted is as never written", "T1 @0-10: w x 1; T2 @20-30: d x; T3 @40-50: r x _",
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), "may have seen" },
        { "the initial value was overwritten", "init x 5; T1 @0-10: w x 1; T3 @40-50: r x 5",
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), NULL },
    };

    instants_try(rows, ROW_COUNT(rows));
}

static void a_wrong_read_has_a_name(void)
{
    static const struct proof_row rows[] = {
        { "aborted", "T1 abort @0-10: w x 1; T3 @40-50: r x 1",
          UNTIMED PROOF("G1a", "3", STALE_STEPS), NULL },
        { "not aborted", "T1 @0-10: w x 1, w x 2; T3 @40-50: r x 1",
          UNTIMED PROOF("G1a", "3", STALE_STEPS), "prove no G1a" },
        { "not its last", "T1 @0-10: w x 1, w x 2; T3 @40-50: r x 1",
          UNTIMED PROOF("G1b", "3", STALE_STEPS), NULL },
        { "its last", "T1 abort @0-10: w x 1; T3 @40-50: r x 1",
          UNTIMED PROOF("G1b", "3", STALE_STEPS), "prove no G1b" },
        { "its own, later", "T3 @40-50: r x 1, w x 1",
          UNTIMED PROOF("future-read", "3", STALE_STEPS), NULL },
        { "sent when it was over", "T1 @60-70: w x 1; T3 @40-50: r x 1",
          UNTIMED PROOF("future-read", "3", STALE_STEPS), NULL },
        { "sent before it was over", "T1 @50-70: w x 1; T3 @40-50: r x 1",
          UNTIMED PROOF("future-read", "3", STALE_STEPS), "may have seen" },
        { "by its operation", "T1 @30-70: w x 1 @60-70; T3 @40-50: r x 1",
          UNTIMED PROOF("future-read", "3", STALE_STEPS), NULL },
        { "where times are ignored", "T1 @60-70: w x 1; T3 @40-50: r x 1",
          ANY_READ PROOF("future-read", "3", STALE_STEPS), "may have seen" },
        { "hidden, and not future", STALE, AT_ONCE PROOF("future-read", "3", STALE_STEPS),
          "prove no future-read" },
        { "behind a contradiction, where another wrote it", CIRCLE,
          UNTIMED PROOF("future-read", "1,2,3", CIRCLE_STEPS "," STALE_STEPS), NULL },
        { "behind a contradiction, where nobody aborted", CIRCLE,
          UNTIMED PROOF("G1a", "1,2,3", CIRCLE_STEPS "," STALE_STEPS), "prove no G1a" },
        { "behind a contradiction, where nobody else wrote it",
          "T1 @0-90: r y 1, w x 1; T2 @0-90: r x 1, w y 1; T3 @0-90: r x 7",
          UNTIMED PROOF("future-read", "1,2,3", CIRCLE_STEPS "," STALE_STEPS),
          "prove no future-read" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

static void a_transaction_sees_what_it_wrote(void)
{
    static const struct proof_row rows[] = {
        { "it did not", "T1 @0-10: w x 1, r x 2",
          UNTIMED PROOF("internal", "1", ALONE("own", 1, 1, "x")), NULL },
        { "it did", "T1 @0-10: w x 1, r x 1",
          UNTIMED PROOF("internal", "1", ALONE("own", 1, 1, "x")), "what it had written" },
        { "its last write counts", "T1 @0-10: w x 1, w x 2, r x 1",
          UNTIMED PROOF("internal", "1", ALONE("own", 1, 2, "x")), NULL },
        { "it had not written it", "T1 @0-10: r x 2, w x 1",
          UNTIMED PROOF("internal", "1", ALONE("own", 1, 0, "x")), "had not written" },
        { "an unknown one", "T1 unknown @0-10: w x 1, r x 2",
          UNTIMED PROOF("internal", "1", ALONE("own", 1, 1, "x")), "what the reads" },
        { "the database promises nothing", "T1 @0-10: w x 1, r x 2",
          ANY_READ PROOF("internal", "1", ALONE("own", 1, 1, "x")), "does not promise" },
        { "where writes are sent with the commit", "T1 @0-10: w x 1, r x 2",
          INVALID("strict-serializable") PROFILE("commit", "full", "none", "\"hides_own\"")
              PROOF("internal", "1", ALONE("own", 1, 1, "x")),
          "does not promise" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* --- Orders ------------------------------------------------------------------ */

#define SKEW "T1 @0-10: r x _, w y 1; T2 @0-10: r y _, w x 1"
#define BOTH_READ READS(1, 0, "x", null) "," READS(2, 0, "y", null)
#define SKEW_STEPS                                                                                 \
    BOTH_READ "," OTHER("overwrites", 1, 0, "x", 2) "," OTHER("overwrites", 2, 0, "y", 1)

static void steps_lead_round(void)
{
    static const struct proof_row rows[] = {
        { "write skew", SKEW, AT_ONCE PROOF("G2-item", "1,2", SKEW_STEPS), NULL },
        { "and times say nothing", SKEW, UNTIMED PROOF("G2-item", "2,1", SKEW_STEPS), NULL },
        { "with snapshots a certifier finds it", SKEW,
          UNTIMED_SNAPSHOTS PROOF("G2-item", "1,2", SKEW_STEPS), NULL },
        { "with snapshots alone that may be", SKEW, SNAPSHOTS PROOF("G2-item", "1,2", SKEW_STEPS),
          "do not contradict" },
        { "a step left out", SKEW,
          AT_ONCE PROOF("G2-item", "1,2", BOTH_READ "," OTHER("overwrites", 1, 0, "x", 2)),
          "do not contradict" },
        { "a source left out", SKEW,
          AT_ONCE PROOF("G2-item", "1,2",
                        READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x",
                                                         2) "," OTHER("overwrites", 2, 0, "y", 1)),
          "no step before it" },
        { "one saw the other", "T1 @0-10: r x _, w y 1; T2 @0-10: r y 1, w x 1",
          AT_ONCE PROOF("G2-item", "1,2", SKEW_STEPS), "cannot have seen" },
        { "of fewer anti-dependencies", SKEW, AT_ONCE PROOF("G-single", "1,2", SKEW_STEPS), NULL },
        { "without a look", SKEW, AT_ONCE PROOF("G2", "1,2", SKEW_STEPS), "no G2" },
        { "locks were none", SKEW, AT_ONCE PROOF("lock-violation", "1,2", SKEW_STEPS),
          "no lock-violation" },
        { "in one order after all: what is there hides", SKEW,
          AT_ONCE PROOF("inconsistent-read", "2",
                        READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x",
                                                         2) "," ALONE("unread", 2, 0, "y")),
          NULL },
        { "no step is behind one that can only be the last", SKEW,
          AT_ONCE PROOF("inconsistent-read", "2",
                        READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x", 2) "," ALONE(
                            "unread", 2, 0, "y") "," READS(2, 0, "y", null)),
          "can only be the last" },
        { "no steps", SKEW, AT_ONCE PROOF("G0", "1", ""), "do not contradict" },
        { "a circle of reads", "T1 @0-10: r y 2, w x 1; T2 @0-10: r x 1, w y 2",
          AT_ONCE PROOF("future-read", "1,2", READS(1, 0, "y", 2) "," ALONE("unread", 2, 0, "x")),
          NULL },
        { "with a view before the commit", "T1 @0-10: r y 2, w x 1; T2 @0-10: r x 1, w y 2",
          SNAPSHOTS PROOF("G1c", "1,2",
                          READS(1, 0, "y", 2) "," READS(2, 0, "x", 1) "," PROGRAM(
                              "\"b1\"", "\"c1\"") "," PROGRAM("\"b2\"", "\"c2\"")),
          NULL },
        { "of which one is left out", "T1 @0-10: r y 2, w x 1; T2 @0-10: r x 1, w y 2",
          SNAPSHOTS PROOF(
              "G1c", "1,2",
              READS(1, 0, "y", 2) "," READS(2, 0, "x", 1) "," PROGRAM("\"b1\"", "\"c1\"")),
          "do not contradict" },
        { "against its direction", "T1 @0-10: r y 2, w x 1; T2 @0-10: r x 1, w y 2",
          SNAPSHOTS PROOF("G1c", "1", PROGRAM("\"c1\"", "\"b1\"")), "no order" },
        { "of two transactions", "T1 @0-10: r y 2, w x 1; T2 @0-10: r x 1, w y 2",
          SNAPSHOTS PROOF("G1c", "1", PROGRAM("\"b1\"", "\"c2\"")), "no order" },
        { "no such views", "T1 @0-10: r y 2, w x 1; T2 @0-10: r x 1, w y 2",
          AT_ONCE PROOF("G1c", "1", PROGRAM("\"b1\"", "\"c1\"")), "no such views" },
        { "two versions of a value", "T1 @0-10: w x 1; T2 @0-10: w x 1; T3 @0-30: r x 1",
          AT_ONCE PROOF("G1c", "1,3", READS(3, 0, "x", 1)), "may have seen another" },
        { "a value of another version", "T1 @0-10: w x 1; T2 @0-10: w x 2; T3 @0-30: r x 1",
          AT_ONCE PROOF("G1c", "2,3", READS(3, 0, "x", 2)), "cannot have seen" },
        { "of one who had not committed", "T1 abort @0-10: w x 1; T3 @0-30: r x 1",
          AT_ONCE PROOF("G1c", "1,3", READS(3, 0, "x", 1)), "did not commit" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* T3 read x before T2 wrote it, so that T2 is later than T3; it is known to be earlier. */
static void windows_are_left_empty(void)
{
    static const struct proof_row rows[] = {
        /* c1 < c2's view by reads, and T3 looked at y before T1 by times. */
        { "a chain of reads against time",
          "T1 @20-30: w x 1; T2 @0-40: r x 1, w y 1; T3 @5-8: r y 1",
          AT_ONCE PROOF("G1c-realtime", "1,2,3", READS(2, 0, "x", 1) "," READS(3, 0, "y", 2)), NULL },
        { "a chain of reads against time, from its other end",
          "T1 @20-30: w x 1; T2 @0-40: r x 1, w y 1; T3 @5-8: r y 1",
          AT_ONCE PROOF("G1c-realtime", "1,2,3", READS(3, 0, "y", 2) "," READS(2, 0, "x", 1)), NULL },
        { "by a name that the steps are not of",
          "T1 @20-30: w x 1; T2 @0-40: r x 1, w y 1; T3 @5-8: r y 1",
          AT_ONCE PROOF("lost-update", "1,2,3", READS(3, 0, "y", 2) "," READS(2, 0, "x", 1)),
          "prove no lost-update" },
        { "without a clock that is right",
          "T1 @20-30: w x 1; T2 @0-40: r x 1, w y 1; T3 @5-8: r y 1",
          AT_ONCE "\"clock-error\":6," PROOF("G1c-realtime", "1,2,3",
                                             READS(3, 0, "y", 2) "," READS(2, 0, "x", 1)),
          "do not contradict" },
        { "what was installed before it", "T1 @0-50: w x 1; T2 @0-50: w x 2; T3 @60-70: r x 1",
          AT_ONCE PROOF("G0", "1,2,3", READS(3, 0, "x", 1) "," OTHER("installed", 3, 0, "x", 2)),
          "do not contradict" },
        { "and from the other read",
          "T1 @0-50: w x 1; T2 @0-50: w x 2; T3 @60-70: r x 1; T4 @60-80: r x 2",
          AT_ONCE PROOF("inconsistent-read", "4",
                        READS(3, 0, "x", 1) "," OTHER("installed", 3, 0, "x",
                                                      2) "," ALONE("unread", 4, 0, "x")),
          NULL },
        { "both said at once",
          "T1 @0-50: w x 1; T2 @0-50: w x 2; T3 @60-70: r x 1; T4 @60-80: r x 2",
          AT_ONCE PROOF("G0", "1,2",
                        READS(3, 0, "x", 1) "," READS(4, 0, "x", 2) "," OTHER(
                            "installed", 3, 0, "x", 2) "," OTHER("installed", 4, 0, "x", 1)),
          NULL },
        { "one need not have been there",
          "T1 @0-50: w x 1; T2 @0-60: w x 2; T3 @60-70: r x 1; T4 @60-80: r x 2",
          AT_ONCE PROOF("G0", "1,2",
                        READS(3, 0, "x", 1) "," READS(4, 0, "x", 2) "," OTHER(
                            "installed", 3, 0, "x", 2) "," OTHER("installed", 4, 0, "x", 1)),
          "need not have been there" },
        { "nor if nothing is said of times",
          "T1 @0-50: w x 1; T2 @0-50: w x 2; T3 @60-70: r x 1; T4 @60-80: r x 2",
          UNTIMED PROOF("G0", "1,2", READS(3, 0, "x", 1) "," OTHER("installed", 3, 0, "x", 2)),
          "need not have been there" },
        { "by key it must", "T1 @0-50: w x 1; T2 @0-50: w x 2; T3 @60-70: r x 1; T4 @60-80: r x 2",
          BY_KEY PROOF("G0", "1,2",
                       READS(3, 0, "x", 1) "," READS(4, 0, "x", 2) "," OTHER(
                           "installed", 3, 0, "x", 2) "," OTHER("installed", 4, 0, "x", 1)),
          NULL },
    };

    instants_try(rows, ROW_COUNT(rows));
}

static void versions_that_precede_others_are_depended_on(void)
{
    static const struct proof_row rows[] = {
        /* T2 wrote y before T1 did, and x after it. */
        { "by key", "T1 @0-10: w x 1; T2 @20-30: w x 2, r y 3; T3 @0-10: w y 3, r x 2",
          BY_KEY PROOF("G1c", "1", TWO("precedes", "x", "1", "2")), "do not contradict" },
        { "and a read leads back", "T1 @0-10: w x 1, r y 3; T2 @20-30: w x 2, w y 3",
          BY_KEY PROOF("future-read", "1", ALONE("unread", 1, 1, "y")), NULL },
        { "where times say nothing", "T1 @0-10: w x 1; T2 @20-30: w x 2",
          UNTIMED PROOF("G0", "1", TWO("precedes", "x", "1", "2")), "not known to be later" },
        { "not the other way round", "T1 @0-10: w x 1; T2 @20-30: w x 2",
          BY_KEY PROOF("G0", "1", TWO("precedes", "x", "2", "1")), "not known to be later" },
        { "not at once", "T1 @0-10: w x 1; T2 @10-30: w x 2",
          BY_KEY PROOF("G0", "1", TWO("precedes", "x", "1", "2")), "not known to be later" },
        { "nor of whom nobody knows", "T1 @0-10: w x 1; T2 unknown @20-30: w x 2",
          BY_KEY PROOF("G0", "1", TWO("precedes", "x", "1", "2")), "nobody knows" },
        { "a circle of them and a read",
          "T1 @0-10: w x 1; T2 @20-30: w x 2, w y 2; T3 @0-50: r y 2, r x 1",
          BY_KEY PROOF("inconsistent-read", "3",
                       READS(3, 0, "y", 2) "," ALONE("unread", 3, 1, "x")),
          NULL },
        { "a circle of them and two reads",
          "T1 @0-10: w x 1; T2 @20-30: w x 2, w y 2; T3 @0-50: r y 2, r x 1",
          BY_KEY PROOF(
              "G-single", "1,2,3",
              READS(3, 1, "x", 1) "," READS(3, 0, "y", 2) "," OTHER("overwrites", 3, 1, "x", 2)),
          NULL },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* --- Who commits -------------------------------------------------------------- */

static void who_was_read_from_committed(void)
{
    static const struct proof_row rows[] = {
        { "nobody knows", "T1 unknown @0-10: w x 1, w y 1; T2 @20-30: r x 1; T3 @40-50: r y _",
          AT_ONCE PROOF("inconsistent-read", "3", ALONE("unread", 3, 0, "y")), "may have seen" },
        { "but who read it", "T1 unknown @0-10: w x 1, w y 1; T2 @20-30: r x 1; T3 @40-50: r y _",
          AT_ONCE PROOF("inconsistent-read", "3",
                        READS(2, 0, "x", 1) "," ALONE("unread", 3, 0, "y")),
          NULL },
        { "by key likewise", "T1 unknown @0-10: w x 1, w y 1; T2 @20-30: r x 1; T3 @40-50: r y _",
          BY_KEY PROOF("inconsistent-read", "3",
                       READS(2, 0, "x", 1) "," ALONE("unread", 3, 0, "y")),
          NULL },
        { "who may have read it later",
          "T1 unknown @0-10: w x 1, w y 1; T2 @20-45: r x 1; T3 @40-50: r y _",
          BY_KEY PROOF("inconsistent-read", "3",
                       READS(2, 0, "x", 1) "," ALONE("unread", 3, 0, "y")),
          "may have seen" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* --- Views -------------------------------------------------------------------- */

#define FRACTURED                                                                                  \
    "T1 @0-9: w x 1, w y 1; T2 @20-40: w x 2, w y 2; T3 @15-50: r x 1 @16-17, r y 2 @45-46"

static void a_transaction_has_one_view_or_many(void)
{
    static const struct proof_row rows[] = {
        { "one, before the first read ends", FRACTURED,
          SNAPSHOTS PROOF("future-read", "3", ALONE("unread", 3, 1, "y")), NULL },
        { "by its first read", FRACTURED,
          INVALID("strict-snapshot") PROFILE("transaction", "full", "none", "\"first_updater\"")
              PROOF("inconsistent-read", "3", READS(3, 1, "y", 2) "," ALONE("unread", 3, 0, "x")),
          NULL },
        { "each statement its own", FRACTURED,
          STATEMENTS PROOF("inconsistent-read", "3", ALONE("unread", 3, 1, "y")), "may have seen" },
        { "statements one behind the other",
          "T1 @0-9: w x 1; T2 @10-40: w x 2; T3 @10-50: r x 2 @20-45, r x 1 @20-45",
          STATEMENTS PROOF("inconsistent-read", "3",
                           READS(3, 0, "x", 2) "," PROGRAM("[3,0]", "[3,1]") "," READS(
                               3, 1, "x", 1) "," OTHER("overwrites", 3, 1, "x", 2)),
          "no inconsistent-read" },
        { "statements one behind the other, by name",
          "T1 @0-9: w x 1; T2 @10-40: w x 2; T3 @10-50: r x 2 @20-45, r x 1 @20-45",
          STATEMENTS PROOF("G-single", "2,3",
                           READS(3, 0, "x", 2) "," PROGRAM("[3,0]", "[3,1]") "," READS(
                               3, 1, "x", 1) "," OTHER("overwrites", 3, 1, "x", 2)),
          NULL },
        { "not if one of them locks",
          "T1 @0-9: w x 1; T2 @10-40: w x 2; T3 @10-50: r x 2 @20-45, r x 1 locked @20-45",
          STATEMENTS PROOF("G-single", "2,3", PROGRAM("[3,0]", "[3,1]")), "was over" },
        { "but if the other was over",
          "T1 @0-9: w x 1; T2 @10-40: w x 2; T3 @10-50: r x 2 @20-30, r x 1 locked @30-45",
          STATEMENTS PROOF("G-single", "2,3", PROGRAM("[3,0]", "[3,1]")), "do not contradict" },
        { "nor the other way round", "T3 @10-50: r x _ @20-30, r x _ @30-45",
          STATEMENTS PROOF("G-single", "3", PROGRAM("[3,1]", "[3,0]")), "was over" },
        { "a view of its own comes before the commit", "T3 @10-50: r x _ @20-30",
          STATEMENTS PROOF("G-single", "3", PROGRAM("[3,0]", "\"c3\"")), "do not contradict" },
        { "a write has none", "T3 @10-50: w x 1 @20-30",
          STATEMENTS PROOF("G-single", "3", PROGRAM("[3,0]", "\"c3\"")), "reads nothing" },
        { "nor has a read of a transaction's", "T3 @10-50: r x _ @20-30",
          SNAPSHOTS PROOF("G-single", "3", PROGRAM("[3,0]", "\"c3\"")), "no view of its own" },
        { "unless it locks", "T3 @10-50: r x _ locked @20-30",
          UPDATES_SEE PROOF("G-single", "3", PROGRAM("[3,0]", "\"c3\"")), "do not contradict" },
        { "and nobody would abort for it", "T3 @10-50: r x _ locked @20-30",
          POSTGRES PROOF("G-single", "3", PROGRAM("[3,0]", "\"c3\"")), "no view of its own" },
        { "rows have theirs", "T3 @10-50: sel * {7=1 8=2} @20-30",
          ROWS PROOF("G-single", "3", PROGRAM("[3,0,\"t/7\"]", "\"c3\"")), "do not contradict" },
        { "in no order", "T3 @10-50: sel * {7=1 8=2} @20-30, r x _ @40-45",
          ROWS PROOF("G-single", "3", PROGRAM("[3,0,\"t/7\"]", "[3,1]")), "was over" },
        { "but not where statements have", "T3 @10-50: sel * {7=1 8=2} @20-30",
          STATEMENTS PROOF("G-single", "3", PROGRAM("[3,0,\"t/7\"]", "\"c3\"")), "only rows" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

static void commits_lie_behind_operations_where_the_profile_says_so(void)
{
    static const struct proof_row rows[] = {
        { "behind", "T1 @0-90: w x 1, r y _ @70-80; T2 @40-60: r x 1",
          AT_ONCE PROOF("future-read", "2", ALONE("unread", 2, 0, "x")), NULL },
        { "or not", "T1 @0-90: w x 1 @0-10, r y _ @70-80; T2 @40-60: r x 1",
          INVALID("strict-serializable") PROFILE("commit", "full", "none", "")
              PROOF("future-read", "2", ALONE("unread", 2, 0, "x")),
          "may have seen" },
        { "one that ended with it had begun",
          "T1 @0-90: w x 1 @0-10, r y _ @50-90; T2 @40-60: r x 1",
          AT_ONCE PROOF("future-read", "2", ALONE("unread", 2, 0, "x")), "may have seen" },
        { "an operation that was refused says nothing",
          "T1 @0-90: w x 1 @0-10, w y 1 @70-80 !; T2 @40-60: r x 1",
          AT_ONCE PROOF("future-read", "2", ALONE("unread", 2, 0, "x")), "may have seen" },
        { "times are needed", "T1: w x 1; T2 @40-60: r x 1",
          UNTIMED PROOF("future-read", "2", ALONE("unread", 2, 0, "x")), "nobody wrote down" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* --- Locks -------------------------------------------------------------------- */

#define HELD "T1 @0-90: w x 1 @0-10, r y _ @70-80; T2 @0-90: w x 2 @20-30, r y _ @70-80"
#define UNLOCKED TWO("unlocked", "x", "[1,0]", "[2,0]")

static void locks_exclude_each_other(void)
{
    static const struct proof_row rows[] = {
        { "two writes at once", HELD, LOCKS PROOF("lock-violation", "1,2", UNLOCKED), NULL },
        { "that do not lock", HELD, AT_ONCE PROOF("lock-violation", "1,2", UNLOCKED),
          "do not exclude" },
        { "one may have been over", "T1 @0-90: w x 1 @0-10; T2 @0-90: w x 2 @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", UNLOCKED), "may have had the lock first" },
        { "or the other", "T2 @0-90: w x 1 @0-10; T1 @0-90: w x 2 @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", UNLOCKED), "may have had the lock first" },
        { "clocks that are off", HELD,
          LOCKS "\"clock-error\":35," PROOF("lock-violation", "1,2", UNLOCKED),
          "may have had the lock first" },
        { "a read and a write",
          "T1 @0-90: r x 1 @0-10, r y _ @70-80; T2 @0-90: w x 2 @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", UNLOCKED), NULL },
        { "a read that asks for no lock",
          "T1 @0-90: r x 1 @0-10, r y _ @70-80; T2 @0-90: w x 2 @20-30, r y _ @70-80",
          STATEMENTS PROOF("lock-violation", "1,2", UNLOCKED), "takes no lock" },
        { "one that does",
          "T1 @0-90: r x 1 locked @0-10, r y _ @70-80; T2 @0-90: w x 2 @20-30, r y _ @70-80",
          STATEMENTS PROOF("lock-violation", "1,2", UNLOCKED), NULL },
        { "nothing was read",
          "T1 @0-90: r x _ locked @0-10, r y _ @70-80; T2 @0-90: w x 2 @20-30, r y _ @70-80",
          STATEMENTS PROOF("lock-violation", "1,2", UNLOCKED), "takes no lock" },
        { "and nothing is locked, too",
          "T1 @0-90: r x _ @0-10, r y _ @70-80; T2 @0-90: w x 2 @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", UNLOCKED), NULL },
        { "two reads", "T1 @0-90: r x 1 @0-10, r y _ @70-80; T2 @0-90: r x 2 @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", UNLOCKED), "two reads" },
        { "of an unknown one",
          "T1 @0-90: w x 1 @0-10, r y _ @70-80; T2 unknown @0-90: w x 2 @20-30",
          LOCKS PROOF("lock-violation", "1,2", UNLOCKED), "nobody knows" },
        { "a write that was not the last",
          "T1 @0-90: w x 1 @0-10, w x 3 @70-80; T2 @0-90: w x 2 @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", UNLOCKED), "does not read" },
        { "of one transaction", HELD,
          LOCKS PROOF("lock-violation", "1", TWO("unlocked", "x", "[1,0]", "[1,0]")),
          "of one transaction" },
        { "a range",
          "T1 @0-90: sel v>=10 {} @0-10, r y _ @70-80; T2 @0-90: ins {7=12} @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", TWO("unlocked", "t/7", "[1,0]", "[2,0]")), NULL },
        { "beside it",
          "T1 @0-90: sel v>=10 {} @0-10, r y _ @70-80; T2 @0-90: ins {7=5} @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", TWO("unlocked", "t/7", "[1,0]", "[2,0]")),
          "does not match" },
        { "of which only a part was wanted",
          "T1 @0-90: top 0 v>=10 {} @0-10, r y _ @70-80; T2 @0-90: ins {7=12} @20-30, r y _ @70-80",
          LOCKS PROOF("lock-violation", "1,2", TWO("unlocked", "t/7", "[1,0]", "[2,0]")),
          "takes no lock" },
        { "that is not locked",
          "T1 @0-90: sel v>=10 {} locked @0-10, r y _ @70-80; T2 @0-90: ins {7=12} @20-30, r y _ "
          "@70-80",
          STATEMENTS PROOF("lock-violation", "1,2", TWO("unlocked", "t/7", "[1,0]", "[2,0]")),
          "takes no lock" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* T2 had the lock behind T1, which it then cannot have missed. */
#define ORDERED                                                                                    \
    "T1 @0-90: w x 1 @0-10; T2 @0-90: w x 2 @20-30, r y _ @70-80; T3 @0-100: r x 1 @95-96"
#define IN_ORDER TWO("locks", "x", "[1,0]", "[2,0]")

static void one_lock_is_taken_behind_the_other(void)
{
    static const struct proof_row rows[] = {
        { "and so committed behind", ORDERED,
          LOCKS PROOF("inconsistent-read", "3", IN_ORDER "," ALONE("unread", 3, 0, "x")), NULL },
        { "against the direction", ORDERED,
          LOCKS PROOF("inconsistent-read", "3",
                      TWO("locks", "x", "[2,0]", "[1,0]") "," ALONE("unread", 3, 0, "x")),
          "may have had the lock first" },
        { "both said", ORDERED,
          LOCKS PROOF("lock-violation", "1,2",
                      READS(3, 0, "x", 1) "," OTHER("installed", 3, 0, "x", 2) "," IN_ORDER),
          NULL },
        { "a write may be read under its lock",
          "T1 @0-90: w x 1 @0-10; T2 @0-90: r x _ locked @20-30, r y _ @70-80",
          STATEMENTS PROOF("lock-violation", "1,2", TWO("locks", "x", "[1,0]", "[2,0]")),
          "takes no lock" },
        { "who waited for it has seen it",
          "init x 5; T1 @0-90: w x 1 @0-10; T2 @0-90: r x 5 locked @20-30, r y _ @70-80",
          STATEMENTS PROOF("inconsistent-read", "2",
                           TWO("locks", "x", "[1,0]", "[2,0]") "," ALONE("unread", 2, 0, "x")),
          NULL },
        { "or had it first", "init x 5; T1 @0-90: w x 1 @0-10; T2 @0-30: r x 5 locked @5-30",
          STATEMENTS PROOF("inconsistent-read", "2",
                           TWO("locks", "x", "[1,0]", "[2,0]") "," ALONE("unread", 2, 0, "x")),
          "may have had the lock first" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* --- Updaters ------------------------------------------------------------------ */

#define CONCURRENT "T1 @0-90: r y _ @5-10, w x 1 @20-30; T2 @0-90: r y _ @5-10, w x 2 @20-30"

static void of_two_updaters_one_is_the_first(void)
{
    static const struct proof_row rows[] = {
        { "neither saw the other", CONCURRENT,
          SNAPSHOTS PROOF("lost-update", "1,2", TWO("lost", "x", "1", "2")), NULL },
        { "by another certifier", CONCURRENT,
          INVALID("strict-snapshot")
              PROFILE("transaction", "full", "concurrent-versions", "\"by_operations\"")
                  PROOF("lost-update", "1,2", TWO("lost", "x", "1", "2")),
          NULL },
        { "which the database allows", CONCURRENT,
          UPDATES_SEE PROOF("lost-update", "1,2", TWO("lost", "x", "1", "2")), "lets both" },
        { "one may have",
          "T1 @0-90: r y _ @5-10, w x 1 @20-30; T2 @0-90: r y _ @5-40, w x 2 @50-60",
          SNAPSHOTS PROOF("lost-update", "1,2", TWO("lost", "x", "1", "2")), "may have been so" },
        { "or the other",
          "T2 @0-90: r y _ @5-10, w x 1 @20-30; T1 @0-90: r y _ @5-40, w x 2 @50-60",
          SNAPSHOTS PROOF("lost-update", "1,2", TWO("lost", "x", "1", "2")),
          "may have been the first" },
        { "one is the same", CONCURRENT,
          SNAPSHOTS PROOF("lost-update", "1", TWO("lost", "x", "1", "1")), "one transaction" },
        { "and did not write it", CONCURRENT,
          SNAPSHOTS PROOF("lost-update", "1,2", TWO("lost", "y", "1", "2")), "left no version" },
        { "the one that could be was not",
          "T1 @0-90: r y _ @5-10, w x 1 @20-30; T2 @0-90: r y _ @5-40, r x _ @30-40, w x 2 @50-60",
          SNAPSHOTS PROOF("inconsistent-read", "2",
                          TWO("first-wins", "x", "1", "2") "," ALONE("unread", 2, 1, "x")),
          NULL },
        { "the one that could be was",
          "T1 @0-90: r y _ @5-10, w x 1 @20-30; T2 @0-90: r y _ @5-40, r x 1 @30-40, w x 2 @50-60",
          SNAPSHOTS PROOF("inconsistent-read", "2",
                          TWO("first-wins", "x", "1", "2") "," ALONE("unread", 2, 1, "x")),
          "may have seen" },
        { "two read what both overwrote", "T1 @0-9: r x _, w x 1; T2 @0-9: r x _, w x 2",
          INVALID("snapshot") PROFILE("transaction", "none", "none", "\"first_updater\"")
              PROOF("lost-update", "1,2",
                    READS(1, 0, "x", null) "," READS(2, 0, "x", null) "," OTHER(
                        "overwrites", 1, 0, "x", 2) "," OTHER("overwrites", 2, 0, "x", 1)),
          NULL },
        { "one did not overwrite it", "T1 @0-9: r x _, w z 1; T2 @0-9: r x _, w x 2",
          UNTIMED_SNAPSHOTS PROOF("lost-update", "1,2",
                                  READS(1, 0, "x", null) "," READS(2, 0, "x", null) "," OTHER(
                                      "overwrites", 1, 0, "x", 2)),
          "do not contradict" },
        { "by key a view lies within its transaction", "T1 @0-10: w x 1; T2 @5-20: w x 2",
          INVALID("snapshot") PROFILE("transaction", "key", "none", "\"first_updater\"")
              PROOF("lost-update", "1,2", TWO("lost", "x", "1", "2")),
          "may have been" },
        { "and so one can be the first alone", "T1 @0-10: w x 1; T2 @15-20: w x 2",
          INVALID("snapshot") PROFILE("transaction", "key", "none", "\"first_updater\"")
              PROOF("lost-update", "1,2", TWO("first-wins", "x", "1", "2")),
          "do not contradict" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* --- Certifiers ------------------------------------------------------------------ */

#define STRUCTURED                                                                                 \
    "init x 0; init y 0; T1 @50-90: r x 0 @55-60, w z 1 @70-80; T2 @0-99: r y 0 @5-10, w x 2 "     \
    "@80-85;"                                                                                      \
    "T3 @12-40: w y 3 @20-30"
#define STRUCTURE_STEPS                                                                            \
    READS(1, 0, "x", null)                                                                         \
    "," OTHER("overwrites", 1, 0, "x", 2) "," READS(2, 0, "y", null) "," OTHER("overwrites", 2, 0, \
                                                                               "y", 3)

static void structures_are_dangerous(void)
{
    static const struct proof_row rows[] = {
        { "the last committed before the first began", STRUCTURED,
          POSTGRES PROOF("G2-item-realtime", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("1,2,3")),
          NULL },
        { "by its other name", STRUCTURED,
          POSTGRES PROOF("dangerous-structure", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("1,2,3")),
          NULL },
        { "in another order", STRUCTURED,
          POSTGRES PROOF("G2-item-realtime", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("3,2,1")),
          "no step says" },
        { "without a step", STRUCTURED,
          POSTGRES PROOF(
              "G2-item-realtime", "1,2,3",
              READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x", 2) "," STRUCTURE("1,2,3")),
          "no step says" },
        { "nobody looks for it", STRUCTURED,
          SNAPSHOTS PROOF("G2-item-realtime", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("1,2,3")),
          "does not look" },
        { "the first had begun by then",
          "init x 0; init y 0; T1 @10-90: r x 0 @25-60, w z 1 @70-80; T2 @0-99: r y 0 @5-15, w x 2 "
          "@80-85;"
          "T3 @12-40: w y 3 @20-30",
          POSTGRES PROOF("dangerous-structure", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("1,2,3")),
          "begun too early" },
        { "but behind the second, and it wrote",
          "init x 0; init y 0; T1 @20-90: r x 0 @25-60, w z 1 @70-80; T2 @0-99: r y 0 @5-15, w x 2 "
          "@80-85;"
          "T3 @12-40: w y 3 @20-30",
          POSTGRES PROOF("dangerous-structure", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("1,2,3")),
          NULL },
        { "had it only read",
          "init x 0; init y 0; T1 @20-90: r x 0 @25-60, r z _ @70-80; T2 @0-99: r y 0 @5-15, w x 2 "
          "@80-85;"
          "T3 @12-40: w y 3 @20-30",
          POSTGRES PROOF("dangerous-structure", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("1,2,3")),
          "begun too early" },
        { "the last was not the first to commit",
          "init x 0; init y 0; T1 @50-90: r x 0 @55-60, w z 1 @70-80; T2 @0-99: r y 0 @5-10, w x 2 "
          "@35-38;"
          "T3 @12-40: w y 3 @20-30",
          POSTGRES PROOF("dangerous-structure", "1,2,3", STRUCTURE_STEPS "," STRUCTURE("1,2,3")),
          "first to commit" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

static void certifiers_look_at_dependencies(void)
{
    static const struct proof_row rows[] = {
        { "timestamps against time", "T1 @30-40: w x 1; T2 @0-50: r x 1, w y 2; T3 @0-20: r y 2",
          TIMESTAMPS PROOF("G1c-realtime", "1,2,3", READS(3, 0, "y", 2) "," READS(2, 0, "x", 1)),
          NULL },
        { "an anti-dependency on who is older", "T1 @30-40: r x _; T2 @0-20: r z _, w x 1",
          TIMESTAMPS PROOF("inconsistent-read", "1", ALONE("unread", 1, 0, "x")), NULL },
        { "what who writes had read is still there", "T1 @0-9: r x _, w y 1; T2 @0-9: r y _, w x 1",
          VALIDATION PROOF("G2-item", "1,2", SKEW_STEPS), NULL },
        { "and when it commits, whatever else depends on it",
          "T1 @0-50: r x _ @1-2, w y 1 @3-4, r z _ @40-45; T2 @10-20: w x 1",
          VALIDATED PROOF("G-single-realtime", "1,2",
                          READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x", 2)),
          NULL },
        { "of one who writes nothing",
          "T1 @0-50: r x _ @1-2, r y _ @3-4, r z _ @40-45; T2 @10-20: w x 1",
          VALIDATED PROOF("G-single-realtime", "1,2",
                          READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x", 2)),
          "do not contradict" },
        { "not where dependencies alone are looked at",
          "T1 @0-50: r x _ @1-2, w y 1 @3-4, r z _ @40-45; T2 @10-20: w x 1",
          INVALID("strict-serializable")
              PROFILE("transaction", "full", "cycles", "\"by_operations\"")
                  PROOF("G-single-realtime", "1,2",
                        READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x", 2)),
          "do not contradict" },
        { "nor by a name without time",
          "T1 @0-50: r x _ @1-2, w y 1 @3-4, r z _ @40-45; T2 @10-20: w x 1",
          VALIDATED PROOF("G-single", "1,2",
                          READS(1, 0, "x", null) "," OTHER("overwrites", 1, 0, "x", 2)),
          "no G-single" },
        { "who only reads may be late", "T1 @0-9: r x _, r y 1; T2 @0-9: w y 1, w x 1",
          VALIDATION PROOF(
              "G-single", "1,2",
              READS(1, 0, "x", null) "," READS(1, 1, "y", 2) "," OTHER("overwrites", 1, 0, "x", 2)),
          NULL },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* --- Profiles --------------------------------------------------------------------- */

static void the_level_is_one_that_the_profile_can_mean(void)
{
    static const struct proof_row rows[] = {
        { "snapshots are not serializable", STALE,
          INVALID("serializable") PROFILE("transaction", "full", "none", "\"first_updater\"")
              PROOF("inconsistent-read", "3", STALE_STEPS),
          "cannot mean serializable" },
        { "nor snapshots where updates are lost", STALE,
          INVALID("snapshot") PROFILE("transaction", "full", "none", "")
              PROOF("inconsistent-read", "3", STALE_STEPS),
          "cannot mean snapshot" },
        { "nor strict without times", STALE,
          INVALID("strict-serializable") PROFILE("commit", "key", "none", "")
              PROOF("inconsistent-read", "3", STALE_STEPS),
          "do not lie within times" },
        { "a level of another checker", STALE,
          INVALID("repeatable-read") PROFILE("commit", "full", "none", "")
              PROOF("inconsistent-read", "3", STALE_STEPS),
          "does not decide" },
        { "rules that contradict each other", STALE,
          INVALID("read-committed") PROFILE("statement", "none", "none", "\"locks_writes\"")
              PROOF("inconsistent-read", "3", STALE_STEPS),
          "need a timing" },
        { "a rule twice", STALE,
          INVALID("read-committed")
              PROFILE("statement", "full", "none", "\"locks_writes\",\"locks_writes\"")
                  PROOF("inconsistent-read", "3", STALE_STEPS),
          "stands here twice" },
        { "no such rule", STALE,
          INVALID("read-committed") PROFILE("statement", "full", "none", "\"locks\"")
              PROOF("inconsistent-read", "3", STALE_STEPS),
          "is not a rule" },
        { "no profile", STALE,
          INVALID("read-committed") PROOF("inconsistent-read", "3", STALE_STEPS),
          "\"profile\" is missing" },
        { "clocks off by less than nothing", STALE,
          AT_ONCE "\"clock-error\":-1," PROOF("inconsistent-read", "3", STALE_STEPS), "0 or more" },
        { "a profile of another checker", STALE,
          "\"checker\":\"weak\",\"level\":\"causal\",\"verdict\":\"invalid\"," PROFILE(
              "commit", "full", "none", "") PROOF("inconsistent-read", "3", STALE_STEPS),
          "of interval alone" },
        { "steps of another checker", STALE,
          "\"checker\":\"weak\",\"level\":\"causal\",\"verdict\":\"invalid\"," PROOF(
              "inconsistent-read", "3", STALE_STEPS),
          "no proof for this checker" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

/* At the ends of what times can be, with clocks that are off by as much. */
static void times_at_the_ends_do_not_overflow(void)
{
    static const struct proof_row rows[] = {
        { "as they are",
          "T1 @-9223372036854775807--9223372036854775806: w x 1; T2 @0-1: w x 2;"
          "T3 @9223372036854775805-9223372036854775806: r x 1",
          AT_ONCE PROOF("inconsistent-read", "3", STALE_STEPS), NULL },
        { "with any clock",
          "T1 @-9223372036854775807--9223372036854775806: w x 1; T2 @0-1: w x 2;"
          "T3 @9223372036854775805-9223372036854775806: r x 1",
          AT_ONCE
          "\"clock-error\":9223372036854775807," PROOF("inconsistent-read", "3", STALE_STEPS),
          "may have seen" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

static void what_steps_name_is_there(void)
{
    static const struct proof_row rows[] = {
        { "no such transaction", STALE, AT_ONCE PROOF("G0", "3", READS(9, 0, "x", 1)),
          "no transaction 9" },
        { "no such operation", STALE, AT_ONCE PROOF("G0", "3", READS(3, 1, "x", 1)),
          "no operation 1" },
        { "no such key", STALE, AT_ONCE PROOF("G0", "3", READS(3, 0, "q", 1)), "no key q" },
        { "another's key", "T1 @0-1: w y 1; T3 @2-3: r x 1",
          AT_ONCE PROOF("G0", "3", READS(3, 0, "y", 1)), "does not read the key" },
        { "a write", STALE, AT_ONCE PROOF("G0", "3", READS(1, 0, "x", 1)),
          "does not read the key" },
        { "no version", STALE, AT_ONCE PROOF("G0", "3", READS(3, 0, "x", 3)), "left no version" },
        { "no instant", STALE, AT_ONCE PROOF("G0", "3", PROGRAM("\"d3\"", "\"c3\"")),
          "is no instant" },
        { "a field too many", STALE,
          AT_ONCE PROOF("G0", "3",
                        "{\"step\":\"reads\"," READ(3, 0, "x") ",\"from\":1,\"other\":2}"),
          "other fields" },
        { "a field too few", STALE,
          AT_ONCE PROOF("G0", "3", "{\"step\":\"reads\"," READ(3, 0, "x") "}"), "is missing" },
        { "a name of another kind", STALE,
          AT_ONCE PROOF("G0", "3", "{\"step\":\"reads\"," READ(3, 0, "x") ",\"from\":\"c1\"}"),
          "names other things" },
        { "no such step", STALE, AT_ONCE PROOF("G0", "3", ALONE("realtime", 3, 0, "x")),
          "is not a step" },
    };

    instants_try(rows, ROW_COUNT(rows));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_read_is_wrong_if_it_may_see_no_version_with_the_value);
    RUN_TEST(a_wrong_read_has_a_name);
    RUN_TEST(a_transaction_sees_what_it_wrote);
    RUN_TEST(steps_lead_round);
    RUN_TEST(windows_are_left_empty);
    RUN_TEST(versions_that_precede_others_are_depended_on);
    RUN_TEST(who_was_read_from_committed);
    RUN_TEST(a_transaction_has_one_view_or_many);
    RUN_TEST(commits_lie_behind_operations_where_the_profile_says_so);
    RUN_TEST(locks_exclude_each_other);
    RUN_TEST(one_lock_is_taken_behind_the_other);
    RUN_TEST(of_two_updaters_one_is_the_first);
    RUN_TEST(structures_are_dangerous);
    RUN_TEST(certifiers_look_at_dependencies);
    RUN_TEST(the_level_is_one_that_the_profile_can_mean);
    RUN_TEST(times_at_the_ends_do_not_overflow);
    RUN_TEST(what_steps_name_is_there);
    return UNITY_END();
}
