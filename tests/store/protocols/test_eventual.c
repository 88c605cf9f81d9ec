#include "store/protocol_private.h"

#include "tests/fixture.h"
#include "tests/store/cluster_fixture.h"
#include "tests/store/multileader/local_fixture.h"
#include "unity.h"

static const struct bugs no_bugs;

void setUp(void) {}
void tearDown(void) {}

static void what_clients_see_is_read_committed(void)
{
    TEST_ASSERT_EQUAL(0, local_count_broken("eventual", &no_bugs, LEVEL_READ_COMMITTED, false,
                                            fixture_rounds(200)));
}

/* Every read is of the version that the certificate names, too. */
static void it_is_so_by_the_order_that_the_certificate_says(void)
{
    TEST_ASSERT_EQUAL(0, local_count_broken("eventual", &no_bugs, LEVEL_READ_COMMITTED, true,
                                            fixture_rounds(200)));
}

/* It would not be worth its name if it gave more. */
static void two_statements_may_see_two_states(void)
{
    TEST_ASSERT_GREATER_THAN_UINT(
        5, local_count_broken("eventual", &no_bugs, LEVEL_READ_ATOMIC, false, 200));
}

/* A clock that is behind takes what is written there below what was read. */
static void stamps_by_local_clocks_alone_put_a_write_below_what_was_read(void)
{
    struct bugs bugs = { .on = { [BUG_LAST_WRITER_BY_LOCAL_CLOCK] = true } };

    TEST_ASSERT_GREATER_THAN_UINT(
        5, local_count_broken("eventual", &bugs, LEVEL_READ_COMMITTED, true, 200));
    TEST_ASSERT_EQUAL(0,
                      local_count_broken("eventual", &bugs, LEVEL_READ_UNCOMMITTED, true, 100));
}

/* Nothing is ever refused: whatever does not commit met a fault, or its program wanted it so. */
static void everything_commits_in_quiet_times(void)
{
    struct cluster_case it = cluster_case_of("eventual", "bank", 1);
    struct cluster_run run = cluster_run(&it);

    TEST_ASSERT_NULL_MESSAGE(run.complaint, run.complaint);
    TEST_ASSERT_EQUAL(it.transactions, run.findings.committed);
    TEST_ASSERT_EQUAL(0, run.findings.aborted);
    cluster_run_close(&run);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_clients_see_is_read_committed);
    RUN_TEST(it_is_so_by_the_order_that_the_certificate_says);
    RUN_TEST(two_statements_may_see_two_states);
    RUN_TEST(stamps_by_local_clocks_alone_put_a_write_below_what_was_read);
    RUN_TEST(everything_commits_in_quiet_times);
    return UNITY_END();
}
