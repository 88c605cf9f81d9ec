/* Refutations of logs that are too long for all their orders to be tried. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "history/call_log.h"
#include "tests/fixture.h"
#include "unity.h"
#include "verify/verify.h"

#define LONG 1000

void setUp(void) {}
void tearDown(void) {}

static const char program[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE TABLE u (id bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE FUNCTION next_value() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint;\n"
    "BEGIN\n"
    "    UPDATE t SET v = v + 1 WHERE id = 1 RETURNING v INTO x;\n"
    "    RETURN x;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION add_to_both(p bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    UPDATE t SET v = v + p WHERE id = 1;\n"
    "    UPDATE u SET v = v + p WHERE id = 1;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION add_to_u(p bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    UPDATE u SET v = v + p WHERE id = 1;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION same() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint;\n"
    "BEGIN\n"
    "    UPDATE t SET v = v + 0 WHERE id = 1 RETURNING v INTO x;\n"
    "    RETURN x;\n"
    "END;\n"
    "$$;\n"
    /* What these leave of t is what they saw of it, if v > 100. */
    "CREATE FUNCTION back_by_condition() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint;\n"
    "BEGIN\n"
    "    UPDATE t SET v = v - 5 WHERE v > 100;\n"
    "    UPDATE t SET v = v + 5 WHERE id = 1;\n"
    "    SELECT v INTO x FROM u WHERE id = 1;\n"
    "    RETURN x;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION back_in_an_arm() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint;\n"
    "BEGIN\n"
    "    SELECT v INTO x FROM t WHERE id = 1;\n"
    "    IF x > 100 THEN\n"
    "        UPDATE t SET v = v - 5 WHERE id = 1;\n"
    "    END IF;\n"
    "    UPDATE t SET v = v + 5 WHERE id = 1;\n"
    "    SELECT v INTO x FROM u WHERE id = 1;\n"
    "    RETURN x;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION less(p bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    UPDATE t SET v = v - 5 WHERE id = p AND v > 100;\n"
    "    RETURN 0;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION back_by_a_call() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint;\n"
    "BEGIN\n"
    "    UPDATE t SET v = v + 5 WHERE id = 1;\n"
    "    x := (SELECT less(1));\n"
    "    SELECT v INTO x FROM u WHERE id = 1;\n"
    "    RETURN x;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION back_in_a_loop() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint; y bigint;\n"
    "BEGIN\n"
    "    SELECT v, v INTO x, y FROM t WHERE id = 1;\n"
    "    WHILE x > 100 LOOP\n"
    "        UPDATE t SET v = v - 5 WHERE id = 1;\n"
    "        x := 0;\n"
    "    END LOOP;\n"
    "    UPDATE t SET v = v + 5 WHERE id = 1;\n"
    "    SELECT v INTO x FROM u WHERE id = 1;\n"
    "    RETURN x;\n"
    "END;\n"
    "$$;\n";

static void print_head(struct buffer *log, int v)
{
    buffer_print(log,
                 "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\",\"v\":\"%d\"}],\"u\":[{\"id\":\"1\",\"v\":\"0\"}]}}\n",
                 v);
}

static void print_call(struct buffer *log, int txn, const char *call, const char *arguments, int answer)
{
    buffer_print(log, "{\"txn\":%d,\"call\":\"%s\",\"arguments\":[%s],\"status\":\"ok\",\"at\":[%d,%d],\"ts\":%d", txn,
                 call, arguments, 10 * txn, 10 * txn + 5, txn);
    if (answer >= 0)
        buffer_print(log, ",\"answers\":[{\"rows\":[[\"%d\"]]}]", answer);
    buffer_print(log, "}\n");
}

