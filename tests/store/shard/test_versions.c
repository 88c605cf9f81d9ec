#include "store/shard/versions.h"

#include "base/array.h"
#include "tests/store/shard/shard_fixture.h"
#include "unity.h"

static struct stored_versions versions;

void setUp(void)
{
    shard_fixture_open();
    versions_open(&versions, &fixture.catalog, &fixture.pool);
}

void tearDown(void) {}

static void put(unsigned id, int64_t ms, uint64_t index, int64_t v)
{
    struct stored_version head = { .at = at(ms, (uint64_t)ms),
                                   .index = index,
                                   .writer = (uint64_t)ms,
                                   .out = stamp_never(),
                                   .is_removed = v < 0 };

    versions_install(&versions, key_of(id), &head, v < 0 ? TEXT("") : row_of(id, v));
}

static void place_initial(unsigned id, int64_t v)
{
    struct stored_version head = { .out = stamp_never() };

    versions_install(&versions, key_of(id), &head, row_of(id, v));
}

static int64_t read_at(unsigned id, int64_t ms)
{
    return value_of(versions_at(&versions, key_of(id), snapshot(ms)));
}

static uint32_t listed(void)
{
    const uint32_t *keys;

    return versions_keys(&versions, 0, &keys);
}

static struct wire_writer saved(const struct stored_versions *v)
{
    struct wire_writer w = { .pool = &fixture.pool };

    versions_save(v, &w);
    return w;
}

static void a_read_gets_the_newest_version_at_or_below_its_stamp(void)
{
    place_initial(1, 5);
    put(1, 10, 1, 50);
    put(1, 20, 2, 60);
    TEST_ASSERT_EQUAL_INT64(5, read_at(1, 9));
    TEST_ASSERT_EQUAL_INT64(50, read_at(1, 10));
    TEST_ASSERT_EQUAL_INT64(50, read_at(1, 19));
    TEST_ASSERT_EQUAL_INT64(60, read_at(1, 20));
    TEST_ASSERT_EQUAL_INT64(60, value_of(versions_newest(&versions, key_of(1))));
}

static void a_snapshot_is_below_the_transactions_of_its_own_instant(void)
{
    struct stamp instant = { at(10, 0).wall_ns, 0, 0 };

    put(1, 10, 1, 50);
    TEST_ASSERT_NULL(versions_at(&versions, key_of(1), instant));
}

static void a_key_that_was_never_there_has_no_version(void)
{
    TEST_ASSERT_NULL(versions_newest(&versions, key_of(7)));
    TEST_ASSERT_NULL(versions_at(&versions, key_of(7), stamp_never()));
    TEST_ASSERT_EQUAL_UINT32(0, listed());
}

static void a_removal_hides_what_was_there_from_later_reads_only(void)
{
    put(1, 10, 1, 50);
    put(1, 20, 2, -1);
    put(1, 30, 3, 70);
    TEST_ASSERT_EQUAL_INT64(50, read_at(1, 15));
    TEST_ASSERT_EQUAL_INT64(-1, read_at(1, 25));
    TEST_ASSERT_FALSE(version_is_row(versions_at(&versions, key_of(1), snapshot(25))));
    TEST_ASSERT_EQUAL_INT64(70, read_at(1, 30));
}

static void a_version_that_comes_late_takes_its_place_by_stamp(void)
{
    put(1, 30, 1, 70);
    put(1, 10, 2, 50);
    put(1, 20, 3, 60);
    TEST_ASSERT_EQUAL_INT64(50, read_at(1, 15));
    TEST_ASSERT_EQUAL_INT64(60, read_at(1, 25));
    TEST_ASSERT_EQUAL_INT64(70, read_at(1, 35));
}

static void a_version_of_the_same_stamp_is_left_as_it_is(void)
{
    put(1, 10, 1, 50);
    put(1, 10, 2, 99);
    TEST_ASSERT_EQUAL_INT64(50, read_at(1, 10));
    TEST_ASSERT_EQUAL_UINT64(1, versions.count);
}

