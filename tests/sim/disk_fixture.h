/*
 * disk_fixture: one disk, a clock, and short words for what tests do to it.
 *
 * Each test file has its own. Operations that are to succeed wait for their
 * answer: time goes on to when they are done.
 */
#ifndef TESTS_SIM_DISK_FIXTURE_H
#define TESTS_SIM_DISK_FIXTURE_H

#include <string.h>

#include "sim/disk.h"
#include "tests/fixture.h"
#include "unity.h"
#include "tests/sim/disk_inspect.h"

#define US INT64_C(1000)
#define MS (1000 * US)
#define SECTOR 512
#define LOG 0
#define OTHER 1
#define SPARE 2
#define FILES 4
#define ALWAYS ((struct ratio){ 1, 1 })
#define HALF ((struct ratio){ 1, 2 })
#define NO_FAULTS ((struct disk_faults){ .slow_factor = 1 })

static const struct disk_config config = {
    .file_count_max = FILES,
    .page_count_max = 256,
    .write = { .base_ns = 10 * US },
    .read = { .base_ns = 100 * US },
    .sync = { .base_ns = MS },
    .page_ns = US,
};

static struct disk disk;
static struct error err;
static int64_t now_ns;
static uint8_t got[256 * PAGE_BYTES];

static inline void start(const struct disk_config *with, uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);

    now_ns = 0;
    ASSERT_OK(disk_init(&disk, with, random_key_fork(&key, "disk/0"), fixture_arena(), &err), &err);
}

/* Waits for the answer, which is to be success. */
static inline struct disk_result done(struct disk_result result)
{
    TEST_ASSERT_EQUAL_INT(DISK_OK, result.outcome);
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(now_ns, result.done_ns);
    now_ns = result.done_ns;
    return result;
}

static inline void append(uint32_t file, const char *text)
{
    done(disk_append(&disk, now_ns, file, text, strlen(text)));
}

static inline void append_many(uint32_t file, uint8_t byte, size_t size)
{
    static uint8_t bytes[128 * PAGE_BYTES];

    memset(bytes, byte, size);
    done(disk_append(&disk, now_ns, file, bytes, size));
}

static inline void sync_file(uint32_t file)
{
    done(disk_sync(&disk, now_ns, file));
}

static inline void crash(void)
{
    disk_crash(&disk, now_ns);
    disk_check(&disk);
}

static inline void set_faults(struct disk_faults faults)
{
    disk_set_faults(&disk, &faults);
}

static inline size_t read_all(uint32_t file)
{
    memset(got, 0xee, sizeof got);
    return done(disk_read(&disk, now_ns, file, 0, got, sizeof got)).size;
}

static inline void assert_holds(uint32_t file, const char *text)
{
    size_t size = read_all(file);

    TEST_ASSERT_EQUAL_UINT64(strlen(text), size);
    TEST_ASSERT_EQUAL_UINT64(size, disk_file_size(&disk, file));
    if (size)
        TEST_ASSERT_EQUAL_STRING_LEN(text, got, size);
}

static inline void assert_all_bytes_are(uint8_t byte, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        TEST_ASSERT_EQUAL_HEX8(byte, got[i]);
}

static inline uint64_t felt(enum disk_fault fault)
{
    return disk.fault_counts[fault];
}

#endif
