/*
 * weak against what its peers' tests assert: Plume's fourteen patterns, each as small as it can be,
 * next to the level below that it leaves standing; AWDIT's folders, whose names are the strongest
 * of its levels that the histories in them satisfy; dbcop's tests of each boundary between levels.
 * Where a row differs from its test, the row says why, and docs/checkers.md lists it.
 */
#include "tests/checkers/peers_fixture.h"

#include "base/array.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

#define EXPECT(rows) peers_expect("weak", rows, ROW_COUNT(rows))
#define RC LEVEL_READ_COMMITTED
#define RA LEVEL_READ_ATOMIC
#define CC LEVEL_CAUSAL
#define ALL (AT(READ_COMMITTED) | AT(READ_ATOMIC) | AT(CAUSAL) | AT(PREFIX))

/* --- Plume ------------------------------------------------------------------------ */

static void patterns_a_to_f_are_reads_of_what_is_no_version(void)
{
    static const struct peer_row rows[] = {
        { "a: ThinAirRead", "T1: r x 9", RC, KIND(GARBAGE_READ), 0, ALL },
        { "b: AbortedRead", "T1 abort: w x 1; T2: r x 1", RC, KIND(G1A), 0, ALL },
        { "c: FutureRead", "T1: r x 1, w x 1", RC, KIND(FUTURE_READ), 0, ALL },
        { "d: NotMyOwnWrite", "T1: w x 1; T2: w x 2, r x 1", RC, KIND(INTERNAL), 0, ALL },
        { "e: NotMyLastWrite", "T1: w x 1, w x 2, r x 1", RC, KIND(INTERNAL), 0, ALL },
        { "f: IntermediateRead", "T1: w x 1, w x 2; T2: r x 1", RC, KIND(G1B), 0, ALL },
    };

    EXPECT(rows);
}

static void patterns_g_to_i_violate_read_committed(void)
{
    static const struct peer_row rows[] = {
        { "g: CyclicCO", "T1: r x 1, w y 1; T2: r y 1, w x 1", RC, KIND(CYCLIC_CO), 0, ALL },
        { "g: CyclicCO by sessions", "T1 s1: r y 1; T2 s1: w x 0; T3 s2: r x 0; T4 s2: w y 1", RC,
          KIND(CYCLIC_CO), 0, ALL },
        { "h: NonMonoReadCO", "T1 s1: w x 1; T2 s1: w x 2, w y 2; T3: r y 2, r x 1", RC,
          KIND(NON_MONO_READ_CO), 0, ALL },
        { "i: NonMonoReadAO",
          "T1: w x 1, w y 1; T2: w x 2, w z 2; T3: r z 2, r x 1; T4: r y 1, r x 2", RC,
          KIND(NON_MONO_READ_AO), 0, ALL },
    };

    EXPECT(rows);
}

static void patterns_j_to_l_violate_read_atomic_alone(void)
{
    static const struct peer_row rows[] = {
        { "j: NonRepeatableRead", "T1: w x 1; T2: w x 2; T3: r x 1, r x 2", RA, KIND(INTERNAL),
          AT(READ_COMMITTED), AT(CAUSAL) | AT(PREFIX) },
        { "k: FracturedReadCO", "T1 s1: w x 1; T2 s1: w x 2, w y 2; T3: r x 1, r y 2", RA,
          KIND(FRACTURED_READ_CO), AT(READ_COMMITTED), AT(CAUSAL) | AT(PREFIX) },
        { "l: FracturedReadAO",
          "T1: w x 1, w y 1; T2: w x 2, w z 2; T3: r x 1, r z 2; T4: r x 2, r y 1", RA,
          KIND(FRACTURED_READ_AO), AT(READ_COMMITTED), AT(CAUSAL) | AT(PREFIX) },
    };

    EXPECT(rows);
}

static void patterns_m_and_n_violate_causal_alone(void)
{
    static const struct peer_row rows[] = {
        { "m: COConflictAO", "T1 s1: w x 1; T2 s1: w x 2, w y 2; T3: r y 2, w z 3; T4: r z 3, r x 1",
          CC, KIND(CO_CONFLICT_AO), AT(READ_COMMITTED) | AT(READ_ATOMIC), AT(PREFIX) },
        { "n: ConflictAO",
          "T1: w x 1, w y 1; T2: w x 2, w z 2; T3: r y 1, w u 3; T4: r z 2, w v 4; "
          "T5: r v 4, r x 1; T6: r u 3, r x 2",
          CC, KIND(CONFLICT_AO), AT(READ_COMMITTED) | AT(READ_ATOMIC), AT(PREFIX) },
    };

    EXPECT(rows);
}

/* --- AWDIT ------------------------------------------------------------------------ */

