#include "tests/sim/disk_fixture.h"

void setUp(void)
{
    start(&config, 1);
}

void tearDown(void)
{
    disk_check(&disk);
}

/* Half of the sectors of an unsynced page, in many crashes, by what is left of them. */
static void what_was_not_synced_may_be_torn_by_sector_but_never_beyond_the_write(void)
{
    const size_t before = 3 * SECTOR + 100, after = PAGE_BYTES - 50;
    size_t kept = 0, dropped = 0, garbage = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        size_t size;

        start(&config, seed);
        set_faults((struct disk_faults){ .torn = ALWAYS });
        append_many(LOG, 'a', before);
        sync_file(LOG);
        append_many(LOG, 'b', after - before);
        done(disk_write(&disk, now_ns, LOG, SECTOR, "c", 1));
        crash();
        size = read_all(LOG);
        TEST_ASSERT_GREATER_OR_EQUAL_UINT64(before, size);
        TEST_ASSERT_LESS_OR_EQUAL_UINT64(after, size);
        assert_all_bytes_are('a', 0, SECTOR);
        assert_all_bytes_are('a', SECTOR + 1, before);
        for (size_t s = 4; s < 7; s++) {
            const uint8_t *sector = got + s * SECTOR;
            if (size <= s * SECTOR || (sector[0] == 0 && sector[SECTOR - 1] == 0))
                dropped++;
            else if (sector[0] == 'b' && memcmp(sector, sector + 1, SECTOR - 1) == 0)
                kept++;
            else
                garbage++;
        }
    }
    /* 600 sectors: one in five kept, one in five dropped, the rest with garbage in them. */
    TEST_ASSERT_INT_WITHIN(40, 120, kept);
    TEST_ASSERT_INT_WITHIN(40, 120, dropped);
    TEST_ASSERT_INT_WITHIN(50, 360, garbage);
}

static void a_torn_crash_is_counted_and_what_it_left_is_durable(void)
{
    static uint8_t left[4 * PAGE_BYTES];
    size_t size;

    set_faults((struct disk_faults){ .torn = ALWAYS });
    append_many(LOG, 'a', 4 * PAGE_BYTES);
    crash();
    size = read_all(LOG);
    TEST_ASSERT_GREATER_THAN_UINT64(0, size);
    TEST_ASSERT_EQUAL_UINT64(4, felt(DISK_FAULT_TORN));
    memcpy(left, got, size);
    disk_heal(&disk);
    crash();
    TEST_ASSERT_EQUAL_UINT64(size, read_all(LOG));
    TEST_ASSERT_EQUAL_MEMORY(left, got, size);
}

static void pages_that_a_crash_dropped_before_others_read_as_zeros(void)
{
    size_t zeros = 0;

    set_faults((struct disk_faults){ .torn = { 1, 4 } });
    append_many(LOG, 'a', 100);
    sync_file(LOG);
    append_many(LOG, 'b', 60 * PAGE_BYTES);
    crash();
    TEST_ASSERT_GREATER_THAN_UINT64(10 * PAGE_BYTES, read_all(LOG));
    assert_all_bytes_are('a', 0, 100);
    for (size_t i = 100; i < disk_file_size(&disk, LOG); i++)
        zeros += got[i] == 0;
    TEST_ASSERT_GREATER_THAN_UINT64(10 * PAGE_BYTES, zeros);
}

static void a_lying_sync_loses_what_it_promised_at_the_next_crash(void)
{
    append(LOG, "honest");
    sync_file(LOG);
    set_faults((struct disk_faults){ .lying_sync = ALWAYS });
    append(LOG, " lie");
    sync_file(LOG);
    append(LOG, " another");
    sync_file(LOG);
    assert_holds(LOG, "honest lie another");
    TEST_ASSERT_EQUAL_UINT64(0, felt(DISK_FAULT_LYING_SYNC));
    crash();
    assert_holds(LOG, "honest");
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_LYING_SYNC));
}

