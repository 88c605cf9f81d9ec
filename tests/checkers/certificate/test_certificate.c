#include "checkers/certificate/certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/builder.h"
#include "history/level.h"
#include "programs/generator/generate.h"
#include "programs/generator/plant.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 1500

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static const enum level levels[] = {
    LEVEL_READ_UNCOMMITTED, LEVEL_READ_COMMITTED,      LEVEL_REPEATABLE_READ,
    LEVEL_SNAPSHOT,         LEVEL_SERIALIZABLE,        LEVEL_SESSION_SNAPSHOT,
    LEVEL_STRICT_SNAPSHOT,  LEVEL_STRICT_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
    LEVEL_CAUSAL,
};

static void expect(const char *notation, enum level level, enum verdict verdict)
{
    fixture_expect("certificate", notation, level, verdict);
}

static void expect_kind(const char *notation, enum level level, enum anomaly kind)
{
    enum anomaly found = fixture_first_kind("certificate", notation, level);

    TEST_ASSERT_NOT_EQUAL_MESSAGE(ANOMALY_COUNT, found, notation);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(anomaly_name(kind), anomaly_name(found), notation);
}

/* --- The figures of the paper ------------------------------------------------------ */

/* Two equal predicate reads with different answers: both came from one version set. */
static void figure_1_has_a_phantom(void)
{
    const char *const notation = "T1 ts1: ins {1=1}; T2 ts2: ins {2=2};"
                                 "T3 ts3: sel v<=4 {1=1}, sel v<=4 {1=1 2=2};"
                                 "order t/1 T1; order t/2 T2";

    expect(notation, LEVEL_SERIALIZABLE, VERDICT_INVALID);
    expect_kind(notation, LEVEL_SERIALIZABLE, ANOMALY_RESULT_SET_MISMATCH);
}

static void figure_1_by_version_sets_is_an_anti_dependency_of_a_predicate(void)
{
    const char *const notation = "T1: ins {1=1}; T2: ins {2=2};"
                                 "T3: sel v<=4 {1=1} from t/1 T1,"
                                 " sel v<=4 {1=1 2=2} from t/1 T1 t/2 T2;"
                                 "order t/1 T1; order t/2 T2";

    expect(notation, LEVEL_REPEATABLE_READ, VERDICT_VALID);
    expect(notation, LEVEL_SERIALIZABLE, VERDICT_INVALID);
    expect_kind(notation, LEVEL_SERIALIZABLE, ANOMALY_G_SINGLE);
}

static void figure_2_is_serializable_in_the_order_of_timestamps(void)
{
    expect("T1 ts1: ins {1=1}; T2 ts2: ins {2=2}; T3 ts3: sel v>=1 {1=1 2=2};"
           "order t/1 T1; order t/2 T2",
           LEVEL_SERIALIZABLE, VERDICT_VALID);
}

