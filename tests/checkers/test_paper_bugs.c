/*
 * The bugs of TiDB that Leopard's paper tells of (section VI-F and appendix V-G), as they
 * are told there; test_planted_bugs.c has them in the simulated store. The first closes no cycle:
 * who looks for cycles, as Elle does, does not find it.
 *
 * Histories have no times of COMMIT. Where it matters that a transaction was still open, it looks
 * for something once more before it ends.
 */
#include <string.h>

#include "checkers/interval/profile.h"
#include "history/io/source.h"
#include "history/jsonl/jsonl_read.h"
#include "tests/checkers/checker_fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static void read_text(const char *text, struct history *history)
{
    struct source source;

    ASSERT_OK(source_open_memory(&source, "memory", text, strlen(text), &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, history, &err), &err);
    source_close(&source);
}

static void judge(const struct history *h, const char *profile, struct check *check)
{
    const struct profile *found = profile_find(text_of(profile));
    struct check_options options = { .level = found->level, .profile = found };

    ASSERT_OK(checker_run(checker_find(TEXT("interval")), h, &options, check, &err), &err);
}

static void accept(const char *profile, const char *text)
{
    struct history history;
    struct check check;

    read_text(text, &history);
    judge(&history, profile, &check);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("valid", fixture_verdict_name(check.verdict), profile);
    check_close(&check);
    history_close(&history);
}

/* The first finding is of that kind, and names these transactions; 0: no more. */
static void refuse(const char *profile, const char *text, enum anomaly kind, const int64_t *ids)
{
    struct history history;
    struct check check;

    read_text(text, &history);
    judge(&history, profile, &check);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("invalid", fixture_verdict_name(check.verdict), profile);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(anomaly_name(kind), anomaly_name(check.findings.at[0].kind),
                                     profile);
    for (; *ids != 0; ids++) {
        const struct check_finding *f = &check.findings.at[0];
        bool is_named = false;

        for (size_t i = 0; i < f->txn_count; i++)
            is_named |= history.txn_id[f->txns[i]] == *ids;
        TEST_ASSERT_TRUE_MESSAGE(is_named, f->explanation);
    }
    check_close(&check);
    history_close(&history);
}

#define LINE_1(tables, initial)                                                                    \
    "{\"ordeal-history\":1,\"tables\":{" tables "},\"initial\":{" initial "}}\n"
#define TABLE(name, type)                                                                          \
    "\"" name "\":{\"columns\":{\"a\":\"bigint\",\"b\":\"" type "\"},\"key\":[\"a\"]}"
#define TXN(id, at, ops)                                                                           \
    "{\"txn\":" id ",\"session\":" id ",\"status\":\"ok\",\"at\":[" at "],\"ops\":[" ops "]}\n"
#define FIND(verb, table, where, rows, at)                                                         \
    "{\"" verb "\":\"" table "\",\"where\":\"" where "\",\"rows\":{" rows "},\"at\":[" at "]}"
#define ROW(a, b) "\"" a "\":{\"a\":" a ",\"b\":" b "}"

/* UPDATE, UPDATE, SELECT: 914 reads what 904 wrote, and 907 had overwritten it. */
#define TWO_UPDATES_AND(read, at)                                                                  \
    LINE_1(TABLE("t", "numeric"), "\"t/3873\":{\"a\":3873,\"b\":\"-1.123\"}")                      \
    TXN("904", "0,10", FIND("update", "t", "a = 3873", ROW("3873", "\"-0.386\""), "1,8"))          \
    TXN("907", "20,30", FIND("update", "t", "a = 3873", ROW("3873", "\"0.484\""), "21,28"))        \
    TXN("914", at, FIND("select", "t", "a = 3873", ROW("3873", read), at))

static void an_inconsistent_read_is_found_that_closes_no_cycle(void)
{
    static const char stale[] = TWO_UPDATES_AND("\"-0.386\"", "40,50");
    static const char *const profiles[] = { "tidb/snapshot", "tidb/repeatable-read",
                                            "tidb/read-committed" };
    static const int64_t ids[] = { 914, 907, 904, 0 };
    static const enum level cycles[] = { LEVEL_READ_COMMITTED, LEVEL_REPEATABLE_READ,
                                         LEVEL_SNAPSHOT, LEVEL_SERIALIZABLE };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        refuse(profiles[i], stale, ANOMALY_INCONSISTENT_READ, ids);
        accept(profiles[i], TWO_UPDATES_AND("\"0.484\"", "40,50"));
        accept(profiles[i], TWO_UPDATES_AND("\"-0.386\"", "25,50"));
    }
    for (size_t i = 0; i < ROW_COUNT(cycles); i++) {
        struct history history;
        struct check check;

        read_text(stale, &history);
        check = fixture_check("infer", &history, cycles[i], 0);
        TEST_ASSERT_NOT_EQUAL_MESSAGE(VERDICT_INVALID, check.verdict, level_name(cycles[i]));
        check_close(&check);
        history_close(&history);
    }
}

