#include "trial/scenario/schedule_private.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define HEAD "name = \"x\"\n[workload]\nprogram = \"x.sql\"\n" /* lines 1 to 3 */
#define BEGIN "[[schedule]]\nsession = 1\ndo = \"begin\"\n"
#define COMMIT "[[schedule]]\nsession = 1\ndo = \"commit\"\n"
#define STEP(lines) "[[schedule]]\nsession = 1\n" lines

static struct scenario scenario, again;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static enum status read(const char *text)
{
    return scenario_read(&scenario, "x.toml", text_of(text), NULL, 0, &err);
}

static void check_refusal(const char *text, uint64_t line, const char *message)
{
    err = (struct error){ 0 };
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read(text), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, message), err.text);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(line, err.line, err.text);
}

static void steps_are_read_in_their_order(void)
{
    ASSERT_OK(read(HEAD BEGIN STEP("do = 'SELECT 1'\nexpect = [\"ok\", \"blocked\"]\n")
                   STEP("do = \"await\"\nexpect = \"aborted\"\n") COMMIT),
              &err);
    TEST_ASSERT_EQUAL(WORKLOAD_SCHEDULE, scenario.workload.kind);
    TEST_ASSERT_EQUAL_UINT32(4, scenario.step_count);
    TEST_ASSERT_EQUAL(SCHEDULE_BEGIN, scenario.steps[0].what.act);
    TEST_ASSERT_EQUAL_UINT32(0, scenario.steps[0].expected);
    TEST_ASSERT_EQUAL(SCHEDULE_STATEMENT, scenario.steps[1].what.act);
    TEST_ASSERT_EQUAL_STRING("SELECT 1", scenario.steps[1].what.sql);
    TEST_ASSERT_EQUAL_UINT64(9, scenario.steps[1].what.line);
    TEST_ASSERT_EQUAL_HEX32(1u << SCHEDULE_OK | 1u << SCHEDULE_BLOCKED, scenario.steps[1].expected);
    TEST_ASSERT_EQUAL_HEX32(1u << SCHEDULE_ABORTED, scenario.steps[2].expected);
    TEST_ASSERT_EQUAL(SCHEDULE_COMMIT, scenario.steps[3].what.act);
}

static void sessions_are_numbered_as_they_appear(void)
{
    ASSERT_OK(read(HEAD "[[schedule]]\nsession = \"bob\"\ndo = \"begin\"\n" BEGIN
                   "[[schedule]]\nsession = \"bob\"\ndo = \"abort\"\n" COMMIT),
              &err);
    TEST_ASSERT_EQUAL_UINT32(2, scenario.workload.sessions);
    TEST_ASSERT_EQUAL_UINT32(0, scenario.steps[0].session_number);
    TEST_ASSERT_EQUAL_UINT32(1, scenario.steps[1].session_number);
    TEST_ASSERT_EQUAL_UINT32(0, scenario.steps[2].session_number);
}

static void rows_are_kept_as_lines(void)
{
    ASSERT_OK(read(HEAD BEGIN STEP("do = 'SELECT 1'\n"
                                   "rows = [[1, \"a \\\"b\\\"\", true, 2.50, []], [-3]]\n")
                       STEP("do = 'SELECT 2'\nrows = []\n") COMMIT),
              &err);
    TEST_ASSERT_TRUE(scenario.steps[1].rows.are_given);
    TEST_ASSERT_EQUAL_STRING("[1,\"a \\\"b\\\"\",true,2.50,[]]\n[-3]\n",
                             scenario.steps[1].rows.lines);
    TEST_ASSERT_TRUE(scenario.steps[2].rows.are_given);
    TEST_ASSERT_EQUAL_STRING("", scenario.steps[2].rows.lines);
    TEST_ASSERT_FALSE(scenario.steps[3].rows.are_given);
}

