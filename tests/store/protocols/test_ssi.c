#include "tests/store/protocols/protocol_fixture.h"

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void what_commits_is_serializable(void)
{
    model_holds(&protocol_ssi, fixture_rounds(500), 65);
}

static void predicates_need_marks(void)
{
    model_breaks(&protocol_ssi, BUG_NO_PREDICATE_MARKS, true, 3000);
}

static void rows_that_were_updated_meanwhile_need_marks(void)
{
    model_breaks(&protocol_ssi, BUG_NO_MARK_ON_CONCURRENT_UPDATE, true, 3000);
}

static void a_pivot_that_committed_first_counts(void)
{
    model_breaks(&protocol_ssi, BUG_PIVOT_NEEDS_IN_EDGE_FIRST, true, 6000);
}

static void marks_outlive_their_transaction(void)
{
    model_breaks(&protocol_ssi, BUG_MARKS_DROPPED_AT_COMMIT, true, 3000);
}

static void who_only_reads_may_be_in_the_way(void)
{
    model_breaks(&protocol_ssi, BUG_READ_ONLY_ALWAYS_SAFE, true, 6000);
}

static void comparing_values_loses_updates(void)
{
    model_breaks(&protocol_ssi, BUG_FIRST_COMMITTER_COMPARES_VALUES, false, 1000);
}

static void clocks_of_their_own_tear_snapshots(void)
{
    model_breaks(&protocol_ssi, BUG_SNAPSHOT_DIFFERS_PER_SHARD, true, 500);
}

static void a_version_in_doubt_must_be_waited_for(void)
{
    model_breaks(&protocol_ssi, BUG_STALE_VERSION_IN_SNAPSHOT, true, 5000);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(what_commits_is_serializable);
    RUN_TEST(predicates_need_marks);
    RUN_TEST(rows_that_were_updated_meanwhile_need_marks);
    RUN_TEST(a_pivot_that_committed_first_counts);
    RUN_TEST(marks_outlive_their_transaction);
    RUN_TEST(who_only_reads_may_be_in_the_way);
    RUN_TEST(comparing_values_loses_updates);
    RUN_TEST(clocks_of_their_own_tear_snapshots);
    RUN_TEST(a_version_in_doubt_must_be_waited_for);
    failures = UNITY_END();
    model_close();
    return failures;
}
