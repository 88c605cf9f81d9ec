/*
 * Thousands of random operations on a disk and on a naive one, which copies the
 * whole file at each sync. Byte by byte they must agree: at once after every
 * operation, and after crashes at any moment.
 */
#include "tests/sim/disk_fixture.h"

#define FILE_SIZE_MAX (5 * PAGE_BYTES + 123)
#define SYNCS_MAX 400

struct snapshot {
    int64_t done_ns;
    size_t size;
    uint8_t bytes[FILE_SIZE_MAX];
};

struct model_file {
    bool exists;
    struct snapshot seen;             /* by the process */
    struct snapshot syncs[SYNCS_MAX]; /* [0] is durable */
    size_t sync_count;
};

static struct model_file model[FILES];
static struct random draws;
static size_t crash_count, full_count;

void setUp(void)
{
    start(&config, 1);
}

void tearDown(void)
{
    disk_check(&disk);
}

static void start_model(uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);

    key = random_key_fork(&key, "operations");
    random_init(&draws, &key);
    for (size_t f = 0; f < FILES; f++) {
        model[f].exists = false;
        model[f].seen.size = model[f].syncs[0].size = 0;
        model[f].syncs[0].done_ns = 0;
        model[f].sync_count = 1;
    }
    crash_count = full_count = 0;
}

static void copy_snapshot(struct snapshot *to, const struct snapshot *from)
{
    to->done_ns = from->done_ns;
    to->size = from->size;
    memcpy(to->bytes, from->bytes, from->size);
}

/* The last sync that is done by now becomes the first of the list. */
static void settle_model(struct model_file *file)
{
    size_t last = 0;

    for (size_t i = 1; i < file->sync_count; i++)
        if (file->syncs[i].done_ns <= now_ns)
            last = i;
    if (last == 0)
        return;
    for (size_t i = last; i < file->sync_count; i++)
        copy_snapshot(&file->syncs[i - last], &file->syncs[i]);
    file->sync_count -= last;
}

static void cut_model(struct model_file *file, size_t size)
{
    file->seen.size = size;
    for (size_t i = 0; i < file->sync_count; i++)
        if (file->syncs[i].size > size)
            file->syncs[i].size = size;
}

static void do_write(uint32_t f)
{
    static uint8_t bytes[2 * PAGE_BYTES];
    struct model_file *file = &model[f];
    size_t offset = (size_t)random_below(&draws, file->seen.size + 1);
    size_t size = (size_t)random_below(&draws, random_below(&draws, 2) ? 40 : sizeof bytes);
    struct disk_result result;

    if (random_below(&draws, 3) > 0)
        offset = file->seen.size;
    if (size > FILE_SIZE_MAX - offset)
        size = FILE_SIZE_MAX - offset;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(1 + random_below(&draws, 255));
    result = disk_write(&disk, now_ns, f, offset, bytes, size);
    if (result.outcome == DISK_FULL) {
        full_count++;
        return;
    }
    TEST_ASSERT_EQUAL_INT(DISK_OK, result.outcome);
    file->exists = true;
    memcpy(file->seen.bytes + offset, bytes, size);
    if (offset + size > file->seen.size)
        file->seen.size = offset + size;
}

static void do_sync(uint32_t f)
{
    struct disk_result result = disk_sync(&disk, now_ns, f);
    struct model_file *file = &model[f];

    TEST_ASSERT_EQUAL_INT(file->exists ? DISK_OK : DISK_ABSENT, result.outcome);
    if (result.outcome != DISK_OK)
        return;
    TEST_ASSERT_LESS_THAN_UINT64(SYNCS_MAX, file->sync_count);
    copy_snapshot(&file->syncs[file->sync_count], &file->seen);
    file->syncs[file->sync_count++].done_ns = result.done_ns;
}

static void do_truncate(uint32_t f)
{
    size_t size = (size_t)random_below(&draws, model[f].seen.size + 1);

    if (disk_truncate(&disk, now_ns, f, size).outcome == DISK_OK)
        cut_model(&model[f], size);
}

static void do_rename(uint32_t from, uint32_t to)
{
    struct disk_result result = disk_rename(&disk, now_ns, from, to);

    TEST_ASSERT_EQUAL_INT(model[from].exists ? DISK_OK : DISK_ABSENT, result.outcome);
    if (result.outcome != DISK_OK || from == to)
        return;
    copy_snapshot(&model[to].seen, &model[from].seen);
    for (size_t i = 0; i < model[from].sync_count; i++)
        copy_snapshot(&model[to].syncs[i], &model[from].syncs[i]);
    model[to].sync_count = model[from].sync_count;
    model[to].exists = true;
    cut_model(&model[from], 0);
    model[from].exists = false;
}

static void do_delete(uint32_t f)
{
    (void)disk_delete(&disk, now_ns, f);
    cut_model(&model[f], 0);
    model[f].exists = false;
}

