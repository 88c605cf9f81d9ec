/* Whole audits of small logs: what each level accepts and refuses. */
#include "audit/audit.h"

#include <stdio.h>
#include <string.h>

#include "tests/audit/audit_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

#define V VERDICT_VALID
#define X VERDICT_INVALID

static const char bank[] =
    "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL);\n"
    "CREATE FUNCTION deposit(p_id bigint, p_amount bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    UPDATE accounts SET balance = balance + p_amount WHERE id = p_id;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION transfer(p_from bigint, p_to bigint, p_amount bigint) RETURNS void\n"
    "LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    PERFORM deposit(p_to, p_amount);\n"
    "    UPDATE accounts SET balance = balance - p_amount WHERE id = p_from;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION balance(p_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_id;\n"
    "    RETURN v;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION add_read(p_id bigint, p_amount bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_id;\n"
    "    UPDATE accounts SET balance = v + p_amount WHERE id = p_id;\n"
    "    RETURN v + p_amount;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION withdraw_if(p_from bigint, p_other bigint, p_amount bigint) RETURNS boolean\n"
    "LANGUAGE plpgsql AS $$\n"
    "DECLARE a bigint; b bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO a FROM accounts WHERE id = p_from;\n"
    "    SELECT balance INTO b FROM accounts WHERE id = p_other;\n"
    "    IF a + b < p_amount THEN\n"
    "        RETURN false;\n"
    "    END IF;\n"
    "    UPDATE accounts SET balance = balance - p_amount WHERE id = p_from;\n"
    "    RETURN true;\n"
    "END;\n"
    "$$;\n";

#define HEAD                                                                                       \
    "{\"ordeal-log\":1,\"rows\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"100\"},"                \
    "{\"id\":\"2\",\"balance\":\"300\"}]}}\n"
#define CALL(id, name, arguments, at, ts, answers)                                                 \
    "{\"txn\":" #id ",\"call\":\"" name "\",\"arguments\":[" arguments                             \
    "],\"status\":\"ok\",\"at\":[" at "]" ts ",\"answers\":[" answers "]}\n"
#define NOTHING "{\"rows\":[]}"
#define ONE(value) "{\"rows\":[[\"" value "\"]]}"
#define TS(n) ",\"ts\":" #n

static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE, LEVEL_SNAPSHOT,
                                     LEVEL_STRICT_SNAPSHOT, LEVEL_READ_COMMITTED };

struct level_row {
    const char *what, *log;
    enum verdict verdicts[ROW_COUNT(levels)];
};

static const struct level_row rows[] = {
    /* Section 2 of the paper: three that write account 2, and a balance. */
    { "the deposit is lost under the transfers",
      HEAD CALL(1, "transfer", "\"1\",\"2\",\"10\"", "100,200", TS(1), NOTHING)
          CALL(2, "deposit", "\"2\",\"100\"", "300,500", TS(2), NOTHING)
              CALL(3, "transfer", "\"1\",\"2\",\"10\"", "400,600", TS(3), NOTHING)
                  CALL(4, "balance", "\"2\"", "700,800", TS(4), ONE("320")),
      { X, X, X, X, X } },
    { "the balance has all of them",
      HEAD CALL(1, "transfer", "\"1\",\"2\",\"10\"", "100,200", TS(1), NOTHING)
          CALL(2, "deposit", "\"2\",\"100\"", "300,500", TS(2), NOTHING)
              CALL(3, "transfer", "\"1\",\"2\",\"10\"", "400,600", TS(3), NOTHING)
                  CALL(4, "balance", "\"2\"", "700,800", TS(4), ONE("420")),
      { V, V, V, V, V } },
    { "the balance is one of long ago",
      HEAD CALL(1, "transfer", "\"1\",\"2\",\"10\"", "100,200", TS(1), NOTHING)
          CALL(2, "deposit", "\"2\",\"100\"", "300,500", TS(2), NOTHING)
              CALL(4, "balance", "\"2\"", "700,800", TS(3), ONE("310")),
      { V, X, V, X, V } },
    { "two deposits read the same balance",
      HEAD CALL(1, "add_read", "\"1\",\"5\"", "100,400", TS(1), ONE("105"))
          CALL(2, "add_read", "\"1\",\"7\"", "150,500", TS(2), ONE("107"))
              CALL(3, "balance", "\"1\"", "600,700", TS(3), ONE("107")),
      { X, X, X, X, V } },
    { "write skew",
      HEAD CALL(1, "withdraw_if", "\"1\",\"2\",\"350\"", "100,400", TS(1), ONE("t"))
          CALL(2, "withdraw_if", "\"2\",\"1\",\"350\"", "150,500", TS(2), ONE("t")),
      { X, X, V, V, V } },
    { "the order of commits is not the serial one",
      HEAD CALL(1, "deposit", "\"1\",\"1000\"", "100,400", TS(1), NOTHING)
          CALL(2, "withdraw_if", "\"2\",\"1\",\"500\"", "150,500", TS(2), ONE("f")),
      { V, V, V, V, V } },
    { "without places in the order of commits",
      HEAD CALL(1, "add_read", "\"1\",\"5\"", "100,400", "", ONE("112"))
          CALL(2, "add_read", "\"1\",\"7\"", "150,500", "", ONE("107")),
      { V, V, V, V, V } },
};

