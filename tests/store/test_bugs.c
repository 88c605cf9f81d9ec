#include "store/bugs.h"

#include <string.h>

#include "store/sometimes.h"
#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static void every_bug_is_found_by_its_name_and_no_other(void)
{
    const char *const *names = bug_names();

    for (enum bug bug = 0; bug < BUG_COUNT; bug++) {
        TEST_ASSERT_EQUAL_STRING(names[bug], bug_entry(bug)->name);
        TEST_ASSERT_EQUAL_INT(bug, bug_find(text_of(names[bug])));
    }
    TEST_ASSERT_NULL(names[BUG_COUNT]);
    TEST_ASSERT_EQUAL_INT(BUG_COUNT, bug_find(TEXT("no-such-bug")));
    TEST_ASSERT_EQUAL_INT(BUG_COUNT, bug_find(TEXT("ack-before-syn")));
    TEST_ASSERT_EQUAL_INT(BUG_COUNT, bug_find(TEXT("")));
}

static void a_bug_belongs_to_its_protocols(void)
{
    static const struct {
        const char *bug, *protocol;
        bool on_raft, belongs;
    } rows[] = {
        { "no-timestamp-cache", "mvto", true, true },
        { "no-timestamp-cache", "occ", true, false },
        { "stale-version-in-snapshot", "si", true, true },
        { "stale-version-in-snapshot", "ssi", true, true },
        { "stale-version-in-snapshot", "rc", true, false },
        { "ack-before-sync", "2pl", true, true },
        { "ack-before-sync", "eventual", false, false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_MESSAGE(
            rows[i].belongs,
            bug_is_of(bug_find(text_of(rows[i].bug)), rows[i].protocol, rows[i].on_raft),
            rows[i].bug);
}

static void the_protocols_of_a_bug_are_listed_in_order(void)
{
    enum bug bug = bug_find(TEXT("snapshot-differs-per-shard"));
    struct text protocol;

    TEST_ASSERT_TRUE(bug_protocol(bug, 0, &protocol));
    TEST_ASSERT_TRUE(text_equal(TEXT("si"), protocol));
    TEST_ASSERT_TRUE(bug_protocol(bug, 1, &protocol));
    TEST_ASSERT_TRUE(text_equal(TEXT("ssi"), protocol));
    TEST_ASSERT_FALSE(bug_protocol(bug, 2, &protocol));
}

static void every_bug_says_who_must_catch_it(void)
{
    for (enum bug bug = 0; bug < BUG_COUNT; bug++) {
        TEST_ASSERT_TRUE_MESSAGE(bug_entry(bug)->checkers[0], bug_entry(bug)->name);
        TEST_ASSERT_TRUE_MESSAGE(bug_entry(bug)->protocols[0], bug_entry(bug)->name);
        TEST_ASSERT_TRUE_MESSAGE(bug_entry(bug)->holds < LEVEL_COUNT, bug_entry(bug)->name);
    }
}

static void rare_paths_are_counted_one_by_one_and_have_names(void)
{
    struct sometimes sometimes = { 0 };

    SOMETIMES(&sometimes, REPLICA_WIPED);
    SOMETIMES(&sometimes, REPLICA_WIPED);
    for (enum rare_path path = 0; path < SOMETIMES_COUNT; path++) {
        TEST_ASSERT_EQUAL_UINT64(path == SOMETIMES_REPLICA_WIPED ? 2 : 0, sometimes.counts[path]);
        for (enum rare_path other = 0; other < path; other++)
            TEST_ASSERT_TRUE(strcmp(sometimes_name(path), sometimes_name(other)) != 0);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_bug_is_found_by_its_name_and_no_other);
    RUN_TEST(a_bug_belongs_to_its_protocols);
    RUN_TEST(the_protocols_of_a_bug_are_listed_in_order);
    RUN_TEST(every_bug_says_who_must_catch_it);
    RUN_TEST(rare_paths_are_counted_one_by_one_and_have_names);
    return UNITY_END();
}
