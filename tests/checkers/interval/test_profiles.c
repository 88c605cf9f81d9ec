/*
 * Each profile against the same histories, among them Leopard's figures 5, 6 and 7: which it
 * refuses stands in a table, and all others it accepts.
 *
 *     T1 0-50: r x 0 1-5, w x 1 10-12     a transaction from 0 to 50, and its operations;
 *                                         `for` is a read FOR UPDATE
 */
#include <inttypes.h>
#include <stdio.h>
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

/* --- Histories ------------------------------------------------------------------------------ */

/* What is to come of it is one word, by which the table below calls it. */
static const struct {
    const char *name, *history;
} histories[] = {
    /* The first bug of section VI-F: a garbage version. */
    { "stale", "T1 0-10: w x 1 1-5; T2 20-30: w x 2 21-25; T3 40-50: r x 1 41-45" },
    { "future", "T1 0-10: r x 1 1-5; T2 20-30: w x 1 21-25" },
    { "aborted", "T1 abort 0-10: w x 1 1-5; T2 20-30: r x 1 21-25" },
    /* Half of what another wrote. */
    { "fractured", "T1 0-100: r x 0 1-5, r y 1 50-55; T2 10-40: w x 1 11-12, w y 1 13-14" },
    /* Figure 5: pivot, pivot overlap and overlap versions may all be seen. */
    { "figure-5", "T1 0-30: w x 1 1-5; T2 35-60: w x 2 45-50; T3 35-41: r x 1 36-40; "
                  "T4 52-58: r x 2 53-57; T5 52-59: r x 1 53-57; T6 70-80: r x 2 71-72" },
    /* Figure 6 (a): in both orders two had the lock at once. */
    { "figure-6a", "T1 0-50: w x 1 1-5, r z 0 40-42; T2 10-70: w x 2 11-15, r z 0 60-62" },
    { "figure-6b", "T1 0-50: w x 1 1-5, r z 0 40-42; T2 10-70: w x 2 11-55, r z 0 60-62" },
    /* Figure 7 (a): neither saw the other's update. */
    { "figure-7a", "T1 0-50: r x 0 1-5, w x 1 10-12; T2 2-90: r x 0 3-7, w x 2 55-60" },
    { "figure-7b", "T1 0-50: r x 0 1-20, w x 1 21-22; T2 30-90: r x 1 51-55, w x 2 60-61" },
    { "skew", "T1 0-50: r x 0 1-5, w y 1 10-12; T2 2-52: r y 0 3-7, w x 2 13-15" },
    /* In order as T3, T1, T2, but the two anti-dependencies are there. */
    { "structure", "T1 0-80: r y 0 1-2, w x 2 70-71; T2 5-40: r z 0 10-11, w y 3 20-21; "
                   "T3 12-90: r x 0 13-14, w v 1 60-61" },
    /* T2 follows T1, but T3 sees only T2. */
    { "reverse", "T1 0-10: w x 1 1-2; T2 20-30: w y 1 21-22; T3 5-40: r x 0 6-7, r y 1 35-36" },
    { "locked-read", "T1 0-50: for x 0 1-5, r z 0 40-41; T2 10-30: w x 1 11-12, r z 0 20-21" },
    /* Nothing stands at n: few lock that. */
    { "locked-nothing", "T1 0-50: for n _ 1-5, r z 0 40-41; T2 10-30: w n 1 11-12, r z 0 20-21" },
    /* Who reads what a transaction left behind reads that for as long as it stands. */
    { "own", "T1 0-50: w x 1 1-5, r x 1 10-12; T2 60-70: r x 1 61-62, w y 1 63-64" },
};

#define LOCKED "locked-read figure-6a "
#define SNAPSHOT "stale future aborted fractured reverse "
#define LATEST "stale future aborted "
#define AT_ONCE SNAPSHOT "figure-5 "  LOCKED "locked-nothing figure-7a skew structure"
#define BY_COMMITS "stale future aborted fractured figure-7a skew"

