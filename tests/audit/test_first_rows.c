/* An initial state that nobody knows: rows are read off the answers, and the verifier takes them only as such. */
#include <string.h>

#include "base/random.h"
#include "tests/audit/audit_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

#define HEAD "{\"ordeal-log\":1,\"initial\":\"unknown\"}\n"

static const char program[] =
    "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL CHECK (balance >= 0), name text UNIQUE);\n"
    "CREATE FUNCTION deposit(p_id bigint, p_amount bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_id;\n"
    "    UPDATE accounts SET balance = v + p_amount WHERE id = p_id;\n"
    "    RETURN v + p_amount;\n"
    "END $$;\n"
    "CREATE FUNCTION together(p_id bigint, p_other bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint; w bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_id;\n"
    "    SELECT balance INTO w FROM accounts WHERE id = p_other;\n"
    "    RETURN v + w;\n"
    "END $$;\n"
    "CREATE FUNCTION take(p_id bigint, p_amount bigint) RETURNS boolean LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_id;\n"
    "    IF NOT FOUND OR v < p_amount THEN\n"
    "        RETURN false;\n"
    "    END IF;\n"
    "    UPDATE accounts SET balance = v - p_amount WHERE id = p_id;\n"
    "    RETURN true;\n"
    "END $$;\n";

#define CALL(txn, function, a, b, answer)                                                                     \
    "{\"txn\":" #txn ",\"call\":\"" function "\",\"arguments\":[\"" #a "\",\"" #b "\"],\"status\":\"ok\",\"ts\":" #txn   \
    ",\"answers\":[{\"rows\":[[\"" answer "\"]]}]}\n"

void setUp(void) {}
void tearDown(void) {}

static struct audited audit(const char *log, enum level level)
{
    struct audited a;

    audit_text(&a, program, log, (struct audit_options){ .level = level, .wants_witness = true });
    return a;
}

/* It is valid, and begins with these rows. */
static void begins_with(const char *log, const char *rows)
{
    struct audited a = audit(log, LEVEL_SNAPSHOT);
    struct verification v;

    TEST_ASSERT_EQUAL_STRING("", a.verdict.reason);
    TEST_ASSERT_EQUAL(VERDICT_VALID, a.verdict.verdict);
    buffer_byte(&a.verdict.witness, '\0');
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(a.verdict.witness.at, rows), a.verdict.witness.at);
    a.verdict.witness.count--;
    v = audited_verify(&a.log, program, &a.verdict.witness);
    TEST_ASSERT_TRUE_MESSAGE(v.is_accepted, v.reason);
    audited_close(&a);
}

static void rows_are_read_off_the_answers(void)
{
    begins_with(HEAD CALL(1, "deposit", 1, 5, "15") CALL(2, "deposit", 1, 5, "20"),
                "\"accounts\":[{\"id\":\"1\",\"balance\":\"10\"");
}

static void a_sum_is_shared_out_as_later_answers_want(void)
{
    begins_with(HEAD CALL(1, "together", 1, 2, "37") CALL(2, "deposit", 2, 7, "34"),
                "{\"id\":\"1\",\"balance\":\"10\"},{\"id\":\"2\",\"balance\":\"27\"}");
}

static void rows_that_are_not_there_stay_away(void)
{
    begins_with(HEAD CALL(1, "take", 3, 1, "f") CALL(2, "deposit", 1, 1, "2"), "{\"accounts\":[{\"id\":\"1\"");
}

static void what_is_enough_is_found_out(void)
{
    begins_with(HEAD CALL(1, "take", 1, 30, "t") CALL(2, "deposit", 1, 1, "13"), "\"balance\":\"42\"");
}

static void statements_show_texts_and_numbers(void)
{
    begins_with(HEAD "{\"txn\":1,\"statements\":[{\"sql\":\"SELECT name, balance FROM accounts WHERE id = 4\"}],"
                     "\"status\":\"ok\",\"ts\":1,\"answers\":[{\"rows\":[[\"ada\",\"7\"]]}]}\n",
                "{\"id\":\"4\",\"balance\":\"7\",\"name\":\"ada\"}");
}

static void answers_that_no_rows_explain_are_unknown_and_never_invalid(void)
{
    static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT, LEVEL_READ_COMMITTED };

    for (size_t i = 0; i < ROW_COUNT(levels); i++) {
        struct audited a = audit(HEAD CALL(1, "deposit", 1, 5, "15") CALL(2, "deposit", 1, 5, "21"), levels[i]);

        TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, a.verdict.verdict);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(a.verdict.reason, "nobody knows"), a.verdict.reason);
        audited_close(&a);
    }
}

