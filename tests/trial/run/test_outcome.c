#include "trial/run/outcome.h"

#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

static struct run_outcome outcome, copy;
static struct buffer line, again;
static struct error err;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    outcome = (struct run_outcome){ .seed = 17, .verdict = VERDICT_INVALID, .has_store = true };
    strcpy(outcome.trace, "00ff");
    outcome.simulated_ns = INT64_C(1234567890123);
    outcome.events = 9;
    outcome.committed = 8;
    outcome.aborted = 7;
    outcome.unknown = 6;
    outcome.faults[FAULT_LOSS] = 5;
    outcome.expects[FAULT_CRASH] = true;
    outcome.nemesis_count = 3;
    outcome.drawn_count = 1;
    outcome.felt[0] = 2;
    outcome.felt[2] = UINT64_C(1) << 52;
    outcome.sometimes[SOMETIMES_COUNT - 1] = 4;
    outcome.checks[0] = 1 + VERDICT_INVALID;
    ASSERT_OK(outcome_add_failure(&outcome, "order serializable G1a item", "T1 \"read\"\n…", &err),
              &err);
    outcome.draws.of[SWARM_NETWORK] = (struct swarm_seed){ true, UINT64_C(1) << 53 };
    ASSERT_OK(array_push(&outcome.features, 0, &err), &err);
    ASSERT_OK(array_push(&outcome.features, 17, &err), &err);
    ASSERT_OK(array_push(&outcome.features, COVERAGE_FEATURES - 1, &err), &err);
}

void tearDown(void)
{
    outcome_close(&outcome);
    outcome_close(&copy);
    buffer_close(&line);
    buffer_close(&again);
}

static enum status read_back(struct text text)
{
    return outcome_read(&copy, text, &err);
}

static void a_run_that_was_too_long_says_so(void)
{
    outcome.is_too_long = true;
    outcome.undecided = strdup("more than 5 events");
    outcome_print(&outcome, &line);
    ASSERT_OK(read_back((struct text){ line.at, line.count }), &err);
    TEST_ASSERT_TRUE(copy.is_too_long);
    TEST_ASSERT_EQUAL_STRING("more than 5 events", copy.undecided);
}

static void what_is_printed_reads_back_as_the_same(void)
{
    outcome_print(&outcome, &line);
    ASSERT_OK(read_back((struct text){ line.at, line.count }), &err);
    outcome_print(&copy, &again);
    TEST_ASSERT_EQUAL_UINT64(line.count, again.count);
    TEST_ASSERT_EQUAL_MEMORY(line.at, again.at, line.count);
    TEST_ASSERT_EQUAL_UINT64(17, copy.seed);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, copy.verdict);
    TEST_ASSERT_EQUAL_STRING("00ff", copy.trace);
    TEST_ASSERT_EQUAL_INT64(outcome.simulated_ns, copy.simulated_ns);
    TEST_ASSERT_EQUAL_UINT64(5, copy.faults[FAULT_LOSS]);
    TEST_ASSERT_FALSE(copy.expects[FAULT_LOSS]);
    TEST_ASSERT_TRUE(copy.expects[FAULT_CRASH]);
    TEST_ASSERT_EQUAL_UINT64(outcome.felt[2], copy.felt[2]);
    TEST_ASSERT_EQUAL_UINT64(4, copy.sometimes[SOMETIMES_COUNT - 1]);
    TEST_ASSERT_EQUAL_UINT8(1 + VERDICT_INVALID, copy.checks[0]);
    TEST_ASSERT_EQUAL_STRING("T1 \"read\"\n…", copy.failures.at[0].explanation);
    TEST_ASSERT_NULL(copy.undecided);
    TEST_ASSERT_EQUAL_UINT64(UINT64_C(1) << 53, copy.draws.of[SWARM_NETWORK].seed);
    TEST_ASSERT_TRUE(copy.draws.of[SWARM_NETWORK].is_given);
    TEST_ASSERT_FALSE(copy.draws.of[SWARM_DISK].is_given);
    TEST_ASSERT_EQUAL_UINT64(3, copy.features.count);
    TEST_ASSERT_EQUAL_UINT32(0, copy.features.at[0]);
    TEST_ASSERT_EQUAL_UINT32(17, copy.features.at[1]);
    TEST_ASSERT_EQUAL_UINT32(COVERAGE_FEATURES - 1, copy.features.at[2]);
}

static void it_is_one_line(void)
{
    outcome_print(&outcome, &line);
    TEST_ASSERT_NULL(memchr(line.at, '\n', line.count));
}

static void whatever_is_cut_off_is_refused(void)
{
    outcome_print(&outcome, &line);
    for (size_t length = 0; length < line.count; length++) {
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, read_back((struct text){ line.at, length }));
        outcome_close(&copy);
    }
}

static void what_no_outcome_has_is_refused(void)
{
    static const char *const lines[] = {
        "{\"seed\":-1}",
        "{\"colour\":1}",
        "{\"verdict\":\"maybe\"}",
        "{\"faults\":[[\"rain\",1,1]]}",
        "{\"faults\":[[\"crash\",1,1,1]]}",
        "{\"checks\":[[\"nobody\",\"valid\"]]}",
        "{\"failures\":[[\"a\"]]}",
        "{\"failures\":[[\"a\",\"b\",\"c\"]]}",
        "{\"nemeses\":[1],\"drawn\":2}",
        "{\"draws\":{\"weather\":1}}",
        "{\"draws\":{\"disk\":1,\"disk\":2}}",
        "{\"features\":[1,0]}",
        "{\"features\":[1,245760]}",
        "{\"trace\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}",
        "{} {}",
        "[]",
    };

    for (size_t i = 0; i < ROW_COUNT(lines); i++) {
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read_back(text_of(lines[i])), lines[i]);
        outcome_close(&copy);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_printed_reads_back_as_the_same);
    RUN_TEST(a_run_that_was_too_long_says_so);
    RUN_TEST(it_is_one_line);
    RUN_TEST(whatever_is_cut_off_is_refused);
    RUN_TEST(what_no_outcome_has_is_refused);
    return UNITY_END();
}
