#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "checkers/interval/profile.h"
#include "history/io/source.h"
#include "history/jsonl/jsonl_read.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/interval/known_rows.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 500
#define KNOWN_ROUNDS 100

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static enum anomaly first_kind(const char *profile, const char *notation, uint64_t *unjudged)
{
    const struct profile *found = profile_find(text_of(profile));
    struct check_options options = { .level = found->level, .profile = found };
    enum anomaly kind = ANOMALY_COUNT;
    struct history history;
    struct check check;

    notation_read(notation, &history);
    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &options, &check, &err), &err);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(VERDICT_UNKNOWN, check.verdict, notation);
    if (check.verdict == VERDICT_INVALID)
        kind = check.findings.at[0].kind;
    *unjudged = check.unjudged_predicates;
    check_close(&check);
    history_close(&history);
    return kind;
}

#define NOTHING ANOMALY_COUNT

static void expect(const char *profile, const char *notation, enum anomaly expected)
{
    uint64_t unjudged;
    enum anomaly kind = first_kind(profile, notation, &unjudged);

    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected == NOTHING ? "nothing" : anomaly_name(expected),
                                     kind == NOTHING ? "nothing" : anomaly_name(kind), notation);
    TEST_ASSERT_EQUAL_MESSAGE(0, unjudged, notation);
}

/* --- Absence ---------------------------------------------------------------------------- */

static void a_row_that_stood_there_and_matches_must_come(void)
{
    const char *insert = "T1 @0-10: ins {7=12}; ";
    char notation[200];
    static const struct {
        const char *then;
        enum anomaly kind;
    } rows[] = {
        { "T2 @20-30: sel v>=10 {7=12}", NOTHING },
        { "T2 @20-30: sel v>=10 {}", ANOMALY_RESULT_SET_MISMATCH },
        { "T2 @20-30: sel v>=13 {}", NOTHING },
        { "T2 @20-30: sel * {}", ANOMALY_RESULT_SET_MISMATCH },
        { "T2 @5-30: sel v>=10 {}", NOTHING },                    /* it may have come before */
        { "T2 @20-30: sel v>=13 {7=12}", ANOMALY_RESULT_SET_MISMATCH }, /* it does not match */
        { "T2 @15-40: upd v>=10 {7=1}; T3 @20-50: sel v>=10 {}", NOTHING },
        { "T2 @15-40: upd v>=10 {7=1}; T3 @50-60: sel v>=10 {7=12}", ANOMALY_INCONSISTENT_READ },
        { "T2 @15-40: d t/7; T3 @50-60: sel v>=10 {}", NOTHING },
        { "T2 abort @15-40: d t/7; T3 @50-60: sel v>=10 {}", ANOMALY_RESULT_SET_MISMATCH },
        { "T2 unknown @15-: d t/7; T3 @50-60: sel v>=10 {}", NOTHING },
        { "T2 unknown @15-: d t/7; T3 @50-60: sel v>=10 {}; T4 @70-80: sel v>=10 {7=12}",
          ANOMALY_INCONSISTENT_READ }, /* what was missed is gone for ever */
        { "T2 @20-30: top 1 v>=10 {7=12}", NOTHING },
        { "T2 @20-30: top 2 v>=10 {}", ANOMALY_RESULT_SET_MISMATCH },
        { "T2 @20-30: upd v>=10 {}", ANOMALY_RESULT_SET_MISMATCH },
        { "T2 @20-30: upd v>=13 {7=5}", ANOMALY_RESULT_SET_MISMATCH },
        { "T2 @20-30: del v>=10 {7}", NOTHING },
        { "T2 @20-30: del v>=10 {8}", ANOMALY_RESULT_SET_MISMATCH },
        { "T2 @20-30: sel v>=10 {} !", NOTHING },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        snprintf(notation, sizeof notation, "%s%s", insert, rows[i].then);
        expect("postgresql/serializable", notation, rows[i].kind);
        expect("innodb/serializable", notation, rows[i].kind);
        if (!strstr(rows[i].then, "del") && !strstr(rows[i].then, "upd"))
            expect("postgresql/read-committed", notation, rows[i].kind);
    }
}

