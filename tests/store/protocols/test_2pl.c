#include "tests/store/protocols/protocol_fixture.h"

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void what_commits_is_strictly_serializable(void)
{
    model_holds(&protocol_2pl, fixture_rounds(500), 65);
}

static void shared_locks_must_be_kept(void)
{
    model_breaks(&protocol_2pl, BUG_READ_LOCKS_RELEASED_EARLY, true, 1000);
}

static void predicates_must_be_locked(void)
{
    model_breaks(&protocol_2pl, BUG_NO_PREDICATE_LOCKS, true, 3000);
}

static void updates_that_change_nothing_need_locks(void)
{
    model_breaks(&protocol_2pl, BUG_NO_LOCK_FOR_NO_OP_UPDATE, true, 6000);
}

static void every_table_of_a_join_needs_locks(void)
{
    model_breaks(&protocol_2pl, BUG_JOIN_FOR_UPDATE_MISSES_A_LOCK, true, 3000);
}

static void locks_of_an_earlier_leader_are_none(void)
{
    model_breaks(&protocol_2pl, BUG_LOCKS_LOST_ON_LEADER_CHANGE, true, 6000);
}

static void an_upgrade_must_wait_for_other_readers(void)
{
    model_breaks(&protocol_2pl, BUG_UPGRADE_RACE, true, 3000);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(what_commits_is_strictly_serializable);
    RUN_TEST(shared_locks_must_be_kept);
    RUN_TEST(predicates_must_be_locked);
    RUN_TEST(updates_that_change_nothing_need_locks);
    RUN_TEST(every_table_of_a_join_needs_locks);
    RUN_TEST(locks_of_an_earlier_leader_are_none);
    RUN_TEST(an_upgrade_must_wait_for_other_readers);
    failures = UNITY_END();
    model_close();
    return failures;
}
