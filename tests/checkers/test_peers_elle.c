/*
 * infer against what Elle's own tests assert: list-append, rw-register and closed predicates, and
 * elle-cli's examples. Histories are those of its tests in the notation of tests/oracle; where
 * its options pick inferences (sequential, linearizable keys), the level asked does so here.
 * Where a row differs from its test, the row says why, and docs/checkers.md lists it.
 */
#include <stdio.h>
#include <string.h>

#include "history/builder.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/peers_fixture.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

#define EXPECT(rows) peers_expect("infer", rows, ROW_COUNT(rows))

/* --- list-append ------------------------------------------------------------------ */

static void cycles_of_writes_and_reads_have_the_classes_of_elle(void)
{
    static const struct peer_row rows[] = {
        { "one append", "T1: a x 1", LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "an empty read", "T1: r x []", LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "reads before and after an append", "T1: r x []; T2: a x 1; T3: r x [1]",
          LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "appends in the order that a read shows", "T1: a x 2; T2: a x 1; T3: r x [1 2]",
          LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "figure 3 of Adya, Liskov and O'Neil",
          "T1: a z 1, a x 1, a y 1; T2: r x [1], a y 2; T3: r y [1 2], a z 3; T4: r z [1 3]",
          LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "G0", "T1: a x 1, a y 1; T2: a x 2, a y 2; T3: r x [1 2], r y [2 1]",
          LEVEL_READ_UNCOMMITTED, KIND(G0), 0, AT(READ_COMMITTED) | AT(SERIALIZABLE) },
        { "G1c", "T1: a x 1, r y [1]; T2: a x 2, a y 1; T3: r x [1 2], r y [1]",
          LEVEL_READ_COMMITTED, KIND(G1C), AT(READ_UNCOMMITTED), AT(SERIALIZABLE) },
        { "G-single", "T1: a x 1, a y 1; T2: a x 2, r y []; T3: r x [1 2]", LEVEL_SERIALIZABLE,
          KIND(G_SINGLE), AT(READ_COMMITTED),
          AT(CONSISTENT_VIEW) | AT(REPEATABLE_READ) | AT(SNAPSHOT) },
        { "G2-item", "T1: a x 1, r y []; T2: a y 1, r x []", LEVEL_SERIALIZABLE, KIND(G2_ITEM),
          AT(READ_COMMITTED) | AT(SNAPSHOT), AT(REPEATABLE_READ) },
        { "G2-item, reads first", "T1: r x [], a y 1; T2: r y [], a x 1", LEVEL_REPEATABLE_READ,
          KIND(G2_ITEM), AT(READ_COMMITTED) | AT(CURSOR_STABILITY), AT(SERIALIZABLE) },
        { "G-single of items is no repeatable read", "T1: a x 1, a y 1; T2: r x [1], r y []",
          LEVEL_REPEATABLE_READ, KIND(G_SINGLE), AT(READ_COMMITTED), AT(CONSISTENT_VIEW) },
        { "G-nonadjacent", "T1: a x 1; T2: r x [1], r y []; T3: a y 1; T4: r y [1], r x []",
          LEVEL_SERIALIZABLE, KIND(G_NONADJACENT), AT(READ_COMMITTED) | AT(CONSISTENT_VIEW),
          AT(SNAPSHOT) | AT(REPEATABLE_READ) },
        { "G-nonadjacent of items is no repeatable read",
          "T1: a x 1, a t 1; T2: r x [1], r y []; T3: a y 1, a z 2; T4: r z [2], r t []",
          LEVEL_REPEATABLE_READ, KIND(G_NONADJACENT), AT(READ_COMMITTED), AT(SNAPSHOT) },
        { "rw, rw, wr, rw, wr: two of them are adjacent",
          "T1: r y [], r x [5]; T2: a y 1, r z []; T3: a z 2, a u 3; T4: r u [3], r v []; "
          "T5: a v 4, a x 5",
          LEVEL_SERIALIZABLE, KIND(G2_ITEM), AT(SNAPSHOT), 0 },
    };

    EXPECT(rows);
}

