/*
 * The engine z3 against the oracle of tiny logs: it never contradicts it, whatever it finds is an execution for the machine and
 * the verifier too, and its heuristics change nothing but the effort.
 */
#include "audit/audit.h"

#include <stdio.h>
#include <string.h>

#include "smt/smt.h"
#include "tests/audit/audit_fixture.h"
#include "tests/audit/tiny_audit.h"
#include "tests/audit/tiny_draw.h"
#include "tests/fixture.h"
#include "unity.h"

struct tally {
    size_t valid, invalid, unknown, not_known, impossible, missed;
};

static struct error no_z3;

void setUp(void) {}
void tearDown(void) {}

static void fail_with(const struct tiny_read *read, const struct tiny_asked *asked,
                      const char *what)
{
    static char message[4000];

    snprintf(message, sizeof message, "%s: %s\n%.*s", asked->name, what, (int)read->text.count,
             read->text.at);
    TEST_FAIL_MESSAGE(message);
}

static void judge(const struct tiny_log *log, const struct tiny_read *read,
                  const struct tiny_asked *asked, struct audit_z3_options z3, struct tally *tally)
{
    const struct audit_options options = { .level = asked->level,
                                           .model = asked->model,
                                           .allows_unjudged = true,
                                           .wants_witness = true,
                                           .engine = AUDIT_Z3,
                                           .z3 = z3 };
    bool expected = tiny_expected_at(log, read, asked) != TINY_LEVEL_COUNT;
    struct audit_verdict v;

    tiny_audit(read, &options, &v);
    if (v.verdict == VERDICT_VALID && !expected)
        fail_with(read, asked, "valid, and there is no execution");
    if (v.verdict == VERDICT_INVALID && expected)
        fail_with(read, asked, "invalid, and there is an execution");
    if (v.verdict == VERDICT_UNKNOWN && strstr(v.reason, "a fault of"))
        fail_with(read, asked, v.reason);
    if (v.verdict == VERDICT_VALID && !tiny_verify(read, &v.witness).is_accepted)
        fail_with(read, asked, "the verifier refuses the witness");
    tally->valid += v.verdict == VERDICT_VALID;
    tally->invalid += v.verdict == VERDICT_INVALID;
    tally->unknown += v.verdict == VERDICT_UNKNOWN;
    tally->not_known += strstr(v.reason, "does not know") != NULL;
    tally->impossible += v.z3.answer == AUDIT_Z3_IMPOSSIBLE;
    tally->missed += v.z3.answer == AUDIT_Z3_IMPOSSIBLE && expected;
    audit_verdict_close(&v);
}

/* Of the levels those from `first` on, each so many behind the one before. */
static void judge_drawn(size_t rounds, uint64_t seed, struct audit_z3_options z3, size_t first,
                        size_t step, struct tally *tallies)
{
    struct random dice;

    tiny_draw_begin(&dice, seed);
    for (size_t i = 0; i < rounds; i++) {
        struct tiny_log log;
        struct tiny_read read;

        tiny_draw(&dice, 2 + (int)(i % 3), &log);
        tiny_read_log(&log, &read);
        for (size_t n = first; n < TINY_ASKED_COUNT; n += step)
            judge(&log, &read, &tiny_asked[n], z3, &tallies[n]);
        tiny_read_close(&read);
    }
}

static bool is_without_z3(void)
{
    return smt_probe(&no_z3) != STATUS_OK;
}

static void verdicts_do_not_contradict_the_oracle(void)
{
    struct tally tallies[TINY_ASKED_COUNT] = { { 0 } }, all = { 0 };

    if (is_without_z3())
        TEST_IGNORE_MESSAGE("Z3 is not installed: the engine z3 of audits was not tried");
    judge_drawn(fixture_rounds(6), 9,
                (struct audit_z3_options){ .heuristics = AUDIT_Z3_HEURISTICS }, 0, 1, tallies);
    for (size_t n = 0; n < TINY_ASKED_COUNT; n++) {
        const struct tally *t = &tallies[n];

        printf("%-26s %zu valid, %zu invalid, %zu unknown (%zu for SQL); Z3 found %zu impossible, "
               "%zu of them wrongly\n",
               tiny_asked[n].name, t->valid, t->invalid, t->unknown, t->not_known, t->impossible,
               t->missed);
        all.valid += t->valid;
        all.invalid += t->invalid;
        all.missed += t->missed;
    }
    TEST_ASSERT_GREATER_THAN_UINT(all.missed, all.valid);
    TEST_ASSERT_GREATER_THAN_UINT(0, all.valid);
    TEST_ASSERT_GREATER_THAN_UINT(0, all.invalid);
}

