/*
 * Figure 8 of "Checking Observational Correctness of Database Systems": payments from one account to another one, each
 * statement on any state before it, and then a read. The payments have more outcomes than are kept as a whole, but
 * each account has few balances.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "tests/audit/audit_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

#define BEGINS_WITH 300
#define PAYMENT 10

static const char program[] =
    "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL, owner text);\n"
    "CREATE FUNCTION pay(p_from bigint, p_to bigint, p_amount bigint) RETURNS void LANGUAGE "
    "plpgsql AS $$\n"
    "BEGIN\n"
    "    UPDATE accounts SET balance = balance + p_amount WHERE id = p_to;\n"
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
    /* Both accounts have less, if the first one has as much as that; else neither is written. */
    "CREATE FUNCTION charge(p_from bigint, p_to bigint, p_least bigint) RETURNS void LANGUAGE "
    "plpgsql AS $$\n"
    "DECLARE v bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_from;\n"
    "    IF v >= p_least THEN\n"
    "        UPDATE accounts SET balance = v - 1 WHERE id = p_from;\n"
    "        UPDATE accounts SET balance = balance - 1 WHERE id = p_to;\n"
    "    END IF;\n"
    "END;\n"
    "$$;\n";

static struct buffer text;

void setUp(void) {}

void tearDown(void)
{
    buffer_close(&text);
}

/* So many payments, one charge if it is to be there, and the read. */
static void make_log(int payments, int least, int read)
{
    int id = 0;

    buffer_clear(&text);
    buffer_print(&text,
                 "{\"ordeal-log\":1,\"rows\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"100\"},"
                 "{\"id\":\"2\",\"balance\":\"%d\",\"owner\":\"x\"}]}}\n",
                 BEGINS_WITH);
    while (id < payments) {
        id++;
        buffer_print(&text,
                     "{\"txn\":%d,\"call\":\"pay\",\"arguments\":[\"1\",\"2\",\"%d\"],\"status\":"
                     "\"ok\",\"ts\":%d}\n",
                     id, PAYMENT, id);
    }
    if (least >= 0) {
        id++;
        buffer_print(&text,
                     "{\"txn\":%d,\"call\":\"charge\",\"arguments\":[\"1\",\"2\",\"%d\"],"
                     "\"status\":\"ok\",\"ts\":%d}\n",
                     id, least, id);
    }
    id++;
    buffer_print(
        &text,
        "{\"txn\":%d,\"call\":\"balance\",\"arguments\":[\"2\"],\"status\":\"ok\",\"ts\":%d,"
        "\"answers\":[{\"rows\":[[\"%d\"]]}]}\n",
        id, id, read);
    buffer_byte(&text, '\0');
}

/* By outcomes alone. */
static enum verdict audit_it(enum audit_model model)
{
    const struct audit_options options = { .level = LEVEL_READ_COMMITTED,
                                           .model = model,
                                           .wants_witness = true,
                                           .allows_unjudged = true,
                                           .by_outcomes = true };
    enum verdict verdict;
    struct audited a;

    audit_text(&a, program, text.at, options);
    verdict = a.verdict.verdict;
    if (verdict != VERDICT_UNKNOWN) {
        struct verification v = audited_verify(&a.log, program, &a.verdict.witness);

        TEST_ASSERT_TRUE_MESSAGE(v.is_accepted, v.reason);
    }
    audited_close(&a);
    return verdict;
}

/* All of the log as the core, at that model. */
static struct verification verify_core(const char *model, int count)
{
    struct audit_options options = { .level = LEVEL_READ_COMMITTED, .allows_unjudged = true };
    struct buffer witness = { 0 };
    char hex[DIGEST_HEX_SIZE];
    struct verification v;
    struct audited a;

    audit_text(&a, program, text.at, options);
    digest_hex(&a.log.digest, hex);
    buffer_print(&witness,
                 "{\"ordeal-audit\":1,\"log\":\"%s\",\"level\":\"read-committed\",\"model\":\"%s\","
                 "\"verdict\":\"invalid\",\"transactions\":[",
                 hex, model);
    for (int i = 1; i <= count; i++)
        buffer_print(&witness, "%s%d", i > 1 ? "," : "", i);
    buffer_print(&witness, "]}");
    v = audited_verify(&a.log, program, &witness);
    audited_close(&a);
    buffer_close(&witness);
    return v;
}

static void a_balance_that_no_payments_give_is_invalid(void)
{
    static const struct {
        int payments, read;
        enum audit_model model;
    } logs[] = {
        { 9, 66, AUDIT_RC_STATEMENT },  { 9, 66, AUDIT_RC_PAPER },
        { 9, 400, AUDIT_RC_STATEMENT }, { 9, 400, AUDIT_RC_PAPER },
        { 29, 66, AUDIT_RC_STATEMENT }, { 29, 600, AUDIT_RC_PAPER },
        { 99, 66, AUDIT_RC_STATEMENT },
    };

    for (size_t i = 0; i < ROW_COUNT(logs); i++) {
        make_log(logs[i].payments, -1, logs[i].read);
        TEST_ASSERT_EQUAL(VERDICT_INVALID, audit_it(logs[i].model));
    }
}

static void any_balance_that_some_give_is_valid(void)
{
    for (int read = BEGINS_WITH; read <= BEGINS_WITH + 11 * PAYMENT; read += PAYMENT) {
        struct verification v;

        make_log(11, -1, read);
        TEST_ASSERT_NOT_EQUAL(VERDICT_INVALID, audit_it(AUDIT_RC_STATEMENT));
        TEST_ASSERT_NOT_EQUAL(VERDICT_INVALID, audit_it(AUDIT_RC_PAPER));
        v = verify_core("statement", 12);
        TEST_ASSERT_FALSE_MESSAGE(v.is_accepted, v.reason);
    }
}

/* The first account never has more than 100, and 20 or less in some states. */
static void a_charge_may_have_been_made_or_not(void)
{
    static const struct {
        int least, read;
        enum verdict wrong;
    } logs[] = {
        { 101, 299, VERDICT_INVALID }, { 101, 319, VERDICT_INVALID }, { 100, 298, VERDICT_INVALID },
        { 100, 299, VERDICT_VALID },   { 50, 319, VERDICT_VALID },    { 50, 320, VERDICT_VALID },
        { 0, 410, VERDICT_VALID },     { 0, 409, VERDICT_VALID },     { 0, 411, VERDICT_INVALID },
    };

    for (size_t i = 0; i < ROW_COUNT(logs); i++)
        for (enum audit_model model = AUDIT_RC_STATEMENT; model <= AUDIT_RC_PAPER; model++) {
            enum verdict verdict;
            char label[40];

            make_log(11, logs[i].least, logs[i].read);
            verdict = audit_it(model);
            snprintf(label, sizeof label, "least %d, read %d, model %d", logs[i].least,
                     logs[i].read, (int)model);
            if (logs[i].wrong == VERDICT_INVALID) {
                TEST_ASSERT_EQUAL_MESSAGE(VERDICT_INVALID, verdict, label);
            } else {
                TEST_ASSERT_NOT_EQUAL_MESSAGE(VERDICT_INVALID, verdict, label);
                TEST_ASSERT_FALSE_MESSAGE(verify_core(audit_model_name(model), 13).is_accepted,
                                          label);
            }
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_balance_that_no_payments_give_is_invalid);
    RUN_TEST(any_balance_that_some_give_is_valid);
    RUN_TEST(a_charge_may_have_been_made_or_not);
    return UNITY_END();
}
