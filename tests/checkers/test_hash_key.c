/*
 * Tables have a random key where files of strangers are read: nothing that anybody is told may
 * depend on it. Histories are read back from files, since readers have most of the tables.
 */
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkers/checker.h"
#include "history/format.h"
#include "programs/generator/generate.h"
#include "tests/fixture.h"
#include "unity.h"

static struct hash_key fixed;
static struct error err;
static char path[] = "/tmp/ordeal-hash-key-XXXXXX.jsonl";

void setUp(void)
{
    fixed = hash_key;
}

void tearDown(void)
{
    hash_set_key(fixed);
}

/* Verdict, findings and witness of every checker that judges it. */
static void tell_all(enum level level, struct buffer *out)
{
    struct history h;
    struct check_options options = { .level = level, .flags = CHECK_WITNESS };

    ASSERT_OK(format_read_history(path, FORMAT_ANY, NULL, &h, &err), &err);
    for (const struct checker *const *c = checkers_all(); *c; c++) {
        struct error why = { 0 };
        struct check check = { 0 };

        if (checker_examine(*c, &h, level, &why) != STATUS_OK)
            continue;
        ASSERT_OK(checker_run(*c, &h, &options, &check, &err), &err);
        buffer_print(out, "%s %s %s\n", (*c)->name, checker_verdict_name(check.verdict),
                     check.reason);
        for (size_t i = 0; i < check.findings.count; i++)
            buffer_print(out, "%s %s %s\n", anomaly_name(check.findings.at[i].kind),
                         check.findings.at[i].explanation, check.findings.at[i].proof);
        buffer_text(out, (struct text){ check.witness.at, check.witness.count });
        check_close(&check);
    }
    buffer_byte(out, '\0');
    history_close(&h);
}

static void write_history(const char *workload, enum anomaly plant)
{
    struct generate_options options = generate_defaults(workload_find(text_of(workload)));
    struct planted planted;
    struct history h;

    options.transactions = 60;
    options.seed = 7;
    options.plant = plant;
    ASSERT_OK(generate(&options, &h, &planted, &err), &err);
    ASSERT_OK(format_write_history(&h, FORMAT_JSONL, path, NULL, &err), &err);
    history_close(&h);
}

static void nothing_that_is_told_depends_on_the_key(void)
{
    static const struct {
        const char *workload;
        enum anomaly plant;
        enum level level;
    } rows[] = {
        { "rw-mix", GENERATE_NO_PLANT, LEVEL_SERIALIZABLE },
        { "rw-mix", ANOMALY_G2_ITEM, LEVEL_SERIALIZABLE },
        { "rw-mix", ANOMALY_LOST_UPDATE, LEVEL_SNAPSHOT },
        { "predicate-mix", GENERATE_NO_PLANT, LEVEL_SERIALIZABLE },
        { "predicate-mix", ANOMALY_G1A, LEVEL_SNAPSHOT },
        { "blindw-rw", ANOMALY_G_SINGLE, LEVEL_SERIALIZABLE },
        { "list-append", GENERATE_NO_PLANT, LEVEL_SERIALIZABLE },
        { "list-append", ANOMALY_G1C, LEVEL_CAUSAL },
    };

    close(mkstemps(path, 6));
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct buffer with_fixed = { 0 };

        hash_set_key(fixed);
        write_history(rows[i].workload, rows[i].plant);
        tell_all(rows[i].level, &with_fixed);
        TEST_ASSERT_TRUE(with_fixed.count > 100);
        for (int key = 0; key < 3; key++) {
            struct buffer with_other = { 0 };

            hash_set_key(hash_random_key());
            tell_all(rows[i].level, &with_other);
            TEST_ASSERT_EQUAL_STRING_MESSAGE(with_fixed.at, with_other.at, rows[i].workload);
            buffer_close(&with_other);
        }
        buffer_close(&with_fixed);
    }
    unlink(path);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(nothing_that_is_told_depends_on_the_key);
    return UNITY_END();
}