static void heuristics_and_encodings_do_not_contradict_the_oracle(void)
{
    static const struct audit_z3_options ways[] = {
        { .heuristics = 0 }, { .heuristics = 1 },  { .heuristics = 3 },
        { .heuristics = 7 }, { .heuristics = 12 }, { .heuristics = 1, .is_by_elements = true },
    };
    struct tally tallies[TINY_ASKED_COUNT] = { { 0 } };

    if (is_without_z3())
        TEST_IGNORE_MESSAGE("Z3 is not installed: the heuristics of the engine z3 were not tried");
    for (size_t i = 0; i < ROW_COUNT(ways); i++)
        judge_drawn(fixture_rounds(1), i + 2, ways[i], 2, 2, tallies);
    for (size_t n = 2; n < TINY_ASKED_COUNT; n += 2)
        TEST_ASSERT_GREATER_THAN_UINT(0, tallies[n].valid + tallies[n].invalid);
}

static const char pay_sql[] = "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);"
                              "CREATE FUNCTION pay() RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
                              " UPDATE t SET v = v + 10 WHERE id = 1; END; $$;";

/*
 * The chain of the paper's figure 8: each payment may have seen any state before it, and so may the read behind them. With
 * four of them it sees 300 to 340, as the paper's nine see 300 to 390: not 400, which the paper calls correct.
 */
static void a_chain_of_payments_ends_where_all_choices_of_states_say(void)
{
    struct audit_options options = { .level = LEVEL_READ_COMMITTED,
                                     .model = AUDIT_RC_PAPER,
                                     .engine = AUDIT_Z3,
                                     .allows_unjudged = true,
                                     .z3 = { .heuristics = AUDIT_Z3_HEURISTICS,
                                             .proves_nothing = true } };

    if (is_without_z3())
        TEST_IGNORE_MESSAGE("Z3 is not installed: chains of payments were not tried");
    for (int elements = 0; elements < 2; elements++)
        for (int read = 300; read <= 350; read += 10) {
            struct audited a;
            char log[2000];
            size_t at = 0;

            options.z3.is_by_elements = elements;
            at += (size_t)snprintf(
                log, sizeof log,
                "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\",\"v\":\"300\"}]}}\n");
            for (int i = 1; i <= 4; i++)
                at += (size_t)snprintf(
                    log + at, sizeof log - at,
                    "{\"txn\":%d,\"call\":\"pay\",\"arguments\":[],\"status\":\"ok\",\"ts\":%d,"
                    "\"answers\":[{\"rows\":[]}]}\n",
                    i, i);
            snprintf(log + at, sizeof log - at,
                     "{\"txn\":5,\"statements\":[{\"sql\":\"SELECT v FROM t WHERE id = "
                     "1\"}],\"status\":\"ok\",\"ts\":5,"
                     "\"answers\":[{\"rows\":[[\"%d\"]]}]}\n",
                     read);
            audit_text(&a, pay_sql, log, options);
            TEST_ASSERT_EQUAL_INT_MESSAGE(read == 350 ? AUDIT_Z3_IMPOSSIBLE : AUDIT_Z3_HOLDS,
                                          a.verdict.z3.answer, log);
            audited_close(&a);
        }
}

/* A row with the key 1.00 was looked for as 1.0 and not found. */
static void a_key_is_found_whatever_digits_it_is_written_with(void)
{
    static const char sql[] = "CREATE TABLE t (id numeric(10,2) PRIMARY KEY, v bigint NOT NULL);";
    static const char log[] =
        "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1.00\",\"v\":\"5\"}]}}\n"
        "{\"txn\":1,\"statements\":[{\"sql\":\"SELECT v FROM t WHERE id = "
        "1.0\"}],\"status\":\"ok\","
        "\"ts\":1,\"answers\":[{\"rows\":[[\"5\"]]}]}\n";
    struct audit_options options = { .level = LEVEL_SERIALIZABLE,
                                     .engine = AUDIT_Z3,
                                     .z3 = { .heuristics = AUDIT_Z3_HEURISTICS } };
    struct audited a;

    if (is_without_z3())
        TEST_IGNORE_MESSAGE("Z3 is not installed: keys of numerics were not tried");
    audit_text(&a, sql, log, options);
    TEST_ASSERT_EQUAL_INT(AUDIT_Z3_HOLDS, a.verdict.z3.answer);
    audited_close(&a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(verdicts_do_not_contradict_the_oracle);
    RUN_TEST(a_chain_of_payments_ends_where_all_choices_of_states_say);
    RUN_TEST(a_key_is_found_whatever_digits_it_is_written_with);
    RUN_TEST(heuristics_and_encodings_do_not_contradict_the_oracle);
    return UNITY_END();
}
