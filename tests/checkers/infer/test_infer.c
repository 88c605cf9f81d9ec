/*
 * infer on lists: what it finds and what it lets stand, what it says of histories that it cannot
 * judge, and that hostile ones take no longer than their length.
 */
#include <stdio.h>
#include <string.h>

#include "history/anomaly.h"
#include "history/builder.h"
#include "programs/generator/generate.h"
#include "programs/generator/plant.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

/* --- What is found ------------------------------------------------------------------ */

struct row {
    const char *notation;
    enum level level; /* that forbids it */
    enum anomaly kind;
    int64_t ids[4]; /* of its transactions; the rest is zero */
};

static size_t count_ids(const struct row *row)
{
    size_t count = 0;

    while (count < 4 && row->ids[count])
        count++;
    return count;
}

static void expect_found(const struct row *row)
{
    struct history h;
    struct check check;
    char label[800];

    notation_read(row->notation, &h);
    check = fixture_check("infer", &h, row->level, CHECK_WITNESS);
    snprintf(label, sizeof label, "%s in %s: %s, %s", anomaly_name(row->kind), row->notation,
             fixture_verdict_name(check.verdict),
             check.findings.count ? check.findings.at[0].explanation : check.reason);
    TEST_ASSERT_TRUE_MESSAGE(
        fixture_has_finding(&check, &h, row->kind, row->ids, count_ids(row)), label);
    check_close(&check);
    history_close(&h);
}