static void what_is_printed_reads_back_the_same(void)
{
    static const char text[] =
        HEAD "[[schedule]]\nsession = \"bob \\\"b\\\"\"\ndo = \"begin\"\n" BEGIN STEP(
            "do = '''\nSELECT 1,\n       'two'\n'''\nexpect = \"ok\"\nrows = [[1, \"two\"], [[]]]\n")
            COMMIT "[[schedule]]\nsession = \"bob \\\"b\\\"\"\ndo = \"commit\"\n";
    struct buffer first = { 0 }, second = { 0 };

    ASSERT_OK(read(text), &err);
    scenario_print(&scenario, &first);
    ASSERT_OK(scenario_read(&again, "x.toml", (struct text){ first.at, first.count }, NULL, 0, &err),
              &err);
    scenario_print(&again, &second);
    buffer_byte(&first, '\0');
    buffer_byte(&second, '\0');
    TEST_ASSERT_EQUAL_STRING(first.at, second.at);
    TEST_ASSERT_EQUAL_STRING(scenario.steps[2].what.sql, again.steps[2].what.sql);
    TEST_ASSERT_NOT_NULL(strstr(first.at, "rows = [[1,\"two\"], [[]]]"));
    buffer_close(&first);
    buffer_close(&second);
}

static void what_cannot_be_a_schedule_is_refused_with_its_line(void)
{
    check_refusal(HEAD COMMIT, 4, "session 1 has no transaction here");
    check_refusal(HEAD STEP("do = \"await\"\n"), 4, "session 1 has no transaction here");
    check_refusal(HEAD BEGIN BEGIN COMMIT, 7, "session 1 has begun a transaction already");
    check_refusal(HEAD BEGIN, 4, "session 1 does not end its transaction");
    check_refusal(HEAD BEGIN STEP("do = \"comit\"\n"), 9, "did you mean \"commit\"?");
    check_refusal(HEAD BEGIN STEP("do = 7\n"), 9, "schedule.do should be a string");
    check_refusal(HEAD BEGIN STEP("do = 'SELECT 1'\nexpect = \"fine\"\n"), 10, "\"ok\", \"blocked\"");
    check_refusal(HEAD BEGIN STEP("do = 'SELECT 1'\nexpect = []\n"), 10, "should not be empty");
    check_refusal(HEAD BEGIN STEP("do = 'SELECT 1'\nrows = [1]\n"), 10, "a list of rows");
    check_refusal(HEAD BEGIN STEP("do = 'SELECT 1'\nrows = [[[1]]]\n"), 10, "[] for null");
    check_refusal(HEAD BEGIN STEP("doo = 'SELECT 1'\n"), 9, "did you mean 'do'?");
    check_refusal("name = \"x\"\n[workload]\nkind = \"bank\"\n" BEGIN COMMIT, 4,
                  "a schedule is of the statements of a workload.program");
    check_refusal("name = \"x\"\n[workload]\nprogram = \"x.sql\"\nsessions = 3\n" BEGIN COMMIT, 4,
                  "the workload schedule has no 'sessions'");
}

static void a_schedule_tries_nothing_twice(void)
{
    ASSERT_OK(read(HEAD BEGIN COMMIT), &err);
    TEST_ASSERT_EQUAL_UINT32(1, scenario.workload.client.attempts_max);
    TEST_ASSERT_EQUAL_INT64(INT64_C(400000000), scenario.workload.client.request_timeout_ns);
    TEST_ASSERT_EQUAL_UINT64(0, scenario.workload.client.transactions);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(steps_are_read_in_their_order);
    RUN_TEST(sessions_are_numbered_as_they_appear);
    RUN_TEST(rows_are_kept_as_lines);
    RUN_TEST(what_is_printed_reads_back_the_same);
    RUN_TEST(what_cannot_be_a_schedule_is_refused_with_its_line);
    RUN_TEST(a_schedule_tries_nothing_twice);
    return UNITY_END();
}
