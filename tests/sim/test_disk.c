#include "tests/sim/disk_fixture.h"

void setUp(void)
{
    start(&config, 1);
}

void tearDown(void)
{
    disk_check(&disk);
}

static void what_was_written_is_read_back_at_once(void)
{
    append(LOG, "hello ");
    append(LOG, "world");
    assert_holds(LOG, "hello world");
    done(disk_write(&disk, now_ns, LOG, 6, "earth", 5));
    assert_holds(LOG, "hello earth");
    TEST_ASSERT_EQUAL_UINT64(3, done(disk_read(&disk, now_ns, LOG, 8, got, 3)).size);
    TEST_ASSERT_EQUAL_STRING_LEN("rth", got, 3);
    TEST_ASSERT_EQUAL_UINT64(2, done(disk_read(&disk, now_ns, LOG, 9, got, 100)).size);
    TEST_ASSERT_EQUAL_UINT64(0, done(disk_read(&disk, now_ns, LOG, 11, got, 100)).size);
    TEST_ASSERT_EQUAL_UINT64(0, done(disk_read(&disk, now_ns, LOG, UINT64_MAX, got, 1)).size);
}

static void a_file_that_is_not_there_is_reported(void)
{
    TEST_ASSERT_FALSE(disk_file_exists(&disk, OTHER));
    TEST_ASSERT_EQUAL_INT(DISK_ABSENT, disk_read(&disk, now_ns, OTHER, 0, got, 1).outcome);
    TEST_ASSERT_EQUAL_INT(DISK_ABSENT, disk_sync(&disk, now_ns, OTHER).outcome);
    TEST_ASSERT_EQUAL_INT(DISK_ABSENT, disk_truncate(&disk, now_ns, OTHER, 0).outcome);
    TEST_ASSERT_EQUAL_INT(DISK_ABSENT, disk_rename(&disk, now_ns, OTHER, LOG).outcome);
    TEST_ASSERT_EQUAL_INT(DISK_ABSENT, disk_delete(&disk, now_ns, OTHER).outcome);
    now_ns = disk.busy_until_ns;
    append(OTHER, "");
    TEST_ASSERT_TRUE(disk_file_exists(&disk, OTHER));
    assert_holds(OTHER, "");
}

static void operations_are_served_one_after_another(void)
{
    struct disk_result write = disk_append(&disk, 0, LOG, "a", 1);
    struct disk_result first = disk_sync(&disk, 0, LOG);
    struct disk_result second = disk_append(&disk, 500 * US, OTHER, "b", 1);
    struct disk_result later = disk_read(&disk, 10 * MS, LOG, 0, got, 1);

    TEST_ASSERT_EQUAL_INT64(11 * US, write.done_ns);
    TEST_ASSERT_EQUAL_INT64(11 * US + MS + US, first.done_ns);
    TEST_ASSERT_EQUAL_INT64(first.done_ns + 11 * US, second.done_ns);
    TEST_ASSERT_EQUAL_INT64(10 * MS + 101 * US, later.done_ns);
}

static void what_was_synced_survives_a_crash(void)
{
    append(LOG, "promised");
    sync_file(LOG);
    append(LOG, " and not");
    append(OTHER, "neither");
    crash();
    assert_holds(LOG, "promised");
    assert_holds(OTHER, "");
}