/* Serializable by luck: T1, T3, T2. The store meant T1, T2, T3. */
static void figure_3_is_refused_for_what_the_store_says_of_itself(void)
{
    const char *const notation = "T1 ts1: ins {1=1}; T2 ts2: ins {2=2}; T3 ts3: sel v>=1 {1=1};"
                                 "order t/1 T1; order t/2 T2";
    struct history history;
    struct check check;
    const int64_t reader[] = { 3 };

    notation_read(notation, &history);
    TEST_ASSERT_EQUAL(ORACLE_HOLDS,
                      oracle_decide(&history, LEVEL_SERIALIZABLE, (struct oracle_options){ 0 }));
    check = fixture_check("certificate", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_TRUE(fixture_has_finding(&check, &history, ANOMALY_RESULT_SET_MISMATCH, reader, 1));
    TEST_ASSERT_EQUAL_STRING("T3 looked for t where v>=1 and missed t/2={\"id\":2,\"v\":2}, where "
                             "T2 had left t/2={\"id\":2,\"v\":2}",
                             check.findings.at[0].explanation);
    check_close(&check);
    history_close(&history);
}

/* Its items have no cycle (figure 5); the predicate that saw x2 closes one (figure 6). */
static void figures_4_to_6_need_the_predicate(void)
{
    const char *const items = "T1: ins {1=4}; T2: ins {1=6}; T3: r t/1 4 from T1; order t/1 T1 T2";
    const char *const whole = "T1: ins {1=4}; T2: ins {1=6};"
                              "T3: sel v<=4 {} from t/1 T2, r t/1 4 from T1; order t/1 T1 T2";

    expect(items, LEVEL_SERIALIZABLE, VERDICT_VALID);
    expect(whole, LEVEL_READ_COMMITTED, VERDICT_VALID);
    expect(whole, LEVEL_SERIALIZABLE, VERDICT_INVALID);
    expect_kind(whole, LEVEL_SERIALIZABLE, ANOMALY_G_SINGLE);
}

/* With x1 in the version set the graph has no cycle, but the answer lacks x1. */
static void figure_7_is_a_mismatch_without_a_cycle(void)
{
    const char *const notation = "T1: ins {1=4}; T2: ins {1=6};"
                                 "T3: sel v<=4 {} from t/1 T1, r t/1 4 from T1; order t/1 T1 T2";
    struct history history;
    struct check check;

    notation_read(notation, &history);
    check = fixture_check("certificate", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS);
    TEST_ASSERT_EQUAL(1, check.findings.count);
    TEST_ASSERT_EQUAL(ANOMALY_RESULT_SET_MISMATCH, check.findings.at[0].kind);
    check_close(&check);
    history_close(&history);
}

/* --- By hand ---------------------------------------------------------------------- */

static void cycles_have_their_names(void)
{
    static const struct {
        const char *notation;
        enum level level;
        enum anomaly kind;
    } rows[] = {
        { "T1: w x 1, w y 2; T2: w x 3, w y 4; order x T1 T2; order y T2 T1",
          LEVEL_READ_UNCOMMITTED, ANOMALY_G0 },
        { "T1: w x 1, r y 2 from T2; T2: w y 2, r x 1 from T1; order x T1; order y T2",
          LEVEL_READ_COMMITTED, ANOMALY_G1C },
        { "T1: w x 1, w y 2; T2: r x _ from init, r y 2 from T1; order x T1; order y T1",
          LEVEL_SNAPSHOT, ANOMALY_G_SINGLE },
        { "T1: w x 1; T2: w y 2; T3: r x 1 from T1, r y _ from init;"
          "T4: r x _ from init, r y 2 from T2; order x T1; order y T2",
          LEVEL_SNAPSHOT, ANOMALY_G_NONADJACENT },
        { "T1: r y _ from init, w x 1; T2: r x _ from init, w y 2; order x T1; order y T2",
          LEVEL_REPEATABLE_READ, ANOMALY_G2_ITEM },
        { "T1: sel * {} from t/1 init, ins {1=1}; T2: sel * {} from t/1 init, ins {2=2};"
          "order t/1 T1; order t/2 T2",
          LEVEL_SERIALIZABLE, ANOMALY_G2 },
        { "T1 s1: w x 1; T2 s1: r x _ from init; order x T1", LEVEL_SESSION_SERIALIZABLE,
          ANOMALY_G_SINGLE_PROCESS },
        { "T1 @1-2: w x 1; T2 @3-4: r x _ from init; order x T1", LEVEL_STRICT_SNAPSHOT,
          ANOMALY_G_SINGLE_REALTIME },
        { "T1 @1-2: w x 1; T2 @3-4: w x 2; order x T2 T1", LEVEL_STRICT_SERIALIZABLE,
          ANOMALY_G0_REALTIME },
        { "T1: w x 1; T2: r x 1 from T1, w y 2; T3: r y 2 from T2, r x _ from init;"
          "order x T1; order y T2",
          LEVEL_CAUSAL, ANOMALY_G_SINGLE },
        { "T1 s1: w x 1; T2 s1: w y 2; T3: r y 2 from T2, r x _ from init; order x T1; order y T2",
          LEVEL_CAUSAL, ANOMALY_G_SINGLE_PROCESS },
        { "T1 s1: r x 1 from T2, w y 2; T2 s2: r y 2 from T1, w x 1; order x T2; order y T1",
          LEVEL_CAUSAL, ANOMALY_G1C },
        { "T1 s1: w x 1; T2 s1: w x 2; order x T2 T1", LEVEL_CAUSAL, ANOMALY_G0_PROCESS },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect_kind(rows[i].notation, rows[i].level, rows[i].kind);
}

static void what_is_no_anomaly_of_the_level_is_accepted(void)
{
    expect("T1: r y _ from init, w x 1; T2: r x _ from init, w y 2; order x T1; order y T2",
           LEVEL_SNAPSHOT, VERDICT_VALID);
    expect("T1 s1: w x 1; T2 s1: r x _ from init; order x T1", LEVEL_SERIALIZABLE, VERDICT_VALID);
    expect("T1 @1-2: w x 1; T2 @3-4: r x _ from init; order x T1", LEVEL_SESSION_SERIALIZABLE,
           VERDICT_VALID);
    expect("T1: w x 1, w y 2; T2: r x _ from init, r y 2 from T1; order x T1; order y T1",
           LEVEL_READ_COMMITTED, VERDICT_VALID);
    expect("T1: w x 1; T2: w y 2; T3: r x 1 from T1, r y _ from init;"
           "T4: r x _ from init, r y 2 from T2; order x T1; order y T2",
           LEVEL_CAUSAL, VERDICT_VALID);
}

/*
 * A statement over a table reads every row of it: also one that does not match, and one that is not
 * there any more. Its version set says which version that was.
 */
static void a_statement_over_a_table_reads_every_row_of_it_at_causal(void)
{
    expect("T1: w t/1 5; T2: d t/1, w x 1; T3: r x 1 from T2, sel v>=3 {1=5} from t/1 T1;"
           "order t/1 T1 T2; order x T2",
           LEVEL_CAUSAL, VERDICT_INVALID);
    expect("T1: w t/1 5; T2: d t/1, w x 1; T3: r x 1 from T2, sel v>=9 {} from t/1 T1;"
           "order t/1 T1 T2; order x T2",
           LEVEL_CAUSAL, VERDICT_INVALID);
    expect("T1: w t/1 5; T2: d t/1, w x 1; T3: r x 1 from T2, sel v>=3 {} from t/1 T2;"
           "order t/1 T1 T2; order x T2",
           LEVEL_CAUSAL, VERDICT_VALID);
    expect("T1: w t/1 5; T2: d t/1, w x 1; T3: sel v>=3 {} from t/1 T2, r x _ from init;"
           "order t/1 T1 T2; order x T2",
           LEVEL_CAUSAL, VERDICT_INVALID);
    expect("T1: w t/1 5; T2: d t/1, w x 1; T3: sel v>=3 {1=5} from t/1 T1, r x _ from init;"
           "order t/1 T1 T2; order x T2",
           LEVEL_CAUSAL, VERDICT_VALID);
}

static void reads_that_are_no_cycle_have_their_names(void)
{
    static const struct {
        const char *notation;
        enum anomaly kind;
    } rows[] = {
        { "T1 abort: w x 1; T2: r x 1 from T1", ANOMALY_G1A },
        { "T1 ts1: w x 1, w x 2; T2 ts2: r x 1; order x T1", ANOMALY_G1B },
        { "T1 ts1: r x 9", ANOMALY_GARBAGE_READ },
        { "T1 ts1: r x 1, w x 1; order x T1", ANOMALY_FUTURE_READ },
        { "T1 ts1: w x 1; T2 ts2: w x 2, r x 1; order x T1 T2", ANOMALY_INTERNAL },
        { "T1 ts1: a l 1; T2 ts2: r l [1 1]; order l T1", ANOMALY_DUPLICATE_ELEMENTS },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect_kind(rows[i].notation, LEVEL_READ_COMMITTED, rows[i].kind);
}

static void a_blind_update_behind_its_snapshot_is_a_lost_update(void)
{
    const char *const notation = "T1 ts1 snap0: w x 1; T2 ts2 snap0: w x 2; order x T1 T2";

    expect(notation, LEVEL_SERIALIZABLE, VERDICT_VALID);
    expect(notation, LEVEL_SNAPSHOT, VERDICT_INVALID);
    expect_kind(notation, LEVEL_SNAPSHOT, ANOMALY_LOST_UPDATE);
}

static void a_version_order_against_ts_is_an_anomaly_at_every_level(void)
{
    static const char *notation = "T1 ts1: w x 1; T2 ts2: w x 2; order x T2 T1";

    expect_kind(notation, LEVEL_READ_UNCOMMITTED, ANOMALY_CYCLIC_VERSIONS);
    expect_kind(notation, LEVEL_SNAPSHOT, ANOMALY_CYCLIC_VERSIONS);
    expect_kind(notation, LEVEL_SERIALIZABLE, ANOMALY_CYCLIC_VERSIONS);
    expect("T1 ts1: w x 1; T2: w x 2; order x T2 T1", LEVEL_SERIALIZABLE, VERDICT_VALID);
}

static void the_strongest_level_that_holds_is_told(void)
{
    static const struct {
        const char *notation;
        enum level asked, strongest;
    } rows[] = {
        { "T1: r y _ from init, w x 1; T2: r x _ from init, w y 2; order x T1; order y T2",
          LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT },
        { "T1: w x 1, w y 2; T2: r x _ from init, r y 2 from T1; order x T1; order y T1",
          LEVEL_SERIALIZABLE, LEVEL_READ_COMMITTED },
        { "T1: w x 1; T2: w y 2; T3: r x 1 from T1, r y _ from init;"
          "T4: r x _ from init, r y 2 from T2; order x T1; order y T2",
          LEVEL_SESSION_SNAPSHOT, LEVEL_CAUSAL },
        { "T1: w x 1; T2: r x 1 from T1, w y 2; T3: r y 2 from T2, r x _ from init;"
          "order x T1; order y T2",
          LEVEL_CAUSAL, LEVEL_READ_COMMITTED },
        { "T1 s1: w x 1; T2 s1: w x 2; order x T2 T1", LEVEL_CAUSAL, LEVEL_READ_COMMITTED },
        { "T1: w x 1, w y 2; T2: w x 3, w y 4; order x T1 T2; order y T2 T1", LEVEL_CAUSAL,
          LEVEL_COUNT },
        { "T1 s1: w x 1; T2 s1: r x _ from init; order x T1", LEVEL_SESSION_SERIALIZABLE,
          LEVEL_SERIALIZABLE },
        { "T1: w x 1, w y 2; T2: w x 3, w y 4; order x T1 T2; order y T2 T1", LEVEL_SERIALIZABLE,
          LEVEL_COUNT },
        { "T1 ts1: r x 9", LEVEL_SERIALIZABLE, LEVEL_READ_UNCOMMITTED },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history history;
        struct check check;

        notation_read(rows[i].notation, &history);
        check = fixture_check("certificate", &history, rows[i].asked, 0);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].strongest, check.strongest, rows[i].notation);
        check_close(&check);
        history_close(&history);
    }
}

static void a_partial_certificate_is_refused_and_what_is_missing_named(void)
{
    static const struct {
        const char *notation, *says;
    } rows[] = {
        { "T1 ts1: w x 1; T2 ts2: r x 1", "x, which transaction 1 wrote, has no version order" },
        { "T1 ts1: w x 1; T2 ts2: w x 2; order x T1",
          "the version order of x lacks transaction 2" },
        { "T1 ts1: w x 1; T2: r x 1; order x T1",
          "operation 0 of transaction 2 has no version set" },
        { "T1: w x 1; T2 ts2: r x 1; order x T1", "transaction 1, which wrote, has no \"ts\"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct check_options options = { .level = LEVEL_SERIALIZABLE };
        struct history history;
        struct check check;

        notation_read(rows[i].notation, &history);
        TEST_ASSERT_EQUAL_MESSAGE(
            STATUS_BAD_INPUT,
            checker_run(checker_find(TEXT("certificate")), &history, &options, &check, &err),
            rows[i].notation);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, rows[i].says), err.text);
        check_close(&check);
        history_close(&history);
    }
}

