#include "trial/explore/histories.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define PROGRAM "tests/trial/explore/accounts.sql"

static struct scenario scenario;
static struct histories_options options;
static struct histories_result result;
static struct error err;

static void load(const char *rest)
{
    struct buffer text = { 0 };

    buffer_print(&text,
                 "name = \"x\"\nseed = 1\n[workload]\nprogram = \"" PROGRAM
                 "\"\nload = \"load(2)\"\n%s",
                 rest);
    ASSERT_OK(
        scenario_read(&scenario, "x.toml", (struct text){ text.at, text.count }, NULL, 0, &err),
        &err);
    buffer_close(&text);
    options = (struct histories_options){ .scenario = &scenario,
                                          .level = LEVEL_CAUSAL,
                                          .transactions = 2 };
}

static void explore_histories(void)
{
    histories_close(&result);
    ASSERT_OK(histories_explore(&result, &options, &err), &err);
}

void setUp(void)
{
    FILE *file = fopen(PROGRAM, "rb");

    memset(&err, 0, sizeof err);
    if (!file)
        TEST_IGNORE_MESSAGE(PROGRAM " is not here: run from the root of the tree");
    fclose(file);
}

void tearDown(void)
{
    histories_close(&result);
    result = (struct histories_result){ .violations = 0 };
    scenario_close(&scenario);
    memset(&scenario, 0, sizeof scenario);
}

#define DEPOSITS "[[workload.call]]\nprocedure = \"deposit\"\narguments = [\"1\", \"5\"]\n"
#define WITHDRAWALS                                                                                \
    "[[workload.call]]\nprocedure = \"withdraw\"\narguments = [\"1\", \"8\", \"fresh\"]\n"

static void a_lost_deposit_breaks_the_invariant_that_a_scenario_asks_for(void)
{
    load("sessions = 2\n" DEPOSITS
         "[[invariant]]\nquery = \"SELECT sum(balance) FROM accounts\"\nequals = 30\n");
    explore_histories();
    TEST_ASSERT_TRUE(result.counts.is_complete);
    TEST_ASSERT_EQUAL_UINT64(3, result.counts.histories);
    TEST_ASSERT_EQUAL_UINT64(1, result.counts.unserializable);
    TEST_ASSERT_EQUAL_UINT64(1, result.violations);
    TEST_ASSERT_EQUAL_UINT64(1, result.failures.count);
    TEST_ASSERT_EQUAL_STRING("invariant SELECT sum(balance) FROM accounts",
                             result.failures.at[0].what);
    TEST_ASSERT_EQUAL_STRING("SELECT sum(balance) FROM accounts gives 25, not 30",
                             result.failures.at[0].explanation);
    TEST_ASSERT_TRUE(result.has_history);
}

static void at_snapshot_no_deposit_is_lost(void)
{
    load("sessions = 2\n" DEPOSITS
         "[[invariant]]\nquery = \"SELECT sum(balance) FROM accounts\"\nequals = 30\n");
    options.level = LEVEL_SNAPSHOT;
    explore_histories();
    TEST_ASSERT_TRUE(result.counts.is_complete);
    TEST_ASSERT_EQUAL_UINT64(2, result.counts.histories);
    TEST_ASSERT_EQUAL_UINT64(1, result.counts.refused);
    TEST_ASSERT_EQUAL_UINT64(0, result.violations);
    TEST_ASSERT_FALSE(result.has_history);
}

static void a_programs_own_invariant_is_asked_unless_it_is_skipped(void)
{
    load("sessions = 2\n" WITHDRAWALS);
    explore_histories();
    TEST_ASSERT_EQUAL_UINT64(1, result.violations);
    TEST_ASSERT_EQUAL_STRING("invariant invariant_paid", result.failures.at[0].what);
    scenario.check.skips_workload = true;
    explore_histories();
    TEST_ASSERT_EQUAL_UINT64(0, result.violations);
}

static void an_unserializable_history_is_a_violation_where_that_is_asked_for(void)
{
    load("sessions = 2\n" DEPOSITS);
    explore_histories();
    TEST_ASSERT_EQUAL_UINT64(0, result.violations);
    options.wants_serializable = true;
    explore_histories();
    TEST_ASSERT_EQUAL_UINT64(1, result.violations);
    TEST_ASSERT_EQUAL_STRING("unserializable", result.failures.at[0].what);
}

static void calls_of_one_session_follow_one_another(void)
{
    load("sessions = 1\n" DEPOSITS);
    options.transactions = 3;
    explore_histories();
    TEST_ASSERT_EQUAL_UINT32(3, result.transactions);
    TEST_ASSERT_EQUAL_UINT64(1, result.counts.histories);
}