static void reads_of_what_is_no_version_have_the_names_of_elle(void)
{
    static const struct peer_row rows[] = {
        { "G1a", "T1 abort: a x 1; T2: r x [1]", LEVEL_READ_COMMITTED, KIND(G1A),
          AT(READ_UNCOMMITTED), AT(REPEATABLE_READ) },
        { "G1a of the reader who appends too, and behind another element",
          "T1 abort: a x 1; T2: r x [1], a x 2; T3: r x [1 2], r y [3]; T4: a y 3",
          LEVEL_READ_COMMITTED, KIND(G1A), 0, 0 },
        { "G1b, which is also G-single", "T1 @1-2: a x 1, a x 2; T2 @3-4: r x [1]",
          LEVEL_STRICT_SERIALIZABLE, KIND(G1B) | KIND(G_SINGLE), AT(READ_UNCOMMITTED),
          AT(READ_COMMITTED) },
        { "G1b next to reads that are in order",
          "T1: r x [1]; T2: r x [1 2], r y [3]; T3: a x 1, a x 2; T4: r x [1 2 3]; T5: a y 3; "
          "T6: a x 3",
          LEVEL_READ_COMMITTED, KIND(G1B), 0, 0 },
        { "one's own intermediate list", "T1: a x 1, r x [1], a x 2", LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "two of three appends", "T1: a x 1, a x 2, a x 3; T2: r x [1 2]; T3: r x [1 2 3]",
          LEVEL_SERIALIZABLE, KIND(G1B) | KIND(G_SINGLE), 0, AT(READ_COMMITTED) },
        { "future read of an element", "T1: r x [1], a x 1", LEVEL_READ_COMMITTED,
          KIND(FUTURE_READ), 0, 0 },
        { "future read among others", "T1: r x [0 1 2], a x 1; T2: a x 0; T3: a x 2",
          LEVEL_READ_COMMITTED, KIND(FUTURE_READ), 0, 0 },
        { "future read behind an own append", "T1: a x 1, r x [0 1], a x 0, a x 3",
          LEVEL_READ_COMMITTED, KIND(FUTURE_READ), 0, 0 },
        { "dirty update", "T1 abort: a x 1; T2: a x 2; T3: r x [1 2]", LEVEL_READ_COMMITTED,
          KIND(DIRTY_UPDATE), AT(READ_UNCOMMITTED), AT(SERIALIZABLE) },
        { "dirty update by way of an unknown outcome",
          "T1 abort: a x 1; T2 unknown: a x 2; T3: a x 3; T4: r x [1 2 3]", LEVEL_READ_COMMITTED,
          KIND(DIRTY_UPDATE), 0, 0 },
        { "an aborted append alone", "T1 abort: a x 1", LEVEL_SERIALIZABLE, 0, 0, 0 },
        /* Elle goes on with the longest list, and finds G1c; here such a key has no order. */
        { "incompatible orders",
          "T1: a x 1, r y [1]; T2: a x 2; T3: a x 3, a y 1; T4: r x [1 3]; T5: r x [1 2 3]",
          LEVEL_READ_COMMITTED, KIND(INCOMPATIBLE_ORDER), 0, AT(SERIALIZABLE) },
        { "an element twice", "T1: a x 1, r y [1]; T2: a x 2, a y 1; T3: r x [1 2 1]",
          LEVEL_READ_COMMITTED, KIND(DUPLICATE_ELEMENTS), 0, AT(SERIALIZABLE) },
    };

    EXPECT(rows);
}

/* The writers of what is read, so that nothing else is wrong. */
#define WRITERS "; T11: a x 1; T12: a x 2"