/* All transactions, from 1 on, as the core, of calls to such a program. */
static struct verification verify_exactly(const struct buffer *text, struct text source_text, const char *level,
                                          int count, struct verify_exactness exactness)
{
    struct buffer witness = { 0 };
    char hex[DIGEST_HEX_SIZE];
    struct verification v;
    struct error err = { 0 };
    struct source source;
    struct call_log log;

    ASSERT_OK(source_open_memory(&source, "log", text->at, text->count, &err), &err);
    ASSERT_OK(call_log_read(&log, &source, &err), &err);
    source_close(&source);
    digest_hex(&log.digest, hex);
    buffer_print(&witness, "{\"ordeal-audit\":1,\"log\":\"%s\",\"level\":%s,\"verdict\":\"invalid\",\"transactions\":[",
                 hex, level);
    for (int i = 1; i <= count; i++)
        buffer_print(&witness, "%s%d", i > 1 ? "," : "", i);
    buffer_print(&witness, "]}");
    ASSERT_OK(verify_audit_exactly(&log, source_text, witness.at, witness.count, exactness, &v, &err), &err);
    buffer_close(&witness);
    call_log_close(&log);
    return v;
}

static struct verification verify_program(const struct buffer *text, struct text source_text, const char *level,
                                          int count)
{
    return verify_exactly(text, source_text, level, count, (struct verify_exactness){ 0, 0 });
}

static struct verification verify_all(const struct buffer *text, const char *level, int count)
{
    return verify_program(text, text_of(program), level, count);
}

static const char *const levels[] = { "\"serializable\"",     "\"strict-serializable\"",
                                      "\"snapshot\"",         "\"strict-snapshot\"",
                                      "\"read-committed\",\"model\":\"locking\"" };

static void a_lost_update_among_a_thousand_is_refuted_and_nothing_else(void)
{
    for (size_t l = 0; l < ROW_COUNT(levels); l++)
        for (int lost = 0; lost <= 700; lost += 700) {
            struct buffer log = { 0 };
            struct verification v;

            print_head(&log, 0);
            for (int i = 1; i <= LONG; i++)
                print_call(&log, i, "next_value", "", lost > 0 && i >= lost ? i - 1 : i);
            v = verify_all(&log, levels[l], LONG);
            TEST_ASSERT_EQUAL_MESSAGE(lost > 0, v.is_accepted, v.reason);
            TEST_ASSERT_NOT_NULL_MESSAGE(strstr(v.reason, lost > 0 ? "transaction 700" : "undecided"), v.reason);
            buffer_close(&log);
        }
}

/* The second transaction sees the first state: it leaves t as it was there. */
static void who_leaves_a_row_as_it_was_may_have_seen_an_old_state(void)
{
    static const char *const calls[] = { "back_by_condition", "back_in_an_arm", "back_in_a_loop", "back_by_a_call" };

    for (size_t i = 0; i < ROW_COUNT(calls); i++)
        for (int v = 90, coarsely = 0; v <= 200; coarsely = !coarsely, v += coarsely ? 0 : 110) {
            struct verify_exactness exactness = { (uint32_t)coarsely, (uint32_t)coarsely };
            struct buffer log = { 0 };
            struct verification verification;

            print_head(&log, v);
            print_call(&log, 1, "add_to_both", "\"7\"", -1);
            print_call(&log, 2, calls[i], "", 0);
            verification = verify_exactly(&log, text_of(program), "\"snapshot\"", 2, exactness);
            TEST_ASSERT_EQUAL_MESSAGE(v == 90, verification.is_accepted, calls[i]);
            buffer_close(&log);
        }
}

/* By value nothing is in conflict with it: it may tell the old v, 3, or the new one, 10, but no other. */
static void who_leaves_a_row_as_it_was_may_tell_what_was_in_it(void)
{
    static const int answers[] = { 3, 7, 10 };

    for (size_t i = 0; i < 2 * ROW_COUNT(answers); i++) {
        struct verify_exactness exactness = { i % 2, i % 2 };
        struct buffer log = { 0 };
        struct verification v;

        print_head(&log, 3);
        print_call(&log, 1, "add_to_both", "\"7\"", -1);
        print_call(&log, 2, "same", "", answers[i / 2]);
        v = verify_exactly(&log, text_of(program), "\"snapshot\"", 2, exactness);
        TEST_ASSERT_EQUAL_MESSAGE(answers[i / 2] == 7, v.is_accepted, v.reason);
        buffer_close(&log);
    }
}