static void each_anomaly_of_lists_is_found_where_it_is(void)
{
    static const struct row rows[] = {
        { "T1: a x 1, a y 2; T2: a x 3, a y 4; T3: r x [1 3], r y [4 2]", LEVEL_READ_UNCOMMITTED,
          ANOMALY_G0, { 1, 2 } },
        { "T1: a x 1, a x 2; T2: a x 3; T3: r x [1 3 2]", LEVEL_READ_UNCOMMITTED, ANOMALY_G0,
          { 1, 2 } },
        { "T1 abort: a x 1; T2: r x [1]", LEVEL_READ_COMMITTED, ANOMALY_G1A, { 1, 2 } },
        { "T1: a x 1, a x 2; T2: r x [1]", LEVEL_READ_COMMITTED, ANOMALY_G1B, { 1, 2 } },
        { "T1: a x 1, r y [2]; T2: a y 2, r x [1]", LEVEL_READ_COMMITTED, ANOMALY_G1C, { 1, 2 } },
        { "T1: a x 1, a y 2; T2: r x _, r y [2]", LEVEL_SNAPSHOT, ANOMALY_G_SINGLE, { 1, 2 } },
        { "T1: a x 1; T2: a y 2; T3: r x [1], r y _; T4: r x _, r y [2]", LEVEL_SNAPSHOT,
          ANOMALY_G_NONADJACENT, { 1, 2, 3, 4 } },
        { "T1: r x _, a y 1; T2: r y _, a x 2", LEVEL_REPEATABLE_READ, ANOMALY_G2_ITEM, { 1, 2 } },
        { "T1: a x 1, r x _", LEVEL_REPEATABLE_READ, ANOMALY_INTERNAL, { 1 } },
        { "T1: a x 1; T2: r x [1], r x _", LEVEL_SERIALIZABLE, ANOMALY_INTERNAL, { 2 } },
        { "T1: a x 1; T2: r x _, a x 2, r x [1 2]", LEVEL_SNAPSHOT, ANOMALY_INTERNAL, { 2 } },
        { "T1: r x [7]", LEVEL_READ_COMMITTED, ANOMALY_GARBAGE_READ, { 1 } },
        { "T1: a x 1; T2: r x 1", LEVEL_READ_COMMITTED, ANOMALY_GARBAGE_READ, { 2 } },
        { "T1: a x 1, a x 2; T2: a x 3; T3: r x [2 3]", LEVEL_READ_COMMITTED, ANOMALY_GARBAGE_READ,
          { 3 } },
        { "T1: r x [1], a x 1", LEVEL_READ_COMMITTED, ANOMALY_FUTURE_READ, { 1 } },
        { "T1: r x [2 1], a x 1; T2: a x 2; T3: r x [1 2]", LEVEL_READ_COMMITTED,
          ANOMALY_FUTURE_READ, { 1 } },
        { "T1: a x 1; T2: r x [1 1]", LEVEL_READ_UNCOMMITTED, ANOMALY_DUPLICATE_ELEMENTS, { 2 } },
        { "T1: r x _, a x 1; T2: r x _, a x 2", LEVEL_SNAPSHOT, ANOMALY_LOST_UPDATE, { 1, 2 } },
        { "T1: a x 1; T2: r x [1], a x 2; T3: r x [1], a x 3", LEVEL_REPEATABLE_READ,
          ANOMALY_LOST_UPDATE, { 2, 3 } },
        { "T1 abort: a x 1; T2: a x 2; T3: r x [1 2]", LEVEL_READ_COMMITTED, ANOMALY_DIRTY_UPDATE,
          { 1, 2, 3 } },
        { "T1: a x 1; T2: a x 2; T3: r x [1 2]; T4: r x [2 1]", LEVEL_READ_COMMITTED,
          ANOMALY_INCOMPATIBLE_ORDER, { 3, 4 } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect_found(&rows[i]);
}

static void cycles_that_sessions_or_time_close_have_names_of_their_own(void)
{
    static const struct row rows[] = {
        { "T1 s1: a x 1; T2 s1: a x 2; T3: r x [2 1]", LEVEL_SESSION_READ_UNCOMMITTED,
          ANOMALY_G0_PROCESS, { 1, 2 } },
        { "T1 s1: r x [1]; T2 s1: a x 1", LEVEL_SESSION_READ_COMMITTED, ANOMALY_G1C_PROCESS,
          { 1, 2 } },
        { "T1 s1: a x 1; T2 s1: r x _", LEVEL_SESSION_SNAPSHOT, ANOMALY_G_SINGLE_PROCESS,
          { 1, 2 } },
        { "T1 s1: a x 1; T2 s1: r y _; T3 s2: a y 2; T4 s2: r x _", LEVEL_SESSION_SNAPSHOT,
          ANOMALY_G_NONADJACENT_PROCESS, { 1, 2, 3, 4 } },
        { "T1 s1: a x 1; T2 s1: r y _; T3 s2: r x _, a y 2", LEVEL_SESSION_SERIALIZABLE,
          ANOMALY_G2_ITEM_PROCESS, { 1, 2, 3 } },
        { "T1 @1-2: a x 1; T2 @3-4: a x 2; T3 @1-9: r x [2 1]", LEVEL_STRICT_READ_UNCOMMITTED,
          ANOMALY_G0_REALTIME, { 1, 2 } },
        { "T1 @1-2: r x [1]; T2 @3-4: a x 1", LEVEL_STRICT_READ_COMMITTED, ANOMALY_G1C_REALTIME,
          { 1, 2 } },
        { "T1 @1-2: a x 1; T2 @3-4: r x _", LEVEL_STRICT_SNAPSHOT, ANOMALY_G_SINGLE_REALTIME,
          { 1, 2 } },
        { "T1 @1-2: a x 1; T2 @3-4: r y _; T3 @1-9: a y 2; T4 @1-9: r x _, r y [2]",
          LEVEL_STRICT_SNAPSHOT, ANOMALY_G_NONADJACENT_REALTIME, { 1, 2, 3, 4 } },
        { "T1 @1-2: a x 1; T2 @3-4: r y _; T3 @1-9: r x _, a y 2", LEVEL_STRICT_SERIALIZABLE,
          ANOMALY_G2_ITEM_REALTIME, { 1, 2, 3 } },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect_found(&rows[i]);
}

/* What the first finding says, at snapshot; the caller's buffer. */
static void explain(const char *checker, const char *notation, char *said, size_t size)
{
    struct history h;
    struct check check;

    notation_read(notation, &h);
    check = fixture_check(checker, &h, LEVEL_SNAPSHOT, 0);
    TEST_ASSERT_GREATER_THAN_MESSAGE(0, check.findings.count, notation);
    snprintf(said, size, "%s", check.findings.at[0].explanation);
    check_close(&check);
    history_close(&h);
}

static void two_readers_who_see_two_writes_in_opposite_orders_are_called_a_long_fork(void)
{
    static const struct {
        const char *checker, *notation, *end; /* NULL: it is none */
    } rows[] = {
        { "infer", "T1: a x 1; T2: a y 2; T3: r x [1], r y _; T4: r x _, r y [2]",
          ": a long fork, T3 and T4 saw T2 and T1 in opposite orders" },
        { "infer", "T1: w x 1; T2: w y 1; T3: r x 1, r y _; T4: r x _, r y 1",
          ": a long fork, T4 and T3 saw T1 and T2 in opposite orders" },
        { "certificate",
          "T1: w x 1; T2: w y 2; T3: r x 1 from T1, r y _ from init; T4: r x _ from init, r y 2 "
          "from T2; order x T1; order y T2",
          ": a long fork, T3 and T4 saw T2 and T1 in opposite orders" },
        /* T4 read of T2 another key than T3 missed. */
        { "infer", "T1: a x 1; T2: a y 2, a z 3; T3: r x [1], r y _; T4: r x _, r z [3]", NULL },
        { "infer", "T1: a x 1, a y 2; T2: r x _, r y [2]", NULL },
    };
    char said[800];

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const char *at;

        explain(rows[i].checker, rows[i].notation, said, sizeof said);
        at = strstr(said, ": a long fork");
        if (rows[i].end) {
            TEST_ASSERT_NOT_NULL_MESSAGE(at, said);
            TEST_ASSERT_EQUAL_STRING(rows[i].end, at);
        } else {
            TEST_ASSERT_NULL_MESSAGE(at, said);
        }
    }
}

/* --- What is let stand -------------------------------------------------------------- */

static void what_the_level_does_not_forbid_is_no_finding_but_counts(void)
{
    static const struct {
        const char *notation;
        enum level level, strongest, weakest_violated;
    } rows[] = {
        { "T1: a x 1; T2: r x [1]", LEVEL_READ_COMMITTED, LEVEL_SESSION_SERIALIZABLE, LEVEL_COUNT },
        { "T1: r x _, a y 1; T2: r y _, a x 2", LEVEL_SNAPSHOT, LEVEL_SESSION_SNAPSHOT,
          LEVEL_REPEATABLE_READ },
        { "T1 s1: a x 1; T2 s1: r x _", LEVEL_SERIALIZABLE, LEVEL_SERIALIZABLE,
          LEVEL_READ_ATOMIC },
        { "T1 @1-2: a x 1; T2 @3-4: r x _", LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
          LEVEL_STRICT_SNAPSHOT },
        { "T1 abort: a x 1; T2: r x [1]", LEVEL_READ_UNCOMMITTED, LEVEL_SESSION_READ_UNCOMMITTED,
          LEVEL_READ_COMMITTED },
        { "T1: a x 1, r x _", LEVEL_READ_COMMITTED, LEVEL_UPDATE_SERIALIZABLE,
          LEVEL_READ_ATOMIC },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history h;
        struct check check;

        notation_read(rows[i].notation, &h);
        check = fixture_check("infer", &h, rows[i].level, CHECK_WITNESS);
        TEST_ASSERT_EQUAL_MESSAGE(VERDICT_VALID, check.verdict, rows[i].notation);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].strongest, check.strongest, rows[i].notation);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].weakest_violated, check.weakest_violated,
                                  rows[i].notation);
        check_close(&check);
        history_close(&h);
    }
}