static const struct {
    const char *profile, *refused;
} expected[] = {
    { "postgresql/serializable", SNAPSHOT LOCKED "figure-7a skew structure" },
    { "postgresql/snapshot", SNAPSHOT LOCKED "figure-7a" },
    { "postgresql/read-committed", LATEST LOCKED },
    { "opengauss/snapshot", SNAPSHOT LOCKED "figure-7a" },
    { "opengauss/read-committed", LATEST LOCKED },
    { "yugabytedb/serializable", BY_COMMITS },
    { "yugabytedb/snapshot", "stale future aborted fractured figure-7a" },
    { "yugabytedb/read-committed", LATEST },
    { "innodb/serializable", AT_ONCE },
    { "innodb/repeatable-read", SNAPSHOT LOCKED },
    { "innodb/read-committed", LATEST LOCKED },
    { "sqlserver/serializable", AT_ONCE },
    { "sqlserver/snapshot", SNAPSHOT LOCKED "figure-7a" },
    { "sqlserver/repeatable-read",
      LATEST LOCKED "figure-5 fractured reverse figure-7a skew structure" },
    { "sqlserver/read-committed", LATEST LOCKED },
    { "aurora/serializable", AT_ONCE },
    { "aurora/repeatable-read", SNAPSHOT LOCKED },
    { "aurora/read-committed", LATEST LOCKED },
    { "polardb/serializable", AT_ONCE },
    { "polardb/repeatable-read", SNAPSHOT LOCKED },
    { "polardb/read-committed", LATEST LOCKED },
    { "tidb/snapshot", SNAPSHOT "figure-7a" },
    { "tidb/repeatable-read", SNAPSHOT LOCKED },
    { "tidb/read-committed", LATEST LOCKED },
    { "rocksdb/snapshot", SNAPSHOT LOCKED "figure-7a" },
    { "rocksdb/optimistic-snapshot", SNAPSHOT "figure-7a" },
    { "sqlite/serializable", SNAPSHOT "figure-6a figure-7a skew" },
    { "foundationdb/serializable", SNAPSHOT "figure-7a skew structure" },
    { "singlestore/read-committed", LATEST LOCKED },
    { "cockroachdb/serializable", BY_COMMITS },
    { "spanner/serializable", SNAPSHOT "figure-7a skew" },
    { "oracle/snapshot", SNAPSHOT LOCKED "figure-7a" },
    { "oracle/read-committed", LATEST LOCKED },
    { "saphana/snapshot", SNAPSHOT LOCKED "figure-7a" },
    { "saphana/read-committed", LATEST LOCKED },
    { "oceanbase/snapshot", SNAPSHOT LOCKED "figure-7a" },
    { "oceanbase/read-committed", LATEST LOCKED },
    { "nuodb/snapshot", "future aborted fractured figure-7a" },
    { "nuodb/read-committed", "future aborted" },
    { "ordeal/mvto", BY_COMMITS },
    { "ordeal/2pl", AT_ONCE },
    { "ordeal/occ", "future aborted fractured figure-7a skew" },
    { "ordeal/ssi", "future aborted fractured figure-7a skew" },
    { "ordeal/si", "future aborted fractured figure-7a" },
    { "ordeal/rc", "future aborted" },
};

/* --- Reading them ------------------------------------------------------------------------- */

static const char *print_op(const char *at, struct buffer *out)
{
    char kind[8], key[8], value[8];
    int from, to, length = 0;

    TEST_ASSERT_EQUAL_MESSAGE(5, sscanf(at, " %7s %7s %7s %d-%d%n", kind, key, value, &from, &to,
                                        &length), at);
    buffer_print(out, "{\"%c\":\"%s\",\"v\":%s", kind[0] == 'w' ? 'w' : 'r', key,
                 value[0] == '_' ? "null" : value);
    buffer_print(out, "%s,\"at\":[%d,%d]}", kind[0] == 'f' ? ",\"lock\":\"update\"" : "", from,
                 to);
    return at + length;
}

static const char *print_txn(const char *at, struct buffer *out)
{
    int id, from, to, length = 0;
    bool is_aborted;

    TEST_ASSERT_EQUAL_MESSAGE(1, sscanf(at, " T%d %n", &id, &length), at);
    is_aborted = strncmp(at + length, "abort", 5) == 0;
    at += length + (is_aborted ? 5 : 0);
    TEST_ASSERT_EQUAL_MESSAGE(2, sscanf(at, " %d-%d:%n", &from, &to, &length), at);
    buffer_print(out, "{\"txn\":%d,\"session\":%d,\"status\":\"%s\",\"at\":[%d,%d],\"ops\":[", id, id,
                 is_aborted ? "abort" : "ok", from, to);
    at = print_op(at + length, out);
    while (*at == ',') {
        buffer_byte(out, ',');
        at = print_op(at + 1, out);
    }
    buffer_text(out, TEXT("]}\n"));
    return at + (*at == ';');
}

