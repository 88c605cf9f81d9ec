#include "record/commit_ranks.h"

#include <stdio.h>

#include "base/array.h"
#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;

void setUp(void) {}
void tearDown(void) {}

static struct commit_ranks order(const uint64_t *xids, size_t xid_count,
                                 const struct text *snapshots, size_t snapshot_count)
{
    struct numbered_commit commits[20];
    struct taken_snapshot taken[20];
    struct commit_ranks v;

    TEST_ASSERT_TRUE(xid_count <= ROW_COUNT(commits) && snapshot_count <= ROW_COUNT(taken));
    for (size_t i = 0; i < xid_count; i++)
        commits[i] = (struct numbered_commit){ xids[i], INT64_MIN };
    for (size_t i = 0; i < snapshot_count; i++)
        taken[i] = (struct taken_snapshot){ snapshots[i], INT64_MAX };
    TEST_ASSERT_EQUAL_MESSAGE(
        STATUS_OK, commit_ranks_find(&v, commits, xid_count, taken, snapshot_count, &err),
        err.text);
    return v;
}

static void a_commit_is_ranked_by_who_saw_it_and_not_by_its_place_in_the_log(void)
{
    /* In the log 5 stands before 7, but a snapshot that is older than another saw 7 alone. */
    static const uint64_t xids[] = { 3, 5, 7, 9 };
    static const struct text snapshots[] = { { "5:8:5", 5 }, { "9:9:", 4 } };
    static const uint32_t wanted[] = { 1, 2, 1, 3 };
    struct commit_ranks v = order(xids, 4, snapshots, 2);

    TEST_ASSERT_EQUAL_UINT32_ARRAY(wanted, v.commit_ranks, 4);
    TEST_ASSERT_EQUAL(1, v.snapshot_ranks[0]);
    TEST_ASSERT_EQUAL(2, v.snapshot_ranks[1]);
    TEST_ASSERT_EQUAL(2, v.rank_count);
    TEST_ASSERT_EQUAL(0, v.misfits);
    commit_ranks_close(&v);
}

static void snapshots_that_saw_the_same_have_one_rank(void)
{
    /* 6 was rolled back: whether it is running or not makes no difference. */
    static const uint64_t xids[] = { 3, 5 };
    static const struct text snapshots[] = { { "6:7:6", 5 }, { "7:7:", 4 }, { "3:3:", 4 } };
    struct commit_ranks v = order(xids, 2, snapshots, 3);

    TEST_ASSERT_EQUAL(1, v.snapshot_ranks[0]);
    TEST_ASSERT_EQUAL(1, v.snapshot_ranks[1]);
    TEST_ASSERT_EQUAL(0, v.snapshot_ranks[2]);
    commit_ranks_close(&v);
}

static void a_snapshot_that_lacks_what_a_smaller_one_saw_fits_nowhere(void)
{
    static const uint64_t xids[] = { 3, 5, 7 };
    static const struct text snapshots[] = { { "3:4:", 4 }, { "3:8:3", 5 } };
    struct commit_ranks v = order(xids, 3, snapshots, 2);

    TEST_ASSERT_EQUAL(1, v.misfits);
    TEST_ASSERT_EQUAL(1, v.snapshot_ranks[0]);
    TEST_ASSERT_EQUAL(COMMIT_RANKS_NONE, v.snapshot_ranks[1]);
    commit_ranks_close(&v);
}

static void who_has_no_snapshot_is_no_misfit(void)
{
    static const uint64_t xids[] = { 3 };
    static const struct text snapshots[] = { { "", 0 } };
    struct commit_ranks v = order(xids, 1, snapshots, 1);

    TEST_ASSERT_EQUAL(0, v.misfits);
    TEST_ASSERT_EQUAL(COMMIT_RANKS_NONE, v.snapshot_ranks[0]);
    TEST_ASSERT_EQUAL(1, v.commit_ranks[0]);
    commit_ranks_close(&v);
}