static void calls_may_be_listed(void)
{
    load("sessions = 2\n"
         "[[transaction]]\nsession = 0\nat = \"0s\"\ndo = [\"withdraw(1, 8, 100)\"]\n"
         "[[transaction]]\nsession = 1\nat = \"0s\"\ndo = [\"deposit(2, 1)\"]\n");
    explore_histories();
    TEST_ASSERT_EQUAL_UINT32(2, result.transactions);
    TEST_ASSERT_EQUAL_UINT64(1, result.counts.histories);
}

static void the_first_violation_can_end_it(void)
{
    load("sessions = 2\n" DEPOSITS);
    options.wants_serializable = options.until_failure = true;
    explore_histories();
    TEST_ASSERT_EQUAL_UINT64(1, result.violations);
    TEST_ASSERT_FALSE(result.counts.is_complete);
}

static void a_violation_has_its_story_and_its_choices(void)
{
    static const char story[] =
        "T1 (session 0) deposit(1, 5)   reads accounts/1 from initial   writes accounts/1\n"
        "T2 (session 1) deposit(1, 5)   reads accounts/1 from initial   writes accounts/1\n";
    static const char choices[] = "{\"ordeal-choices\":1,\"order\":[0,1]}\n"
                                  "{\"session\":0,\"transaction\":0,\"statement\":0,\"key\":"
                                  "\"accounts/1\",\"from\":\"initial\"}\n"
                                  "{\"session\":1,\"transaction\":0,\"statement\":0,\"key\":"
                                  "\"accounts/1\",\"from\":\"initial\"}\n";

    load("sessions = 2\n" DEPOSITS);
    options.wants_serializable = true;
    explore_histories();
    TEST_ASSERT_EQUAL_UINT64(sizeof story - 1, result.story.count);
    TEST_ASSERT_EQUAL_MEMORY(story, result.story.at, result.story.count);
    TEST_ASSERT_EQUAL_UINT64(sizeof choices - 1, result.choices.count);
    TEST_ASSERT_EQUAL_MEMORY(choices, result.choices.at, result.choices.count);
}

static void what_cannot_be_explored_is_said(void)
{
    static const char bank[] = "name = \"x\"\n[workload]\nkind = \"bank\"\n";

    ASSERT_OK(scenario_read(&scenario, "x.toml", text_of(bank), NULL, 0, &err), &err);
    TEST_ASSERT_NOT_NULL(histories_inability(&scenario));
    scenario_close(&scenario);
    load("sessions = 2\n" DEPOSITS);
    TEST_ASSERT_NULL(histories_inability(&scenario));
}

/* Each reads what it can see of the others, and all of it: as many histories as there are partial orders. */
static void transactions_that_see_each_other_or_not_are_the_partial_orders_of_so_many(void)
{
    static const uint64_t orders[] = { 1, 3, 19, 219 }; /* OEIS A001035 */

    load("sessions = 4\n[[workload.call]]\nprocedure = \"vote\"\narguments = [\"fresh\"]\n");
    for (uint32_t i = 0; i < 4; i++) {
        options.transactions = i + 1;
        explore_histories();
        TEST_ASSERT_EQUAL_UINT64(orders[i], result.counts.histories);
    }
}

/* Each adds to what it reads: at causal whom it reads from is any forest, at snapshot any order. */
static void increments_are_rooted_forests_at_causal_and_permutations_at_snapshot(void)
{
    static const uint64_t forests[] = { 1, 3, 16, 125, 1296 }; /* (n + 1)^(n - 1), Cayley */
    static const uint64_t permutations[] = { 1, 2, 6, 24, 120 };

    load("sessions = 5\n" DEPOSITS);
    for (uint32_t i = 0; i < 5; i++) {
        options.transactions = i + 1;
        options.level = LEVEL_CAUSAL;
        explore_histories();
        TEST_ASSERT_EQUAL_UINT64(forests[i], result.counts.histories);
        TEST_ASSERT_EQUAL_UINT64(forests[i] - permutations[i], result.counts.unserializable);
        options.level = LEVEL_SNAPSHOT;
        explore_histories();
        TEST_ASSERT_EQUAL_UINT64(permutations[i], result.counts.histories);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_lost_deposit_breaks_the_invariant_that_a_scenario_asks_for);
    RUN_TEST(at_snapshot_no_deposit_is_lost);
    RUN_TEST(a_programs_own_invariant_is_asked_unless_it_is_skipped);
    RUN_TEST(an_unserializable_history_is_a_violation_where_that_is_asked_for);
    RUN_TEST(calls_of_one_session_follow_one_another);
    RUN_TEST(calls_may_be_listed);
    RUN_TEST(the_first_violation_can_end_it);
    RUN_TEST(a_violation_has_its_story_and_its_choices);
    RUN_TEST(what_cannot_be_explored_is_said);
    RUN_TEST(increments_are_rooted_forests_at_causal_and_permutations_at_snapshot);
    RUN_TEST(transactions_that_see_each_other_or_not_are_the_partial_orders_of_so_many);
    return UNITY_END();
}