static void transactions_that_contradict_themselves_are_internal(void)
{
    static const struct peer_row rows[] = {
        { "all is well",
          "T1: r y [5 6], a x 3, r x [1 2 3], a x 4, r x [1 2 3 4]; T2: a y 5; T3: a y 6" WRITERS,
          LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "the own append is missing", "T1: r x [1 2], a x 3, r x [1 2]" WRITERS,
          LEVEL_SERIALIZABLE, KIND(INTERNAL), AT(READ_COMMITTED), AT(UPDATE_ATOMIC) },
        { "another prefix", "T1: r x [1 2], a x 3, r x [0 2 3]; T2: a x 0" WRITERS,
          LEVEL_SERIALIZABLE, KIND(INTERNAL), 0, 0 },
        { "more than the own append", "T1: r x [1 2], a x 3, r x [1 2 3 4]; T2: a x 4" WRITERS,
          LEVEL_SERIALIZABLE, KIND(INTERNAL), 0, 0 },
        { "less than before", "T1: r x [1 2], a x 3, r x [1]" WRITERS, LEVEL_SERIALIZABLE,
          KIND(INTERNAL), 0, 0 },
        { "append, then a list that ends otherwise", "T1: a x 3, r x [1 2 3 4]; T2: a x 4" WRITERS,
          LEVEL_SERIALIZABLE, KIND(INTERNAL), 0, 0 },
        { "append, then nothing", "T1: a x 3, r x []", LEVEL_SERIALIZABLE, KIND(INTERNAL),
          AT(READ_COMMITTED), 0 },
        { "FaunaDB's", "T1 @1-2: a x 6, r x _", LEVEL_STRICT_SERIALIZABLE, KIND(INTERNAL), 0, 0 },
        { "internal, and G0", "T1: a x 1, a x 2, a x 4; T2: a x 3, r x [1 2 3 4]",
          LEVEL_SERIALIZABLE, KIND(INTERNAL) | KIND(G0), 0, AT(READ_UNCOMMITTED) },
        { "two reads that differ", "T1: a x 1; T2: a x 2; T3: r x [1], r x [1 2]",
          LEVEL_SERIALIZABLE, KIND(INTERNAL), AT(READ_COMMITTED), AT(REPEATABLE_READ) },
    };

    EXPECT(rows);
}

static void what_nobody_read_is_ordered_too(void)
{
    static const struct peer_row rows[] = {
        { "one append without a read", "T1: r x [], r y [1]; T2: a x 1, a y 1", LEVEL_SERIALIZABLE,
          KIND(G_SINGLE), 0, 0 },
        { "two appends without a read", "T1: r x [], r y [2]; T2: a x 1; T3: a x 2, a y 2",
          LEVEL_SERIALIZABLE, KIND(G_SINGLE), 0, 0 },
        { "appends that the longest read has not come after it",
          "T1: a x 1, a y 1; T2: a x 2, a y 2; T3: a x 3, a y 3; T4: r x [1 2]; T5: r y [2]",
          LEVEL_SERIALIZABLE, KIND(G0), 0, AT(READ_COMMITTED) },
        { "reads of an unknown transaction mean nothing",
          "T1 unknown: a x 2, r y []; T2: a x 1, a y 1; T3: r x [1 2], r y [1]",
          LEVEL_SERIALIZABLE, 0, 0, 0 },
    };

    EXPECT(rows);
}

static void updates_of_one_version_are_lost(void)
{
    static const struct peer_row rows[] = {
        { "lost update", "T1: a x 0; T2: r x [0], a x 1; T3: r x [0], a x 2", LEVEL_SERIALIZABLE,
          KIND(LOST_UPDATE) | KIND(G2_ITEM), AT(READ_COMMITTED),
          AT(CURSOR_STABILITY) | AT(UPDATE_ATOMIC) | AT(SNAPSHOT) },
        { "one transaction updates it twice", "T1: r x [], a x 1, a x 2; T2: r x [1 2]",
          LEVEL_SERIALIZABLE, 0, 0, 0 },
    };

    EXPECT(rows);
}