static void what_is_missed_narrows_what_others_may_see(void)
{
    /* T3 shows when T1 had committed. */
    expect("postgresql/serializable",
           "T1 @0-100: w x 1, ins {7=12}; T2 @50-60: sel v>=10 {}; T3 @10-20: r x 1",
           ANOMALY_RESULT_SET_MISMATCH);
    expect("postgresql/serializable",
           "T1 @0-100: w x 1, ins {7=12}; T2 @50-60: sel v>=10 {}; T3 @10-55: r x 1", NOTHING);
}

/* Each looks for what the other inserts: no row has two versions that anybody read. */
static void phantoms_make_a_cycle_of_dependencies(void)
{
    const char *notation = "T1 @0-50: sel v>=10 {}, ins {1=5}; T2 @2-52: sel v<10 {}, ins {2=15}";

    expect("postgresql/serializable", notation, ANOMALY_G2);
    expect("postgresql/snapshot", notation, NOTHING);
    /* A row that comes to match, and one that does not. */
    expect("postgresql/serializable",
           "init t/1 5; init t/2 5; T1 @0-50: sel v>=10 {}, upd id=1 {1=20}; "
           "T2 @2-52: sel v>=10 {}, upd id=2 {2=20}", ANOMALY_G2);
    expect("postgresql/serializable",
           "init t/1 5; init t/2 5; T1 @0-50: sel v>=10 {}, upd id=1 {1=6}; "
           "T2 @2-52: sel v>=10 {}, upd id=2 {2=6}", NOTHING);
}

/* --- Itself ----------------------------------------------------------------------------- */

static void a_transaction_looks_at_its_own_rows_too(void)
{
    expect("postgresql/snapshot", "T1 @0-10: ins {7=12}, sel v>=10 {7=12}, upd v>=10 {7=3}, "
                                  "sel v>=10 {}, del * {7}, sel * {}", NOTHING);
    expect("postgresql/snapshot", "T1 @0-10: ins {7=12}, sel v>=10 {}", ANOMALY_INTERNAL);
    expect("postgresql/snapshot", "T1 @0-10: ins {7=12}, del v>=10 {}", ANOMALY_INTERNAL);
    expect("postgresql/snapshot", "T1 @0-10: ins {7=12}, upd v>=13 {7=1}", ANOMALY_INTERNAL);
    expect("postgresql/snapshot", "init t/7 12; T1 @0-10: del * {7}, sel * {7=12}",
           ANOMALY_INTERNAL);
    expect("spanner/serializable", "T1 @0-10: ins {7=12}, sel v>=10 {}", NOTHING);
}

/* --- Instants of their own --------------------------------------------------------------- */

/*
 * PostgreSQL's UPDATE passes over a row that another has deleted and inserted again meanwhile;
 * its rows are each as of when they were locked.
 */
static void who_locks_may_miss_what_was_changed_meanwhile(void)
{
    expect("postgresql/read-committed",
           "init t/7 12; T1 @0-30: del * {7}, ins {7=13}; T2 @10-40: upd v>=10 {}", NOTHING);
    expect("postgresql/read-committed", "init t/7 12; T2 @10-40: upd v>=10 {}",
           ANOMALY_RESULT_SET_MISMATCH);
    expect("postgresql/read-committed", "init t/7 12; T2 @10-40: upd v>=13 {7=5}",
           ANOMALY_RESULT_SET_MISMATCH);
    expect("innodb/repeatable-read",
           "init t/7 12; T1 @12-30: upd * {7=5}; T2 @10-40: sel v>=10 {7=12}, upd v>=10 {}",
           NOTHING);
}

/* --- Locks of ranges ---------------------------------------------------------------------- */