static void lists_that_are_right_are_accepted(void)
{
    static const char *const rows[] = {
        "",
        "T1: r x _, r y []",
        "T1: a x 1",
        "T1: a x 1; T2: a x 2; T3: a x 3; T4: r x _", /* unread: in any order */
        "T1: a x 1, r x [1], a x 2, r x [1 2]",
        "T1: a x 1; T2: r x [1], a x 2, r x [1 2]; T3: r x [1 2]",
        "T1: a x 1, a x 2; T2: a x 3; T3: r x [1 2 3]",
        "init x [7]; T1: r x [7], a x 1; T2: r x [7 1]",
        "T1: a x 1 !; T2: a x 1; T3: r x [1]", /* refused: it was never appended */
        "T1: a x 1; T2: r x",                  /* no answer */
        "T1 abort: r x [9]",
        "T1 unknown: r x [9]",
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        fixture_expect("infer", rows[i], LEVEL_SESSION_SERIALIZABLE, VERDICT_VALID);
}

/* What a list shows behind own appends is judged only where a transaction may not contradict itself. */
static void lists_that_contradict_each_other_behind_own_appends_leave_no_level_standing(void)
{
    struct history history;
    struct check check;

    notation_read("T1: a x 2; T2: r x [2 5]; T3: a x 5; T4: a x 7, r x [2 7]", &history);
    check = fixture_check("infer", &history, LEVEL_READ_COMMITTED, 0);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_EQUAL(LEVEL_COUNT, check.strongest);
    check_close(&check);
    check = fixture_check("infer", &history, LEVEL_READ_ATOMIC, 0);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    check_close(&check);
    history_close(&history);
}

/* Of two writers of a key one comes first, whether or not somebody read what they wrote. */
static void whichever_of_two_writers_came_first_must_be_allowed(void)
{
    static const char *const lists = "T1: r x _, a y 1, a z 10; T2: r y _, a x 2, a z 20";
    static const char *const registers = "T1: w x 1, w y 1; T2: w x 2, w y 2; T3: r x 1, r y 2";
    static const struct {
        const char *notation;
        enum level level;
        enum verdict verdict;
    } rows[] = {
        { lists, LEVEL_READ_COMMITTED, VERDICT_VALID },
        { lists, LEVEL_CAUSAL, VERDICT_VALID },
        { lists, LEVEL_PREFIX, VERDICT_VALID },
        { lists, LEVEL_UPDATE_ATOMIC, VERDICT_INVALID },
        { lists, LEVEL_PARALLEL_SNAPSHOT, VERDICT_INVALID },
        { lists, LEVEL_CONSISTENT_VIEW, VERDICT_INVALID },
        { lists, LEVEL_SNAPSHOT, VERDICT_INVALID },
        { lists, LEVEL_SESSION_SNAPSHOT, VERDICT_INVALID },
        { lists, LEVEL_SERIALIZABLE, VERDICT_INVALID },
        { registers, LEVEL_READ_COMMITTED, VERDICT_VALID },
        { registers, LEVEL_MONOTONIC_VIEW, VERDICT_VALID },
        { registers, LEVEL_READ_ATOMIC, VERDICT_INVALID },
        { registers, LEVEL_PREFIX, VERDICT_INVALID },
        { registers, LEVEL_CONSISTENT_VIEW, VERDICT_INVALID },
        { registers, LEVEL_REPEATABLE_READ, VERDICT_INVALID },
        { registers, LEVEL_SNAPSHOT, VERDICT_INVALID },
        { registers, LEVEL_SERIALIZABLE, VERDICT_INVALID },
        /* Who may not have committed need not have written at all. */
        { "T1: r x _, a y 1, a z 10; T2 unknown: r y _, a x 2, a z 20", LEVEL_SNAPSHOT,
          VERDICT_VALID },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        fixture_expect("infer", rows[i].notation, rows[i].level, rows[i].verdict);
}

static void what_was_there_at_first_must_be_read(void)
{
    fixture_expect("infer", "init x [7 8]; T1: r x [7 8]", LEVEL_SERIALIZABLE, VERDICT_VALID);
    TEST_ASSERT_EQUAL(ANOMALY_GARBAGE_READ,
                      fixture_first_kind("infer", "init x [7 8]; T1: r x [7]", LEVEL_SERIALIZABLE));
    TEST_ASSERT_EQUAL(ANOMALY_GARBAGE_READ,
                      fixture_first_kind("infer", "init x [7 8]; T1: r x _", LEVEL_SERIALIZABLE));
    TEST_ASSERT_EQUAL(ANOMALY_GARBAGE_READ,
                      fixture_first_kind("infer", "init x [7]; T1: a x 1; T2: r x [1 7]",
                                         LEVEL_SERIALIZABLE));
}

static void unknown_transactions_committed_if_somebody_read_from_them(void)
{
    /* Unread, it may be left out, though otherwise there would be a cycle. */
    fixture_expect("infer", "T1 unknown: a x 1, a y 2; T2: r x _, r y _", LEVEL_SERIALIZABLE,
                   VERDICT_VALID);
    fixture_expect("infer", "T1 unknown: a x 1, a y 2; T2: r x [1], r y _", LEVEL_SERIALIZABLE,
                   VERDICT_INVALID);
    /* Sessions and time lead into it, and not out of it. */
    fixture_expect("infer", "T1 s1 unknown: a x 1; T2 s1: r x _; T3: r x [1]",
                   LEVEL_SESSION_SERIALIZABLE, VERDICT_VALID);
    fixture_expect("infer", "T1 s1: r x [1]; T2 s1 unknown: a x 1", LEVEL_SESSION_SERIALIZABLE,
                   VERDICT_INVALID);
    fixture_expect("infer", "T1 unknown @1-: a x 1; T2 @3-4: r x _; T3 @5-6: r x [1]",
                   LEVEL_STRICT_SERIALIZABLE, VERDICT_VALID);
}

/* --- What cannot be judged ---------------------------------------------------------- */

static void what_breaks_the_assumptions_is_named(void)
{
    static const struct {
        const char *notation, *words;
    } rows[] = {
        { "T1: a x 1; T2: a x 1; T3: r x [1 1]", "T1 and T2 both appended 1 to x" },
        { "T1: a x 1, a x 1; T3: r x [1 1]", "T1 and T1 both appended 1 to x" },
        { "init x [7]; T1: a x 7", "T1 appended 7 to x, which has it at first" },
        { "init x 7; T1: a x 1", "x, which at first is no list" },
        { "T1: a x 1; T2: w x [1 2]", "x was both written and appended to" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history h;
        struct check check;

        notation_read(rows[i].notation, &h);
        check = fixture_check("infer", &h, LEVEL_SERIALIZABLE, CHECK_WITNESS);
        TEST_ASSERT_EQUAL_MESSAGE(VERDICT_UNKNOWN, check.verdict, rows[i].notation);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(check.reason, rows[i].words), check.reason);
        check_close(&check);
        history_close(&h);
    }
}

static void equal_appends_are_a_finding_where_the_history_says_that_all_differ(void)
{
    static const int64_t ids[] = { 1, 2 };
    struct history h;
    struct check check;

    notation_read("T1: a x 1; T2: a x 1; T3: r x [1]", &h);
    h.unique = 1;
    check = fixture_check("infer", &h, LEVEL_READ_UNCOMMITTED, CHECK_WITNESS);
    TEST_ASSERT_TRUE(fixture_has_finding(&check, &h, ANOMALY_DUPLICATE_WRITE, ids, 2));
    check_close(&check);
    history_close(&h);
}

/* An anomaly of another key is found all the same. */
static void a_key_that_cannot_be_judged_hides_no_other(void)
{
    fixture_expect("infer", "T1: a x 1; T2: a x 1; T3: r y [9]", LEVEL_SERIALIZABLE,
                   VERDICT_INVALID);
}

static void a_check_that_is_stopped_says_so(void)
{
    const atomic_bool stop = true;
    struct check_options how = { .level = LEVEL_SERIALIZABLE, .stop = &stop };
    struct history h;
    struct check check;

    notation_read("T1: a x 1; T2: r x [1]", &h);
    ASSERT_OK(checker_run(checker_find(TEXT("infer")), &h, &how, &check, &err), &err);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(check.reason, "stopped while looking for"), check.reason);
    check_close(&check);
    history_close(&h);
}

/* --- Generated ---------------------------------------------------------------------- */

static void check_generated(enum anomaly kind, enum level level, uint64_t seed)
{
    struct generate_options options = generate_defaults(workload_find(TEXT("list-append")));
    struct history h;
    struct planted planted;
    struct check check;
    char label[600];

    options.transactions = 300;
    options.seed = seed;
    options.plant = kind;
    options.level = level;
    ASSERT_OK(generate(&options, &h, &planted, &err), &err);
    check = fixture_check("infer", &h, level, CHECK_WITNESS);
    snprintf(label, sizeof label, "%s at %s, seed %llu: %s",
             kind == ANOMALY_COUNT ? "none" : anomaly_name(kind), level_name(level),
             (unsigned long long)seed,
             check.findings.count ? check.findings.at[0].explanation : check.reason);
    if (kind == ANOMALY_COUNT)
        TEST_ASSERT_EQUAL_MESSAGE(VERDICT_VALID, check.verdict, label);
    else
        TEST_ASSERT_TRUE_MESSAGE(fixture_has_kind(&check, kind), label);
    check_close(&check);
    history_close(&h);
}

static enum level level_of_plant(enum anomaly kind)
{
    if (anomaly_is_forbidden(LEVEL_SERIALIZABLE, kind))
        return LEVEL_SERIALIZABLE;
    return anomaly_is_forbidden(LEVEL_SESSION_SERIALIZABLE, kind) ? LEVEL_SESSION_SERIALIZABLE
                                                             : LEVEL_STRICT_SERIALIZABLE;
}

static void planted_anomalies_are_found_by_their_names(void)
{
    const struct workload *lists = workload_find(TEXT("list-append"));

    for (int kind = 0; kind < ANOMALY_COUNT; kind++)
        if (plant_possible(lists, (enum anomaly)kind))
            for (uint64_t seed = 0; seed < fixture_rounds(3); seed++)
                check_generated((enum anomaly)kind, level_of_plant((enum anomaly)kind), seed);
}

static void what_is_generated_holds_at_its_level(void)
{
    static const enum level levels[] = { LEVEL_STRICT_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
                                         LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT,
                                         LEVEL_READ_COMMITTED };

    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        for (uint64_t seed = 0; seed < fixture_rounds(3); seed++)
            check_generated(ANOMALY_COUNT, levels[i], seed);
}

/* --- Hostile ------------------------------------------------------------------------ */

/*
 * So many of each that all pairs would take hours: whoever runs this notices.
 *
 *     readers   read x = null, and may append to it
 *     appends   append to x, in a transaction of each or all in one
 */
#define CROWD 30000

struct crowd {
    const char *what;
    bool readers_append, one_appends, one_reads;
    enum verdict verdict;
};

static void build_crowd(const struct crowd *crowd, struct history *h)
{
    struct value null = { VALUE_NULL, 0 };
    struct builder b;
    uint32_t key;
    int64_t id = 0;

    builder_init(&b);
    ASSERT_OK(builder_key(&b, TEXT("x"), &key, &err), &err);
    for (int64_t i = 0; i < CROWD; i++) {
        if (i == 0 || !crowd->one_appends) {
            id++;
            ASSERT_OK(builder_begin_txn(&b, id, id, TXN_OK, &err), &err);
        }
        if (crowd->readers_append)
            ASSERT_OK(builder_add_op(&b, OP_READ, key, null, &err), &err);
        ASSERT_OK(builder_add_op(&b, OP_APPEND, key, value_integer(i), &err), &err);
    }
    for (int64_t i = 0; i < CROWD; i++) {
        if (!crowd->one_reads) {
            id++;
            ASSERT_OK(builder_begin_txn(&b, id, id, TXN_OK, &err), &err);
        }
        ASSERT_OK(builder_add_op(&b, OP_READ, key, null, &err), &err);
    }
    ASSERT_OK(builder_finish(&b, h, &err), &err);
    builder_close(&b);
}

static void many_readers_of_what_many_append_to_take_no_time(void)
{
    static const struct crowd crowds[] = {
        { "readers and writers", false, false, false, VERDICT_VALID },
        { "who read and write", true, false, false, VERDICT_INVALID },
        { "one who writes", false, true, false, VERDICT_VALID },
        { "one who does all and sees nothing", false, true, true, VERDICT_INVALID },
    };

    for (size_t i = 0; i < ROW_COUNT(crowds); i++) {
        struct history h;
        struct check check;

        build_crowd(&crowds[i], &h);
        check = fixture_check("infer", &h, LEVEL_SERIALIZABLE, 0);
        TEST_ASSERT_EQUAL_MESSAGE(crowds[i].verdict, check.verdict, crowds[i].what);
        if (crowds[i].readers_append) {
            TEST_ASSERT_TRUE_MESSAGE(fixture_has_kind(&check, ANOMALY_G2_ITEM), crowds[i].what);
            TEST_ASSERT_TRUE_MESSAGE(fixture_has_kind(&check, ANOMALY_LOST_UPDATE), crowds[i].what);
        }
        check_close(&check);
        history_close(&h);
    }
}

static void add_ops(struct builder *b, enum op_kind kind, const char *letter, struct value value,
                    unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char name[16];
        uint32_t key;

        snprintf(name, sizeof name, "%s%u", letter, i);
        ASSERT_OK(builder_key(b, text_of(name), &key, &err), &err);
        ASSERT_OK(builder_add_op(b, kind, key, value, &err), &err);
    }
}