static void an_honest_sync_saves_only_the_pages_rewritten_since_the_lie(void)
{
    set_faults((struct disk_faults){ .lying_sync = ALWAYS });
    append_many(LOG, 'a', PAGE_BYTES + 10);
    sync_file(LOG);
    set_faults(NO_FAULTS);
    append(LOG, "b");
    sync_file(LOG);
    for (int crashes = 0; crashes < 2; crashes++) {
        crash();
        TEST_ASSERT_EQUAL_UINT64(PAGE_BYTES + 11, read_all(LOG));
        assert_all_bytes_are(0, 0, PAGE_BYTES);
        assert_all_bytes_are('a', PAGE_BYTES, PAGE_BYTES + 10);
        TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_LYING_SYNC));
    }
}

static void a_lie_that_is_healed_before_the_crash_was_none(void)
{
    append(LOG, "honest");
    sync_file(LOG);
    set_faults((struct disk_faults){ .lying_sync = ALWAYS });
    append(LOG, " lie");
    sync_file(LOG);
    disk_heal(&disk);
    disk_check(&disk);
    crash();
    assert_holds(LOG, "honest lie");
    TEST_ASSERT_EQUAL_UINT64(0, felt(DISK_FAULT_LYING_SYNC));
}

static void bit_rot_reads_the_same_on_every_retry(void)
{
    static uint8_t first[20 * PAGE_BYTES];
    size_t rotten = 0;

    append_many(LOG, 'a', 20 * PAGE_BYTES);
    sync_file(LOG);
    set_faults((struct disk_faults){ .bit_rot = HALF });
    TEST_ASSERT_EQUAL_UINT64(sizeof first, read_all(LOG));
    memcpy(first, got, sizeof first);
    for (size_t i = 0; i < sizeof first; i++)
        rotten += first[i] != 'a';
    TEST_ASSERT_INT_WITHIN(8, 10, rotten);
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_BIT_ROT));

    /* From other offsets, in other sizes and after a crash: the same, and nothing around it. */
    memset(got, 0xee, sizeof got);
    for (size_t i = 0; i < sizeof first; i += 7) {
        size_t size = sizeof first - i < 9 ? sizeof first - i : 9;
        done(disk_read(&disk, now_ns, LOG, i, got + PAGE_BYTES, 9));
        TEST_ASSERT_EQUAL_MEMORY(first + i, got + PAGE_BYTES, size);
    }
    assert_all_bytes_are(0xee, 0, PAGE_BYTES);
    assert_all_bytes_are(0xee, PAGE_BYTES + 9, 2 * PAGE_BYTES + 9);
    crash();
    TEST_ASSERT_EQUAL_UINT64(sizeof first, read_all(LOG));
    TEST_ASSERT_EQUAL_MEMORY(first, got, sizeof first);
}

static void bit_rot_leaves_alone_what_has_not_reached_the_disk(void)
{
    set_faults((struct disk_faults){ .bit_rot = ALWAYS });
    append(LOG, "in memory");
    assert_holds(LOG, "in memory");
    sync_file(LOG);
    read_all(LOG);
    TEST_ASSERT_TRUE(memcmp("in memory", got, 9) != 0);
}

static void switching_faults_off_reads_pristine_bytes(void)
{
    append_many(LOG, 'a', 10 * PAGE_BYTES);
    sync_file(LOG);
    set_faults((struct disk_faults){ .bit_rot = HALF, .misdirected = ALWAYS });
    done(disk_write(&disk, now_ns, LOG, 3 * PAGE_BYTES, "changed", 7));
    sync_file(LOG);
    read_all(LOG);
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_MISDIRECTED));
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_BIT_ROT));
    disk_heal(&disk);
    disk_check(&disk);
    TEST_ASSERT_EQUAL_UINT64(10 * PAGE_BYTES, read_all(LOG));
    TEST_ASSERT_EQUAL_MEMORY("changed", got + 3 * PAGE_BYTES, 7);
    assert_all_bytes_are('a', 0, 3 * PAGE_BYTES);
    assert_all_bytes_are('a', 3 * PAGE_BYTES + 7, 10 * PAGE_BYTES);
}