static void the_checker_of_a_history_is_the_one_that_knows_most(void)
{
    static const struct {
        const char *notation, *checker;
    } rows[] = {
        { "T1 ts1: w x 1; order x T1", "order" },
        { "T1 ts1 snap0: w x 1; order x T1", "certificate" },
        { "T1: w x 1", "blackbox" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const struct checker *const *checker = checkers_all();
        struct history history;

        notation_read(rows[i].notation, &history);
        while (*checker && checker_examine(*checker, &history, LEVEL_SERIALIZABLE, &err) != STATUS_OK)
            checker++;
        TEST_ASSERT_NOT_NULL(*checker);
        TEST_ASSERT_EQUAL_STRING(rows[i].checker, (*checker)->name);
        history_close(&history);
    }
}

/* --- Against the oracle ------------------------------------------------------------ */

struct tally {
    unsigned verdicts[3], refused, unjudged, stricter;
};

static void fail_on(const char *what, enum level level, uint64_t seed, const char *more)
{
    char label[600];

    snprintf(label, sizeof label, "%s: %s, seed %llu: %s", level_name(level), what,
             (unsigned long long)seed, more);
    TEST_FAIL_MESSAGE(label);
}

/* What only this checker sees: places, equal values. */
static bool is_beyond_the_oracle(const struct check *check)
{
    for (size_t i = 0; i < check->findings.count; i++)
        if (check->findings.at[i].kind != ANOMALY_LOST_UPDATE &&
            check->findings.at[i].kind != ANOMALY_CYCLIC_VERSIONS &&
            check->findings.at[i].kind != ANOMALY_DUPLICATE_WRITE)
            return false;
    return true;
}

static void compare_slow(const struct history *history, const struct check *check, enum level level,
                         uint64_t seed)
{
    struct check slow = fixture_check("certificate", history, level, CHECK_WITNESS | CHECK_SLOWLY);

    if (slow.verdict != check->verdict || slow.findings.count != check->findings.count ||
        slow.strongest != check->strongest)
        fail_on("without fast paths it is otherwise", level, seed, "");
    for (size_t i = 0; i < slow.findings.count; i++)
        if (strcmp(slow.findings.at[i].explanation, check->findings.at[i].explanation) != 0)
            fail_on("without fast paths it is told otherwise", level, seed,
                    slow.findings.at[i].explanation);
    check_close(&slow);
}

static void compare_with_oracle(const struct history *history, enum level level, uint64_t seed,
                                struct tally *tally)
{
    struct check_options options = { .level = level, .flags = CHECK_WITNESS };
    struct check check;
    enum oracle_answer answer;

    if (checker_run(checker_find(TEXT("certificate")), history, &options, &check, &err) !=
        STATUS_OK) {
        tally->refused++;
        check_close(&check);
        return;
    }
    answer = oracle_decide(history, level,
                           (struct oracle_options){ .use_certificate = true, .steps_max = 100000 });
    tally->verdicts[check.verdict]++;
    if (answer == ORACLE_CANNOT_JUDGE)
        tally->unjudged++;
    else if (check.verdict == VERDICT_VALID && answer != ORACLE_HOLDS)
        fail_on("valid, which the oracle denies", level, seed, "");
    else if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS) {
        tally->stricter++;
        if (!is_beyond_the_oracle(&check))
            fail_on("invalid, which the oracle denies", level, seed,
                    check.findings.at[0].explanation);
    }
    compare_slow(history, &check, level, seed);
    check_close(&check);
}

