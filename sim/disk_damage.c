#include "sim/disk_damage_private.h"

#include <assert.h>
#include <string.h>

#include "base/checksum.h"
#include "base/hash.h"
#include "sim/disk_private.h"

#define SECTOR_BYTES 512
#define SECTORS (PAGE_BYTES / SECTOR_BYTES)

enum sector_fate {
    SECTOR_KEPT,
    SECTOR_DROPPED,
    SECTOR_GARBAGE_LEFT,
    SECTOR_GARBAGE_RIGHT,
    SECTOR_GARBAGE,
    SECTOR_FATE_COUNT
};

/* The bytes of a page before and after what was not synced. */
struct tear {
    const uint8_t *old;
    size_t old_length;
    uint8_t *new;
    size_t new_length;
};

/* Garbage falls only on bytes that the write changed or added. */
static void tear_byte(struct tear *tear, size_t at, enum sector_fate fate, uint64_t word)
{
    bool was_there = at < tear->old_length;
    bool in_left = at % SECTOR_BYTES < SECTOR_BYTES / 2;

    if (fate == SECTOR_DROPPED)
        tear->new[at] = was_there ? tear->old[at] : 0;
    else if (was_there && tear->old[at] == tear->new[at])
        return;
    else if (fate == SECTOR_GARBAGE || (fate == SECTOR_GARBAGE_LEFT && in_left) ||
             (fate == SECTOR_GARBAGE_RIGHT && !in_left))
        tear->new[at] = (uint8_t)(hash_number(word + at) >> 56);
}

/* Tears the new bytes by sectors. Whether anything of them is left; and how much, in length. */
static bool tear_page(struct tear *tear, uint64_t word)
{
    size_t end = tear->old_length;
    bool left = false;

    for (size_t s = 0; s < SECTORS && s * SECTOR_BYTES < tear->new_length; s++) {
        enum sector_fate fate = (enum sector_fate)((word >> 8 * s & 0xff) % SECTOR_FATE_COUNT);
        size_t from = s * SECTOR_BYTES, to = from + SECTOR_BYTES;

        if (to > tear->new_length)
            to = tear->new_length;
        if (to <= tear->old_length && memcmp(tear->old + from, tear->new + from, to - from) == 0)
            continue;
        for (size_t at = from; at < to; at++)
            tear_byte(tear, at, fate, word);
        if (fate == SECTOR_DROPPED)
            continue;
        left = true;
        if (to > end)
            end = to;
    }
    tear->new_length = end;
    return left;
}

/* The newest version that a crash now cannot take, or PAGE_NONE. */
static uint32_t survivor_of(const struct disk *disk, uint32_t newest)
{
    uint32_t number = newest;

    while (number) {
        const struct page_version *version = pages_version(&disk->pages, number);
        if (version->durable_at_ns <= disk->now_ns && !version->lied)
            return number;
        number = version->older;
    }
    return PAGE_NONE;
}

/* Whether a sync that is done had promised a version above the survivor. */
static bool breaks_promise(const struct disk *disk, uint32_t newest, uint32_t survivor)
{
    for (uint32_t v = newest; v != survivor; v = pages_version(&disk->pages, v)->older)
        if (pages_version(&disk->pages, v)->durable_at_ns <= disk->now_ns)
            return true;
    return false;
}

static bool tear_version(struct disk *disk, const struct disk_file *file, uint32_t newest,
                         uint32_t survivor, uint64_t crash)
{
    struct page_version *version = pages_version(&disk->pages, newest);
    uint64_t ordinal = disk_page_ordinal(crash, version->index);
    struct tear tear = { .new = pages_bytes(&disk->pages, newest), .new_length = version->length };

    if (version->durable_at_ns <= disk->now_ns ||
        !disk_happens(disk->faults.torn, disk_draw(file, DISK_DRAW_TEAR, ordinal)))
        return false;
    if (survivor) {
        tear.old = pages_bytes(&disk->pages, survivor);
        tear.old_length = pages_version(&disk->pages, survivor)->length;
    }
    if (!tear_page(&tear, disk_draw(file, DISK_DRAW_TEAR_SECTORS, ordinal)))
        return false;
    version->length = (uint16_t)tear.new_length;
    disk->fault_counts[DISK_FAULT_TORN]++;
    return true;
}

