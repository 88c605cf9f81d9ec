#include "tests/store/protocols/protocol_fixture.h"

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void what_commits_is_a_snapshot_history(void)
{
    model_holds(&protocol_si, fixture_rounds(500), 70);
}

static void comparing_values_loses_updates(void)
{
    model_breaks(&protocol_si, BUG_FIRST_COMMITTER_COMPARES_VALUES, false, 1000);
}

static void clocks_of_their_own_tear_snapshots(void)
{
    model_breaks(&protocol_si, BUG_SNAPSHOT_DIFFERS_PER_SHARD, true, 500);
}

static void a_version_in_doubt_must_be_waited_for(void)
{
    model_breaks(&protocol_si, BUG_STALE_VERSION_IN_SNAPSHOT, true, 5000);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(what_commits_is_a_snapshot_history);
    RUN_TEST(comparing_values_loses_updates);
    RUN_TEST(clocks_of_their_own_tear_snapshots);
    RUN_TEST(a_version_in_doubt_must_be_waited_for);
    failures = UNITY_END();
    model_close();
    return failures;
}
