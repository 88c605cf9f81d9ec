/*
 * The verifier against the oracle of tiny logs: it takes the executions that the oracle finds, and none that
 * the oracle says there cannot be.
 */
#include "tests/audit/tiny_audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/audit/audit_fixture.h"
#include "tests/audit/tiny_draw.h"
#include "tests/audit/tiny_oracle.h"
#include "tests/fixture.h"
#include "unity.h"

static struct random dice;

void setUp(void) {}
void tearDown(void) {}

static struct verification verify_at(const struct tiny_log *log, const struct tiny_read *read,
                                     const struct buffer *witness)
{
    (void)log;
    return tiny_verify(read, witness);
}

static void fail_with(const struct tiny_read *read, const struct buffer *witness, const char *level,
                      const char *what, const struct verification *v)
{
    static char message[8000];

    snprintf(message, sizeof message, "%s: %s\n%.*s%.*s\n%s", level, what, (int)read->text.count,
             read->text.at, (int)witness->count, witness->at, v->reason);
    TEST_FAIL_MESSAGE(message);
}

static void every_execution_that_the_oracle_finds_is_accepted(void)
{
    struct random_key key = random_key_of_seed(7);
    unsigned valid[TINY_LEVEL_COUNT] = { 0 };
    size_t rounds = fixture_rounds(150);

    random_init(&dice, &key);
    for (size_t i = 0; i < rounds; i++) {
        struct tiny_log log;
        struct tiny_read read;

        tiny_draw(&dice, 2 + (int)(i % 3), &log);
        tiny_read_log(&log, &read);
        for (enum tiny_level level = 0; level < TINY_LEVEL_COUNT; level++) {
            struct buffer witness = { 0 };
            struct verification v;

            if (tiny_has_execution(&log, level, text_of(read.digest), &witness)) {
                valid[level]++;
                v = verify_at(&log, &read, &witness);
                if (!v.is_accepted)
                    fail_with(&read, &witness, tiny_level_names[level], "a true witness is refused", &v);
            }
            buffer_close(&witness);
        }
        tiny_read_close(&read);
    }
    for (enum tiny_level level = 0; level < TINY_LEVEL_COUNT; level++) {
        printf("%s: %u of %zu have an execution\n", tiny_level_names[level], valid[level], rounds);
        TEST_ASSERT_GREATER_THAN_UINT_MESSAGE(rounds / 10, valid[level], tiny_level_names[level]);
        TEST_ASSERT_LESS_THAN_UINT_MESSAGE(rounds, valid[level], tiny_level_names[level]);
    }
}

/* Changes one number of the order, the states or the absent ones. */
static void change_witness(struct buffer *witness)
{
    size_t from = 0, digits = 0, wanted;
    const char *body;

    buffer_byte(witness, '\0');
    body = strstr(witness->at, "\"order\"");
    witness->count--;
    TEST_ASSERT_NOT_NULL(body);
    from = (size_t)(body - witness->at);
    for (size_t i = from; i < witness->count; i++)
        digits += witness->at[i] >= '0' && witness->at[i] <= '9';
    if (digits == 0)
        return;
    wanted = (size_t)random_below(&dice, digits);
    for (size_t i = from; i < witness->count; i++)
        if (witness->at[i] >= '0' && witness->at[i] <= '9' && wanted-- == 0) {
            witness->at[i] = (char)('0' + random_below(&dice, 5));
            return;
        }
}

static void a_witness_that_is_accepted_is_of_a_log_that_has_an_execution(void)
{
    struct random_key key = random_key_of_seed(8);
    size_t rounds = fixture_rounds(120), accepted = 0, refused = 0;

    random_init(&dice, &key);
    for (size_t i = 0; i < rounds; i++) {
        struct tiny_log log, other;
        struct tiny_read read;

        tiny_draw(&dice, 2 + (int)(i % 3), &log);
        other = log;
        /* The witness of another log, in which an answer is missing. */
        other.txns[random_below(&dice, (uint64_t)log.count)].answers[0].is_missing = true;
        tiny_read_log(&log, &read);
        for (enum tiny_level level = 0; level < TINY_LEVEL_COUNT; level++) {
            struct buffer witness = { 0 };
            struct verification v;

            if (tiny_has_execution(&other, level, text_of(read.digest), &witness)) {
                if (random_below(&dice, 3) > 0)
                    change_witness(&witness);
                v = verify_at(&log, &read, &witness);
                accepted += v.is_accepted;
                refused += !v.is_accepted;
                if (strncmp(v.reason, "undecided", 9) == 0)
                    fail_with(&read, &witness, tiny_level_names[level], "undecided", &v);
                if (v.is_accepted && !tiny_has_execution(&log, level, text_of(read.digest), NULL))
                    fail_with(&read, &witness, tiny_level_names[level], "a false witness is accepted", &v);
            }
            buffer_close(&witness);
        }
        tiny_read_close(&read);
    }
    printf("%zu changed witnesses accepted, %zu refused\n", accepted, refused);
    TEST_ASSERT_GREATER_THAN_UINT(rounds / 10, accepted);
    TEST_ASSERT_GREATER_THAN_UINT(rounds / 10, refused);
}