/* T2 misses each y that T1 appended to, and then appends to each x behind T1. */
static void one_who_misses_much_and_overwrites_much_takes_no_time(void)
{
    const unsigned count = 3000; /* cubed that would be minutes */
    int64_t both[] = { 1, 2 };
    struct value null = { VALUE_NULL, 0 }, list;
    struct builder b;
    struct history h;
    struct check check;

    builder_init(&b);
    ASSERT_OK(builder_list(&b, both, 2, &list, &err), &err);
    ASSERT_OK(builder_begin_txn(&b, 1, 1, TXN_OK, &err), &err);
    add_ops(&b, OP_APPEND, "x", value_integer(1), count);
    add_ops(&b, OP_APPEND, "y", value_integer(1), count);
    ASSERT_OK(builder_begin_txn(&b, 2, 2, TXN_OK, &err), &err);
    add_ops(&b, OP_READ, "y", null, count);
    add_ops(&b, OP_APPEND, "x", value_integer(2), count);
    ASSERT_OK(builder_begin_txn(&b, 3, 3, TXN_OK, &err), &err);
    add_ops(&b, OP_READ, "x", list, count);
    ASSERT_OK(builder_finish(&b, &h, &err), &err);
    builder_close(&b);
    check = fixture_check("infer", &h, LEVEL_MONOTONIC_VIEW, 0);
    TEST_ASSERT_EQUAL_MESSAGE(VERDICT_VALID, check.verdict, check.reason);
    TEST_ASSERT_EQUAL(LEVEL_UPDATE_ATOMIC, check.weakest_violated);
    check_close(&check);
    history_close(&h);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_anomaly_of_lists_is_found_where_it_is);
    RUN_TEST(cycles_that_sessions_or_time_close_have_names_of_their_own);
    RUN_TEST(two_readers_who_see_two_writes_in_opposite_orders_are_called_a_long_fork);
    RUN_TEST(what_the_level_does_not_forbid_is_no_finding_but_counts);
    RUN_TEST(lists_that_are_right_are_accepted);
    RUN_TEST(lists_that_contradict_each_other_behind_own_appends_leave_no_level_standing);
    RUN_TEST(whichever_of_two_writers_came_first_must_be_allowed);
    RUN_TEST(what_was_there_at_first_must_be_read);
    RUN_TEST(unknown_transactions_committed_if_somebody_read_from_them);
    RUN_TEST(what_breaks_the_assumptions_is_named);
    RUN_TEST(equal_appends_are_a_finding_where_the_history_says_that_all_differ);
    RUN_TEST(a_key_that_cannot_be_judged_hides_no_other);
    RUN_TEST(a_check_that_is_stopped_says_so);
    RUN_TEST(planted_anomalies_are_found_by_their_names);
    RUN_TEST(what_is_generated_holds_at_its_level);
    RUN_TEST(many_readers_of_what_many_append_to_take_no_time);
    RUN_TEST(one_who_misses_much_and_overwrites_much_takes_no_time);
    return UNITY_END();
}