static void compare_level(enum level level)
{
    struct tally tally = { { 0 }, 0, 0, 0 };
    unsigned judged;
    char label[200];

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS); seed++) {
        struct small_options options = small_options_of_seed(seed * 9 + level);
        struct history history;

        options.certificate = true;
        /* Where reads are not judged, lists say more to the oracle than version orders do. */
        options.lists &= level != LEVEL_READ_UNCOMMITTED;
        if (level_closing(level) == CLOSING_TIME)
            options.times = true;
        small_history(&options, seed, &history);
        compare_with_oracle(&history, level, seed, &tally);
        history_close(&history);
    }
    judged = tally.verdicts[VERDICT_VALID] + tally.verdicts[VERDICT_INVALID];
    snprintf(label, sizeof label,
             "%s: %u valid, %u invalid, %u unknown, %u refused, %u unjudged, %u stricter",
             level_name(level), tally.verdicts[0], tally.verdicts[1], tally.verdicts[2],
             tally.refused, tally.unjudged, tally.stricter);
    if (getenv("VERBOSE"))
        puts(label);
    TEST_ASSERT_GREATER_THAN_MESSAGE(ROUNDS / 3, judged, label);
    TEST_ASSERT_GREATER_THAN_MESSAGE(ROUNDS / 20, tally.verdicts[VERDICT_VALID], label);
    TEST_ASSERT_LESS_THAN_MESSAGE(judged / 10, tally.unjudged, label);
}

