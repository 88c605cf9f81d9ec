/*
 * The audit against the oracle of tiny logs: the same verdicts, and witnesses that the verifier accepts.
 */
#include "audit/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/audit/tiny_audit.h"
#include "tests/audit/tiny_draw.h"
#include "tests/audit/tiny_oracle.h"
#include "tests/fixture.h"
#include "unity.h"

#define RUNS_MAX 200000
#define DIFFERENCES_SHOWN 20

struct tally {
    size_t valid, invalid, unknown, refuted, undecided;
    size_t not_proved, missed; /* unknown, and there is none, or an execution */
};

static struct random dice;
static size_t differences;
static size_t most_settled; /* logs of which something was settled before their ends */
static const char *only; /* levels with it in their names, or NULL */

void setUp(void) {}
void tearDown(void) {}

static void show_difference(const struct tiny_read *read, const struct tiny_asked *asked,
                      const struct audit_verdict *verdict, const char *what, const char *more)
{
    differences++;
    if (differences > DIFFERENCES_SHOWN)
        return;
    printf("%s: %s %s\n%.*s%.*s\n", asked->name, what, more, (int)read->text.count, read->text.at,
           (int)verdict->witness.count, verdict->witness.at ? verdict->witness.at : "");
}

static void check_witness(const struct tiny_read *read, const struct tiny_asked *asked,
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

typedef void judge_function(const struct tiny_read *, const struct audit_options *, struct audit_verdict *);

static void refute_it(const struct tiny_read *read, const struct audit_options *options,
                      struct audit_verdict *verdict)
{
    struct audit_options by_outcomes = *options;

    by_outcomes.by_outcomes = true;
    tiny_audit(read, &by_outcomes, verdict);
}

/* What a transaction has written is kept for each row by itself. */
static void refute_it_by_rows(const struct tiny_read *read, const struct audit_options *options,
                              struct audit_verdict *verdict)
{
    struct audit_options by_rows = *options;

    by_rows.whole_outcomes_max = 1;
    refute_it(read, &by_rows, verdict);
}

/* And rows are seen as if they had states of their own. */
static void refute_it_coarsely(const struct tiny_read *read, const struct audit_options *options,
                               struct audit_verdict *verdict)
{
    struct audit_options coarsely = *options;

    coarsely.exact_runs_max = 1;
    refute_it_by_rows(read, &coarsely, verdict);
}

/* In pieces of some bytes. */
static void follow_it(const struct tiny_read *read, const struct audit_options *options,
                      struct audit_verdict *verdict)
{
    struct audit_follow_options given = {
        .audit = *options, .name = "tiny", .programs = text_of(read->program.at), .step = 1 + (uint32_t)(read->text.count % 2)
    };
    struct audit_follow follow;
    struct error err = { 0 };

    audit_follow_init(&follow, &given);
    *verdict = (struct audit_verdict){ .verdict = VERDICT_UNKNOWN };
    for (size_t from = 0; from < read->text.count && !audit_follow_is_stuck(&follow); from += 50) {
        size_t left = read->text.count - from;

        ASSERT_OK(audit_follow_feed(&follow, (struct text){ read->text.at + from, left < 50 ? left : 50 }, &err), &err);
        if (!audit_follow_is_due(&follow))
            continue;
        ASSERT_OK(audit_follow_step(&follow, FOLLOW_GOES_ON, verdict, &err), &err);
        audit_verdict_close(verdict);
    }
    most_settled += follow.settled_count > 0;
    ASSERT_OK(audit_follow_step(&follow, audit_follow_is_stuck(&follow) ? FOLLOW_IS_CUT : FOLLOW_ENDS,
                                verdict, &err),
              &err);
    audit_follow_close(&follow);
}

static void compare(const struct tiny_log *log, const struct tiny_read *read, const struct tiny_asked *asked,
                    judge_function *judge, struct tally *tally)
{
    struct audit_options options = { .level = asked->level,
                                     .model = asked->model,
                                     .allows_unjudged = true,
                                     .wants_witness = true,
                                     .runs_max = RUNS_MAX };
    enum tiny_level expected = tiny_expected_at(log, read, asked);
    struct audit_verdict verdict;

    judge(read, &options, &verdict);
    if (verdict.verdict == VERDICT_VALID && expected == TINY_LEVEL_COUNT)
        show_difference(read, asked, &verdict, "valid, and there is no execution", "");
    if (verdict.verdict == VERDICT_INVALID && expected != TINY_LEVEL_COUNT)
        show_difference(read, asked, &verdict, "invalid, and there is an execution:", tiny_level_names[expected]);
    tally->valid += verdict.verdict == VERDICT_VALID;
    tally->invalid += verdict.verdict == VERDICT_INVALID;
    tally->unknown += verdict.verdict == VERDICT_UNKNOWN;
    tally->not_proved += verdict.verdict == VERDICT_UNKNOWN && expected == TINY_LEVEL_COUNT;
    if (verdict.verdict != VERDICT_UNKNOWN)
        check_witness(read, asked, &verdict, tally);
    tally->missed += verdict.verdict == VERDICT_UNKNOWN && expected != TINY_LEVEL_COUNT;
    audit_verdict_close(&verdict);
}

/* So many logs at each level, or at those that the environment names. */
static void compare_drawn(size_t rounds, judge_function *judge, struct tally *tallies)
{
    only = getenv("TINY_LEVEL");
    differences = 0;
    tiny_draw_begin(&dice, 1);
    for (size_t i = 0; i < rounds; i++) {
        struct tiny_log log;
        struct tiny_read read;

        tiny_draw(&dice, i % 50 == 0 ? 5 : 2 + (int)(i % 3), &log);
        tiny_read_log(&log, &read);
        for (size_t n = 0; n < TINY_ASKED_COUNT; n++)
            if (!only || strstr(tiny_asked[n].name, only))
                compare(&log, &read, &tiny_asked[n], judge, &tallies[n]);
        tiny_read_close(&read);
    }
    TEST_ASSERT_EQUAL_UINT(0, differences);
}

static void verdicts_are_those_of_the_oracle(void)
{
    struct tally tallies[TINY_ASKED_COUNT] = { { 0 } };
    size_t rounds = fixture_rounds(250);

    compare_drawn(rounds, tiny_audit, tallies);
    for (size_t n = 0; n < TINY_ASKED_COUNT; n++) {
        const struct tally *t = &tallies[n];

        printf("%-26s %zu valid, %zu invalid (%zu of their cores verified, %zu undecided), %zu unknown\n",
               tiny_asked[n].name, t->valid, t->invalid, t->refuted, t->undecided, t->unknown);
        if (only)
            continue;
        TEST_ASSERT_GREATER_THAN_UINT(rounds / 4, t->valid);
        TEST_ASSERT_GREATER_THAN_UINT(rounds / 20, t->invalid);
        TEST_ASSERT_LESS_THAN_UINT(rounds / 20, t->unknown);
    }
}

/* The proof for long logs, on short ones. It may fail, but not be wrong, however coarse it is. */
static void what_outcomes_refute_has_no_execution(void)
{
    static judge_function *const ways[] = { refute_it, refute_it_by_rows, refute_it_coarsely };
    static const char *const names[] = { "outcomes", "those of rows", "those of rows, coarsely" };
    size_t rounds = fixture_rounds(250);

    for (size_t i = 0; i < ROW_COUNT(ways); i++) {
        struct tally tallies[TINY_ASKED_COUNT] = { { 0 } };

        compare_drawn(rounds, ways[i], tallies);
        for (size_t n = 0; n < TINY_ASKED_COUNT; n++) {
            const struct tally *t = &tallies[n];

            printf("%-26s %zu refuted by %s (%zu verified), %zu not\n", tiny_asked[n].name, t->invalid, names[i],
                   t->refuted, t->not_proved);
            if (!only)
                TEST_ASSERT_GREATER_THAN_UINT(0, t->invalid);
        }
    }
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
    compare(&log, &read, &tiny_asked[0], tiny_audit, &tally);
    tiny_read_close(&read);
    TEST_ASSERT_EQUAL_UINT(0, differences);
    TEST_ASSERT_EQUAL_UINT(1, tally.valid);
}

/* They were refuted: what one does was taken for known where the others come before it in some executions only. */
static void what_depends_on_who_comes_first_is_not_refuted(void)
{
    static const struct tiny_log logs[] = {
        /* The second has the earlier ts; it comes later and finds no row. */
        { .initial = { { { true, 0 }, { true, 2 }, { false, 0 } } },
          .txns = { { .call = TINY_COPY,
                      .arguments = { 1, 2 },
                      .has_ts = true,
                      .ts = 2,
                      .answers = { { .is_rows = true } } },
                    { .statements = { { TINY_READ, 1, 0, 0 }, { TINY_DELETE_FROM, 0, 2, 0 } },
                      .statement_count = 2,
                      .has_ts = true,
                      .ts = 3,
                      .answers = { { .is_rows = true, .count = 1, .width = 1, .cells = { 0 } },
                                   { .count = 1 } } } },
          .count = 2 },
        /* The second locks a row before the third removes it, and writes nothing. */
        { .initial = { { { true, 0 }, { true, 1 }, { true, 0 } } },
          .txns = { { .statements = { { TINY_SET, 1, 2, 0 } },
                      .statement_count = 1,
                      .has_ts = true,
                      .ts = 1,
                      .answers = { { .count = 1 } } },
                    { .statements = { { TINY_READ, 1, 0, 0 },
                                      { TINY_READ_FOR_UPDATE, 2, 0, 0 },
                                      { TINY_READ, 1, 0, 0 } },
                      .statement_count = 3,
                      .answers = { { .is_rows = true, .count = 1, .width = 1, .cells = { 2 } },
                                   { .is_rows = true, .count = 1, .width = 1, .cells = { 1 } },
                                   { .is_rows = true, .count = 1, .width = 1, .cells = { 2 } } } },
                    { .statements = { { TINY_DELETE_FROM, 0, 1, 0 } },
                      .statement_count = 1,
                      .has_ts = true,
                      .ts = 3,
                      .answers = { { .count = 2 } } } },
          .count = 3 },
    };

    differences = 0;
    for (size_t i = 0; i < ROW_COUNT(logs); i++)
        for (size_t n = 0; n < 2 * TINY_ASKED_COUNT; n++) {
            struct tally tally = { 0 };
            struct tiny_read read;

            tiny_read_log(&logs[i], &read);
            compare(&logs[i], &read, &tiny_asked[n / 2], n % 2 ? refute_it : tiny_audit, &tally);
            tiny_read_close(&read);
        }
    TEST_ASSERT_EQUAL_UINT(0, differences);
}

/* Two of them saw one row as somebody had left it, and another as it was before. The rows were gone when they were named. */
static void what_is_settled_at_the_weakest_model_is_told_with_its_rows(void)
{
    struct tiny_log log = {
        .initial = { { { true, 0 }, { true, 0 }, { false, 0 } } },
        .txns = { { .statements = { { TINY_SET, 1, 1, 0 }, { TINY_SET, 2, 10, 0 } },
                    .statement_count = 2,
                    .has_ts = true,
                    .ts = 1,
                    .answers = { { .count = 1 }, { .count = 1 } } },
                  { .statements = { { TINY_ALL, 0, 0, 0 }, { TINY_SET, 1, 2, 0 } },
                    .statement_count = 2,
                    .has_ts = true,
                    .ts = 2,
                    .answers = { { .is_rows = true, .count = 2, .width = 2, .cells = { 2, 0, 1, 1 } }, { .count = 1 } } },
                  { .statements = { { TINY_SET, 1, 3, 0 }, { TINY_SET, 2, 30, 0 } },
                    .statement_count = 2,
                    .has_ts = true,
                    .ts = 3,
                    .answers = { { .count = 1 }, { .count = 1 } } },
                  { .statements = { { TINY_ALL, 0, 0, 0 }, { TINY_SET, 1, 4, 0 } },
                    .statement_count = 2,
                    .has_ts = true,
                    .ts = 4,
                    .answers = { { .is_rows = true, .count = 2, .width = 2, .cells = { 1, 3, 2, 10 } }, { .count = 1 } } } },
        .count = 4,
    };
    struct tally tally = { 0 };
    struct tiny_read read;

    differences = most_settled = 0;
    tiny_read_log(&log, &read);
    compare(&log, &read, &tiny_asked[TINY_ASKED_COUNT - 1], follow_it, &tally);
    tiny_read_close(&read);
    TEST_ASSERT_EQUAL_UINT(0, differences);
    TEST_ASSERT_EQUAL_UINT(1, tally.valid);
    TEST_ASSERT_EQUAL_UINT(1, most_settled);
}

/*
 * The second transaction makes 5 or 2 of row 2, the third adds 1 to what it finds there. It was taken for one that need
 * not tell 5 from 2, since it locks the row.
 */
static void what_is_locked_is_told_apart_where_it_is_changed(void)
{
    static judge_function *const ways[] = { refute_it, refute_it_by_rows, refute_it_coarsely };

    differences = 0;
    for (int read = 3; read <= 7; read++) {
        struct tiny_log log = {
            .initial = { { { true, 2 }, { true, 0 }, { false, 0 } } },
            .txns = { { .statements = { { TINY_SET, 1, 5, 0 } },
                        .statement_count = 1,
                        .has_ts = true,
                        .ts = 1,
                        .answers = { { .count = 1 } } },
                      { .call = TINY_COPY,
                        .arguments = { 1, 2 },
                        .has_ts = true,
                        .ts = 2,
                        .answers = { { .is_rows = true } } },
                      { .statements = { { TINY_ADD, 2, 1, 0 } },
                        .statement_count = 1,
                        .has_ts = true,
                        .ts = 3,
                        .answers = { { .count = 1 } } },
                      { .statements = { { TINY_READ, 2, 0, 0 } },
                        .statement_count = 1,
                        .has_ts = true,
                        .ts = 4,
                        .answers = { { .is_rows = true, .count = 1, .width = 1, .cells = { read } } } } },
            .count = 4,
        };
        struct tiny_read text;

        tiny_read_log(&log, &text);
        for (size_t n = 0; n < TINY_ASKED_COUNT; n++)
            for (size_t i = 0; i < ROW_COUNT(ways); i++) {
                struct tally tally = { 0 };

                compare(&log, &text, &tiny_asked[n], ways[i], &tally);
            }
        tiny_read_close(&text);
    }
    TEST_ASSERT_EQUAL_UINT(0, differences);
}

/*
 * The first cannot have seen the second, since the third, which stands before that, was invoked after its answer: the
 * proof needs the third.
 */
static void who_came_too_late_to_be_seen_belongs_to_the_core(void)
{
    struct tiny_log log = {
        .initial = { { { true, 0 }, { true, 2 }, { true, 1 } } },
        .txns = { { .statements = { { TINY_ADD_IF, 2, 1, 0 } },
                    .statement_count = 1,
                    .has_ts = true,
                    .ts = 3,
                    .has_times = true,
                    .invoked = -88,
                    .completed = 215,
                    .answers = { { .count = 1 } } },
                  { .statements = { { TINY_ADD_FROM, 0, 1, 1 }, { TINY_UPSERT, 3, 1, 0 } },
                    .statement_count = 2,
                    .has_ts = true,
                    .ts = 2,
                    .has_times = true,
                    .invoked = 161,
                    .completed = 288,
                    .answers = { { .count = 2 }, { .count = 1 } } },
                  { .statements = { { TINY_ADD, 1, 2, 0 } },
                    .statement_count = 1,
                    .has_ts = true,
                    .ts = 1,
                    .has_times = true,
                    .invoked = 301,
                    .completed = 392,
                    .answers = { { .count = 1 } } } },
        .count = 3,
    };
    struct tally tally = { 0 };
    struct tiny_read read;

    differences = 0;
    tiny_read_log(&log, &read);
    compare(&log, &read, &tiny_asked[3], refute_it, &tally);
    tiny_read_close(&read);
    TEST_ASSERT_EQUAL_UINT(0, differences);
    TEST_ASSERT_EQUAL_UINT(1, tally.invalid);
}

static void a_log_that_is_followed_is_judged_as_a_whole(void)
{
    struct tally tallies[TINY_ASKED_COUNT] = { { 0 } }, all = { 0 };
    size_t rounds = fixture_rounds(80);

    compare_drawn(rounds, follow_it, tallies);
    for (size_t n = 0; n < TINY_ASKED_COUNT; n++) {
        all.valid += tallies[n].valid;
        all.invalid += tallies[n].invalid;
        all.unknown += tallies[n].unknown;
        all.missed += tallies[n].missed;
    }
    printf("followed: %zu valid, %zu invalid, %zu unknown, of which %zu have an execution; of %zu something was settled\n",
           all.valid, all.invalid, all.unknown, all.missed, most_settled);
    TEST_ASSERT_GREATER_THAN_UINT(rounds, all.valid);
    TEST_ASSERT_GREATER_THAN_UINT(rounds / 8, all.invalid);
    TEST_ASSERT_GREATER_THAN_UINT(rounds, most_settled);
    TEST_ASSERT_LESS_THAN_UINT(all.valid / 4, all.missed);
}

/* What several threads come to is what one comes to, down to the witness. */
static void audit_by_threads(const struct tiny_read *read, const struct audit_options *options,
                             struct audit_verdict *verdict)
{
    struct audit_options by_threads = *options;
    struct audit_verdict one;

    by_threads.threads = 3;
    tiny_audit(read, options, &one);
    tiny_audit(read, &by_threads, verdict);
    TEST_ASSERT_EQUAL_INT(one.verdict, verdict->verdict);
    TEST_ASSERT_EQUAL_STRING(one.reason, verdict->reason);
    TEST_ASSERT_EQUAL_UINT(one.witness.count, verdict->witness.count);
    if (one.witness.count > 0)
        TEST_ASSERT_EQUAL_MEMORY(one.witness.at, verdict->witness.at, one.witness.count);
    audit_verdict_close(&one);
}

static void threads_change_neither_verdict_nor_witness(void)
{
    struct tally tallies[TINY_ASKED_COUNT] = { { 0 } };

    compare_drawn(fixture_rounds(60), audit_by_threads, tallies);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_depends_on_who_comes_first_is_not_refuted);
    RUN_TEST(who_may_write_later_is_not_placed_where_it_writes_nothing);
    RUN_TEST(what_is_locked_is_told_apart_where_it_is_changed);
    RUN_TEST(verdicts_are_those_of_the_oracle);
    RUN_TEST(what_outcomes_refute_has_no_execution);
    RUN_TEST(threads_change_neither_verdict_nor_witness);
    RUN_TEST(what_is_settled_at_the_weakest_model_is_told_with_its_rows);
    RUN_TEST(who_came_too_late_to_be_seen_belongs_to_the_core);
    RUN_TEST(a_log_that_is_followed_is_judged_as_a_whole);
    return UNITY_END();
}
