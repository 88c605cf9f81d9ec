/*
 * The audit against the oracle of tiny logs: the same verdicts, and witnesses that the verifier accepts.
 */
#include "audit/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/audit/tiny_audit.h"
#include "tests/audit/tiny_draw.h"
#include "tests/audit/tiny_oracle.h"
#include "tests/fixture.h"
#include "unity.h"

#define RUNS_MAX 200000
#define DIFFERENCES_SHOWN 3

/* A level as an audit is asked for it. */
struct asked {
    const char *name;
    enum level level;
    enum audit_model model;
    enum tiny_level weakest; /* what is held: it, or one of the stronger rules or models before it */
    unsigned stronger;       /* so many before it */
};

static const struct asked levels[] = {
    { "serializable", LEVEL_SERIALIZABLE, AUDIT_RC_LOCKING, TINY_SERIALIZABLE, 0 },
    { "strict-serializable", LEVEL_STRICT_SERIALIZABLE, AUDIT_RC_LOCKING, TINY_STRICT_SERIALIZABLE, 0 },
    { "snapshot", LEVEL_SNAPSHOT, AUDIT_RC_LOCKING, TINY_SNAPSHOT_BY_VALUE, 1 },
    { "strict-snapshot", LEVEL_STRICT_SNAPSHOT, AUDIT_RC_LOCKING, TINY_STRICT_SNAPSHOT_BY_VALUE, 1 },
    { "read-committed, locking", LEVEL_READ_COMMITTED, AUDIT_RC_LOCKING, TINY_RC_LOCKING, 0 },
    { "read-committed, statement", LEVEL_READ_COMMITTED, AUDIT_RC_STATEMENT, TINY_RC_STATEMENT, 1 },
    { "read-committed, paper", LEVEL_READ_COMMITTED, AUDIT_RC_PAPER, TINY_RC_PAPER, 2 },
};

#define ASKED_COUNT ROW_COUNT(levels)

struct tally {
    size_t valid, invalid, unknown, refuted, undecided;
};

static struct random dice;
static size_t differences;
static const char *only; /* levels with it in their names, or NULL */

void setUp(void) {}
void tearDown(void) {}

/* The first that has an execution, from the strongest on; TINY_LEVEL_COUNT: none. */
static enum tiny_level expected_at(const struct tiny_log *log, const struct tiny_read *read,
                                   const struct asked *asked)
{
    for (unsigned i = 0; i <= asked->stronger; i++) {
        enum tiny_level level = asked->weakest - asked->stronger + i;

        if (tiny_has_execution(log, level, text_of(read->digest), NULL))
            return level;
    }
    return TINY_LEVEL_COUNT;
}

static void show_difference(const struct tiny_read *read, const struct asked *asked,
                      const struct audit_verdict *verdict, const char *what, const char *more)
{
    differences++;
    if (differences > DIFFERENCES_SHOWN)
        return;
    printf("%s: %s %s\n%.*s%.*s\n", asked->name, what, more, (int)read->text.count, read->text.at,
           (int)verdict->witness.count, verdict->witness.at ? verdict->witness.at : "");
}

static void check_witness(const struct tiny_read *read, const struct asked *asked,
                          const struct audit_verdict *verdict, struct tally *tally)
{
    struct verification v;

    if (verdict->witness.count == 0) {
        show_difference(read, asked, verdict, "there is no witness", "");
        return;
    }
    v = tiny_verify(read, &verdict->witness);
    if (v.is_accepted)
        tally->refuted += verdict->verdict == VERDICT_INVALID;
    else if (verdict->verdict == VERDICT_INVALID && strncmp(v.reason, "undecided", 9) == 0)
        tally->undecided++;
    else
        show_difference(read, asked, verdict, "its witness is refused:", v.reason);
}

static void compare(const struct tiny_log *log, const struct tiny_read *read, const struct asked *asked,
                    struct tally *tally)
{
    struct audit_options options = { .level = asked->level,
                                     .model = asked->model,
                                     .wants_witness = true,
                                     .runs_max = RUNS_MAX };
    enum tiny_level expected = expected_at(log, read, asked);
    struct audit_verdict verdict;
    struct program program;
    struct error err = { 0 };

