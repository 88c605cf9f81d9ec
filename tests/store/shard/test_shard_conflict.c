#include "tests/store/shard/shard_stage.h"
#include "tests/store/shard/conflicts.h"

static void ways_of_conflict_are_told_apart(void)
{
    struct prepare writer = shared(1, 0), reader = shared(2, 0), scanner = shared(3, 0);

    prepare_write(&writer, 1, 55);
    prepare_read(&reader, key_of(1), (struct stamp){ 0 }, 0);
    prepare_scan(&scanner, scope_of(50, 60), 0);
    TEST_ASSERT_TRUE(shard_conflicts(&shard, &writer, &writer, CONFLICT_WRITE_WRITE));
    TEST_ASSERT_FALSE(shard_conflicts(&shard, &writer, &reader, CONFLICT_WRITE_WRITE));
    TEST_ASSERT_TRUE(shard_conflicts(&shard, &reader, &writer, CONFLICT_READ_WRITE));
    TEST_ASSERT_FALSE(shard_conflicts(&shard, &reader, &writer, CONFLICT_WRITE_READ));
    TEST_ASSERT_TRUE(shard_conflicts(&shard, &writer, &reader, CONFLICT_WRITE_READ));
    TEST_ASSERT_TRUE(shard_conflicts(&shard, &scanner, &writer, CONFLICT_READ_WRITE));
    TEST_ASSERT_TRUE(shard_conflicts(&shard, &writer, &scanner, CONFLICT_WRITE_READ));
    TEST_ASSERT_FALSE(shard_conflicts(&shard, &writer, &scanner, CONFLICT_READ_WRITE));
    TEST_ASSERT_FALSE(shard_conflicts(&shard, &reader, &scanner, 7));
}

static bool touches(uint32_t scope, uint32_t key, const struct text *after, struct stamp at)
{
    return shard_touches(&shard, scope, key, after, at);
}

static void a_scope_meets_a_row_that_leaves_it_as_well_as_one_that_comes(void)
{
    struct text inside = row_of(1, 55), outside = row_of(1, 99);

    TEST_ASSERT_TRUE(touches(scope_of(10, 10), key_of(1), &outside, stamp_never()));
    TEST_ASSERT_TRUE(touches(scope_of(10, 10), key_of(1), NULL, stamp_never()));
    TEST_ASSERT_TRUE(touches(scope_of(50, 60), key_of(1), &inside, stamp_never()));
    TEST_ASSERT_FALSE(touches(scope_of(50, 60), key_of(1), &outside, stamp_never()));
    TEST_ASSERT_FALSE(touches(scope_of(50, 60), key_of(1), NULL, stamp_never()));
    TEST_ASSERT_FALSE(touches(scope_of(50, 60), key_of(9), NULL, stamp_never()));
}

static void nobody_conflicts_with_himself(void)
{
    struct prepare p = shared(5, 0);

    prepare_write(&p, 1, 55);
    apply_prepare(&p);
    TEST_ASSERT_NULL(shard_conflict(&shard, &p, 7));
    p.txn = 6;
    TEST_ASSERT_EQUAL_UINT64(5, shard_conflict(&shard, &p, 7)->prepare.txn);
}

static uint64_t commit_write(uint64_t txn, unsigned id, int64_t v)
{
    struct prepare p = alone(txn);

    if (v < 0)
        prepare_remove(&p, id);
    else
        prepare_write(&p, id, v);
    p.least = at((int64_t)txn, txn);
    apply_prepare(&p);
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, refusal_of(txn));
    return next_index;
}

/*
 * Under rc blind writes stand side by side: transaction 5 was prepared first, and 6 committed above
 * it. Who looks between the two finds the first row, unless 5 commits there.
 */
static void an_undecided_write_below_the_newest_version_hides_what_is_found_below_it(void)
{
    struct prepare below = shared(5, 0), scanner = shared(7, 0);
    struct party reader, writer;
    struct text outside = row_of(1, 99);

    prepare_write(&below, 1, 99);
    prepare_scan(&scanner, scope_of(5, 15), 0);
    commit_write(6, 1, 80);
    reader = shard_party(&scanner, at(5, 5));
    writer = shard_party(&below, stamp_never());
    TEST_ASSERT_TRUE(touches(scope_of(5, 15), key_of(1), &outside, at(5, 5)));
    TEST_ASSERT_FALSE(touches(scope_of(5, 15), key_of(1), &outside, stamp_never()));
    TEST_ASSERT_TRUE(shard_meet(&shard, &reader, &writer, CONFLICT_READ_WRITE));
    reader.at = at(6, 6);
    TEST_ASSERT_FALSE(shard_meet(&shard, &reader, &writer, CONFLICT_READ_WRITE));
}

static void keys_are_current_until_another_writes_them(void)
{
    struct prepare p = shared(50, 0);

    commit_write(5, 1, 55);
    prepare_read(&p, key_of(1), at(5, 5), 5);
    prepare_read(&p, key_of(2), (struct stamp){ 0 }, 0);
    prepare_read(&p, key_of(9), (struct stamp){ 0 }, 0);
    TEST_ASSERT_TRUE(shard_keys_are_current(&shard, &p));
    commit_write(6, 9, 90);
    TEST_ASSERT_FALSE(shard_keys_are_current(&shard, &p));
}