static void awdits_folders_name_the_strongest_level(void)
{
    static const struct peer_row rows[] = {
        { "none: a cycle of sessions and reads",
          "T1 s1: r y 1; T2 s1: w x 0; T3 s2: r x 0; T4 s2: w y 1", RC, KIND(CYCLIC_CO), 0, ALL },
        { "read-committed: Biswas and Enea's example",
          "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: w z 2; T4: r x 1, r y 2, r z 2", RC, 0, 0, 0 },
        { "read-committed: a read that is not repeated", "T1: w x 0; T2: w x 1; T3: r x 0, r x 1",
          RC, 0, 0, AT(READ_ATOMIC) | AT(CAUSAL) },
        { "read-committed, by hand",
          "T1 s1: w p 0, w q 0, w u 0, w v 0, w z 0; T2 s2: r p 0; T3 s3: r u 1, r u 2; "
          "T4 s4: w u 1; T5 s4: r q 0; T6 s4: w u 2; T7 s5: r u 1; T8 s5: r u 0, r u 1",
          RC, 0, 0, AT(READ_ATOMIC) | AT(CAUSAL) },
        { "read-committed, generated, of 10 operations",
          "T1 s1: r z 0; T2 s1: r z 0; T3 s1: r q 1, r p 0, r u 0; T4 s2: w q 1; T5 s2: r q 1; "
          "T6 s2: r q 0; T7 s3: w p 0, w q 0, w u 0, w z 0; T8 s4: r q 1, r q 1",
          RC, 0, 0, AT(CAUSAL) },
        { "read-committed, generated, of 20",
          "T1 s1: w z 1; T2 s1: r q 0, r z 0, r z 1; T3 s2: w z 4; T4 s2: r z 4, r u 1, r u 1; "
          "T5 s3: r z 1, r p 0, r z 4, w z 5, r q 0; T6 s3: w z 6; T7 s4: w z 2, w u 1; "
          "T8 s4: r q 0, r z 2; T9 s5: w p 0, w q 0, w u 0, w z 0, w v 0; T10 s6: w z 3",
          RC, 0, 0, AT(READ_ATOMIC) | AT(CAUSAL) },
        { "read-atomic: Biswas and Enea's example",
          "T1 s1: w x 1; T2 s1: w x 2; T3: r x 2, w y 1; T4: r x 1, r y 1", RA, 0,
          AT(READ_COMMITTED), AT(CAUSAL) | AT(PREFIX) },
        { "read-atomic, by hand",
          "T1 s1: w p 0, w q 0, w u 0, w z 0, w v 0; T2 s2: r p 0; T3 s3: r u 2, r v 0; "
          "T4 s4: r z 0, w u 1; T5 s4: r q 0; T6 s4: w u 2; T7 s5: r u 1; T8 s5: r u 0, r u 0",
          RA, 0, AT(READ_COMMITTED), AT(CAUSAL) },
        { "read-atomic, generated, of 20",
          "T1 s1: r v 2, r z 1, r v 2, r v 2; T2 s2: w u 1, r v 0, r z 0, r q 0, w v 1; "
          "T3 s2: r z 1, r v 2, r u 1; T4 s3: r v 2, r z 0; T5 s4: w p 0, w q 0, w u 0, w z 0, w v 0; "
          "T6 s5: w z 1, r v 1; T7 s5: w v 2; T8 s6: r v 1, r u 1; T9 s6: r v 0",
          RA, 0, AT(READ_COMMITTED), AT(CAUSAL) },
        { "causal: serializable as it is", "T1: w x 0, w y 1; T2: w x 2; T3 s3: r x 2; T4 s3: r y 1",
          CC, 0, ALL, 0 },
        { "causal: a long fork",
          "T1: w x 0, w y 0; T2 s2: w x 1; T3 s2: r x 1, r y 0; T4 s3: w y 1; T5 s3: r y 1, r x 0",
          CC, 0, AT(READ_COMMITTED) | AT(READ_ATOMIC), AT(PREFIX) },
        { "causal: a lost update", "T1: w x 0; T2: r x 0, w x 1; T3: r x 0, w x 2", CC, 0, ALL, 0 },
    };

    EXPECT(rows);
}

/* --- dbcop ------------------------------------------------------------------------ */