static void collecting_keeps_what_snapshots_at_the_horizon_see(void)
{
    place_initial(1, 5);
    put(1, 10, 1, 50);
    put(1, 20, 2, 60);
    put(1, 30, 3, 70);
    versions_collect(&versions, snapshot(25));
    TEST_ASSERT_EQUAL_INT64(60, read_at(1, 25));
    TEST_ASSERT_EQUAL_INT64(70, read_at(1, 30));
    TEST_ASSERT_EQUAL_UINT64(2, versions.count);
    TEST_ASSERT_NULL(versions_at(&versions, key_of(1), snapshot(19)));
}

static void collecting_says_up_to_where_before_images_are_lost(void)
{
    put(1, 10, 1, 50);
    put(1, 20, 2, 60);
    put(1, 30, 3, 70);
    versions_collect(&versions, snapshot(5));
    TEST_ASSERT_EQUAL_UINT64(0, versions.collected);
    versions_collect(&versions, snapshot(25));
    TEST_ASSERT_EQUAL_UINT64(2, versions.collected);
}

static void a_removed_row_below_the_horizon_is_gone_as_a_whole(void)
{
    put(1, 10, 1, 50);
    put(1, 20, 2, -1);
    put(2, 10, 3, 51);
    versions_collect(&versions, snapshot(15));
    TEST_ASSERT_EQUAL_UINT32(2, listed());
    versions_collect(&versions, snapshot(20));
    TEST_ASSERT_NULL(versions_newest(&versions, key_of(1)));
    TEST_ASSERT_EQUAL_UINT32(1, listed());
    TEST_ASSERT_EQUAL_UINT64(2, versions.collected);
    TEST_ASSERT_EQUAL_UINT64(1, versions.count);
}

static void a_removal_below_newer_versions_goes_with_the_next_of_them(void)
{
    put(1, 10, 1, 50);
    put(1, 20, 2, -1);
    put(1, 30, 3, 70);
    versions_collect(&versions, snapshot(25));
    TEST_ASSERT_EQUAL_INT64(-1, read_at(1, 25));
    TEST_ASSERT_EQUAL_INT64(70, read_at(1, 30));
    TEST_ASSERT_EQUAL_UINT64(2, versions.count);
    versions_collect(&versions, snapshot(30));
    TEST_ASSERT_EQUAL_INT64(70, read_at(1, 30));
    TEST_ASSERT_EQUAL_UINT64(1, versions.count);
}

static void versions_that_came_out_of_order_are_collected_too(void)
{
    put(1, 30, 1, 70);
    put(1, 10, 2, 50);
    put(1, 20, 3, 60);
    put(1, 40, 4, 80);
    versions_collect(&versions, snapshot(25));
    TEST_ASSERT_EQUAL_INT64(60, read_at(1, 25));
    versions_collect(&versions, snapshot(35));
    TEST_ASSERT_EQUAL_INT64(70, read_at(1, 35));
    TEST_ASSERT_EQUAL_UINT64(2, versions.count);
    versions_collect(&versions, snapshot(45));
    TEST_ASSERT_EQUAL_INT64(80, read_at(1, 45));
    TEST_ASSERT_EQUAL_UINT64(1, versions.count);
    TEST_ASSERT_TRUE(versions_are_settled(&versions));
}

static void a_key_that_comes_back_after_it_was_gone_is_listed_once(void)
{
    put(1, 10, 1, 50);
    put(2, 10, 2, 51);
    put(1, 20, 3, -1);
    versions_collect(&versions, snapshot(20));
    put(1, 30, 4, 70);
    put(1, 40, 5, 71);
    TEST_ASSERT_EQUAL_UINT32(2, listed());
    TEST_ASSERT_EQUAL_INT64(70, read_at(1, 30));
}