static void a_misdirected_write_misses_its_page_and_hits_another(void)
{
    size_t hit = 0;

    append_many(LOG, 'a', 10 * PAGE_BYTES);
    sync_file(LOG);
    set_faults((struct disk_faults){ .misdirected = ALWAYS });
    done(disk_write(&disk, now_ns, LOG, 3 * PAGE_BYTES, "changed", 7));
    now_ns = disk_sync(&disk, now_ns, LOG).done_ns;
    (void)disk_read(&disk, now_ns - 1, LOG, 3 * PAGE_BYTES, got, 7);
    TEST_ASSERT_EQUAL_MEMORY("changed", got, 7); /* still out of memory */
    crash();
    read_all(LOG);
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_MISDIRECTED));
    assert_all_bytes_are('a', 3 * PAGE_BYTES, 4 * PAGE_BYTES);
    for (size_t page = 0; page < 10; page++)
        hit += memcmp(got + page * PAGE_BYTES, "changed", 7) == 0;
    TEST_ASSERT_EQUAL_UINT64(1, hit);
}

static void a_write_over_a_misdirected_one_mends_it(void)
{
    append_many(LOG, 'a', 2 * PAGE_BYTES);
    sync_file(LOG);
    set_faults((struct disk_faults){ .misdirected = ALWAYS });
    for (int i = 0; i < 20 && felt(DISK_FAULT_MISDIRECTED) == 0; i++) {
        done(disk_write(&disk, now_ns, LOG, 0, "x", 1));
        sync_file(LOG);
    }
    TEST_ASSERT_EQUAL_UINT64(1, felt(DISK_FAULT_MISDIRECTED));
    set_faults(NO_FAULTS);
    done(disk_write(&disk, now_ns, LOG, 1, "y", 1));
    done(disk_write(&disk, now_ns, LOG, PAGE_BYTES, "z", 1));
    sync_file(LOG);
    crash();
    read_all(LOG);
    TEST_ASSERT_EQUAL_STRING_LEN("xya", got, 3);
    TEST_ASSERT_EQUAL_STRING_LEN("za", got + PAGE_BYTES, 2);
}

static void errors_change_nothing_and_may_pass(void)
{
    append(LOG, "there");
    sync_file(LOG);
    set_faults((struct disk_faults){ .read_error = HALF, .write_error = HALF });
    for (size_t i = 0, errors = 0; i < 100; i++) {
        uint64_t size = disk_file_size(&disk, LOG);
        struct disk_result write = disk_append(&disk, now_ns, LOG, ".", 1);
        struct disk_result read = disk_read(&disk, now_ns, LOG, 0, got, 5);

        errors += write.outcome == DISK_WRITE_ERROR;
        errors += read.outcome == DISK_READ_ERROR;
        TEST_ASSERT_EQUAL_UINT64(size + (write.outcome == DISK_OK), disk_file_size(&disk, LOG));
        TEST_ASSERT_EQUAL_UINT64(read.outcome == DISK_OK ? 5 : 0, read.size);
        TEST_ASSERT_EQUAL_UINT64(errors,
                                 felt(DISK_FAULT_READ_ERROR) + felt(DISK_FAULT_WRITE_ERROR));
        now_ns = disk.busy_until_ns;
    }
    TEST_ASSERT_INT_WITHIN(15, 50, felt(DISK_FAULT_READ_ERROR));
    TEST_ASSERT_INT_WITHIN(15, 50, felt(DISK_FAULT_WRITE_ERROR));
}

static void a_failed_sync_promises_nothing_and_can_be_tried_again(void)
{
    append(LOG, "a");
    set_faults((struct disk_faults){ .write_error = ALWAYS });
    TEST_ASSERT_EQUAL_INT(DISK_WRITE_ERROR, disk_sync(&disk, now_ns, LOG).outcome);
    now_ns = disk.busy_until_ns;
    set_faults(NO_FAULTS);
    append(OTHER, "b");
    sync_file(LOG);
    crash();
    assert_holds(LOG, "a");
    append(LOG, "c");
    set_faults((struct disk_faults){ .write_error = ALWAYS });
    TEST_ASSERT_EQUAL_INT(DISK_WRITE_ERROR, disk_sync(&disk, now_ns, LOG).outcome);
    now_ns = disk.busy_until_ns;
    crash();
    disk_heal(&disk);
    assert_holds(LOG, "a");
}