static void small_histories_are_judged_as_the_oracle_does(void)
{
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        compare_level(levels[i]);
}

/* --- Planted ---------------------------------------------------------------------- */

static bool has_planted(const struct check *check, const struct history *history,
                        const struct planted *planted)
{
    for (size_t i = 0; i < check->findings.count; i++) {
        const struct check_finding *finding = &check->findings.at[i];
        bool all = finding->kind == planted->kind;

        for (size_t k = 0; all && k < finding->txn_count; k++) {
            all = false;
            for (unsigned p = 0; p < planted->count; p++)
                all |= history->txn_id[finding->txns[k]] == planted->ids[p];
        }
        if (all)
            return true;
    }
    return false;
}

/* Asked at the weakest level that rules it out, as far as the checker decides that. */
static void check_plant(const struct workload *workload, enum anomaly kind, uint64_t seed)
{
    struct generate_options options = generate_defaults(workload);
    struct history history;
    struct planted planted;
    struct check check;
    enum level weakest;
    char label[200];

    options.transactions = 200;
    options.seed = seed;
    options.plant = kind;
    ASSERT_OK(generate(&options, &history, &planted, &err), &err);
    TEST_ASSERT_TRUE(anomaly_weakest_level(kind, &weakest));
    if (!checker_decides(checker_find(TEXT("certificate")), weakest) ||
        weakest == LEVEL_READ_UNCOMMITTED)
        weakest =
            kind == ANOMALY_G0 || kind == ANOMALY_DUPLICATE_WRITE ? weakest : LEVEL_SERIALIZABLE;
    check = fixture_check("certificate", &history, weakest, CHECK_WITNESS);
    snprintf(label, sizeof label, "%s in %s, seed %llu, at %s: %s", anomaly_name(kind),
             workload->name, (unsigned long long)seed, level_name(weakest),
             check.findings.count > 0 ? check.findings.at[0].explanation : "valid");
    TEST_ASSERT_EQUAL_MESSAGE(VERDICT_INVALID, check.verdict, label);
    TEST_ASSERT_TRUE_MESSAGE(has_planted(&check, &history, &planted), label);
    check_close(&check);
    history_close(&history);
}