static void nobody_writes_into_a_range_that_is_locked(void)
{
    static const char format[] =
        "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\"},"
        "\"key\":[\"id\"]}}}\n"
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[0,90],\"ops\":["
        "{\"select\":\"t\",\"where\":\"v >= 10\",\"rows\":{},\"at\":[1,5]},"
        "{\"r\":\"x\",\"v\":null,\"at\":[80,82]}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[6,%d],\"ops\":["
        "{\"insert\":\"t\",\"rows\":{\"7\":{\"id\":7,\"v\":%d}},\"at\":[7,9]}]}\n";
    static const struct {
        int completed, v;
        enum verdict verdict;
    } rows[] = { { 120, 12, VERDICT_INVALID }, { 120, 3, VERDICT_VALID } };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const struct profile *profile = profile_find(TEXT("innodb/serializable"));
        struct check_options options = { .level = profile->level, .profile = profile };
        struct history history;
        struct source source;
        struct check check;
        char text[1000];

        snprintf(text, sizeof text, format, rows[i].completed, rows[i].v);
        ASSERT_OK(source_open_memory(&source, "memory", text, strlen(text), &err), &err);
        ASSERT_OK(jsonl_read(&source, 0, &history, &err), &err);
        source_close(&source);
        ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &options, &check, &err),
                  &err);
        TEST_ASSERT_EQUAL(rows[i].verdict, check.verdict);
        if (check.verdict == VERDICT_INVALID)
            TEST_ASSERT_EQUAL(ANOMALY_LOCK_VIOLATION, check.findings.at[0].kind);
        check_close(&check);
        history_close(&history);
    }
}

/* --- As of the commit ----------------------------------------------------------------------- */

#define TABLE                                                                                      \
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":"                                        \
    "{\"id\":\"bigint\",\"v\":\"bigint\"},\"key\":[\"id\"]}},"                                     \
    "\"initial\":{\"t/7\":{\"id\":7,\"v\":3}}}\n"

/* By the profile, or as any database of the level. */
static void expect_verdict_at(const char *profile, enum level level, const char *text,
                              enum verdict verdict)
{
    const struct profile *found = profile ? profile_find(text_of(profile)) : NULL;
    struct check_options options = { .level = level, .profile = found };
    struct history history;
    struct source source;
    struct check check;

    ASSERT_OK(source_open_memory(&source, "memory", text, strlen(text), &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, &history, &err), &err);
    source_close(&source);
    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &options, &check, &err), &err);
    TEST_ASSERT_EQUAL_MESSAGE(verdict, check.verdict, profile ? profile : level_name(level));
    check_close(&check);
    history_close(&history);
}

static void expect_verdict(const char *profile, const char *text, enum verdict verdict)
{
    expect_verdict_at(profile, profile_find(text_of(profile))->level, text, verdict);
}

/*
 * T2 looked before T3 wrote, and commits behind it: its row did not match before and does not
 * after. So T2 says nothing of T1, of which nobody knows whether it was ever committed.
 */
static void a_row_may_change_between_the_answer_and_the_commit(void)
{
    static const char text[] = TABLE
        "{\"txn\":1,\"session\":1,\"status\":\"unknown\",\"at\":[0,null],\"ops\":["
        "{\"w\":\"t/7\",\"v\":{\"id\":7,\"v\":4},\"at\":[1,2]}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[10,100],\"ops\":["
        "{\"select\":\"t\",\"where\":\"v >= 10\",\"rows\":{},\"at\":[11,13]},"
        "{\"r\":\"x\",\"v\":null,\"at\":[80,90]}]}\n"
        "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"at\":[20,40],\"ops\":["
        "{\"w\":\"t/7\",\"v\":{\"id\":7,\"v\":5},\"at\":[23,24]}]}\n"
        "{\"txn\":4,\"session\":4,\"status\":\"ok\",\"at\":[200,210],\"ops\":["
        "{\"r\":\"t/7\",\"v\":{\"id\":7,\"v\":5},\"at\":[201,202]}]}\n";

    expect_verdict("ordeal/2pl", text, VERDICT_VALID);
    expect_verdict("ordeal/mvto", text, VERDICT_VALID);
}