static void sessions_and_times_close_cycles(void)
{
    static const struct peer_row rows[] = {
        { "strong snapshot isolation",
          "T1 s0 @0-1: a x 1; T2 s1 @2-3: a x 2; T3 s2 @4-5: r x [1]; T4 s3 @6-7: r x [1 2]",
          LEVEL_STRICT_SERIALIZABLE, KIND(G_SINGLE_REALTIME),
          AT(SERIALIZABLE) | AT(SESSION_SERIALIZABLE) | AT(STRICT_READ_COMMITTED),
          AT(STRICT_SNAPSHOT) },
        { "strong session snapshot isolation",
          "T1 s0 @0-1: a x 1; T2 s1 @2-3: a x 2; T3 s1 @4-5: r x [1]; T4 s2 @6-7: r x [1 2]",
          LEVEL_SESSION_SNAPSHOT, KIND(G_SINGLE_PROCESS),
          AT(SERIALIZABLE) | AT(SESSION_READ_COMMITTED), AT(SESSION_SERIALIZABLE) },
        { "G-nonadjacent-process (Elle's issue 17)",
          "T1 s0: r x [], r z [1]; T2 s1: a x 1; T3 s1: r z []; T4 s2: a z 1",
          LEVEL_SESSION_SNAPSHOT, KIND(G_NONADJACENT_PROCESS), AT(SERIALIZABLE),
          AT(SESSION_SERIALIZABLE) },
        { "G1c-process (Elle's issue 21)", "T1 s1: r x [1], a y 1; T2 s2: r y [1]; T3 s2: a x 1",
          LEVEL_SESSION_SNAPSHOT, KIND(G1C_PROCESS),
          AT(SERIALIZABLE) | AT(SESSION_READ_UNCOMMITTED), AT(SESSION_READ_COMMITTED) },
    };

    EXPECT(rows);
}

/* Elle throws; here the key is left alone, or it is a finding where values must be unique. */
static void an_element_that_is_appended_twice_is_named(void)
{
    struct history history;
    struct check check;

    notation_read("T1: a x 1, r y []; T2: a y 2, a x 1", &history);
    check = fixture_check("infer", &history, LEVEL_SERIALIZABLE, 0);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(check.reason, "x"), check.reason);
    check_close(&check);
    history_close(&history);
}

/* The example of Elle's paper and of elle-cli's README. */
static void the_example_of_the_paper(void)
{
    static const struct peer_row rows[] = {
        { "the paper's example",
          "T0 s1: a p 1, a p 3, a p 4, a q 2, a q 3, a q 4, a q 5, a z 1, a z 2; "
          "T1 s1: a q 8, r p [1 3 4]; "
          "T2 s1: a z 4, r q [2 3 4 5 8], r z [1 2 4], r p [1 3 4]; "
          "T3 s1: a o 10, r p [1 3 4], r q [2 3 4 5], a z 3",
          LEVEL_SERIALIZABLE, KIND(G_SINGLE), AT(READ_COMMITTED),
          AT(CONSISTENT_VIEW) | AT(REPEATABLE_READ) | AT(SESSION_SNAPSHOT) },
    };

    EXPECT(rows);
}

/*
 * A ring of ww edges that one anti-dependency closes, in a sea of cycles with two adjacent ones.
 * Elle's search for it times out, and it can only say that there is one.
 */
#define RING 1000
#define NOISE 9

struct ring {
    struct builder builder;
    struct error err;
    int64_t id;
};

static uint32_t key_of(struct ring *r, const char *name, int64_t number)
{
    char text[32];
    uint32_t key;

    snprintf(text, sizeof text, number < 0 ? "%s" : "%s%lld", name, (long long)number);
    ASSERT_OK(builder_key(&r->builder, text_of(text), &key, &r->err), &r->err);
    return key;
}

static void begin(struct ring *r, int64_t session)
{
    r->id++;
    ASSERT_OK(builder_begin_txn(&r->builder, r->id, session, TXN_OK, &r->err), &r->err);
}

static void append(struct ring *r, uint32_t key, int64_t element)
{
    ASSERT_OK(builder_add_op(&r->builder, OP_APPEND, key, value_integer(element), &r->err),
              &r->err);
}

/* Reads 1 to count. */
static void read_list(struct ring *r, uint32_t key, size_t count)
{
    static int64_t elements[RING];
    struct value value;

    for (size_t i = 0; i < count; i++)
        elements[i] = (int64_t)i + 1;
    ASSERT_OK(builder_list(&r->builder, elements, count, &value, &r->err), &r->err);
    ASSERT_OK(builder_add_op(&r->builder, OP_READ, key, value, &r->err), &r->err);
}