static void what_is_no_snapshot_is_refused(void)
{
    static const char *const texts[] = { "7", "7:8", "7:8:x", "7:8:5,,6", "a:8:" };
    static const struct numbered_commit commit = { 3, INT64_MIN };

    for (size_t i = 0; i < ROW_COUNT(texts); i++) {
        struct taken_snapshot snapshot = { text_of(texts[i]), INT64_MAX };
        struct commit_ranks v;

        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT,
                                  commit_ranks_find(&v, &commit, 1, &snapshot, 1, &err), texts[i]);
        commit_ranks_close(&v);
    }
}

/*
 * 7 was rolled back, and nothing of it reached the disk; after the crash another transaction had that number.
 * Who read before the crash has not seen it, whoever read later has.
 */
static void a_number_that_is_used_again_after_a_crash_was_not_seen_before(void)
{
    static const struct numbered_commit commits[] = { { 5, 100 }, { 7, 900 }, { 8, 1000 } };
    static const struct taken_snapshot snapshots[] = {
        { { "8:8:", 4 }, 300 }, { { "8:8:", 4 }, 950 }, { { "9:9:", 4 }, 2000 }
    };
    struct commit_ranks v;

    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, commit_ranks_find(&v, commits, 3, snapshots, 3, &err),
                              err.text);
    TEST_ASSERT_EQUAL(0, v.misfits);
    TEST_ASSERT_EQUAL(1, v.snapshot_ranks[0]);
    TEST_ASSERT_EQUAL(2, v.snapshot_ranks[1]);
    TEST_ASSERT_EQUAL(3, v.snapshot_ranks[2]);
    TEST_ASSERT_EQUAL(1, v.commit_ranks[0]);
    TEST_ASSERT_EQUAL(2, v.commit_ranks[1]);
    TEST_ASSERT_EQUAL(3, v.commit_ranks[2]);
    commit_ranks_close(&v);
}

/* The definition, by comparing everything with everything. */
static void ranks_are_those_of_the_definition_on_random_chains(void)
{
    enum { COMMITS = 12, SNAPSHOTS = 8 };

    for (uint64_t seed = 0; seed < 300; seed++) {
        struct random random;
        struct random_key key = random_key_of_seed(seed);
        uint64_t xids[COMMITS];
        uint32_t shown[COMMITS]; /* at which snapshot it is first seen */
        char texts[SNAPSHOTS][200];
        struct text snapshots[SNAPSHOTS];
        struct commit_ranks v;

        random_init(&random, &key);
        for (uint32_t i = 0; i < COMMITS; i++) {
            xids[i] = 10 + i;
            shown[i] = (uint32_t)random_below(&random, SNAPSHOTS + 1);
        }
        for (uint32_t s = 0; s < SNAPSHOTS; s++) {
            int length = snprintf(texts[s], sizeof texts[s], "10:%d:", 10 + COMMITS);

            for (uint32_t i = 0; i < COMMITS; i++)
                if (shown[i] > s)
                    length += snprintf(texts[s] + length, sizeof texts[s] - (size_t)length, "%s%u",
                                       texts[s][length - 1] == ':' ? "" : ",", 10 + i);
            snapshots[s] = text_of(texts[s]);
        }
        v = order(xids, COMMITS, snapshots, SNAPSHOTS);
        TEST_ASSERT_EQUAL(0, v.misfits);
        for (uint32_t s = 0; s < SNAPSHOTS; s++)
            for (uint32_t i = 0; i < COMMITS; i++)
                TEST_ASSERT_EQUAL(shown[i] <= s, v.commit_ranks[i] <= v.snapshot_ranks[s]);
        commit_ranks_close(&v);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_commit_is_ranked_by_who_saw_it_and_not_by_its_place_in_the_log);
    RUN_TEST(snapshots_that_saw_the_same_have_one_rank);
    RUN_TEST(a_snapshot_that_lacks_what_a_smaller_one_saw_fits_nowhere);
    RUN_TEST(who_has_no_snapshot_is_no_misfit);
    RUN_TEST(what_is_no_snapshot_is_refused);
    RUN_TEST(a_number_that_is_used_again_after_a_crash_was_not_seen_before);
    RUN_TEST(ranks_are_those_of_the_definition_on_random_chains);
    return UNITY_END();
}