static void each_level_accepts_and_refuses_what_it_should(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (size_t k = 0; k < ROW_COUNT(levels); k++) {
            struct audited a;
            char what[200];

            audit_text(&a, bank, rows[i].log,
                       (struct audit_options){ .level = levels[k], .wants_witness = true });
            snprintf(what, sizeof what, "%s, %s", rows[i].what, level_name(levels[k]));
            TEST_ASSERT_EQUAL_MESSAGE(rows[i].verdicts[k], a.verdict.verdict, what);
            TEST_ASSERT_MESSAGE(a.verdict.witness.count > 0, what);
            audited_close(&a);
        }
}

static void an_unknown_transaction_is_taken_as_it_has_to_be(void)
{
    static const char *const seen[] = { "100", "150", "160" };
    static const enum verdict verdicts[] = { V, V, X };

    for (size_t i = 0; i < ROW_COUNT(seen); i++)
        for (size_t k = 0; k < ROW_COUNT(levels); k++) {
            struct audited a;
            char log[1000];

            snprintf(log, sizeof log,
                     "%s{\"txn\":1,\"call\":\"deposit\",\"arguments\":[\"1\",\"50\"],"
                     "\"status\":\"unknown\",\"at\":[100,null]}\n"
                     "{\"txn\":2,\"call\":\"balance\",\"arguments\":[\"1\"],\"status\":\"ok\","
                     "\"at\":[200,300],\"answers\":[{\"rows\":[[\"%s\"]]}]}\n",
                     HEAD, seen[i]);
            audit_text(&a, bank, log, (struct audit_options){ .level = levels[k] });
            TEST_ASSERT_EQUAL_MESSAGE(verdicts[i], a.verdict.verdict, seen[i]);
            audited_close(&a);
        }
}

static void statements_are_compared_as_sets_where_no_order_is_asked_for(void)
{
    static const struct {
        const char *sql, *answer;
        enum verdict verdict;
    } cases[] = {
        { "SELECT id FROM accounts", "{\"rows\":[[\"2\"],[\"1\"]]}", V },
        { "SELECT id FROM accounts ORDER BY id", "{\"rows\":[[\"2\"],[\"1\"]]}", X },
        { "SELECT id FROM accounts ORDER BY id DESC", "{\"rows\":[[\"2\"],[\"1\"]]}", V },
        { "SELECT id FROM accounts LIMIT 1", "{\"rows\":[[\"2\"]]}", V },
        { "SELECT id FROM accounts LIMIT 1", "{\"rows\":[[\"3\"]]}", X },
        { "SELECT id FROM accounts ORDER BY id LIMIT 1", "{\"rows\":[[\"2\"]]}", X },
        { "SELECT id FROM accounts ORDER BY balance > 0 LIMIT 1", "{\"rows\":[[\"2\"]]}", V },
        { "SELECT id FROM accounts WHERE id = $1", "{\"rows\":[[\"1\"]]}", V },
        { "UPDATE accounts SET balance = 0", "{\"count\":2}", V },
        { "UPDATE accounts SET balance = 0", "{\"count\":1}", X },
        { "SELECT id FROM accounts", "null", V },
    };

    for (size_t i = 0; i < ROW_COUNT(cases); i++) {
        struct audited a;
        char log[1000];

        snprintf(log, sizeof log,
                 "%s{\"txn\":1,\"statements\":[{\"sql\":\"%s\",\"parameters\":[\"1\"]}],"
                 "\"status\":\"ok\",\"answers\":[%s]}\n",
                 HEAD, cases[i].sql, cases[i].answer);
        audit_text(&a, bank, log, (struct audit_options){ .level = LEVEL_SERIALIZABLE });
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].verdict, a.verdict.verdict, cases[i].sql);
        audited_close(&a);
    }
}

static void who_stops_the_audit_gets_unknown_and_the_reason(void)
{
    struct audited a;

    audit_text(&a, bank, rows[0].log,
               (struct audit_options){ .level = LEVEL_SNAPSHOT, .runs_max = 1 });
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, a.verdict.verdict);
    TEST_ASSERT_TRUE(strlen(a.verdict.reason) > 0);
    audited_close(&a);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_level_accepts_and_refuses_what_it_should);
    RUN_TEST(an_unknown_transaction_is_taken_as_it_has_to_be);
    RUN_TEST(statements_are_compared_as_sets_where_no_order_is_asked_for);
    RUN_TEST(who_stops_the_audit_gets_unknown_and_the_reason);
    return UNITY_END();
}