static void planted_anomalies_are_found_and_named_where_they_are(void)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    for (int kind = 0; kind < ANOMALY_COUNT; kind++)
        for (unsigned w = 0; w < count; w++)
            if (plant_possible(workloads[w], (enum anomaly)kind))
                for (uint64_t seed = 0; seed < fixture_rounds(2); seed++)
                    check_plant(workloads[w], (enum anomaly)kind, seed);
}

static void what_is_generated_holds_at_its_level(void)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    for (unsigned w = 0; w < count; w++)
        for (size_t i = 0; i < ROW_COUNT(levels); i++) {
            struct generate_options options = generate_defaults(workloads[w]);
            struct history history;
            struct planted planted;
            struct check check;

            options.transactions = 300;
            options.seed = w;
            options.level = levels[i];
            ASSERT_OK(generate(&options, &history, &planted, &err), &err);
            check = fixture_check("certificate", &history, levels[i], CHECK_WITNESS);
            TEST_ASSERT_EQUAL_MESSAGE(VERDICT_VALID, check.verdict,
                                      check.findings.count > 0 ? check.findings.at[0].explanation
                                                               : check.reason);
            compare_slow(&history, &check, levels[i], w);
            check_close(&check);
            history_close(&history);
        }
}

/* --- Fast and slow ---------------------------------------------------------------- */

/*
 * The same history, whose transactions say where they read, and of which one that only
 * reads has no place: so no order of places is one of all transactions.
 */
struct twisted {
    struct history history;
    uint8_t *ts_parts, *snapshot_parts;
    int64_t *snapshot;
};

static bool only_reads(const struct history *h, size_t txn)
{
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (op_is_write(h->op_kind[op]))
            return false;
    return h->txn_status[txn] == TXN_OK;
}