static void a_sync_counts_from_when_it_is_done_and_not_from_the_call(void)
{
    static const struct {
        const char *when;
        int64_t after_ns;
        const char *left;
    } rows[] = {
        { "just before it is done", -1, "" },
        { "as it is done", 0, "kept" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        setUp();
        append(LOG, "kept");
        now_ns = disk_sync(&disk, now_ns, LOG).done_ns + rows[i].after_ns;
        crash();
        assert_holds(LOG, rows[i].left);
    }
}

static void a_sync_covers_what_was_written_before_it_and_nothing_after(void)
{
    struct disk_result first, second;

    append(LOG, "one ");
    first = disk_sync(&disk, now_ns, LOG);
    (void)disk_append(&disk, now_ns, LOG, "two ", 4);
    second = disk_sync(&disk, now_ns, LOG);
    (void)disk_append(&disk, now_ns, LOG, "three", 5);
    disk_check(&disk);
    TEST_ASSERT_LESS_THAN_INT64(second.done_ns, first.done_ns);
    now_ns = second.done_ns - 1;
    crash();
    assert_holds(LOG, "one ");
}

static void a_crash_forgets_overwrites_as_well_as_appends(void)
{
    append_many(LOG, 'a', 3 * PAGE_BYTES);
    sync_file(LOG);
    done(disk_write(&disk, now_ns, LOG, PAGE_BYTES - 10, "overwritten in two pages", 24));
    crash();
    TEST_ASSERT_EQUAL_UINT64(3 * PAGE_BYTES, read_all(LOG));
    assert_all_bytes_are('a', 0, 3 * PAGE_BYTES);
}

static void a_truncated_end_never_comes_back(void)
{
    append_many(LOG, 'a', 2 * PAGE_BYTES + 100);
    sync_file(LOG);
    done(disk_truncate(&disk, now_ns, LOG, PAGE_BYTES + 5));
    TEST_ASSERT_EQUAL_UINT64(PAGE_BYTES + 5, read_all(LOG));
    crash();
    TEST_ASSERT_EQUAL_UINT64(PAGE_BYTES + 5, read_all(LOG));
    append(LOG, "b");
    sync_file(LOG);
    done(disk_truncate(&disk, now_ns, LOG, PAGE_BYTES));
    crash();
    TEST_ASSERT_EQUAL_UINT64(PAGE_BYTES, read_all(LOG));
    done(disk_truncate(&disk, now_ns, LOG, 0));
    assert_holds(LOG, "");
    TEST_ASSERT_TRUE(disk_file_exists(&disk, LOG));
}

static void a_rename_replaces_a_synced_file_in_one_step(void)
{
    append(LOG, "term 1");
    sync_file(LOG);
    append(SPARE, "term 2");
    sync_file(SPARE);
    crash();
    assert_holds(LOG, "term 1");
    done(disk_rename(&disk, now_ns, SPARE, LOG));
    crash();
    assert_holds(LOG, "term 2");
    TEST_ASSERT_FALSE(disk_file_exists(&disk, SPARE));
}

static void a_rename_does_not_sync_what_it_renames(void)
{
    append(LOG, "term 1");
    sync_file(LOG);
    append(SPARE, "term 2");
    done(disk_rename(&disk, now_ns, SPARE, LOG));
    assert_holds(LOG, "term 2");
    crash();
    assert_holds(LOG, "");
}

static void a_deleted_file_is_gone_and_its_number_is_free(void)
{
    append_many(LOG, 'a', 5000);
    sync_file(LOG);
    append(LOG, "not synced");
    done(disk_delete(&disk, now_ns, LOG));
    TEST_ASSERT_FALSE(disk_file_exists(&disk, LOG));
    crash();
    TEST_ASSERT_FALSE(disk_file_exists(&disk, LOG));
    append(LOG, "again");
    sync_file(LOG);
    crash();
    assert_holds(LOG, "again");
}

static void a_file_deleted_during_its_sync_stays_deleted(void)
{
    append_many(LOG, 'a', 5000);
    (void)disk_sync(&disk, now_ns, LOG);
    now_ns = disk_delete(&disk, now_ns, LOG).done_ns;
    disk_check(&disk);
    append(LOG, "new");
    disk_check(&disk);
    sync_file(LOG);
    crash();
    assert_holds(LOG, "new");
}

static void a_full_disk_refuses_and_keeps_what_it_had(void)
{
    struct disk_config small = config;
    struct disk_result result;
    size_t written = 0;

    small.page_count_max = 9; /* one of them for the page table */
    start(&small, 1);
    for (;;) {
        result = disk_append(&disk, now_ns, LOG, "0123456789abcdef0123456789abcdef", 32);
        now_ns = result.done_ns;
        if (result.outcome != DISK_OK)
            break;
        written += 32;
    }
    TEST_ASSERT_EQUAL_INT(DISK_FULL, result.outcome);
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_FULL));
    TEST_ASSERT_EQUAL_UINT64(8 * PAGE_BYTES, written);
    TEST_ASSERT_EQUAL_INT(DISK_FULL, disk_append(&disk, now_ns, OTHER, "x", 1).outcome);
    TEST_ASSERT_FALSE(disk_file_exists(&disk, OTHER));
    now_ns = disk.busy_until_ns;
    sync_file(LOG);
    crash();
    TEST_ASSERT_EQUAL_UINT64(written, read_all(LOG));

    /* Deleting makes room again, at once. */
    done(disk_delete(&disk, now_ns, LOG));
    append_many(OTHER, 'b', 8 * PAGE_BYTES);
    TEST_ASSERT_EQUAL_UINT64(8 * PAGE_BYTES, read_all(OTHER));
}

