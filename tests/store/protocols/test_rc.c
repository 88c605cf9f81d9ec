#include "tests/store/protocols/protocol_fixture.h"

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

/* In so many seeds, how many histories are not at that level, as clients see them. */
static unsigned count_broken(const struct protocol *protocol, enum level level, uint64_t seeds)
{
    struct model_counts counts = { 0 };
    unsigned broken = 0;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct model_options options = model_options_of_seed(seed);
        struct history history;

        options.protocol = protocol;
        model_run(&options, seed, &history, &counts);
        broken += oracle_decide(&history, level, (struct oracle_options){ 0 }) == ORACLE_VIOLATED;
        history_close(&history);
    }
    return broken;
}

static void what_commits_is_read_committed(void)
{
    model_holds(&protocol_rc, fixture_rounds(500), 90);
}

/* It would not be worth its name if it gave more: two statements see two states. */
static void transactions_do_not_see_one_state(void)
{
    TEST_ASSERT_GREATER_THAN_UINT(10, count_broken(&protocol_rc, LEVEL_READ_ATOMIC, 300));
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(what_commits_is_read_committed);
    RUN_TEST(transactions_do_not_see_one_state);
    failures = UNITY_END();
    model_close();
    return failures;
}