static void read_history(const char *text, struct history *history)
{
    struct buffer lines = { 0 };
    struct source source;

    buffer_text(&lines, TEXT("{\"ordeal-history\":1,\"initial\":"
                             "{\"x\":0,\"y\":0,\"z\":0,\"v\":0}}\n"));
    while (*text != '\0')
        text = print_txn(text, &lines);
    TEST_ASSERT_FALSE(lines.out_of_memory);
    ASSERT_OK(source_open_memory(&source, "memory", lines.at, lines.count, &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, history, &err), &err);
    source_close(&source);
    buffer_close(&lines);
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static struct check judge(const char *text, const struct profile *profile)
{
    struct check_options options = { .level = profile->level, .profile = profile };
    struct history history;
    struct check check;

    read_history(text, &history);
    ASSERT_OK(checker_run(checker_find(TEXT("interval")), &history, &options, &check, &err), &err);
    history_close(&history);
    return check;
}

static void each_profile_refuses_what_its_database_would_not_do(void)
{
    for (size_t i = 0; i < ROW_COUNT(expected); i++)
        for (size_t j = 0; j < ROW_COUNT(histories); j++) {
            const struct profile *profile = profile_find(text_of(expected[i].profile));
            enum verdict verdict = has_word(expected[i].refused, histories[j].name)
                                       ? VERDICT_INVALID
                                       : VERDICT_VALID;
            struct check check;
            char message[700];

            TEST_ASSERT_NOT_NULL_MESSAGE(profile, expected[i].profile);
            check = judge(histories[j].history, profile);
            snprintf(message, sizeof message, "%s of %s: %s", expected[i].profile,
                     histories[j].name,
                     check.findings.count > 0 ? check.findings.at[0].explanation : "");
            TEST_ASSERT_EQUAL_STRING_MESSAGE(fixture_verdict_name(verdict),
                                             fixture_verdict_name(check.verdict), message);
            check_close(&check);
        }
}

static void no_profile_is_left_out(void)
{
    unsigned count;
    const struct profile *all = profile_all(&count);

    TEST_ASSERT_EQUAL(ROW_COUNT(expected), count);
    for (unsigned i = 0; i < count; i++)
        TEST_ASSERT_EQUAL_STRING(all[i].name, expected[i].profile);
}

static void no_profile_contradicts_itself(void)
{
    unsigned count;
    const struct profile *all = profile_all(&count);

    for (unsigned i = 0; i < count; i++)
        ASSERT_OK(profile_check(&all[i], &err), &err);
}

/* --- What is told ------------------------------------------------------------------------------ */

static void expect_told(const char *profile, const char *name, const char *const *words)
{
    struct check check;

    for (size_t i = 0; i < ROW_COUNT(histories); i++)
        if (strcmp(histories[i].name, name) == 0)
            check = judge(histories[i].history, profile_find(text_of(profile)));
    TEST_ASSERT_GREATER_THAN(0, check.findings.count);
    for (size_t i = 0; words[i]; i++)
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(check.findings.at[0].explanation, words[i]),
                                     check.findings.at[0].explanation);
    TEST_ASSERT_NOT_NULL(strstr(check.findings.at[0].drawing, "commits"));
    check_close(&check);
}

static void every_possible_order_is_told_with_why_it_cannot_be(void)
{
    expect_told("innodb/read-committed", "figure-6a",
                (const char *const[]){ "mutual exclusion: ", "x=1 (operation 0)", "within [11, 15]",
                                       "(1) T1 first: it gave the lock back at its commit, at 42 at "
                                       "the earliest, and T2 had it by 15 at the latest",
                                       "(2) T2 first: ", NULL });
    expect_told("sqlserver/snapshot", "figure-7a",
                (const char *const[]){ "first updater wins: ", "x=2 (operation 1)",
                                       "(1) T1 first: ", "(2) T2 first: ", "and T1 had looked", NULL });
    expect_told("postgresql/snapshot", "stale",
                (const char *const[]){ "consistent read: T3 read x=1 (operation 0) within [41, 45]",
                                       "(1) T1 wrote that", "T2 had overwritten it",
                                       "it could have read T2's x=2", NULL });
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_profile_refuses_what_its_database_would_not_do);
    RUN_TEST(no_profile_is_left_out);
    RUN_TEST(no_profile_contradicts_itself);
    RUN_TEST(every_possible_order_is_told_with_why_it_cannot_be);
    return UNITY_END();
}