static void memory_comes_back_when_versions_go(void)
{
    struct text row = row_of(1, 1);
    uint32_t key = key_of(1);
    size_t held = 0;

    for (int64_t ms = 1; ms < 20000; ms++) {
        struct stored_version head = { .at = at(ms, 1), .index = (uint64_t)ms, .writer = 1 };

        versions_install(&versions, key, &head, row);
        versions_collect(&versions, snapshot(ms - 3));
        if (ms == 100)
            held = fixture.pool.held_bytes;
    }
    TEST_ASSERT_EQUAL_UINT64(4, versions.count);
    TEST_ASSERT_EQUAL_UINT64(held, fixture.pool.held_bytes);
}

static void what_is_saved_and_loaded_has_the_same_bytes_and_rows(void)
{
    struct stored_versions copy;
    struct wire_writer first, second;
    struct wire_reader r;

    versions_open(&copy, &fixture.catalog, &fixture.pool);
    for (unsigned id = 0; id < 40; id++)
        place_initial(id, id);
    for (int64_t ms = 1; ms < 500; ms++)
        put((unsigned)(ms * 7 % 43), ms, (uint64_t)ms, ms % 5 == 0 ? -1 : ms);
    versions_collect(&versions, snapshot(200));
    first = saved(&versions);
    r = wire_reader_of(wire_writer_text(&first));
    versions_load(&copy, &r);
    TEST_ASSERT_TRUE(wire_reader_is_done(&r));
    second = saved(&copy);
    TEST_ASSERT_EQUAL_UINT64(first.count, second.count);
    TEST_ASSERT_EQUAL_MEMORY(first.at, second.at, first.count);
    TEST_ASSERT_EQUAL_UINT64(versions.count, copy.count);
    /* And they go on alike. */
    versions_collect(&versions, snapshot(400));
    versions_collect(&copy, snapshot(400));
    first = saved(&versions);
    second = saved(&copy);
    TEST_ASSERT_EQUAL_UINT64(first.count, second.count);
    TEST_ASSERT_EQUAL_MEMORY(first.at, second.at, first.count);
}

static void loading_takes_the_place_of_what_was_there(void)
{
    struct stored_versions empty;
    struct wire_writer w;
    struct wire_reader r;

    versions_open(&empty, &fixture.catalog, &fixture.pool);
    w = saved(&empty);
    put(1, 10, 1, 50);
    r = wire_reader_of(wire_writer_text(&w));
    versions_load(&versions, &r);
    TEST_ASSERT_NULL(versions_newest(&versions, key_of(1)));
    TEST_ASSERT_EQUAL_UINT32(0, listed());
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(a_read_gets_the_newest_version_at_or_below_its_stamp);
    RUN_TEST(a_snapshot_is_below_the_transactions_of_its_own_instant);
    RUN_TEST(a_key_that_was_never_there_has_no_version);
    RUN_TEST(a_removal_hides_what_was_there_from_later_reads_only);
    RUN_TEST(a_version_that_comes_late_takes_its_place_by_stamp);
    RUN_TEST(a_version_of_the_same_stamp_is_left_as_it_is);
    RUN_TEST(collecting_keeps_what_snapshots_at_the_horizon_see);
    RUN_TEST(collecting_says_up_to_where_before_images_are_lost);
    RUN_TEST(a_removed_row_below_the_horizon_is_gone_as_a_whole);
    RUN_TEST(a_removal_below_newer_versions_goes_with_the_next_of_them);
    RUN_TEST(versions_that_came_out_of_order_are_collected_too);
    RUN_TEST(a_key_that_comes_back_after_it_was_gone_is_listed_once);
    RUN_TEST(memory_comes_back_when_versions_go);
    RUN_TEST(what_is_saved_and_loaded_has_the_same_bytes_and_rows);
    RUN_TEST(loading_takes_the_place_of_what_was_there);
    failures = UNITY_END();
    shard_fixture_close();
    return failures;
}
