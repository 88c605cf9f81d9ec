#include "tests/store/protocols/protocol_fixture.h"

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void what_commits_is_serializable(void)
{
    model_holds(&protocol_mvto, fixture_rounds(500), 65);
}

static void reads_must_leave_marks(void)
{
    model_breaks(&protocol_mvto, BUG_NO_TIMESTAMP_CACHE, true, 1000);
}

static void a_new_leader_must_take_everything_for_read(void)
{
    model_breaks(&protocol_mvto, BUG_CACHE_LOST_ON_LEADER_CHANGE, true, 6000);
}

static void undecided_writes_must_not_be_read(void)
{
    model_breaks(&protocol_mvto, BUG_READS_PROVISIONAL_WRITES, true, 1000);
}

static void who_writes_later_must_look_again(void)
{
    model_breaks(&protocol_mvto, BUG_WRITE_TOO_OLD_IGNORED, true, 1000);
}

static void predicates_must_be_looked_at_again(void)
{
    model_breaks(&protocol_mvto, BUG_REFRESH_SKIPS_PREDICATES, true, 3000);
}

static void stamps_must_differ(void)
{
    model_breaks(&protocol_mvto, BUG_TIMESTAMP_TIE, true, 3000);
}

static void reads_must_stay_below_the_ceiling(void)
{
    model_breaks(&protocol_mvto, BUG_SERVES_ABOVE_CEILING, true, 6000);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(what_commits_is_serializable);
    RUN_TEST(reads_must_leave_marks);
    RUN_TEST(a_new_leader_must_take_everything_for_read);
    RUN_TEST(undecided_writes_must_not_be_read);
    RUN_TEST(who_writes_later_must_look_again);
    RUN_TEST(predicates_must_be_looked_at_again);
    RUN_TEST(stamps_must_differ);
    RUN_TEST(reads_must_stay_below_the_ceiling);
    failures = UNITY_END();
    model_close();
    return failures;
}
