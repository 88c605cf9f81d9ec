#include "tests/checkers/peers_fixture.h"

#include <inttypes.h>
#include <stdio.h>

#include "checkers/checker.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

_Static_assert(ANOMALY_COUNT <= 64, "a set of anomalies is a word");

struct asker {
    const struct checker *checker;
    const struct history *history;
    const char *what;
    bool is_small; /* for the oracle */
    unsigned failure_count;
};

static void complain(struct asker *a, enum level level, const char *how, const char *expected,
                     const char *got)
{
    printf("  %s, at %s: %s %s, not %s\n", a->what, level_name(level), how, got, expected);
    a->failure_count++;
}

/* What `weak` decides is Biswas and Enea's, where Adya has a level of the same name. */
static enum oracle_definition definition_of(const struct asker *a, enum level level)
{
    return level == LEVEL_READ_COMMITTED && text_equal(text_of(a->checker->name), TEXT("weak"))
               ? ORACLE_AXIOMATIC
               : ORACLE_DEFAULT;
}

static void ask_oracle(struct asker *a, enum level level, bool holds)
{
    struct oracle_options options = { .definition = definition_of(a, level) };
    enum oracle_answer expected = holds ? ORACLE_HOLDS : ORACLE_VIOLATED;
    enum oracle_answer answer;

    if (!a->is_small)
        return;
    answer = oracle_decide(a->history, level, options);
    if (answer != ORACLE_CANNOT_JUDGE && answer != expected)
        complain(a, level, "the oracle says", oracle_answer_name(expected),
                 oracle_answer_name(answer));
}

static void look_at_kinds(struct asker *a, const struct check *check, uint64_t kinds)
{
    for (int kind = 0; kind < ANOMALY_COUNT; kind++)
        if ((kinds >> kind & 1) && !fixture_has_kind(check, (enum anomaly)kind))
            complain(a, check->level, "the first finding is", anomaly_name((enum anomaly)kind),
                     check->findings.count > 0 ? anomaly_name(check->findings.at[0].kind)
                                               : "none");
}

static void look_at_witness(struct asker *a, const struct check *check)
{
    char reason[512];

    /* That a model holds which no level above it does has no witness of its own. */
    if (check->verdict == VERDICT_VALID && check->level > LEVEL_COUNT && check->witness.count == 0)
        return;
    if (!fixture_verify(a->history, (struct text){ check->witness.at, check->witness.count },
                        reason))
        complain(a, check->level, "verify says", "accepted", reason);
}

static void ask(struct asker *a, enum level level, bool holds, uint64_t kinds)
{
    enum verdict expected = holds ? VERDICT_VALID : VERDICT_INVALID;
    struct check_options options = { .level = level, .flags = CHECK_WITNESS };
    struct error err = { 0 };
    struct check check;

    ask_oracle(a, level, holds);
    if (checker_run(a->checker, a->history, &options, &check, &err) != STATUS_OK) {
        complain(a, level, "it is refused:", fixture_verdict_name(expected), err.text);
    } else if (check.verdict != expected) {
        complain(a, level, check.verdict == VERDICT_UNKNOWN ? check.reason : "the verdict is",
                 fixture_verdict_name(expected), fixture_verdict_name(check.verdict));
    } else {
        look_at_kinds(a, &check, kinds);
        look_at_witness(a, &check);
    }
    check_close(&check);
}

static unsigned ask_all(const char *checker, const struct history *history, bool is_small,
                        const struct peer_row *row)
{
    struct asker a = { checker_find(text_of(checker)), history, row->what, is_small, 0 };

    TEST_ASSERT_NOT_NULL_MESSAGE(a.checker, checker);
    ask(&a, row->asked, row->kinds == 0, row->kinds);
    for (int level = 0; level < LEVEL_END; level++) {
        if ((enum level)level == row->asked)
            continue;
        if (row->holds >> level & 1)
            ask(&a, (enum level)level, true, 0);
        if (row->violated >> level & 1)
            ask(&a, (enum level)level, false, 0);
    }
    return a.failure_count;
}

void peers_expect_of(const char *checker, const struct history *history,
                     const struct peer_row *row)
{
    TEST_ASSERT_EQUAL_MESSAGE(0, ask_all(checker, history, false, row), row->what);
}

void peers_expect(const char *checker, const struct peer_row *rows, size_t count)
{
    unsigned failures = 0;

    for (size_t i = 0; i < count; i++) {
        struct history history;

        notation_read(rows[i].notation, &history);
        failures += ask_all(checker, &history, true, &rows[i]);
        history_close(&history);
    }
    TEST_ASSERT_EQUAL_MESSAGE(0, failures, "see above");
}