/* Nor does it say that T3 came before T1, whose write was no longer there. */
static void nor_does_that_say_which_version_came_first(void)
{
    static const char text[] = TABLE
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[0,5],\"ops\":["
        "{\"w\":\"t/7\",\"v\":{\"id\":7,\"v\":4},\"at\":[1,2]},"
        "{\"w\":\"z\",\"v\":1,\"at\":[3,4]}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[6,10],\"ops\":["
        "{\"r\":\"z\",\"v\":1,\"at\":[7,8]},{\"w\":\"u\",\"v\":1,\"at\":[8,9]}]}\n"
        "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"at\":[20,40],\"ops\":["
        "{\"r\":\"u\",\"v\":1,\"at\":[21,22]},"
        "{\"w\":\"t/7\",\"v\":{\"id\":7,\"v\":5},\"at\":[23,24]},"
        "{\"r\":\"y\",\"v\":null,\"at\":[25,26]}]}\n"
        "{\"txn\":4,\"session\":4,\"status\":\"ok\",\"at\":[12,100],\"ops\":["
        "{\"select\":\"t\",\"where\":\"v >= 10\",\"rows\":{},\"at\":[13,14]},"
        "{\"w\":\"y\",\"v\":1,\"at\":[50,55]}]}\n";

    expect_verdict("ordeal/occ", text, VERDICT_VALID);
    expect_verdict("ordeal/mvto", text, VERDICT_VALID);
}

/*
 * By timestamps T3 comes before T1, and T1 before T2, as the clock of T3 is behind. T3 misses that
 * t/7 has become 4: it would not have matched before or after. Of reads of keys nothing is old.
 */
static void what_changes_no_answer_may_be_missed_by_timestamps(void)
{
    static const char text[] = TABLE
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[0,300],\"ops\":["
        "{\"r\":\"m\",\"v\":null,\"at\":[10,11]},{\"w\":\"k\",\"v\":1,\"at\":[250,251]}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[20,40],\"ops\":["
        "{\"w\":\"t/7\",\"v\":{\"id\":7,\"v\":4},\"at\":[21,22]},"
        "{\"w\":\"m\",\"v\":1,\"at\":[23,24]}]}\n"
        "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"at\":[100,120],\"ops\":["
        "{\"select\":\"t\",\"where\":\"v >= %d\",\"rows\":{},\"at\":[101,105]},"
        "{\"r\":\"k\",\"v\":null,\"at\":[106,108]}]}\n";
    static const char *const profiles[] = { "ordeal/mvto", "cockroachdb/serializable",
                                            "yugabytedb/serializable" };
    char written[sizeof text + 10];

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        snprintf(written, sizeof written, text, 10);
        expect_verdict(profiles[i], written, VERDICT_VALID);
        snprintf(written, sizeof written, text, 4); /* that it must see */
        expect_verdict(profiles[i], written, VERDICT_INVALID);
    }
    snprintf(written, sizeof written, text, 10);
    expect_verdict("ordeal/2pl", written, VERDICT_INVALID);
}

/* What nobody had begun to write cannot have been the reason why a row did not come. */
static void an_answer_is_not_excused_by_what_came_after_it(void)
{
    static const char format[] = TABLE
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[10,100],\"ops\":["
        "{\"select\":\"t\",\"where\":\"v >= 2\",\"rows\":{},\"at\":[11,%d]},"
        "{\"r\":\"x\",\"v\":null,\"at\":[80,90]}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[20,40],\"ops\":["
        "{\"d\":\"t/7\",\"at\":[23,24]}]}\n";
    static const char *const profiles[] = { "ordeal/2pl", "ordeal/mvto", "ordeal/occ" };
    char text[1000];

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        snprintf(text, sizeof text, format, 13);
        expect_verdict(profiles[i], text, VERDICT_INVALID);
        snprintf(text, sizeof text, format, 30);
        expect_verdict(profiles[i], text, VERDICT_VALID);
    }
}

/*
 * T1 comes before T2, which read what was there before T1 wrote it again. A database that looks
 * at values when it validates lets that pass, and the level does; who locks cannot have.
 */
static void a_level_knows_nothing_of_the_times_of_operations(void)
{
    static const char text[] = TABLE
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[0,50],\"ops\":["
        "{\"w\":\"t/7\",\"v\":{\"id\":7,\"v\":3},\"at\":[30,40]},"
        "{\"w\":\"y\",\"v\":1,\"at\":[41,42]}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"at\":[10,70],\"ops\":["
        "{\"r\":\"t/7\",\"v\":{\"id\":7,\"v\":3},\"at\":[11,12]},"
        "{\"r\":\"y\",\"v\":1,\"at\":[60,61]}]}\n"
        "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"at\":[80,90],\"ops\":["
        "{\"r\":\"t/7\",\"v\":{\"id\":7,\"v\":3},\"at\":[81,82]}]}\n";

    expect_verdict_at(NULL, LEVEL_STRICT_SERIALIZABLE, text, VERDICT_VALID);
    expect_verdict_at(NULL, LEVEL_STRICT_SNAPSHOT, text, VERDICT_VALID);
    expect_verdict("ordeal/2pl", text, VERDICT_INVALID);
}