/* A SELECT was taken for one that writes nothing, whatever the function does that it calls. */
static void a_statement_that_calls_a_function_may_write(void)
{
    for (size_t l = 0; l < ROW_COUNT(levels); l++) {
        struct buffer log = { 0 };
        struct verification v;

        print_head(&log, 3);
        buffer_print(&log, "{\"txn\":1,\"statements\":[{\"sql\":\"SELECT next_value()\"}],\"status\":\"ok\",\"ts\":1}\n"
                           "{\"txn\":2,\"statements\":[{\"sql\":\"SELECT v FROM t\"}],\"status\":\"ok\",\"ts\":2,"
                           "\"answers\":[{\"rows\":[[\"4\"]]}]}\n");
        v = verify_all(&log, levels[l], 2);
        TEST_ASSERT_FALSE_MESSAGE(v.is_accepted, levels[l]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(v.reason, "there is an execution"), v.reason);
        buffer_close(&log);
    }
}

/* One of unknown outcome, without ts, adds to t or to u. */
static void who_has_no_place_leaves_its_rows_in_doubt_and_no_others(void)
{
    static const char *const calls[] = { "add_to_u", "add_to_both" };

    for (size_t l = 0; l < ROW_COUNT(levels); l++)
        for (size_t c = 0; c < ROW_COUNT(calls); c++) {
            struct buffer log = { 0 };
            struct verification v;

            print_head(&log, 0);
            for (int i = 1; i <= LONG; i++)
                print_call(&log, i, "next_value", "", i >= 700 ? i - 1 : i);
            buffer_print(&log,
                         "{\"txn\":%d,\"call\":\"%s\",\"arguments\":[\"1\"],\"status\":\"unknown\",\"at\":[0,null]}\n",
                         LONG + 1, calls[c]);
            v = verify_all(&log, levels[l], LONG);
            TEST_ASSERT_EQUAL_MESSAGE(c == 0, v.is_accepted, v.reason);
            buffer_close(&log);
        }
}

static void a_part_of_a_long_log_is_a_core_if_the_others_make_no_difference(void)
{
    struct buffer log = { 0 };
    struct verification v;

    print_head(&log, 0);
    for (int i = 1; i <= LONG; i += 2) {
        print_call(&log, i, "next_value", "", (i + 1) / 2 - (i >= 701));
        print_call(&log, i + 1, "add_to_u", "\"1\"", -1);
    }
    v = verify_all(&log, "\"strict-snapshot\"", 701);
    TEST_ASSERT_TRUE_MESSAGE(v.is_accepted, v.reason);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(v.reason, "of 701 transactions"), v.reason);
    buffer_close(&log);
}

/* The stack overflowed. */
static void statements_nested_deeper_than_the_stack_are_undecided(void)
{
    struct buffer log = { 0 }, source = { 0 };
    struct verification v;

    buffer_print(&source, "CREATE TABLE t (id bigint PRIMARY KEY, v bigint);\n"
                          "CREATE TABLE u (id bigint PRIMARY KEY, v bigint);\n"
                          "CREATE FUNCTION f(p bigint) RETURNS bigint LANGUAGE plpgsql AS $$\nBEGIN\n");
    for (int i = 0; i < 200; i++)
        buffer_print(&source, "IF p > 0 THEN ");
    buffer_print(&source, "RETURN f(p - 1);");
    for (int i = 0; i < 200; i++)
        buffer_print(&source, " END IF;");
    buffer_print(&source, "\nUPDATE t SET v = 1 WHERE id = 1;\nRETURN 0;\nEND;\n$$;\n");
    print_head(&log, 0);
    print_call(&log, 1, "f", "\"90\"", 1);
    v = verify_program(&log, (struct text){ source.at, source.count }, "\"snapshot\"", 1);
    TEST_ASSERT_FALSE(v.is_accepted);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(v.reason, "statements within so many statements"), v.reason);
    buffer_close(&log);
    buffer_close(&source);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(who_has_no_place_leaves_its_rows_in_doubt_and_no_others);
    RUN_TEST(a_part_of_a_long_log_is_a_core_if_the_others_make_no_difference);
    RUN_TEST(statements_nested_deeper_than_the_stack_are_undecided);
    RUN_TEST(a_lost_update_among_a_thousand_is_refuted_and_nothing_else);
    RUN_TEST(a_statement_that_calls_a_function_may_write);
    RUN_TEST(who_leaves_a_row_as_it_was_may_have_seen_an_old_state);
    RUN_TEST(who_leaves_a_row_as_it_was_may_tell_what_was_in_it);
    return UNITY_END();
}