static void a_disk_said_to_be_full_lets_files_shrink_and_change_but_not_grow(void)
{
    append(LOG, "hello");
    set_faults((struct disk_faults){ .full = true });
    TEST_ASSERT_EQUAL_INT(DISK_FULL, disk_append(&disk, now_ns, LOG, "!", 1).outcome);
    now_ns = disk.busy_until_ns;
    done(disk_write(&disk, now_ns, LOG, 0, "J", 1));
    done(disk_truncate(&disk, now_ns, LOG, 4));
    assert_holds(LOG, "Jell");
    disk_heal(&disk);
    append(LOG, "y");
    assert_holds(LOG, "Jelly");
}

static void a_file_has_a_largest_size(void)
{
    struct disk_config large = config;
    static const uint8_t byte = 'x';

    large.page_count_max = 100;
    start(&large, 1);
    append(LOG, "x");
    TEST_ASSERT_EQUAL_INT(DISK_FULL, disk_write(&disk, now_ns, LOG, 1, &byte, SIZE_MAX).outcome);
    TEST_ASSERT_EQUAL_INT(DISK_FULL,
                          disk_write(&disk, now_ns, LOG, 1, &byte, DISK_FILE_SIZE_MAX).outcome);
    TEST_ASSERT_EQUAL_UINT64(1, disk_file_size(&disk, LOG));
}

static void a_slow_disk_takes_so_many_times_as_long(void)
{
    set_faults((struct disk_faults){ .slow_factor = 7 });
    TEST_ASSERT_EQUAL_INT64(77 * US, disk_append(&disk, 0, LOG, "a", 1).done_ns);
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_SLOW));
    set_faults(NO_FAULTS);
    TEST_ASSERT_EQUAL_INT64(88 * US, disk_append(&disk, 0, LOG, "a", 1).done_ns);
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_SLOW));
}

static void a_stalled_disk_starts_nothing_until_it_goes_on(void)
{
    append(LOG, "a");
    disk_stall(&disk, now_ns, 50 * MS);
    TEST_ASSERT_EQUAL_INT64(51 * MS + US, disk_sync(&disk, now_ns, LOG).done_ns);
    TEST_ASSERT_EQUAL_INT64(51 * MS + 12 * US, disk_append(&disk, now_ns, LOG, "b", 1).done_ns);
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_STALL));
    now_ns = 50 * MS;
    crash();
    TEST_ASSERT_EQUAL_INT64(50 * MS + 11 * US, disk_append(&disk, now_ns, OTHER, "a", 1).done_ns);
    assert_holds(LOG, "");
    disk_stall(&disk, now_ns, 80 * MS);
    disk_heal(&disk);
    TEST_ASSERT_LESS_THAN_INT64(60 * MS, disk_append(&disk, now_ns, LOG, "c", 1).done_ns);
}

static void the_digest_is_of_what_would_survive(void)
{
    struct digest empty = disk_durable_digest(&disk, 0), written, synced;
    struct disk_result result;

    append(LOG, "hello");
    written = disk_durable_digest(&disk, now_ns);
    result = disk_sync(&disk, now_ns, LOG);
    TEST_ASSERT_EQUAL_MEMORY(&written, (struct digest[]){ disk_durable_digest(&disk, now_ns) },
                             sizeof written);
    TEST_ASSERT_TRUE(memcmp(&empty, &written, sizeof empty) != 0);
    now_ns = result.done_ns;
    synced = disk_durable_digest(&disk, now_ns);
    TEST_ASSERT_TRUE(memcmp(&synced, &written, sizeof empty) != 0);
    append(LOG, "more");
    crash();
    TEST_ASSERT_EQUAL_MEMORY(&synced, (struct digest[]){ disk_durable_digest(&disk, now_ns) },
                             sizeof synced);
}