/* --- Against the oracle ----------------------------------------------------------------- */

struct tally {
    unsigned found, missed, unjudged;
};

static void compare(const struct history *h, enum level level, uint64_t seed, struct tally *tally)
{
    struct check check = fixture_check("interval", h, level, 0);
    enum oracle_answer answer = oracle_decide(h, level, (struct oracle_options){ 0 });
    char message[512];

    if (check.verdict == VERDICT_INVALID && answer == ORACLE_HOLDS) {
        snprintf(message, sizeof message, "%s, seed %" PRIu64 ": %s", level_name(level), seed,
                 check.findings.at[0].explanation);
        TEST_FAIL_MESSAGE(message);
    }
    tally->unjudged += check.unjudged_predicates > 0;
    tally->found += answer == ORACLE_VIOLATED && check.verdict == VERDICT_INVALID;
    tally->missed += answer == ORACLE_VIOLATED && check.verdict != VERDICT_INVALID;
    check_close(&check);
}

static void no_statement_is_accused_that_some_instants_explain(void)
{
    static const enum level levels[] = { LEVEL_STRICT_SERIALIZABLE, LEVEL_STRICT_SNAPSHOT,
                                         LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT,
                                         LEVEL_READ_COMMITTED };
    struct tally tally[ROW_COUNT(levels)] = { { 0 } };

    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history h;

        options.times = options.predicates = true;
        options.certificate = false;
        options.keys = options.keys < 2 ? 2 : options.keys;
        small_history(&options, seed, &h);
        for (size_t i = 0; i < ROW_COUNT(levels); i++)
            compare(&h, levels[i], seed, &tally[i]);
        history_close(&h);
    }
    /* It is not complete, but sees most of what can be seen. */
    TEST_ASSERT_GREATER_THAN(6 * tally[0].missed, tally[0].found);
    TEST_ASSERT_GREATER_THAN(3 * tally[1].missed, tally[1].found);
    TEST_ASSERT_GREATER_THAN(4 * tally[2].missed, tally[2].found);
}

/* --- Against known instants ---------------------------------------------------------------- */

/* Profiles that each protocol keeps to; the first level is its own. */
static const struct {
    const char *profiles[6];
    enum level levels[3];
} keeps_to[KNOWN_PROTOCOL_COUNT] = {
    [KNOWN_LOCKS] = { { "ordeal/2pl", "innodb/serializable", "spanner/serializable", "ordeal/mvto",
                        "ordeal/occ" },
                      { LEVEL_STRICT_SERIALIZABLE, LEVEL_SERIALIZABLE, LEVEL_READ_COMMITTED } },
    [KNOWN_VALIDATION] = { { "spanner/serializable", "ordeal/mvto", "ordeal/occ" },
                           { LEVEL_STRICT_SERIALIZABLE, LEVEL_SERIALIZABLE,
                             LEVEL_READ_COMMITTED } },
    [KNOWN_SNAPSHOT] = { { "postgresql/snapshot", "rocksdb/optimistic-snapshot", "ordeal/si" },
                         { LEVEL_STRICT_SNAPSHOT, LEVEL_SNAPSHOT, LEVEL_READ_COMMITTED } },
    [KNOWN_STATEMENTS] = { { "postgresql/read-committed", "innodb/read-committed", "ordeal/rc" },
                           { LEVEL_READ_COMMITTED, LEVEL_READ_COMMITTED, LEVEL_READ_COMMITTED } },
    [KNOWN_TIMESTAMPS] = { { "ordeal/mvto", "cockroachdb/serializable", "yugabytedb/serializable",
                             "ordeal/occ" },
                           { LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT, LEVEL_READ_COMMITTED } },
};