/* Draws of one file must not depend on how busy another is. */
static void the_fate_of_a_file_does_not_move_with_another_file(void)
{
    struct disk_config uneven = config;
    static uint8_t first[30 * PAGE_BYTES];
    enum disk_outcome outcomes[50];

    ASSERT_OK(latency_exponential(&uneven.sync, 0, MS, &err), &err);
    for (int busy = 0; busy < 2; busy++) {
        size_t size;

        start(&uneven, 5);
        set_faults((struct disk_faults){ .write_error = HALF, .torn = HALF, .bit_rot = HALF });
        for (size_t i = 0; i < ROW_COUNT(outcomes); i++) {
            struct disk_result result;

            for (int j = 0; j < busy * 3; j++) {
                (void)disk_append(&disk, now_ns, OTHER, "noise", 5);
                (void)disk_sync(&disk, now_ns, OTHER);
            }
            memset(got, (int)i, 2000);
            result = disk_append(&disk, now_ns, LOG, got, 2000);
            if (busy)
                TEST_ASSERT_EQUAL_INT(outcomes[i], result.outcome);
            outcomes[i] = result.outcome;
            now_ns = disk.busy_until_ns;
        }
        crash();
        size = read_all(LOG);
        if (busy)
            TEST_ASSERT_EQUAL_MEMORY(first, got, size);
        memcpy(first, got, size);
    }
}

/* Golden: whoever changes this changes every run of every seed that has disks in it. */
static void the_same_key_gives_the_same_damage_everywhere(void)
{
    char hex[DIGEST_HEX_SIZE];
    struct digest digest;

    set_faults((struct disk_faults){
        .torn = HALF, .lying_sync = HALF, .misdirected = HALF, .write_error = { 1, 10 } });
    for (size_t i = 0; i < 200; i++) {
        memset(got, (int)i, 3000);
        now_ns = disk_append(&disk, now_ns, (uint32_t)(i % FILES), got, 3000).done_ns;
        if (i % 3 == 0)
            now_ns = disk_sync(&disk, now_ns, (uint32_t)(i % FILES)).done_ns;
        if (i % 50 == 49)
            crash();
    }
    digest = disk_durable_digest(&disk, now_ns);
    digest_hex(&digest, hex);
    TEST_ASSERT_EQUAL_STRING("9cce2a6c93b1490a8791461a778498e7ded172de1d49d63948f36b41c35f8fc3",
                             hex);
}

static void faults_have_names(void)
{
    for (size_t i = 0; i < DISK_FAULT_COUNT; i++)
        TEST_ASSERT_NOT_NULL(disk_fault_name((enum disk_fault)i));
    TEST_ASSERT_EQUAL_STRING("lying-sync", disk_fault_name(DISK_FAULT_LYING_SYNC));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_was_not_synced_may_be_torn_by_sector_but_never_beyond_the_write);
    RUN_TEST(a_torn_crash_is_counted_and_what_it_left_is_durable);
    RUN_TEST(pages_that_a_crash_dropped_before_others_read_as_zeros);
    RUN_TEST(a_lying_sync_loses_what_it_promised_at_the_next_crash);
    RUN_TEST(an_honest_sync_saves_only_the_pages_rewritten_since_the_lie);
    RUN_TEST(a_lie_that_is_healed_before_the_crash_was_none);
    RUN_TEST(bit_rot_reads_the_same_on_every_retry);
    RUN_TEST(bit_rot_leaves_alone_what_has_not_reached_the_disk);
    RUN_TEST(switching_faults_off_reads_pristine_bytes);
    RUN_TEST(a_misdirected_write_misses_its_page_and_hits_another);
    RUN_TEST(a_write_over_a_misdirected_one_mends_it);
    RUN_TEST(errors_change_nothing_and_may_pass);
    RUN_TEST(a_failed_sync_promises_nothing_and_can_be_tried_again);
    RUN_TEST(the_fate_of_a_file_does_not_move_with_another_file);
    RUN_TEST(the_same_key_gives_the_same_damage_everywhere);
    RUN_TEST(faults_have_names);
    return UNITY_END();
}
