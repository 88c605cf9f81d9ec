/* Logs in which many states might explain an answer: all are decided, and the verifier accepts each verdict. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "tests/audit/audit_fixture.h"
#include "tests/audit/key_value_log.h"
#include "tests/fixture.h"
#include "unity.h"

static struct buffer log_text;

void setUp(void) {}

void tearDown(void)
{
    buffer_close(&log_text);
}

static const struct key_value_spec few = { .txns = 50, .keys = 2, .values = 5, .clients = 8 };
static const struct key_value_spec papers = { .txns = 50, .keys = 10, .values = 100, .clients = 6 };

static enum verdict audit_log(const char *program, const char *log, const char *label)
{
    const struct audit_options options = { .level = LEVEL_READ_COMMITTED, .wants_witness = true };
    struct verification v;
    struct audited a;
    enum verdict verdict;

    audit_text(&a, program, log, options);
    verdict = a.verdict.verdict;
    TEST_ASSERT_NOT_EQUAL_MESSAGE(VERDICT_UNKNOWN, verdict, label);
    v = audited_verify(&a.log, program, &a.verdict.witness);
    TEST_ASSERT_TRUE_MESSAGE(v.is_accepted, v.reason);
    audited_close(&a);
    return verdict;
}

static enum verdict audit_spec(struct key_value_spec spec, uint64_t seed, enum key_value_change change)
{
    char label[80];

    spec.seed = seed;
    spec.change = change;
    spec.has_times = seed % 2 == 0;
    snprintf(label, sizeof label, "seed %llu, %u keys, change %d", (unsigned long long)seed, spec.keys, (int)change);
    key_value_log(&spec, &log_text);
    return audit_log(KEY_VALUE_PROGRAM, log_text.at, label);
}

static void right_answers_are_valid_although_values_repeat(void)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        TEST_ASSERT_EQUAL(VERDICT_VALID, audit_spec(few, seed, KEY_VALUE_RIGHT));
        TEST_ASSERT_EQUAL(VERDICT_VALID, audit_spec(papers, seed, KEY_VALUE_RIGHT));
    }
}

static void a_value_that_nobody_can_have_written_is_invalid(void)
{
    for (uint64_t seed = 1; seed <= 6; seed++)
        TEST_ASSERT_EQUAL(VERDICT_INVALID, audit_spec(few, seed, KEY_VALUE_UNHEARD));
}

static void another_value_is_decided_either_way(void)
{
    unsigned invalid = 0;

    for (uint64_t seed = 1; seed <= 12; seed++) {
        invalid += audit_spec(few, seed, KEY_VALUE_OTHER) == VERDICT_INVALID;
        invalid += audit_spec(papers, seed, KEY_VALUE_OTHER) == VERDICT_INVALID;
    }
    TEST_ASSERT_GREATER_THAN(0, invalid);
    TEST_ASSERT_LESS_THAN(24, invalid);
}

/* Some have added to what was there before the one before them, as read-committed allows, and have told nobody. */
static const char silent_program[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE FUNCTION add(p bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint;\n"
    "BEGIN\n"
    "    SELECT v INTO x FROM t WHERE id = 1;\n"
    "    UPDATE t SET v = x + p WHERE id = 1;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION total() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint;\n"
    "BEGIN\n"
    "    SELECT v INTO x FROM t WHERE id = 1;\n"
    "    RETURN x;\n"
    "END;\n"
    "$$;\n";

static void put_silent(unsigned i, const char *call)
{
    buffer_print(&log_text, "{\"txn\":%u,\"session\":%u,%s,\"status\":\"ok\",\"at\":[%u,%u]", i, i % 4, call, 100 * i,
                 100 * i + 250);
}

static void audit_silent(const char *head)
{
    unsigned value = 0, before = 0;
    char call[80];

    buffer_clear(&log_text);
    buffer_print(&log_text, "{\"ordeal-log\":1,%s\"rows\":{\"t\":[{\"id\":\"1\",\"v\":\"0\"}]}}\n", head);
    for (unsigned i = 0; i < 300; i++) {
        unsigned more = 1 + i * 37 % 100, is_lost = i % 40 == 3;
        unsigned now = (is_lost ? before : value) + more;

        if (i % 25 == 24) {
            put_silent(i, "\"call\":\"total\"");
            buffer_print(&log_text, ",\"answers\":[{\"rows\":[[\"%u\"]]}]}\n", value);
            continue;
        }
        snprintf(call, sizeof call, "\"call\":\"add\",\"arguments\":[\"%u\"]", more);
        put_silent(i, call);
        buffer_print(&log_text, ",\"ts\":%u,\"answers\":[{\"rows\":[]}]}\n", i + 1);
        before = value;
        value = now;
    }
    buffer_byte(&log_text, '\0');
    TEST_ASSERT_EQUAL_MESSAGE(VERDICT_VALID, audit_log(silent_program, log_text.at, head), head);
}

static void updates_that_were_lost_in_silence_are_found(void)
{
    audit_silent("");
    audit_silent("\"ts\":\"hint\",");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(right_answers_are_valid_although_values_repeat);
    RUN_TEST(a_value_that_nobody_can_have_written_is_invalid);
    RUN_TEST(another_value_is_decided_either_way);
    RUN_TEST(updates_that_were_lost_in_silence_are_found);
    return UNITY_END();
}