static void accept(const struct history *h, const char *profile, enum level level, uint64_t seed)
{
    const struct profile *found = profile ? profile_find(text_of(profile)) : NULL;
    struct check_options options = { .level = found ? found->level : level, .profile = found };
    struct check check;
    char message[900];

    ASSERT_OK(checker_run(checker_find(TEXT("interval")), h, &options, &check, &err), &err);
    if (check.verdict == VERDICT_INVALID) {
        snprintf(message, sizeof message, "%s, seed %" PRIu64 ": %s",
                 profile ? profile : level_name(level), seed, check.findings.at[0].explanation);
        TEST_FAIL_MESSAGE(message);
    }
    check_close(&check);
}

static void accept_as_all(enum known_protocol protocol, uint64_t seed, unsigned txns)
{
    struct known_options options = { .protocol = protocol, .seed = seed, .txns = txns };
    struct history h;

    known_history(&options, &h);
    for (const char *const *profile = keeps_to[protocol].profiles; *profile; profile++)
        accept(&h, *profile, LEVEL_COUNT, seed);
    for (size_t i = 0; i < ROW_COUNT(keeps_to[protocol].levels); i++)
        accept(&h, NULL, keeps_to[protocol].levels[i], seed);
    history_close(&h);
}

/*
 * Once a row that nobody had found was taken to be as it was when the answer came, though the view
 * is the commit's: a version that had been written meanwhile was ruled out, and what was left came
 * to be what had been seen: a write that never landed, or one that the other had overwritten.
 */
static void no_statement_is_accused_that_known_instants_explain(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(KNOWN_ROUNDS); seed++)
        for (int protocol = 0; protocol < KNOWN_PROTOCOL_COUNT; protocol++) {
            accept_as_all((enum known_protocol)protocol, seed, 20);
            accept_as_all((enum known_protocol)protocol, seed, 150);
        }
}

/* The oracle finds an explanation, too; and of lies it says which have none. */
static void lies_about_rows_are_found(void)
{
    struct tally tally[KNOWN_PROTOCOL_COUNT] = { { 0 } };

    for (uint64_t seed = 0; seed < fixture_rounds(KNOWN_ROUNDS); seed++)
        for (int protocol = 0; protocol < KNOWN_PROTOCOL_COUNT; protocol++) {
            struct known_options options = { .protocol = (enum known_protocol)protocol,
                                             .seed = seed,
                                             .txns = 8 };
            enum level level = keeps_to[protocol].levels[0];
            struct history h;

            known_history(&options, &h);
            TEST_ASSERT_NOT_EQUAL(ORACLE_VIOLATED,
                                  oracle_decide(&h, level, (struct oracle_options){ 0 }));
            history_close(&h);
            options.lie_every = 12;
            known_history(&options, &h);
            for (size_t i = 0; i < ROW_COUNT(keeps_to[protocol].levels); i++)
                compare(&h, keeps_to[protocol].levels[i], seed, &tally[protocol]);
            history_close(&h);
        }
    TEST_ASSERT_GREATER_THAN(3 * tally[KNOWN_LOCKS].missed, tally[KNOWN_LOCKS].found);
    TEST_ASSERT_GREATER_THAN(3 * tally[KNOWN_VALIDATION].missed, tally[KNOWN_VALIDATION].found);
    TEST_ASSERT_GREATER_THAN(3 * tally[KNOWN_SNAPSHOT].missed, tally[KNOWN_SNAPSHOT].found);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_row_that_stood_there_and_matches_must_come);
    RUN_TEST(what_is_missed_narrows_what_others_may_see);
    RUN_TEST(phantoms_make_a_cycle_of_dependencies);
    RUN_TEST(a_transaction_looks_at_its_own_rows_too);
    RUN_TEST(who_locks_may_miss_what_was_changed_meanwhile);
    RUN_TEST(nobody_writes_into_a_range_that_is_locked);
    RUN_TEST(a_row_may_change_between_the_answer_and_the_commit);
    RUN_TEST(nor_does_that_say_which_version_came_first);
    RUN_TEST(what_changes_no_answer_may_be_missed_by_timestamps);
    RUN_TEST(an_answer_is_not_excused_by_what_came_after_it);
    RUN_TEST(a_level_knows_nothing_of_the_times_of_operations);
    RUN_TEST(no_statement_is_accused_that_some_instants_explain);
    RUN_TEST(no_statement_is_accused_that_known_instants_explain);
    RUN_TEST(lies_about_rows_are_found);
    return UNITY_END();
}