static void what_was_seen_absent_and_came_and_went_is_not_current(void)
{
    struct prepare p = shared(50, 0);

    prepare_read(&p, key_of(9), (struct stamp){ 0 }, 0);
    commit_write(5, 9, 55);
    commit_write(6, 9, -1);
    TEST_ASSERT_FALSE(shard_keys_are_current(&shard, &p));
}

static bool scope_is_current(int64_t low, int64_t high, uint64_t index)
{
    struct prepare p = shared(5000, 0);

    prepare_scan(&p, scope_of(low, high), index);
    return shard_scopes_are_current(&shard, &p);
}

static void a_scope_is_current_until_a_row_comes_leaves_or_changes_in_it(void)
{
    uint64_t index = commit_write(5, 1, 50);

    TEST_ASSERT_TRUE(scope_is_current(50, 60, index));
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index - 1));
    index = commit_write(6, 2, 70);
    TEST_ASSERT_TRUE(scope_is_current(50, 60, index - 1));
    index = commit_write(7, 2, 55);
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index - 1));
    index = commit_write(8, 2, 56);
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index - 1));
    index = commit_write(9, 2, 70);
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index - 1));
    index = commit_write(10, 1, -1);
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index - 1));
    TEST_ASSERT_TRUE(scope_is_current(50, 60, index));
}

static void a_row_that_came_and_went_is_noticed(void)
{
    uint64_t index = next_index;

    commit_write(5, 9, 55);
    commit_write(6, 9, -1);
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index));
}

/* Phantoms that a collected before image would hide: a row that left, and a removal itself. */
static void a_change_that_was_collected_is_not_taken_for_none(void)
{
    uint64_t index = commit_write(5, 9, 55);

    commit_write(6, 9, 99);
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index));
    apply_stamp(COMMAND_HORIZON, at(7, 0));
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index));
    index = commit_write(8, 9, 55);
    commit_write(9, 9, -1);
    apply_stamp(COMMAND_HORIZON, at(10, 0));
    TEST_ASSERT_NULL(versions_newest(&shard.versions, key_of(9)));
    TEST_ASSERT_FALSE(scope_is_current(50, 60, index));
}

/* The short way through what was installed last, and the long one through the table. */
static void both_ways_to_look_back_say_the_same(void)
{
    struct random_key key = random_key_of_seed(11);
    struct random random;
    struct shard loaded;
    struct wire_writer w = { .pool = &fixture.pool };
    unsigned current = 0, changed = 0;

    random_init(&random, &key);
    for (uint64_t txn = 1; txn < 3000; txn++)
        commit_write(txn, (unsigned)random_below(&random, 30),
                     random_below(&random, 5) == 0 ? -1 : (int64_t)random_below(&random, 1000));
    shard_save(&shard, &w);
    open_shard(&loaded);
    shard_load(&loaded, next_index, wire_writer_text(&w), &fixture.scratch);
    for (unsigned i = 0; i < 500; i++) {
        int64_t low = (int64_t)random_below(&random, 1000);
        struct prepare p = shared(5000, 0);

        prepare_scan(&p, scope_of(low, low + 3), next_index - random_below(&random, 300));
        TEST_ASSERT_EQUAL(shard_scopes_are_current(&loaded, &p),
                          shard_scopes_are_current(&shard, &p));
        *(shard_scopes_are_current(&shard, &p) ? &current : &changed) += 1;
    }
    TEST_ASSERT_GREATER_THAN_UINT(20, current);
    TEST_ASSERT_GREATER_THAN_UINT(20, changed);
}

static unsigned scanned;

static void count_row(void *context, uint32_t key, const struct stored_version *version)
{
    (void)key;
    *(int64_t *)context += value_of(version);
    scanned++;
}

static void a_scan_sees_rows_as_they_were_at_its_stamp(void)
{
    int64_t sum = 0;

    commit_write(5, 1, 50);
    commit_write(6, 9, 55);
    commit_write(7, 1, -1);
    scanned = 0;
    shard_scan(&shard, scope_of(50, 60), snapshot(6), count_row, &sum);
    TEST_ASSERT_EQUAL_UINT(2, scanned);
    TEST_ASSERT_EQUAL_INT64(105, sum);
    scanned = 0;
    shard_scan(&shard, scope_of(50, 60), stamp_never(), count_row, &sum);
    TEST_ASSERT_EQUAL_UINT(1, scanned);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(ways_of_conflict_are_told_apart);
    RUN_TEST(a_scope_meets_a_row_that_leaves_it_as_well_as_one_that_comes);
    RUN_TEST(nobody_conflicts_with_himself);
    RUN_TEST(an_undecided_write_below_the_newest_version_hides_what_is_found_below_it);
    RUN_TEST(keys_are_current_until_another_writes_them);
    RUN_TEST(what_was_seen_absent_and_came_and_went_is_not_current);
    RUN_TEST(a_scope_is_current_until_a_row_comes_leaves_or_changes_in_it);
    RUN_TEST(a_row_that_came_and_went_is_noticed);
    RUN_TEST(a_change_that_was_collected_is_not_taken_for_none);
    RUN_TEST(both_ways_to_look_back_say_the_same);
    RUN_TEST(a_scan_sees_rows_as_they_were_at_its_stamp);
    failures = UNITY_END();
    shard_fixture_close();
    return failures;
}
