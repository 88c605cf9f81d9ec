#include "tests/checkers/checker_fixture.h"

#include <stdio.h>

#include "tests/oracle/notation.h"
#include "unity.h"

const char *fixture_verdict_name(enum verdict verdict)
{
    static const char *const names[] = { "valid", "invalid", "unknown" };

    return names[verdict];
}

struct check fixture_check(const char *checker, const struct history *history, enum level level,
                           unsigned flags)
{
    struct check_options options = { .level = level, .flags = flags };
    struct error err = { 0 };
    struct check check;

    ASSERT_OK(checker_run(checker_find(text_of(checker)), history, &options, &check, &err), &err);
    TEST_ASSERT_TRUE(check.verdict == VERDICT_INVALID || check.findings.count == 0);
    TEST_ASSERT_TRUE(check.verdict != VERDICT_INVALID || check.findings.count > 0);
    TEST_ASSERT_EQUAL(check.verdict == VERDICT_UNKNOWN, check.reason[0] != '\0');
    return check;
}

enum anomaly fixture_first_kind(const char *checker, const char *notation, enum level level)
{
    struct history history;
    struct check check;
    enum anomaly kind;

    notation_read(notation, &history);
    check = fixture_check(checker, &history, level, CHECK_WITNESS);
    kind = check.findings.count > 0 ? check.findings.at[0].kind : ANOMALY_COUNT;
    check_close(&check);
    history_close(&history);
    return kind;
}

void fixture_expect(const char *checker, const char *notation, enum level level,
                    enum verdict expected)
{
    struct history history;
    struct check check;
    char label[300];

    notation_read(notation, &history);
    check = fixture_check(checker, &history, level, CHECK_WITNESS);
    snprintf(label, sizeof label, "%s at %s: %s", checker, level_name(level), notation);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(fixture_verdict_name(expected),
                                     fixture_verdict_name(check.verdict), label);
    check_close(&check);
    history_close(&history);
}

bool fixture_has_kind(const struct check *check, enum anomaly kind)
{
    for (size_t i = 0; i < check->findings.count; i++)
        if (check->findings.at[i].kind == kind)
            return true;
    return false;
}

static bool has_txn(const struct check_finding *finding, const struct history *history, int64_t id)
{
    for (size_t i = 0; i < finding->txn_count; i++)
        if (history->txn_id[finding->txns[i]] == id)
            return true;
    return false;
}

bool fixture_has_finding(const struct check *check, const struct history *history,
                         enum anomaly kind, const int64_t *ids, size_t count)
{
    for (size_t i = 0; i < check->findings.count; i++) {
        const struct check_finding *finding = &check->findings.at[i];
        size_t found = 0;

        for (size_t k = 0; k < count; k++)
            found += has_txn(finding, history, ids[k]);
        if (finding->kind == kind && finding->txn_count == count && found == count)
            return true;
    }
    return false;
}