static void rewriting_for_ever_takes_no_more_memory(void)
{
    uint32_t count;

    append_many(LOG, 'a', 4 * PAGE_BYTES);
    for (int i = 0; i < 10; i++) {
        done(disk_write(&disk, now_ns, LOG, 0, got, 4 * PAGE_BYTES));
        sync_file(LOG);
    }
    count = disk.pages.count;
    for (int i = 0; i < 1000; i++) {
        done(disk_write(&disk, now_ns, LOG, 0, got, 4 * PAGE_BYTES));
        sync_file(LOG);
    }
    TEST_ASSERT_EQUAL_UINT32(count, disk.pages.count);
}

static void a_disk_without_memory_is_refused_and_a_growing_one_is_full(void)
{
    struct arena tiny;
    struct random_key key = random_key_of_seed(1);
    struct disk other;
    bool refused = false;

    for (size_t size = 0; size < 4096; size += 16) {
        ASSERT_OK(arena_init(&tiny, size, &err), &err);
        if (disk_init(&other, &config, key, &tiny, &err) != STATUS_OK) {
            TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, err.status);
            refused = true;
        } else {
            TEST_ASSERT_EQUAL_INT(DISK_FULL, disk_append(&other, 0, LOG, "a", 1).outcome);
            disk_check(&other);
        }
        arena_close(&tiny);
    }
    TEST_ASSERT_TRUE(refused);
}

static void a_disk_is_writing_until_its_sync_is_done(void)
{
    struct disk_result sync;

    TEST_ASSERT_FALSE(disk_is_writing(&disk, now_ns));
    append(LOG, "abc");
    TEST_ASSERT_TRUE(disk_is_writing(&disk, now_ns));
    sync = disk_sync(&disk, now_ns, LOG);
    TEST_ASSERT_TRUE(disk_is_writing(&disk, sync.done_ns - 1));
    TEST_ASSERT_FALSE(disk_is_writing(&disk, sync.done_ns));
    now_ns = sync.done_ns;
    append(LOG, "d");
    crash();
    TEST_ASSERT_FALSE(disk_is_writing(&disk, now_ns));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_was_written_is_read_back_at_once);
    RUN_TEST(a_file_that_is_not_there_is_reported);
    RUN_TEST(operations_are_served_one_after_another);
    RUN_TEST(what_was_synced_survives_a_crash);
    RUN_TEST(a_sync_counts_from_when_it_is_done_and_not_from_the_call);
    RUN_TEST(a_sync_covers_what_was_written_before_it_and_nothing_after);
    RUN_TEST(a_crash_forgets_overwrites_as_well_as_appends);
    RUN_TEST(a_truncated_end_never_comes_back);
    RUN_TEST(a_rename_replaces_a_synced_file_in_one_step);
    RUN_TEST(a_rename_does_not_sync_what_it_renames);
    RUN_TEST(a_deleted_file_is_gone_and_its_number_is_free);
    RUN_TEST(a_file_deleted_during_its_sync_stays_deleted);
    RUN_TEST(a_full_disk_refuses_and_keeps_what_it_had);
    RUN_TEST(a_disk_said_to_be_full_lets_files_shrink_and_change_but_not_grow);
    RUN_TEST(a_file_has_a_largest_size);
    RUN_TEST(a_slow_disk_takes_so_many_times_as_long);
    RUN_TEST(a_stalled_disk_starts_nothing_until_it_goes_on);
    RUN_TEST(the_digest_is_of_what_would_survive);
    RUN_TEST(rewriting_for_ever_takes_no_more_memory);
    RUN_TEST(a_disk_without_memory_is_refused_and_a_growing_one_is_full);
    RUN_TEST(a_disk_is_writing_until_its_sync_is_done);
    return UNITY_END();
}