static void add_noise(struct ring *r, int64_t i)
{
    for (int64_t j = 1; j <= NOISE; j++) {
        begin(r, 2);
        if (j == NOISE - 1) {
            read_list(r, key_of(r, "k", i), NOISE - 1);
            read_list(r, key_of(r, "end", i), 0);
        } else if (j == NOISE) {
            append(r, key_of(r, "end", i), 1);
            read_list(r, key_of(r, "ring", -1), 0);
        } else {
            append(r, key_of(r, "k", i), j + 1);
        }
    }
}

static void build_ring(struct history *history)
{
    struct ring r = { .id = 0 };

    builder_init(&r.builder);
    for (int64_t i = 0; i < RING; i++) {
        begin(&r, 0);
        append(&r, key_of(&r, "ring", -1), i + 1);
        if (i == 0)
            append(&r, key_of(&r, "anti", -1), 1);
        else if (i == RING - 1)
            read_list(&r, key_of(&r, "anti", -1), 0);
        else
            append(&r, key_of(&r, "k", i), 1);
    }
    begin(&r, 1);
    read_list(&r, key_of(&r, "ring", -1), RING);
    for (int64_t i = 1; i < RING - 1; i++)
        add_noise(&r, i);
    ASSERT_OK(builder_finish(&r.builder, history, &r.err), &r.err);
}

static void the_cycle_that_elle_cannot_find_is_found(void)
{
    static const struct peer_row row = {
        "a ring of a thousand", NULL, LEVEL_SNAPSHOT, KIND(G_SINGLE), AT(READ_COMMITTED),
        AT(CONSISTENT_VIEW),
    };
    struct history history;

    build_ring(&history);
    peers_expect_of("infer", &history, &row);
    history_close(&history);
}

/* --- rw-register ------------------------------------------------------------------ */

static void registers_are_judged_as_elle_judges_them(void)
{
    static const struct peer_row rows[] = {
        { "nobody wrote it: Elle says valid, and that this is a bug",
          "T1 s0 @0-1: w x 1; T2 s1 @2-3: r x 2", LEVEL_STRICT_SERIALIZABLE, KIND(GARBAGE_READ),
          AT(READ_UNCOMMITTED), AT(READ_COMMITTED) },
        { "G1a", "T1: r x 1; T2 abort: w x 1", LEVEL_READ_COMMITTED, KIND(G1A),
          AT(READ_UNCOMMITTED), AT(SERIALIZABLE) },
        { "no G1a", "T1: w x 1; T2: r x 1", LEVEL_SERIALIZABLE, 0, AT(READ_COMMITTED), 0 },
        { "G1b", "T1: w x 1, w x 2; T2: r x 1", LEVEL_READ_COMMITTED, KIND(G1B),
          AT(READ_UNCOMMITTED), AT(REPEATABLE_READ) },
        { "no G1b, but two reads that differ", "T1: w x 1, w x 2; T2: r x _, r x 2",
          LEVEL_REPEATABLE_READ, KIND(INTERNAL), AT(READ_COMMITTED), 0 },
        { "G1c", "T1: w x 1, r y 1; T2: w y 1, r x 1", LEVEL_READ_COMMITTED, KIND(G1C),
          AT(READ_UNCOMMITTED), AT(SERIALIZABLE) },
        { "G1c on one register", "T1: r x 2, w x 1; T2: r x 1, w x 2", LEVEL_READ_COMMITTED,
          KIND(G1C), 0, 0 },
        { "G1c across two", "T1: r x 2, w y 1; T2: r y 1, w x 2", LEVEL_READ_COMMITTED, KIND(G1C),
          0, 0 },
        { "write skew is no cycle of wr", "init x 0; init y 0; T1: r x 0, r y 0, w x 1; "
          "T2: r x 0, r y 0, w y 1",
          LEVEL_SERIALIZABLE, KIND(G2_ITEM), AT(READ_COMMITTED) | AT(SNAPSHOT),
          AT(REPEATABLE_READ) },
        { "internal: all is well", "T1: r y 2, w x 2, r x 2, w x 1, r x 1; T2: w y 2",
          LEVEL_SERIALIZABLE, 0, 0, 0 },
        { "internal: stale", "T1: r x 1, w x 2, r x 1; T2: w x 1", LEVEL_SERIALIZABLE,
          KIND(INTERNAL), 0, AT(UPDATE_ATOMIC) },
        { "internal: two reads that differ", "T1: r x 1, r x 2; T2: w x 1; T3: w x 2",
          LEVEL_SERIALIZABLE, KIND(INTERNAL), AT(READ_COMMITTED), 0 },
        { "the initial state comes first", "T1 s0: r x _, r y 1; T2 s1: w y 1, w x 2",
          LEVEL_SERIALIZABLE, KIND(G_SINGLE), AT(READ_COMMITTED), AT(CONSISTENT_VIEW) },
        { "read, then written: Elle's wfr-keys", "T0: w y 1; T1: r y 1, w x 1, w y 2; T2: r x 1, r y 1",
          LEVEL_SERIALIZABLE, KIND(G_SINGLE), AT(READ_COMMITTED), AT(CONSISTENT_VIEW) },
        { "lost update", "init x 0; T1 s0: r x 0, w x 1; T2 s1: r x 0, w x 2", LEVEL_SERIALIZABLE,
          KIND(LOST_UPDATE), AT(READ_COMMITTED),
          AT(CURSOR_STABILITY) | AT(UPDATE_ATOMIC) | AT(SNAPSHOT) },
        { "G2-item of values that were there before",
          "init x 1; init y 1; T1 s0 @0-1: r x 1, r y 1; T2 s1 @2-7: r x 1, w y 2; "
          "T3 s2 @3-5: r y 1, w x 2",
          LEVEL_SERIALIZABLE, KIND(G2_ITEM), AT(READ_COMMITTED) | AT(SNAPSHOT),
          AT(REPEATABLE_READ) },
    };

    EXPECT(rows);
}