static void refuses(const char *log, const char *witness, const char *reason)
{
    struct audited a = audit(log, LEVEL_SERIALIZABLE);
    struct buffer text = { 0 };
    struct verification v;
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&a.log.digest, hex);
    buffer_print(&text, "{\"ordeal-audit\":1,\"log\":\"%s\",\"level\":\"serializable\",\"verdict\":\"valid\",\"order\":[1],%s}",
                 hex, witness);
    v = audited_verify(&a.log, program, &text);
    TEST_ASSERT_FALSE(v.is_accepted);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(v.reason, reason), v.reason);
    buffer_close(&text);
    audited_close(&a);
}

static void the_verifier_takes_only_rows_that_the_tables_may_have(void)
{
    static const char log[] = HEAD CALL(1, "deposit", 1, 5, "15");

    refuses(log, "\"initial\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"11\"}]}", "1");
    refuses(log, "\"initial\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"10\"},{\"id\":\"1\",\"balance\":\"10\"}]}", "23505");
    refuses(log, "\"initial\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"10\"},{\"id\":\"2\",\"balance\":\"-1\"}]}", "23514");
    refuses(log, "\"initial\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"10\"},{\"id\":\"2\"}]}", "23502");
    refuses(log,
            "\"initial\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"10\",\"name\":\"a\"},"
            "{\"id\":\"2\",\"balance\":\"1\",\"name\":\"a\"}]}",
            "23505");
    refuses("{\"ordeal-log\":1}\n" CALL(1, "deposit", 1, 5, "15"),
            "\"initial\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"10\"}]}", "known");
}

/* What a serial database answers whose rows are forgotten. */
static void draw_log(struct random *dice, struct buffer *log)
{
    int64_t balances[5] = { 0 };

    for (size_t i = 0; i < ROW_COUNT(balances); i++)
        balances[i] = (int64_t)random_below(dice, 100);
    buffer_clear(log);
    buffer_text(log, TEXT(HEAD));
    for (int i = 1; i <= 40; i++) {
        unsigned a = (unsigned)random_below(dice, 5), b = (unsigned)random_below(dice, 5);
        int64_t amount = 1 + (int64_t)random_below(dice, 60);
        unsigned kind = (unsigned)random_below(dice, 3);
        bool is_enough = balances[a] >= amount;
        static const char *const names[] = { "deposit", "together", "take" };

        buffer_print(log, "{\"txn\":%d,\"call\":\"%s\",\"arguments\":[\"%u\",\"%lld\"],\"status\":\"ok\",\"ts\":%d,", i,
                     names[kind], a, kind == 1 ? (long long)b : (long long)amount, i);
        if (kind == 0)
            balances[a] += amount;
        if (kind == 2 && is_enough)
            balances[a] -= amount;
        if (kind == 2)
            buffer_print(log, "\"answers\":[{\"rows\":[[\"%c\"]]}]}\n", is_enough ? 't' : 'f');
        else
            buffer_print(log, "\"answers\":[{\"rows\":[[\"%lld\"]]}]}\n",
                         (long long)(kind == 1 ? balances[a] + balances[b] : balances[a]));
    }
    buffer_byte(log, '\0');
}

static void drawn_logs_without_their_rows_are_mostly_valid_and_the_verifier_agrees(void)
{
    struct buffer log = { 0 };
    const struct random_key key = random_key_of_seed(20);
    struct random dice;
    unsigned valid = 0;

    random_init(&dice, &key);
    for (int i = 0; i < 100; i++) {
        struct audited a;

        draw_log(&dice, &log);
        a = audit(log.at, LEVEL_SERIALIZABLE);
        TEST_ASSERT_NOT_EQUAL(VERDICT_INVALID, a.verdict.verdict);
        if (a.verdict.verdict == VERDICT_VALID) {
            struct verification v = audited_verify(&a.log, program, &a.verdict.witness);

            TEST_ASSERT_TRUE_MESSAGE(v.is_accepted, v.reason);
            valid++;
        }
        audited_close(&a);
    }
    TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE(90, valid, "few are found");
    buffer_close(&log);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(rows_are_read_off_the_answers);
    RUN_TEST(a_sum_is_shared_out_as_later_answers_want);
    RUN_TEST(rows_that_are_not_there_stay_away);
    RUN_TEST(what_is_enough_is_found_out);
    RUN_TEST(statements_show_texts_and_numbers);
    RUN_TEST(answers_that_no_rows_explain_are_unknown_and_never_invalid);
    RUN_TEST(the_verifier_takes_only_rows_that_the_tables_may_have);
    RUN_TEST(drawn_logs_without_their_rows_are_mostly_valid_and_the_verifier_agrees);
    return UNITY_END();
}