/* 739 updates a row to what it is, and 723 updates it before 739 commits. */
#define NO_OP_UPDATE_AND(at)                                                                       \
    LINE_1(TABLE("t", "bigint"), "\"t/676\":{\"a\":676,\"b\":-5012153}")                           \
    TXN("739", "0,60",                                                                             \
        FIND("update", "t", "a = 676", ROW("676", "-5012153"), "1,8") ","                          \
        FIND("select", "t", "a = 1", "", "40,50"))                                                 \
    TXN("723", at, FIND("update", "t", "a = 676", ROW("676", "-852150"), at))

static void a_dirty_write_after_an_update_without_effect_is_found(void)
{
    static const int64_t ids[] = { 739, 723, 0 };
    static const char early[] = NO_OP_UPDATE_AND("20,30");

    refuse("tidb/repeatable-read", early, ANOMALY_LOCK_VIOLATION, ids);
    refuse("tidb/read-committed", early, ANOMALY_LOCK_VIOLATION, ids);
    refuse("tidb/snapshot", early, ANOMALY_LOST_UPDATE, ids);
    accept("tidb/repeatable-read", NO_OP_UPDATE_AND("20,65"));
    accept("tidb/snapshot", NO_OP_UPDATE_AND("62,65"));
}

/* 211 updates a row of t, and 324 has it FOR UPDATE before 211 commits, by a join with s. */
#define JOIN_FOR_UPDATE(b, at)                                                                     \
    LINE_1(TABLE("t", "bigint") "," TABLE("s", "bigint"),                                          \
           "\"t/1\":{\"a\":1,\"b\":2},\"s/2\":{\"a\":2,\"b\":1}")                                  \
    TXN("211", "0,60",                                                                             \
        FIND("update", "t", "a = 1", ROW("1", "3"), "1,8") ","                                     \
        FIND("select", "t", "a = 5", "", "40,50"))                                                 \
    TXN("324", at,                                                                                 \
        "{\"select\":\"s\",\"where\":\"a > 1\",\"lock\":\"update\",\"rows\":{" ROW("2", "1")       \
        "},\"at\":[" at "]},"                                                                      \
        "{\"select\":\"t\",\"where\":\"a = 1\",\"lock\":\"update\",\"rows\":{" ROW("1", b)         \
        "},\"at\":[" at "]}")

static void a_lock_that_a_join_for_update_does_not_take_is_found(void)
{
    static const int64_t ids[] = { 211, 324, 0 };

    refuse("tidb/repeatable-read", JOIN_FOR_UPDATE("2", "20,30"), ANOMALY_LOCK_VIOLATION, ids);
    refuse("tidb/read-committed", JOIN_FOR_UPDATE("2", "20,30"), ANOMALY_LOCK_VIOLATION, ids);
    accept("tidb/repeatable-read", JOIN_FOR_UPDATE("3", "20,65"));
    accept("tidb/read-committed", JOIN_FOR_UPDATE("3", "20,65"));
}

/* 213 deletes a row, 412 inserts it again and gets what it has inserted, and what was deleted. */
#define AFTER_DELETE_AND_INSERT(rows)                                                              \
    LINE_1(TABLE("s", "bigint"), "\"s/2\":{\"a\":2,\"b\":1}")                                      \
    TXN("213", "0,10", FIND("delete", "s", "a = 2", "\"2\":null", "1,8"))                          \
    TXN("412", "20,60",                                                                            \
        "{\"insert\":\"s\",\"rows\":{" ROW("2", "3") "},\"at\":[21,25]},"                          \
        "{\"select\":\"s\",\"where\":\"a = 2\",\"order\":\"b\",\"rows\":[" rows "],\"at\":[31,38]}")

static void two_versions_of_one_row_are_found(void)
{
    static const char *const profiles[] = { "tidb/snapshot", "tidb/repeatable-read",
                                            "tidb/read-committed" };
    static const int64_t ids[] = { 412, 0 };

    for (size_t i = 0; i < ROW_COUNT(profiles); i++) {
        refuse(profiles[i],
               AFTER_DELETE_AND_INSERT("[\"2\",{\"a\":2,\"b\":1}],[\"2\",{\"a\":2,\"b\":3}]"),
               ANOMALY_INTERNAL, ids);
        accept(profiles[i], AFTER_DELETE_AND_INSERT("[\"2\",{\"a\":2,\"b\":3}]"));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_inconsistent_read_is_found_that_closes_no_cycle);
    RUN_TEST(a_dirty_write_after_an_update_without_effect_is_found);
    RUN_TEST(a_lock_that_a_join_for_update_does_not_take_is_found);
    RUN_TEST(two_versions_of_one_row_are_found);
    return UNITY_END();
}