static void dbcops_levels_are_kept_apart(void)
{
    static const struct peer_row rows[] = {
        { "one writes, one reads", "T1: w x 1, w y 1; T2: r x 1, r y 1", LEVEL_PREFIX, 0, ALL, 0 },
        { "a dirty read", "T1 abort: w x 42; T2: r x 42", RC, KIND(G1A), 0, 0 },
        { "a circle of commits at read committed",
          "T1: w x 2, w y 1; T2: w x 3, r y 1; T3: r x 3, r x 2", RC, KIND(NON_MONO_READ_CO), 0,
          AT(CAUSAL) },
        { "one value in two transactions", "T1: w x 5; T2 s2: r x 5; T3 s2: r x 5", RA, 0, ALL, 0 },
        { "two values in one", "T1: w x 10; T2: w x 20; T3: r x 10, r x 20", RA, KIND(INTERNAL),
          AT(READ_COMMITTED), 0 },
        { "seen in part, by a write in between",
          "T1: w x 1, w y 1; T2: r y 1, w x 2, w z 1; T3: r x 1, r z 1", RA,
          KIND(FRACTURED_READ_CO), AT(READ_COMMITTED), AT(CAUSAL) },
        /* An older test of dbcop's has it violate read atomic, its newer ones and the paper not. */
        { "newer, then older, in two transactions",
          "T1 s1: w x 1; T2 s1: w x 2; T3 s2: r x 2; T4 s2: r x 1", RA, 0, AT(READ_COMMITTED),
          AT(CAUSAL) | AT(MONOTONIC_READS) },
        { "a chain", "T1: w x 1; T2: r x 1, w y 2; T3: r y 2", CC, 0, ALL, 0 },
        { "a chain of five",
          "T1: w p 1; T2: r p 1, w q 1; T3: r q 1, w u 1; T4: r u 1, w v 1; T5: r v 1", CC, 0, ALL,
          0 },
        { "a cycle across seven",
          "T1: w x 1, w p 1; T2: r x 1, w y 1; T3: r y 1, w z 1; T4: r z 1, w p 2; "
          "T5: r p 2, w q 1; T6: r q 1, w u 1; T7: r u 1, r p 1",
          CC, KIND(CO_CONFLICT_AO), AT(READ_ATOMIC), AT(PREFIX) },
        /* Its comment says that this violates read atomic; nothing there does by the axiom. */
        { "a cycle across six",
          "T1: w x 1, w p 1; T2: r x 1, w y 1; T3: r y 1, w z 1; T4: r z 1, w p 2; "
          "T5: r p 2, w q 1; T6: r q 1, r p 1",
          CC, KIND(CO_CONFLICT_AO), AT(READ_COMMITTED) | AT(READ_ATOMIC), AT(PREFIX) },
        { "keys apart", "T1: w p 1; T2: w q 1; T3: w u 1; T4: r p 1; T5: r q 1; T6: r u 1", CC, 0,
          ALL, 0 },
        { "one sees three", "T1: w p 1; T2: w q 1; T3: w u 1; T4: r p 1, r q 1, r u 1",
          LEVEL_PREFIX, 0, ALL, 0 },
        { "a crossing of stale reads: causal, no prefix",
          "T0: w x 1, w y 1; T1: r x 1, w x 2; T2: r y 1, w y 2; T3: r x 2, r y 1; T4: r y 2, r x 1",
          CC, 0, AT(READ_ATOMIC), AT(PREFIX) },
        { "a lost update: prefix, no snapshot", "T1: w x 1; T2: r x 1, w x 2; T3: r x 1, w x 3",
          LEVEL_PREFIX, 0, ALL, 0 },
        { "write skew", "T1: w x 1, w y 1; T2: r x 1, w y 2; T3: r y 1, w x 2", LEVEL_PREFIX, 0,
          ALL, 0 },
        { "reads and writes in turn",
          "T0: w x 1, w y 1, w z 1; T1: r x 1, w y 2, r z 1, w x 2; T2: r y 2, w z 2, r x 2, w y 3; "
          "T3: r z 2, r x 2, r y 3",
          LEVEL_PREFIX, 0, ALL, 0 },
        { "both read what was there at first",
          "init x 0; T1: r x 0, w x 1; T2: r x 0, w x 2", CC, 0, ALL, 0 },
        { "and with a writer of it", "T1: w x 0; T2: r x 0, w x 1", CC, 0, ALL, 0 },
    };

    EXPECT(rows);
}

/* What some peers accept in silence: the initial transaction comes before all others. */
static void stale_reads_of_the_initial_state_are_found(void)
{
    static const struct peer_row rows[] = {
        { "one's own session's write is not there", "T1 s1: w x 1; T2 s1: r x _", RA,
          KIND(FRACTURED_READ_CO), AT(READ_COMMITTED), AT(CAUSAL) | AT(READ_YOUR_WRITES) },
        { "what was read is not there for the next", "T1: w x 1, w y 1; T2: r x 1, r y _", RC,
          KIND(NON_MONO_READ_CO), 0, ALL },
        { "far away", "T1: w x 1, w y 1; T2: r y 1, w z 1; T3: r z 1, r x _", CC,
          KIND(CO_CONFLICT_AO), AT(READ_ATOMIC), AT(PREFIX) },
    };

    EXPECT(rows);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(patterns_a_to_f_are_reads_of_what_is_no_version);
    RUN_TEST(patterns_g_to_i_violate_read_committed);
    RUN_TEST(patterns_j_to_l_violate_read_atomic_alone);
    RUN_TEST(patterns_m_and_n_violate_causal_alone);
    RUN_TEST(awdits_folders_name_the_strongest_level);
    RUN_TEST(dbcops_levels_are_kept_apart);
    RUN_TEST(stale_reads_of_the_initial_state_are_found);
    return UNITY_END();
}