static bool twist(const struct history *h, uint64_t seed, struct twisted *t)
{
    size_t txn = seed % h->txn_count, tries = 0;

    *t = (struct twisted){ .history = *h };
    while (tries++ < h->txn_count && !only_reads(h, txn))
        txn = (txn + 1) % h->txn_count;
    if (tries > h->txn_count || !h->txn_ts || h->txn_ts_parts || h->txn_snapshot)
        return false;
    t->ts_parts = malloc(h->txn_count);
    t->snapshot_parts = malloc(h->txn_count);
    t->snapshot = malloc(h->txn_count * sizeof *t->snapshot);
    TEST_ASSERT_TRUE(t->ts_parts && t->snapshot_parts && t->snapshot);
    memset(t->ts_parts, 1, h->txn_count);
    memset(t->snapshot_parts, 1, h->txn_count);
    t->ts_parts[txn] = 0;
    for (size_t i = 0; i < h->txn_count; i++)
        t->snapshot[i] = h->txn_ts[i] - 1;
    t->history.txn_ts_parts = t->ts_parts;
    t->history.txn_snapshot_parts = t->snapshot_parts;
    t->history.txn_snapshot = t->snapshot;
    return true;
}

static void untwist(struct twisted *t)
{
    free(t->ts_parts);
    free(t->snapshot_parts);
    free(t->snapshot);
}

/* Large enough that graphs leave out what leads far forward, and small enough for all of them. */
static struct generate_options drawn_options(uint64_t seed)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);
    const struct workload *workload = workloads[seed % count];
    struct generate_options options = generate_defaults(workload);
    struct random_key key = random_key_of_seed(seed);
    struct random random;

    random_init(&random, &key);
    options.seed = seed;
    options.transactions = 20 + (int64_t)random_below(&random, 200);
    options.sessions = 1 + (int64_t)random_below(&random, 12);
    options.keys = 20 + (int64_t)random_below(&random, 40);
    options.operations = 2 + (int64_t)random_below(&random, 6);
    options.level = levels[random_below(&random, ROW_COUNT(levels))];
    if (options.predicates_percent >= 0)
        options.predicates_percent = (int64_t)random_below(&random, 100);
    return options;
}

static void compare_at(const struct history *history, enum level level, uint64_t seed,
                       unsigned verdicts[3])
{
    struct check check = fixture_check("certificate", history, level, CHECK_WITNESS);

    verdicts[check.verdict]++;
    compare_slow(history, &check, level, seed);
    check_close(&check);
}

static void histories_are_judged_alike_with_and_without_fast_paths(void)
{
    unsigned verdicts[3] = { 0 }, twists = 0;
    uint64_t rounds = fixture_rounds(120);

    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct generate_options options = drawn_options(seed);
        struct history history;
        struct planted planted;
        struct twisted twisted;

        ASSERT_OK(generate(&options, &history, &planted, &err), &err);
        compare_at(&history, levels[seed % ROW_COUNT(levels)], seed, verdicts);
        compare_at(&history, LEVEL_SERIALIZABLE, seed, verdicts);
        if (twist(&history, seed, &twisted)) {
            twists++;
            compare_at(&twisted.history, LEVEL_SERIALIZABLE, seed, verdicts);
            compare_at(&twisted.history, LEVEL_STRICT_SNAPSHOT, seed, verdicts);
        }
        untwist(&twisted);
        history_close(&history);
    }
    TEST_ASSERT_GREATER_THAN(rounds / 2, verdicts[VERDICT_VALID]);
    TEST_ASSERT_GREATER_THAN(rounds / 4, verdicts[VERDICT_INVALID]);
    TEST_ASSERT_GREATER_THAN(rounds / 10, twists);
}

/* --- Time ------------------------------------------------------------------------- */

static void a_check_that_is_stopped_says_how_far_it_came(void)
{
    static const enum level asked[] = { LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT };
    const atomic_bool stop = true;

    for (size_t i = 0; i < 2 * ROW_COUNT(asked); i++) {
        struct generate_options options = generate_defaults(workload_find(TEXT("predicate-mix")));
        struct check_options how = { .level = asked[i / 2],
                                     .stop = &stop,
                                     .flags = i % 2 ? CHECK_SLOWLY : CHECK_WITNESS };
        struct history history;
        struct planted planted;
        struct check check;

        options.transactions = 200;
        options.level = LEVEL_SNAPSHOT;
        ASSERT_OK(generate(&options, &history, &planted, &err), &err);
        ASSERT_OK(checker_run(checker_find(TEXT("certificate")), &history, &how, &check, &err),
                  &err);
        TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(check.reason, "stopped while looking for answers, 0"),
                                     check.reason);
        check_close(&check);
        history_close(&history);
    }
}

