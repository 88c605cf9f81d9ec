/*
 * infer at linearizable against what Knossos and Porcupine assert of registers, and the workloads
 * of elle-cli's examples. A compare-and-set is a read and a write of one transaction.
 */
#include "tests/checkers/peers_fixture.h"

#include "base/array.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

#define EXPECT(rows) peers_expect("infer", rows, ROW_COUNT(rows))
#define LIN LEVEL_LINEARIZABLE

static void registers_are_linearizable_as_porcupine_says(void)
{
    static const struct peer_row rows[] = {
        { "a put and two gets within it",
          "init x 0; T1 s0 @0-100: w x 100; T2 s1 @25-75: r x 100; T3 s2 @30-60: r x 0", LIN, 0,
          AT(STRICT_SERIALIZABLE), 0 },
        { "the older value after the newer",
          "init x 0; T1 s0 @0-100: w x 200; T2 s1 @10-30: r x 200; T3 s2 @40-90: r x 0", LIN,
          KIND(NOT_LINEARIZABLE), AT(SERIALIZABLE), AT(STRICT_SERIALIZABLE) },
        { "operations that take no time",
          "init x 0; T1 s0 @0-100: w x 100; T2 s1 @25-75: r x 100; T3 s2 @30-30: r x 0; "
          "T4 s3 @30-30: r x 0",
          LIN, 0, AT(STRICT_SERIALIZABLE), 0 },
        { "operations that take no time, and then the older value",
          "init x 0; T1 s0 @0-100: w x 200; T2 s1 @10-10: r x 200; T3 s2 @10-10: r x 200; "
          "T4 s3 @40-90: r x 0",
          LIN, KIND(NOT_LINEARIZABLE), AT(SERIALIZABLE), AT(STRICT_SERIALIZABLE) },
        { "keys are judged apart",
          "T1 s0 @0-10: w x 1; T2 s1 @20-30: r x 1; T3 s0 @0-10: w y 1; T4 s1 @20-30: r y 1", LIN,
          0, 0, 0 },
    };

    EXPECT(rows);
}

static void registers_are_linearizable_as_knossos_says(void)
{
    static const struct peer_row rows[] = {
        { "a write that crashed", "init x 0; T1 unknown s0 @0-: w x 1", LIN, 0, 0, 0 },
        { "a read of what is there at first", "init x 0; T1 @0-1: r x 0", LIN, 0, 0, 0 },
        { "a read of what was never there", "init x 0; T1 @0-1: r x 1", LIN, KIND(GARBAGE_READ), 0,
          AT(STRICT_SERIALIZABLE) },
        { "written 1, read 2", "init x 0; T1 s0 @5-7: w x 1; T2 s0 @99-100: r x 2", LIN,
          KIND(GARBAGE_READ), 0, AT(STRICT_SERIALIZABLE) },
        { "could have been 0 or 4, and not 3",
          "T1 s0 @0-1: w x 0; T2 s1 @2-4: r x 3; T3 s2 @3-5: w x 4; T4 s3 @6-7: r x 4", LIN,
          KIND(GARBAGE_READ), 0, AT(STRICT_SERIALIZABLE) },
        { "a read of a write that failed", "T1 s1 @0-3: r x 3; T2 abort s101 @1-2: w x 3", LIN,
          KIND(G1A), 0, AT(STRICT_SERIALIZABLE) },
        { "crashed reads mean nothing, and two reads come from nowhere",
          "T1 s4 @0-1: w x 2; T2 unknown s6 @2-: r x; T3 s1 @3-4: w x 4; T4 s14 @5-6: r x 4; "
          "T5 s9 @7-8: w x 0; T6 s19 @9-11: r x 0; T7 unknown s20 @10-: w x 1; "
          "T8 s22 @12-15: r x 3; T9 s21 @13-14: r x 2",
          LIN, KIND(GARBAGE_READ), 0, 0 },
        /* Its cas-failure: 0 is known, 2 is written beside reads of 0, and 0 is read once more. */
        { "compare and set: the older value again",
          "T1 s0 @0-1: w x 0; T2 s1 @2-6: w x 2; T3 s2 @3-4: r x 0; T4 s3 @5-8: r x 2; "
          "T5 s4 @9-10: r x 0",
          LIN, KIND(NOT_LINEARIZABLE), AT(SERIALIZABLE), AT(STRICT_SERIALIZABLE) },
        { "compare and set, in turn",
          "T1 s0 @0-1: w x 0; T2 s1 @2-4: r x 0, w x 1; T3 s2 @3-6: r x 1, w x 2; T4 s3 @7-8: r x 2",
          LIN, 0, AT(STRICT_SERIALIZABLE), 0 },
        { "compare and set: two of one value",
          "T1 s0 @0-1: w x 0; T2 s1 @2-4: r x 0, w x 1; T3 s2 @3-6: r x 0, w x 2", LIN,
          KIND(NOT_LINEARIZABLE), 0, AT(STRICT_SERIALIZABLE) },
        { "values that repeat: a real search",
          "T1 s0 @0-10: w x 1; T2 s1 @1-3: w x 2; T3 s1 @4-5: r x 1; T4 s2 @6-8: w x 2; "
          "T5 s2 @11-12: r x 2",
          LIN, 0, 0, 0 },
        { "values that repeat, and none is left",
          "T1 s0 @0-1: w x 1; T2 s1 @2-3: w x 2; T3 s1 @4-5: r x 1; T4 s0 @6-7: w x 1", LIN,
          KIND(NOT_LINEARIZABLE), 0, 0 },
    };

    EXPECT(rows);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(registers_are_linearizable_as_porcupine_says);
    RUN_TEST(registers_are_linearizable_as_knossos_says);
    return UNITY_END();
}
