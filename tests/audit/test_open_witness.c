/* The verifier takes no refutation that rests on an order of rows which SQL leaves open. */
#include <stdio.h>
#include <string.h>

#include "history/call_log.h"
#include "tests/fixture.h"
#include "unity.h"
#include "verify/verify.h"

void setUp(void) {}
void tearDown(void) {}

static const char program[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, g bigint NOT NULL, v bigint NOT NULL);\n"
    "CREATE TABLE s (id bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE FUNCTION last_of_loop() RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "    r record;\n"
    "BEGIN\n"
    "    FOR r IN SELECT v FROM t WHERE g = 1 LOOP\n" /* line 7 */
    "        UPDATE s SET v = r.v WHERE id = 1;\n"
    "    END LOOP;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION last_in_order() RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "    r record;\n"
    "BEGIN\n"
    "    FOR r IN SELECT v FROM t WHERE g = 1 ORDER BY v LOOP\n"
    "        UPDATE s SET v = r.v WHERE id = 1;\n"
    "    END LOOP;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION first_of_several() RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "    x bigint := 0;\n"
    "BEGIN\n"
    "    SELECT v INTO x FROM t WHERE g = 1;\n" /* line 25 */
    "    UPDATE s SET v = x WHERE id = 1;\n"
    "END;\n"
    "$$;\n";

#define LOG(statements)                                                                            \
    "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\",\"g\":\"1\",\"v\":\"10\"},"                  \
    "{\"id\":\"2\",\"g\":\"1\",\"v\":\"20\"}],\"s\":[{\"id\":\"1\",\"v\":\"0\"}]}}\n" statements
#define CALL(name)                                                                                 \
    "{\"txn\":1,\"call\":\"" name "\",\"arguments\":[],\"status\":\"ok\",\"ts\":1}\n"
#define STATEMENT(sql) "{\"txn\":1,\"statements\":[{\"sql\":\"" sql "\"}],\"status\":\"ok\",\"ts\":1}\n"
#define THEN(sql, value)                                                                           \
    "{\"txn\":2,\"statements\":[{\"sql\":\"" sql                                                   \
    "\"}],\"status\":\"ok\",\"ts\":2,\"answers\":[{\"rows\":[[\"" value "\"]]}]}\n"
#define S_IS(value) THEN("SELECT v FROM s WHERE id = 1", value)

struct open_case {
    const char *what, *log, *reason; /* NULL: it is accepted */
};

static const struct open_case cases[] = {
    { "the last row of a loop", LOG(CALL("last_of_loop") S_IS("10")), "line 7" },
    { "the last row in an order", LOG(CALL("last_in_order") S_IS("10")), NULL },
    { "the first row INTO a variable", LOG(CALL("first_of_several") S_IS("20")), "line 25" },
    { "a LIMIT in a subquery that cuts among equals",
      LOG(STATEMENT("UPDATE s SET v = (SELECT v FROM t ORDER BY g LIMIT 1)") S_IS("20")), "leaves open" },
    { "a LIMIT in a subquery that does not",
      LOG(STATEMENT("UPDATE s SET v = (SELECT v FROM t ORDER BY v LIMIT 1)") S_IS("20")), NULL },
    { "keys that change places", LOG(STATEMENT("UPDATE t SET id = id + 1") S_IS("0")), "leaves open" },
    { "keys that do not", LOG(STATEMENT("UPDATE t SET id = id + 10") S_IS("1")), NULL },
    { "the first of two rows with the same key",
      LOG(STATEMENT("INSERT INTO s SELECT g + 4, v FROM t ON CONFLICT DO NOTHING")
              THEN("SELECT v FROM s WHERE id = 5", "20")),
      "leaves open" },
    { "an answer that no order explains", LOG(STATEMENT("UPDATE s SET v = 4") S_IS("20")), NULL },
};

static void verify_core(const char *text, struct verification *v)
{
    char hex[DIGEST_HEX_SIZE], witness[400];
    struct error err = { 0 };
    struct source source;
    struct call_log log;

    ASSERT_OK(source_open_memory(&source, "log", text, strlen(text), &err), &err);
    ASSERT_OK(call_log_read(&log, &source, &err), &err);
    source_close(&source);
    digest_hex(&log.digest, hex);
    snprintf(witness, sizeof witness,
             "{\"ordeal-audit\":1,\"log\":\"%s\",\"level\":\"serializable\",\"verdict\":\"invalid\","
             "\"transactions\":[1,2]}",
             hex);
    ASSERT_OK(verify_audit(&log, text_of(program), witness, strlen(witness), v, &err), &err);
    call_log_close(&log);
}

static void a_refutation_that_rests_on_an_open_order_of_rows_is_undecided(void)
{
    for (size_t i = 0; i < ROW_COUNT(cases); i++) {
        const struct open_case *c = &cases[i];
        char message[600];
        struct verification v;

        verify_core(c->log, &v);
        snprintf(message, sizeof message, "%s: %s", c->what, v.reason);
        TEST_ASSERT_EQUAL_MESSAGE(!c->reason, v.is_accepted, message);
        if (!c->reason)
            continue;
        TEST_ASSERT_TRUE_MESSAGE(strncmp(v.reason, "undecided", 9) == 0, message);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(v.reason, c->reason), message);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_refutation_that_rests_on_an_open_order_of_rows_is_undecided);
    return UNITY_END();
}