static void sessions_order_versions_where_the_level_keeps_them(void)
{
    static const struct peer_row rows[] = {
        { "what could be G0, and nobody can know", "T1 s0: w x 1, w y 2; T2 s1: w x 2, w y 1",
          LEVEL_SERIALIZABLE, 0, AT(READ_UNCOMMITTED), 0 },
        { "G0 by Elle's sequential-keys: closed by sessions",
          "T1 s0: w x 1, w y 2; T2 s1: w x 2, w y 1; T3 s0: r x 2; T4 s1: r y 2",
          LEVEL_SESSION_SERIALIZABLE, KIND(G0_PROCESS), AT(SERIALIZABLE) | AT(SNAPSHOT),
          AT(SESSION_SNAPSHOT) },
        { "versions in a circle by sequential-keys", "T1 s0: w x 1; T2 s0: w x 2; T3 s0: r x 1",
          LEVEL_SESSION_SERIALIZABLE, KIND(CYCLIC_VERSIONS), AT(SERIALIZABLE),
          AT(SESSION_SNAPSHOT) },
        { "versions in a circle by linearizable-keys",
          "T1 s0 @0-1: w x 1; T2 s1 @2-3: w x 2; T3 s2 @4-5: r x 1", LEVEL_STRICT_SERIALIZABLE,
          KIND(CYCLIC_VERSIONS), AT(SERIALIZABLE) | AT(SESSION_SERIALIZABLE),
          AT(STRICT_SNAPSHOT) | AT(LINEARIZABLE) },
        { "read before it was written, in one session", "T1 s0: r x 1; T2 s0: w x 1",
          LEVEL_SESSION_SERIALIZABLE, KIND(G1C_PROCESS), AT(SERIALIZABLE),
          AT(SESSION_READ_COMMITTED) | AT(SESSION_SNAPSHOT) },
        { "read before it was written", "T1 s0 @0-1: r x 1; T2 s1 @2-3: w x 1",
          LEVEL_STRICT_SERIALIZABLE, KIND(G1C_REALTIME), AT(SERIALIZABLE),
          AT(STRICT_READ_COMMITTED) | AT(STRICT_SNAPSHOT) },
        { "two updates of one version in one session",
          "T1 s4: w x 14, w y 1; T2 s4: r y 1, w y 11; T3 s4: r y 1, w y 13",
          LEVEL_SESSION_SERIALIZABLE, KIND(LOST_UPDATE), AT(READ_COMMITTED),
          AT(SERIALIZABLE) | AT(SESSION_SNAPSHOT) },
        { "unknown outcomes order nothing behind them",
          "T1 s0 @0-1: w x 1; T2 unknown s1 @2-: r x 1; T3 unknown s2 @4-: r x 1; "
          "T4 unknown s3 @6-: r x 2",
          LEVEL_STRICT_SERIALIZABLE, 0, AT(LINEARIZABLE), 0 },
        { "aborted writes order nothing",
          "T1 s0: w x 1; T2 s0 abort: w x 2; T3 s0: r x 1; T4 s1: w x 3; T5 s1: r x 3",
          LEVEL_SESSION_SERIALIZABLE, 0, 0, 0 },
    };

    EXPECT(rows);
}

