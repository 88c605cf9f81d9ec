#include "tests/store/protocols/protocol_fixture.h"

#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void what_commits_is_serializable(void)
{
    model_holds(&protocol_occ, fixture_rounds(500), 65);
}

static void reads_must_be_validated(void)
{
    model_breaks(&protocol_occ, BUG_VALIDATES_WRITES_ONLY, true, 500);
}

static void predicates_must_be_validated(void)
{
    model_breaks(&protocol_occ, BUG_VALIDATION_SKIPS_PREDICATES, true, 2000);
}

static void looking_and_being_seen_is_one_step(void)
{
    model_breaks(&protocol_occ, BUG_VALIDATION_NOT_ATOMIC, true, 5000);
}

static void more_than_the_last_commit_counts(void)
{
    model_breaks(&protocol_occ, BUG_VALIDATES_AGAINST_LAST_COMMIT_ONLY, true, 2000);
}

static void who_is_undecided_counts(void)
{
    model_breaks(&protocol_occ, BUG_UNDECIDED_PREPARE_IGNORED, true, 2000);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(what_commits_is_serializable);
    RUN_TEST(reads_must_be_validated);
    RUN_TEST(predicates_must_be_validated);
    RUN_TEST(looking_and_being_seen_is_one_step);
    RUN_TEST(more_than_the_last_commit_counts);
    RUN_TEST(who_is_undecided_counts);
    failures = UNITY_END();
    model_close();
    return failures;
}