static void assert_same(uint32_t f)
{
    const struct snapshot *seen = &model[f].seen;
    struct disk_result result;

    TEST_ASSERT_EQUAL(model[f].exists, disk_file_exists(&disk, f));
    TEST_ASSERT_EQUAL_UINT64(seen->size, disk_file_size(&disk, f));
    result = disk_read(&disk, now_ns, f, 0, got, sizeof got);
    TEST_ASSERT_EQUAL_UINT64(seen->size, result.size);
    TEST_ASSERT_TRUE(memcmp(seen->bytes, got, seen->size) == 0);
}

/* What is left may differ from the durable bytes only where something else had been written. */
static void take_over_what_is_left(uint32_t f, bool torn)
{
    struct model_file *file = &model[f];
    const struct snapshot *durable = &file->syncs[0];
    size_t size = disk_read(&disk, now_ns, f, 0, got, sizeof got).size;

    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(durable->size, size);
    TEST_ASSERT_LESS_OR_EQUAL_UINT64(torn ? file->seen.size : durable->size, size);
    for (size_t i = 0; i < durable->size; i++)
        if (!torn || file->seen.bytes[i] == durable->bytes[i])
            TEST_ASSERT_EQUAL_HEX8(durable->bytes[i], got[i]);
    file->seen.size = size;
    memcpy(file->seen.bytes, got, size);
    copy_snapshot(&file->syncs[0], &file->seen);
    file->syncs[0].done_ns = now_ns;
    file->sync_count = 1;
}

static void do_crash(bool torn)
{
    crash_count++;
    for (uint32_t f = 0; f < FILES; f++)
        settle_model(&model[f]);
    disk_crash(&disk, now_ns);
    disk_check(&disk);
    for (uint32_t f = 0; f < FILES; f++)
        take_over_what_is_left(f, torn);
}

static void let_time_pass(void)
{
    switch (random_below(&draws, 4)) {
    case 0:
        now_ns = disk.busy_until_ns > now_ns ? disk.busy_until_ns : now_ns;
        break;
    case 1:
        now_ns += random_between(&draws, 0, 3 * MS);
        break;
    default:
        break;
    }
}

static void do_something(const struct disk_faults *faults)
{
    bool tears = faults->torn.numerator > 0, damages = faults->bit_rot.numerator > 0;
    uint32_t f = (uint32_t)random_below(&draws, FILES);
    uint64_t what = random_below(&draws, 100);

    let_time_pass();
    settle_model(&model[f]);
    if (what < 50)
        do_write(f);
    else if (what < 75)
        do_sync(f);
    else if (what < 82)
        do_truncate(f);
    else if (what < 87)
        do_rename(f, (uint32_t)random_below(&draws, FILES));
    else if (what < 90)
        do_delete(f);
    else if (what < 95 && !damages)
        do_crash(tears);
    disk_check(&disk);
    if (!damages)
        assert_same(f);
}

static void run(uint32_t page_count_max, struct disk_faults faults, uint64_t seed)
{
    struct disk_config with = config;

    with.page_count_max = page_count_max;
    start(&with, seed);
    start_model(seed);
    set_faults(faults);
    for (int i = 0; i < 1000; i++)
        do_something(&faults);
}

static void a_disk_agrees_with_a_naive_one(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(8); seed++) {
        run(4096, NO_FAULTS, seed);
        TEST_ASSERT_GREATER_THAN_UINT64(10, crash_count);
        TEST_ASSERT_EQUAL_UINT64(0, full_count);
    }
}

static void a_disk_that_is_often_full_agrees_with_a_naive_one(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(8); seed++) {
        run(16, (struct disk_faults){ .slow_factor = 2 }, seed);
        TEST_ASSERT_GREATER_THAN_UINT64(10, full_count);
    }
}

static void a_disk_that_tears_spares_what_was_synced(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(8); seed++) {
        run(4096, (struct disk_faults){ .torn = seed % 2 ? HALF : ALWAYS }, seed);
        TEST_ASSERT_GREATER_THAN_UINT64(0, felt(DISK_FAULT_TORN));
    }
}

static void whatever_was_damaged_heals_to_what_was_written(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(8); seed++) {
        run(4096, (struct disk_faults){ .lying_sync = HALF, .bit_rot = HALF, .misdirected = HALF },
            seed);
        TEST_ASSERT_GREATER_THAN_UINT64(10, felt(DISK_FAULT_MISDIRECTED));
        disk_heal(&disk);
        disk_check(&disk);
        for (uint32_t f = 0; f < FILES; f++)
            assert_same(f);
        do_crash(false);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_disk_agrees_with_a_naive_one);
    RUN_TEST(a_disk_that_is_often_full_agrees_with_a_naive_one);
    RUN_TEST(a_disk_that_tears_spares_what_was_synced);
    RUN_TEST(whatever_was_damaged_heals_to_what_was_written);
    return UNITY_END();
}