/* --- Closed predicates ------------------------------------------------------------ */

/* Here a select finds what its own transaction wrote, so that it stands before the writes. */
static void predicates_have_the_anomalies_of_closed_predicate(void)
{
    static const struct peer_row rows[] = {
        { "each sees the other's row: G1c",
          "T1: sel * {2=2}, ins {1=1}; T2: sel * {1=1}, ins {2=2}", LEVEL_READ_COMMITTED,
          KIND(G1C), AT(READ_UNCOMMITTED), AT(SERIALIZABLE) },
        { "neither sees the other's row: G2", "T1: sel * {}, ins {1=1}; T2: sel * {}, ins {2=2}",
          LEVEL_SERIALIZABLE, KIND(G2), AT(REPEATABLE_READ) | AT(READ_COMMITTED) | AT(SNAPSHOT),
          0 },
        { "each sees the other's delete: G1c",
          "init t/1 0; init t/2 0; T1: sel * {1=0}, d t/1; T2: sel * {2=0}, d t/2",
          LEVEL_READ_COMMITTED, KIND(G1C), 0, AT(SERIALIZABLE) },
        { "each sees the other's update: G1c",
          "init t/1 0; init t/2 0; T1: sel v=0 {1=0}, w t/1 1; T2: sel v=0 {2=0}, w t/2 1",
          LEVEL_READ_COMMITTED, KIND(G1C), 0, AT(SERIALIZABLE) },
        { "neither sees the other's update: G2",
          "init t/1 0; init t/2 0; T1: sel v=1 {}, w t/1 1; T2: sel v=1 {}, w t/2 1",
          LEVEL_SERIALIZABLE, KIND(G2), AT(REPEATABLE_READ) | AT(SNAPSHOT), 0 },
        { "a delete that is read",
          "init x 0; init z 0; T1: r z 3, d x; T2: r x _, w y 2; T3: r y 2, w z 3",
          LEVEL_READ_COMMITTED, KIND(G1C), 0, AT(SERIALIZABLE) },
        { "a row that must be there is missed", "init t/5 3; T1: sel v=3 {}", LEVEL_SERIALIZABLE,
          KIND(RESULT_SET_MISMATCH), 0, 0 },
        { "the initial value is not read: Elle says G-single",
          "init x 0; init z 0; T1: d x, w y 1; T2: r y 1, r z _", LEVEL_SERIALIZABLE,
          KIND(GARBAGE_READ), 0, 0 },
    };

    EXPECT(rows);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(cycles_of_writes_and_reads_have_the_classes_of_elle);
    RUN_TEST(reads_of_what_is_no_version_have_the_names_of_elle);
    RUN_TEST(transactions_that_contradict_themselves_are_internal);
    RUN_TEST(what_nobody_read_is_ordered_too);
    RUN_TEST(updates_of_one_version_are_lost);
    RUN_TEST(sessions_and_times_close_cycles);
    RUN_TEST(an_element_that_is_appended_twice_is_named);
    RUN_TEST(the_example_of_the_paper);
    RUN_TEST(the_cycle_that_elle_cannot_find_is_found);
    RUN_TEST(registers_are_judged_as_elle_judges_them);
    RUN_TEST(sessions_order_versions_where_the_level_keeps_them);
    RUN_TEST(predicates_have_the_anomalies_of_closed_predicate);
    return UNITY_END();
}