/*
 * Leaves one version of the page, durable: the survivor, the torn newest, or
 * where there is neither an empty one, so that pages behind it keep their place.
 */
static void crash_page(struct disk *disk, struct disk_file *file, uint32_t index, uint64_t crash)
{
    struct pages *pages = &disk->pages;
    uint32_t *slot = page_table_slot(pages, &file->table, index);
    uint32_t left = *slot, survivor = survivor_of(disk, left);
    struct page_version *version;

    if (left != survivor) {
        if (breaks_promise(disk, left, survivor))
            disk->fault_counts[DISK_FAULT_LYING_SYNC]++;
        if (!tear_version(disk, file, left, survivor, crash)) {
            if (!survivor)
                pages_version(pages, left)->length = 0;
            while (survivor && left != survivor) {
                uint32_t older = pages_version(pages, left)->older;
                pages_give(pages, left);
                left = older;
            }
        }
    }
    *slot = left;
    version = pages_version(pages, left);
    pages_give_chain(pages, version->older);
    version->older = PAGE_NONE;
    version->lied = false;
    if (version->durable_at_ns > disk->now_ns)
        version->durable_at_ns = disk->now_ns;
}

/* The file ends where its last page with bytes ends; what is missing before that is zero. */
static void measure_file(struct disk *disk, struct disk_file *file)
{
    struct pages *pages = &disk->pages;
    uint32_t count = disk_page_count(file);

    file->size = 0;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t *slot = page_table_slot(pages, &file->table, i);
        struct page_version *version = pages_version(pages, *slot);

        if (file->size == 0 && version->length == 0) {
            pages_give(pages, *slot);
            *slot = PAGE_NONE;
            count = i;
        } else if (file->size == 0) {
            file->size = (uint64_t)i * PAGE_BYTES + version->length;
        } else {
            memset(pages_bytes(pages, *slot) + version->length, 0, PAGE_BYTES - version->length);
            version->length = PAGE_BYTES;
        }
    }
    page_table_cut(pages, &file->table, count);
}

static void unlist_all(struct disk *disk, uint32_t first)
{
    while (first) {
        uint32_t next = pages_version(&disk->pages, first)->next;
        pages_unlist(&disk->pages, first);
        first = next;
    }
}

void disk_crash(struct disk *disk, int64_t now_ns)
{
    uint64_t crash = disk->crashes++;

    assert(now_ns >= disk->now_ns);
    disk->now_ns = disk->busy_until_ns = now_ns;
    unlist_all(disk, disk->settling_first);
    disk->settling_first = disk->settling_last = PAGE_NONE;
    for (uint32_t f = 0; f < disk->config.file_count_max; f++) {
        struct disk_file *file = &disk->files[f];

        unlist_all(disk, file->dirty);
        file->dirty = PAGE_NONE;
        for (uint32_t i = 0; i < disk_page_count(file); i++)
            crash_page(disk, file, i, crash);
        measure_file(disk, file);
    }
}

/* What a read returns of one page. */
struct page_part {
    size_t offset, size;
    uint8_t *bytes;
};

/* Changes one byte of the page, chosen by its place and content, in the part that was read. */
static bool rot_page(const struct disk *disk, const struct disk_file *file,
                     const struct page_version *version, const uint8_t *stored,
                     struct page_part part)
{
    uint64_t word = hash_fold(disk_draw(file, DISK_DRAW_ROT, version->index),
                              checksum(stored, version->length) | 1);
    size_t at = (size_t)random_scale(hash_number(word), version->length);

    if (!disk_happens(disk->faults.bit_rot, word) || at < part.offset ||
        at >= part.offset + part.size)
        return false;
    part.bytes[at - part.offset] ^= (uint8_t)(1 + hash_number(word + 1) % 255);
    return true;
}