/* As the witness has it; snapshots are refuted by value, which is the weaker rule. */
static const char *const refuted_levels[TINY_LEVEL_COUNT] = {
    [TINY_SERIALIZABLE] = "\"serializable\"",
    [TINY_STRICT_SERIALIZABLE] = "\"strict-serializable\"",
    [TINY_SNAPSHOT_BY_VALUE] = "\"snapshot\"",
    [TINY_STRICT_SNAPSHOT_BY_VALUE] = "\"strict-snapshot\"",
    [TINY_RC_LOCKING] = "\"read-committed\",\"model\":\"locking\"",
    [TINY_RC_STATEMENT] = "\"read-committed\",\"model\":\"statement\"",
    [TINY_RC_PAPER] = "\"read-committed\",\"model\":\"paper\"",
};

/* `is_whole`: all transactions are in the core. */
static void print_refutation(const struct tiny_log *log, const struct tiny_read *read, enum tiny_level level,
                             bool *is_whole, struct buffer *out)
{
    int named = 0;

    buffer_print(out, "{\"ordeal-audit\":1,\"log\":\"%s\",\"level\":%s,\"verdict\":\"invalid\",", read->digest,
                 refuted_levels[level]);
    if (random_below(&dice, 2))
        buffer_print(out, "\"wrong\":{\"txn\":%d},", 1 + (int)random_below(&dice, (uint64_t)log->count));
    buffer_print(out, "\"transactions\":[");
    for (int t = 0; t < log->count; t++)
        if (*is_whole || random_below(&dice, 4) > 0)
            buffer_print(out, "%s%d", named++ > 0 ? "," : "", t + 1);
    buffer_print(out, "]}");
    *is_whole = named == log->count;
}

/* Those that have no execution at the model that is asked for, nor at a stronger one. */
static bool is_refutable(const struct tiny_log *log, enum tiny_level level, struct text digest)
{
    enum tiny_level from = level >= TINY_RC_LOCKING ? TINY_RC_LOCKING : level;

    for (enum tiny_level l = from; l <= level; l++)
        if (tiny_has_execution(log, l, digest, NULL))
            return false;
    return true;
}

/* The less exact the verifier is, the less it refutes by outcomes: then it tries all executions. */
static void refute_drawn(struct verify_exactness exactness)
{
    unsigned refutable[TINY_LEVEL_COUNT] = { 0 }, by_outcomes[TINY_LEVEL_COUNT] = { 0 };
    unsigned by_parts = 0;
    size_t rounds = fixture_rounds(200);

    tiny_draw_begin(&dice, 9);
    for (size_t i = 0; i < rounds; i++) {
        struct tiny_log log;
        struct tiny_read read;

        tiny_draw(&dice, 2 + (int)(i % 3), &log);
        /* With the places of all, long logs are judged by what each transaction may have written. */
        for (int t = 0; t < log.count && i % 4 > 0; t++)
            log.txns[t].has_ts = true;
        log.ts_is_hint &= i % 4 == 0;
        tiny_read_log(&log, &read);
        for (enum tiny_level level = 0; level < TINY_LEVEL_COUNT; level++) {
            bool expected = refuted_levels[level] && is_refutable(&log, level, text_of(read.digest));
            struct buffer witness = { 0 };
            struct verification v;
            bool is_whole = random_below(&dice, 2) == 0;

            if (!refuted_levels[level])
                continue;
            print_refutation(&log, &read, level, &is_whole, &witness);
            v = audited_verify_exactly(&read.log, read.program.at, &witness, exactness);
            by_parts += v.is_accepted && !is_whole;
            if (v.is_accepted ? !expected : expected && is_whole)
                fail_with(&read, &witness, tiny_level_names[level],
                          expected ? "there is no execution" : "there is an execution", &v);
            refutable[level] += expected;
            by_outcomes[level] += v.is_accepted && strstr(v.reason, "may have seen");
            buffer_close(&witness);
        }
        tiny_read_close(&read);
    }
    for (enum tiny_level level = 0; level < TINY_LEVEL_COUNT; level++) {
        if (!refuted_levels[level])
            continue;
        printf("%s: %u of %zu refuted, %u by what transactions may have written\n", tiny_level_names[level],
               refutable[level], rounds, by_outcomes[level]);
        TEST_ASSERT_GREATER_THAN_UINT_MESSAGE(rounds / 100, by_outcomes[level], tiny_level_names[level]);
    }
    printf("%u by a part of the transactions\n", by_parts);
    TEST_ASSERT_GREATER_THAN_UINT(rounds / 100, by_parts);
}

static void only_what_has_no_execution_is_refuted(void)
{
    refute_drawn((struct verify_exactness){ 0, 0 });
}

static void nor_is_it_if_each_row_has_its_own_outcomes(void)
{
    refute_drawn((struct verify_exactness){ .outcomes_max = 1 });
}

static void nor_is_it_if_each_row_is_seen_in_its_own_state(void)
{
    refute_drawn((struct verify_exactness){ .outcomes_max = 1, .runs_max = 1 });
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_execution_that_the_oracle_finds_is_accepted);
    RUN_TEST(only_what_has_no_execution_is_refuted);
    RUN_TEST(nor_is_it_if_each_row_has_its_own_outcomes);
    RUN_TEST(nor_is_it_if_each_row_is_seen_in_its_own_state);
    RUN_TEST(a_witness_that_is_accepted_is_of_a_log_that_has_an_execution);
    return UNITY_END();
}