    ASSERT_OK(program_load(&program, text_of(tiny_program), &err), &err);
    ASSERT_OK(audit_run(&read->log, &program, &options, &verdict, &err), &err);
    if (verdict.verdict == VERDICT_VALID && expected == TINY_LEVEL_COUNT)
        show_difference(read, asked, &verdict, "valid, and there is no execution", "");
    if (verdict.verdict == VERDICT_INVALID && expected != TINY_LEVEL_COUNT)
        show_difference(read, asked, &verdict, "invalid, and there is an execution:", tiny_level_names[expected]);
    tally->valid += verdict.verdict == VERDICT_VALID;
    tally->invalid += verdict.verdict == VERDICT_INVALID;
    tally->unknown += verdict.verdict == VERDICT_UNKNOWN;
    if (verdict.verdict != VERDICT_UNKNOWN)
        check_witness(read, asked, &verdict, tally);
    audit_verdict_close(&verdict);
    program_close(&program);
}

static void verdicts_are_those_of_the_oracle(void)
{
    const char *seed = getenv("TINY_SEED");
    struct random_key key = random_key_of_seed(seed ? strtoull(seed, NULL, 10) : 1);
    struct tally tallies[ASKED_COUNT] = { { 0 } };
    size_t rounds = fixture_rounds(250);

    only = getenv("TINY_LEVEL");
    random_init(&dice, &key);
    for (size_t i = 0; i < rounds; i++) {
        struct tiny_log log;
        struct tiny_read read;

        tiny_draw(&dice, i % 50 == 0 ? 5 : 2 + (int)(i % 3), &log);
        tiny_read_log(&log, &read);
        for (size_t n = 0; n < ASKED_COUNT; n++)
            if (!only || strstr(levels[n].name, only))
                compare(&log, &read, &levels[n], &tallies[n]);
        tiny_read_close(&read);
    }
    for (size_t n = 0; n < ASKED_COUNT; n++) {
        const struct tally *t = &tallies[n];

        printf("%-26s %zu valid, %zu invalid (%zu of their cores verified, %zu undecided), %zu unknown\n",
               levels[n].name, t->valid, t->invalid, t->refuted, t->undecided, t->unknown);
        if (only)
            continue;
        TEST_ASSERT_GREATER_THAN_UINT(rounds / 4, t->valid);
        TEST_ASSERT_GREATER_THAN_UINT(rounds / 20, t->invalid);
        TEST_ASSERT_LESS_THAN_UINT(rounds / 20, t->unknown);
    }
    TEST_ASSERT_EQUAL_UINT(0, differences);
}

/*
 * skew(2, 1, 2) takes nothing from what there is at first, and nobody knows what it answered. It was placed
 * there for good, as one that only reads; but the last transaction needs what it writes later.
 */
static void who_may_write_later_is_not_placed_where_it_writes_nothing(void)
{
    struct tiny_log log = {
        .initial = { { { true, 1 }, { true, 0 }, { false, 0 } } },
        .txns = { { .call = TINY_QUIET, .arguments = { 2, 3 }, .answers = { { .is_rows = true } } },
                  { .call = TINY_SKEW,
                    .arguments = { 2, 1, 2 },
                    .has_ts = true,
                    .ts = 2,
                    .answers = { { .is_missing = true } } },
                  { .statements = { { TINY_ADD, 1, 2, 0 }, { TINY_READ, 2, 0, 0 } },
                    .statement_count = 2,
                    .has_ts = true,
                    .ts = 3,
                    .answers = { { .count = 1 },
                                 { .is_rows = true, .count = 1, .width = 1, .cells = { 3 } } } },
                  { .statements = { { TINY_READ_FOR_UPDATE, 2, 0, 0 },
                                    { TINY_INSERT_QUIETLY, 2, 2, 0 },
                                    { TINY_READ, 2, 0, 0 } },
                    .statement_count = 3,
                    .has_ts = true,
                    .ts = 4,
                    .answers = { { .is_rows = true, .count = 1, .width = 1, .cells = { 1 } },
                                 { .count = 0 },
                                 { .is_rows = true, .count = 1, .width = 1, .cells = { 1 } } } } },
        .count = 4,
    };
    struct tally tally = { 0 };
    struct tiny_read read;

    tiny_read_log(&log, &read);
    compare(&log, &read, &levels[0], &tally);
    tiny_read_close(&read);
    TEST_ASSERT_EQUAL_UINT(0, differences);
    TEST_ASSERT_EQUAL_UINT(1, tally.valid);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(who_may_write_later_is_not_placed_where_it_writes_nothing);
    RUN_TEST(verdicts_are_those_of_the_oracle);
    return UNITY_END();
}