bool disk_read_page(const struct disk *disk, const struct disk_file *file, uint32_t page,
                    size_t offset, uint8_t *bytes, size_t size)
{
    uint32_t number = page_table_newest(&disk->pages, &file->table, page);
    const struct page_version *version = pages_version(&disk->pages, number);
    bool on_disk = version->durable_at_ns <= disk->now_ns;
    const uint8_t *stored = pages_bytes(&disk->pages, number);

    /* What is not durable yet comes out of the system's memory, which is not damaged. */
    if (on_disk && version->shown)
        stored = pages_bytes(&disk->pages, version->shown);
    memcpy(bytes, stored + offset, size);
    return on_disk && disk->faults.bit_rot.numerator &&
           rot_page(disk, file, version, stored, (struct page_part){ offset, size, bytes });
}

/* Lets reads of one version return other bytes; zeros behind them. */
static void show(struct disk *disk, uint32_t number, const uint8_t *bytes, size_t length)
{
    uint32_t shown = pages_take(&disk->pages);
    uint8_t *to = pages_bytes(&disk->pages, shown);

    memset(to, 0, PAGE_BYTES);
    if (length)
        memcpy(to, bytes, length);
    pages_version(&disk->pages, number)->shown = shown;
}

void disk_misdirect(struct disk *disk, struct disk_file *file, uint32_t number, uint64_t sync)
{
    struct pages *pages = &disk->pages;
    struct page_version *version = pages_version(pages, number), *victim;
    uint64_t word = disk_draw(file, DISK_DRAW_MISDIRECT, disk_page_ordinal(sync, version->index));
    uint32_t victim_number = page_table_newest(
        pages, &file->table, (uint32_t)random_scale(hash_number(word), disk_page_count(file)));

    if (!disk_happens(disk->faults.misdirected, word))
        return;
    victim = pages_version(pages, victim_number);
    if (victim == version || victim->durable_at_ns == PAGE_NOT_SYNCED || victim->shown ||
        version->shown || !pages_reserve(pages, 2))
        return;
    show(disk, victim_number, pages_bytes(pages, number), version->length);
    if (version->older)
        show(disk, number, pages_bytes(pages, version->older),
             pages_version(pages, version->older)->length);
    else
        show(disk, number, NULL, 0);
    disk->fault_counts[DISK_FAULT_MISDIRECTED]++;
}

static void heal_version(struct disk *disk, uint32_t number)
{
    struct page_version *version = pages_version(&disk->pages, number);

    version->lied = false;
    if (version->shown)
        pages_give(&disk->pages, version->shown);
    version->shown = PAGE_NONE;
}

void disk_heal(struct disk *disk)
{
    disk->faults = (struct disk_faults){ 0 };
    disk->stalled_until_ns = disk->now_ns;
    for (uint32_t f = 0; f < disk->config.file_count_max; f++) {
        const struct disk_file *file = &disk->files[f];

        for (uint32_t i = 0; i < disk_page_count(file); i++) {
            uint32_t newest = page_table_newest(&disk->pages, &file->table, i);
            for (uint32_t v = newest; v; v = pages_version(&disk->pages, v)->older)
                heal_version(disk, v);
            if (survivor_of(disk, newest))
                disk_prune(disk, survivor_of(disk, newest));
        }
    }
}

static const struct {
    const char *name;
    bool outside_model;
} faults[DISK_FAULT_COUNT] = {
    [DISK_FAULT_TORN] = { "torn-write", false },
    [DISK_FAULT_LYING_SYNC] = { "lying-sync", true },
    [DISK_FAULT_BIT_ROT] = { "bit-rot", false },
    [DISK_FAULT_MISDIRECTED] = { "misdirected-write", true },
    [DISK_FAULT_READ_ERROR] = { "read-error", false },
    [DISK_FAULT_WRITE_ERROR] = { "write-error", false },
    [DISK_FAULT_FULL] = { "full-disk", false },
    [DISK_FAULT_SLOW] = { "slow-disk", false },
    [DISK_FAULT_STALL] = { "stalled-disk", false },
};

const char *disk_fault_name(enum disk_fault fault)
{
    assert(fault < DISK_FAULT_COUNT);
    return faults[fault].name;
}