/* So many appends to a list, and a read of it with one element twice. */
static void build_long_list(struct builder *b, int64_t length, struct history *history)
{
    int64_t *elements = malloc((size_t)length * sizeof *elements);
    struct value list;
    uint32_t key;

    TEST_ASSERT_NOT_NULL(elements);
    ASSERT_OK(builder_key(b, TEXT("l"), &key, &err), &err);
    for (int64_t i = 1; i <= length; i++) {
        elements[i - 1] = i == 7 ? 8 : i;
        ASSERT_OK(builder_begin_txn(b, i, 0, TXN_OK, &err), &err);
        ASSERT_OK(builder_set_ts(b, (struct place){ 1, { i } }, &err), &err);
        ASSERT_OK(builder_add_op(b, OP_APPEND, key, value_integer(i), &err), &err);
    }
    ASSERT_OK(builder_list(b, elements, (size_t)length, &list, &err), &err);
    ASSERT_OK(builder_begin_txn(b, length + 1, 0, TXN_OK, &err), &err);
    ASSERT_OK(builder_set_ts(b, (struct place){ 1, { length + 1 } }, &err), &err);
    ASSERT_OK(builder_add_op(b, OP_READ, key, list, &err), &err);
    ASSERT_OK(builder_begin_order(b, key, &err), &err);
    for (int64_t i = 1; i <= length; i++)
        ASSERT_OK(builder_add_version(b, (struct version_name){ .txn_id = i }, &err), &err);
    ASSERT_OK(builder_finish(b, history, &err), &err);
    free(elements);
}

/* Each element used to be sought among all writes: that grew with the square. */
static void a_long_list_that_is_wrong_is_told_of_without_delay(void)
{
    struct builder builder;
    struct history history;
    struct check check;

    builder_init(&builder);
    build_long_list(&builder, 50000, &history);
    builder_close(&builder);
    check = fixture_check("certificate", &history, LEVEL_SERIALIZABLE, CHECK_WITNESS);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_TRUE(fixture_has_kind(&check, ANOMALY_DUPLICATE_ELEMENTS));
    check_close(&check);
    history_close(&history);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(figure_1_has_a_phantom);
    RUN_TEST(figure_1_by_version_sets_is_an_anti_dependency_of_a_predicate);
    RUN_TEST(figure_2_is_serializable_in_the_order_of_timestamps);
    RUN_TEST(figure_3_is_refused_for_what_the_store_says_of_itself);
    RUN_TEST(figures_4_to_6_need_the_predicate);
    RUN_TEST(figure_7_is_a_mismatch_without_a_cycle);
    RUN_TEST(cycles_have_their_names);
    RUN_TEST(a_statement_over_a_table_reads_every_row_of_it_at_causal);
    RUN_TEST(what_is_no_anomaly_of_the_level_is_accepted);
    RUN_TEST(reads_that_are_no_cycle_have_their_names);
    RUN_TEST(a_blind_update_behind_its_snapshot_is_a_lost_update);
    RUN_TEST(a_version_order_against_ts_is_an_anomaly_at_every_level);
    RUN_TEST(the_strongest_level_that_holds_is_told);
    RUN_TEST(a_partial_certificate_is_refused_and_what_is_missing_named);
    RUN_TEST(the_checker_of_a_history_is_the_one_that_knows_most);
    RUN_TEST(small_histories_are_judged_as_the_oracle_does);
    RUN_TEST(planted_anomalies_are_found_and_named_where_they_are);
    RUN_TEST(what_is_generated_holds_at_its_level);
    RUN_TEST(histories_are_judged_alike_with_and_without_fast_paths);
    RUN_TEST(a_check_that_is_stopped_says_how_far_it_came);
    RUN_TEST(a_long_list_that_is_wrong_is_told_of_without_delay);
    return UNITY_END();
}
