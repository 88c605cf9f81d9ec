#include "sim/disk.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/checksum.h"
#include "base/hash.h"
#include "sim/turn.h"

/* What a word is drawn for. Never renumber: runs of old seeds would change. */
enum disk_draw {
    DISK_DRAW_WRITE_TIME,
    DISK_DRAW_READ_TIME,
    DISK_DRAW_SYNC_TIME,
    DISK_DRAW_CHANGE_TIME,
    DISK_DRAW_WRITE_ERROR,
    DISK_DRAW_READ_ERROR,
    DISK_DRAW_SYNC_ERROR,
    DISK_DRAW_LIE,
    DISK_DRAW_MISDIRECT,
    DISK_DRAW_TEAR,
    DISK_DRAW_TEAR_SECTORS,
    DISK_DRAW_ROT,
};

static uint64_t disk_draw(const struct disk_file *file, enum disk_draw draw,
                                 uint64_t ordinal)
{
    return random_draw_at(&file->key, (uint64_t)draw << 56 | ordinal);
}

/* The ordinal of what happens to one page in the file's n-th sync or the disk's n-th crash. */
static uint64_t disk_page_ordinal(uint64_t n, uint32_t page)
{
    return n << 16 | page;
}

static bool disk_happens(struct ratio chance, uint64_t word)
{
    return chance.denominator != 0 && random_word_below(word, chance);
}

static uint32_t disk_page_count(const struct disk_file *file)
{
    return (uint32_t)((file->size + PAGE_BYTES - 1) / PAGE_BYTES);
}

/* Now that this version is durable: frees what no crash can bring back any more. */
static void disk_prune(struct disk *, uint32_t version);

/* --- What crashes and faults do to the bytes, and how it is undone ------------------------------- */

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

/* Copies what a read of this part of the page returns; whether rot changed it. */
static bool disk_read_page(const struct disk *disk, const struct disk_file *file, uint32_t page,
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

/* Perhaps stores what a sync writes to this version in another page of the file. */
static void disk_misdirect(struct disk *disk, struct disk_file *file, uint32_t number, uint64_t sync)
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
} fault_rows[DISK_FAULT_COUNT] = {
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
    return fault_rows[fault].name;
}

enum status disk_init(struct disk *disk, const struct disk_config *config, struct random_key key,
                      struct arena *arena, struct error *err)
{
    assert(config->page_ns >= 0 && config->page_ns <= LATENCY_GIVEN_MAX_NS);
    *disk = (struct disk){ .config = *config, .key = key };
    TRY(pages_init(&disk->pages, config->page_count_max, arena, err));
    disk->files = arena_push(arena, config->file_count_max, sizeof *disk->files);
    if (!disk->files)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a disk of %u files",
                         config->file_count_max);
    disk_draw_anew(disk, &key);
    return STATUS_OK;
}

void disk_draw_anew(struct disk *disk, const struct random_key *key)
{
    disk->key = *key;
    for (uint32_t i = 0; i < disk->config.file_count_max; i++)
        disk->files[i].key = random_key_fork(key, "file/%u", i);
}

static void disk_prune(struct disk *disk, uint32_t number)
{
    struct page_version *version = pages_version(&disk->pages, number);
    uint32_t below = version->older;

    /* Under promises that were lies, the newest honest version must stay. */
    if (version->lied) {
        while (below && pages_version(&disk->pages, below)->lied) {
            version->older = pages_version(&disk->pages, below)->older;
            pages_give(&disk->pages, below);
            below = version->older;
        }
        if (!below)
            return;
        version = pages_version(&disk->pages, below);
        below = version->older;
    }
    version->older = PAGE_NONE;
    pages_give_chain(&disk->pages, below);
}

/* Takes note of the syncs that are done by now. */
static void settle(struct disk *disk)
{
    while (disk->settling_first) {
        uint32_t number = disk->settling_first;
        struct page_version *version = pages_version(&disk->pages, number);

        if (version->durable_at_ns > disk->now_ns)
            return;
        disk->settling_first = version->next;
        if (!version->doomed)
            disk_prune(disk, number);
        pages_unlist(&disk->pages, number);
    }
}

static void advance(struct disk *disk, int64_t now_ns)
{
    assert(now_ns >= disk->now_ns);
    disk->now_ns = now_ns;
    settle(disk);
}

static struct disk_file *file_of(const struct disk *disk, uint32_t file)
{
    assert(file < disk->config.file_count_max);
    return &disk->files[file];
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    int64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? PAGE_NOT_SYNCED - 1 : sum;
}

/* When an operation asked for now is done. */
static int64_t serve(struct disk *disk, const struct latency *latency, uint64_t word,
                     uint32_t page_count)
{
    int64_t start_ns = disk->now_ns > disk->busy_until_ns ? disk->now_ns : disk->busy_until_ns;
    int64_t takes_ns = latency_draw_ns(latency, word);

    if (disk->stalled_until_ns > start_ns) {
        start_ns = disk->stalled_until_ns;
        disk->fault_counts[DISK_FAULT_STALL]++;
    }
    takes_ns += disk->config.page_ns * page_count;
    if (disk->faults.slow_factor > 1) {
        if (__builtin_mul_overflow(takes_ns, (int64_t)disk->faults.slow_factor, &takes_ns))
            takes_ns = PAGE_NOT_SYNCED - 1;
        disk->fault_counts[DISK_FAULT_SLOW]++;
    }
    disk->busy_until_ns = add_saturated(start_ns, takes_ns);
    return disk->busy_until_ns;
}

static bool is_written_in_place(const struct disk *disk, uint32_t newest)
{
    return newest && pages_version(&disk->pages, newest)->durable_at_ns == PAGE_NOT_SYNCED;
}

/* The pages of the slab that a write of the pages first .. last takes. */
static uint32_t pages_wanted(const struct disk *disk, const struct disk_file *file, uint32_t first,
                             uint32_t last)
{
    uint32_t wanted = 0;

    for (uint32_t i = first; i <= last; i++) {
        if (!page_table_has_root(&file->table, i) && (i == first || i % PAGE_TABLE_BRANCH == 0))
            wanted++;
        if (!is_written_in_place(disk, page_table_newest(&disk->pages, &file->table, i)))
            wanted++;
    }
    return wanted;
}

/* A version of the page that no sync has taken. Its pages are reserved. */
static uint32_t writable_version(struct disk *disk, struct disk_file *file, uint32_t index)
{
    struct pages *pages = &disk->pages;
    uint32_t newest = page_table_newest(pages, &file->table, index), copy;
    struct page_version *version;

    if (is_written_in_place(disk, newest))
        return newest;
    if (!page_table_has_root(&file->table, index))
        page_table_add_root(pages, &file->table, index);
    copy = pages_take(pages);
    version = pages_version(pages, copy);
    version->index = (uint16_t)index;
    if (newest) {
        version->older = newest;
        version->length = pages_version(pages, newest)->length;
        memcpy(pages_bytes(pages, copy), pages_bytes(pages, newest), version->length);
    }
    version->listed = true;
    version->next = file->dirty;
    file->dirty = copy;
    *page_table_slot(pages, &file->table, index) = copy;
    return copy;
}

static void write_bytes(struct disk *disk, struct disk_file *file, uint64_t offset,
                        const uint8_t *bytes, size_t size)
{
    if (offset + size > file->size)
        file->size = offset + size;
    while (size > 0) {
        uint32_t within = (uint32_t)(offset % PAGE_BYTES);
        uint32_t part = size < PAGE_BYTES - within ? (uint32_t)size : PAGE_BYTES - within;
        uint32_t number = writable_version(disk, file, (uint32_t)(offset / PAGE_BYTES));
        struct page_version *version = pages_version(&disk->pages, number);

        memcpy(pages_bytes(&disk->pages, number) + within, bytes, part);
        if (within + part > version->length)
            version->length = (uint16_t)(within + part);
        offset += part;
        bytes += part;
        size -= part;
    }
}

/* Whether the disk takes the write; if so, its pages are reserved. */
static bool has_room(struct disk *disk, const struct disk_file *file, uint64_t offset, size_t size)
{
    if (size == 0)
        return true;
    if (size > DISK_FILE_SIZE_MAX - offset)
        return false;
    if (disk->faults.full && offset + size > file->size)
        return false;
    return pages_reserve(&disk->pages, pages_wanted(disk, file, (uint32_t)(offset / PAGE_BYTES),
                                                    (uint32_t)((offset + size - 1) / PAGE_BYTES)));
}

static uint32_t pages_moved(uint64_t offset, size_t size)
{
    return size ? (uint32_t)((offset + size - 1) / PAGE_BYTES - offset / PAGE_BYTES + 1) : 0;
}

struct disk_result disk_write(struct disk *disk, int64_t now_ns, uint32_t number, uint64_t offset,
                              const void *bytes, size_t size)
{
    struct disk_file *file = file_of(disk, number);
    struct disk_result result = { .outcome = DISK_OK };
    uint64_t ordinal = turn_next(&file->writes, disk->config.draws_by_time, now_ns);

    assert(offset <= file->size);
    advance(disk, now_ns);
    result.done_ns =
        serve(disk, &disk->config.write, disk_draw(file, DISK_DRAW_WRITE_TIME, ordinal),
              pages_moved(offset, size));
    if (disk_happens(disk->faults.write_error, disk_draw(file, DISK_DRAW_WRITE_ERROR, ordinal))) {
        disk->fault_counts[DISK_FAULT_WRITE_ERROR]++;
        result.outcome = DISK_WRITE_ERROR;
    } else if (!has_room(disk, file, offset, size)) {
        disk->fault_counts[DISK_FAULT_FULL]++;
        result.outcome = DISK_FULL;
    } else {
        file->exists = true;
        write_bytes(disk, file, offset, bytes, size);
    }
    return result;
}

struct disk_result disk_append(struct disk *disk, int64_t now_ns, uint32_t file, const void *bytes,
                               size_t size)
{
    return disk_write(disk, now_ns, file, file_of(disk, file)->size, bytes, size);
}

static void read_bytes(struct disk *disk, const struct disk_file *file, uint64_t offset,
                       uint8_t *bytes, size_t size)
{
    bool rotten = false;

    while (size > 0) {
        size_t within = offset % PAGE_BYTES;
        size_t part = size < PAGE_BYTES - within ? size : PAGE_BYTES - within;

        if (disk_read_page(disk, file, (uint32_t)(offset / PAGE_BYTES), within, bytes, part))
            rotten = true;
        offset += part;
        bytes += part;
        size -= part;
    }
    disk->fault_counts[DISK_FAULT_BIT_ROT] += rotten;
}

struct disk_result disk_read(struct disk *disk, int64_t now_ns, uint32_t number, uint64_t offset,
                             void *bytes, size_t size)
{
    struct disk_file *file = file_of(disk, number);
    struct disk_result result = { .outcome = DISK_OK };
    uint64_t left = offset < file->size ? file->size - offset : 0;
    uint64_t ordinal = turn_next(&file->reads, disk->config.draws_by_time, now_ns);

    advance(disk, now_ns);
    result.size = size < left ? size : (size_t)left;
    result.done_ns = serve(disk, &disk->config.read, disk_draw(file, DISK_DRAW_READ_TIME, ordinal),
                           pages_moved(offset, result.size));
    if (!file->exists) {
        result.outcome = DISK_ABSENT;
    } else if (disk_happens(disk->faults.read_error,
                            disk_draw(file, DISK_DRAW_READ_ERROR, ordinal))) {
        disk->fault_counts[DISK_FAULT_READ_ERROR]++;
        result.outcome = DISK_READ_ERROR;
        result.size = 0;
    } else {
        read_bytes(disk, file, offset, bytes, result.size);
    }
    return result;
}

static uint32_t dirty_count(const struct disk *disk, const struct disk_file *file)
{
    uint32_t count = 0;

    for (uint32_t v = file->dirty; v; v = pages_version(&disk->pages, v)->next)
        count++;
    return count;
}

/* Hands all unsynced versions to the sync that is done at this time. */
static void promise(struct disk *disk, struct disk_file *file, int64_t done_ns, bool lied,
                    uint64_t ordinal)
{
    uint32_t number = file->dirty;

    while (number) {
        struct page_version *version = pages_version(&disk->pages, number);
        uint32_t next = version->next;

        version->durable_at_ns = done_ns;
        version->lied = lied;
        version->next = PAGE_NONE;
        if (disk->settling_first)
            pages_version(&disk->pages, disk->settling_last)->next = number;
        else
            disk->settling_first = number;
        disk->settling_last = number;
        disk_misdirect(disk, file, number, ordinal);
        number = next;
    }
    file->dirty = PAGE_NONE;
}

struct disk_result disk_sync(struct disk *disk, int64_t now_ns, uint32_t number)
{
    struct disk_file *file = file_of(disk, number);
    struct disk_result result = { .outcome = DISK_OK };
    uint64_t ordinal = turn_next(&file->syncs, disk->config.draws_by_time, now_ns);
    bool lied = disk_happens(disk->faults.lying_sync, disk_draw(file, DISK_DRAW_LIE, ordinal));

    advance(disk, now_ns);
    result.done_ns = serve(disk, &disk->config.sync, disk_draw(file, DISK_DRAW_SYNC_TIME, ordinal),
                           dirty_count(disk, file));
    if (!file->exists) {
        result.outcome = DISK_ABSENT;
    } else if (disk_happens(disk->faults.write_error,
                            disk_draw(file, DISK_DRAW_SYNC_ERROR, ordinal))) {
        disk->fault_counts[DISK_FAULT_WRITE_ERROR]++;
        result.outcome = DISK_WRITE_ERROR;
    } else {
        promise(disk, file, result.done_ns, lied, ordinal);
    }
    return result;
}

/* Takes doomed versions out of the list of unsynced ones. */
static void forget_doomed(struct disk *disk, struct disk_file *file)
{
    uint32_t *link = &file->dirty;

    while (*link) {
        uint32_t number = *link;
        struct page_version *version = pages_version(&disk->pages, number);

        if (version->doomed) {
            *link = version->next;
            pages_unlist(&disk->pages, number);
        } else {
            link = &version->next;
        }
    }
}

/* Cuts the page in every version, so that no crash brings the rest back. */
static void cut_page(struct disk *disk, const struct disk_file *file, uint32_t index,
                     uint32_t length)
{
    uint32_t number = page_table_newest(&disk->pages, &file->table, index);

    for (; number; number = pages_version(&disk->pages, number)->older) {
        struct page_version *version = pages_version(&disk->pages, number);
        if (version->length > length)
            version->length = (uint16_t)length;
    }
}

static void cut_file(struct disk *disk, struct disk_file *file, uint64_t size)
{
    uint32_t kept = (uint32_t)((size + PAGE_BYTES - 1) / PAGE_BYTES);

    for (uint32_t i = kept; i < disk_page_count(file); i++) {
        uint32_t *slot = page_table_slot(&disk->pages, &file->table, i);
        pages_give_chain(&disk->pages, *slot);
        *slot = PAGE_NONE;
    }
    if (size % PAGE_BYTES)
        cut_page(disk, file, kept - 1, (uint32_t)(size % PAGE_BYTES));
    page_table_cut(&disk->pages, &file->table, kept);
    forget_doomed(disk, file);
    file->size = size;
}

/* What all changes of the file system have in common. */
static struct disk_result change(struct disk *disk, int64_t now_ns, struct disk_file *file)
{
    uint64_t word = disk_draw(file, DISK_DRAW_CHANGE_TIME, file->writes++);

    advance(disk, now_ns);
    return (struct disk_result){
        .outcome = file->exists ? DISK_OK : DISK_ABSENT,
        .done_ns = serve(disk, &disk->config.write, word, 0),
    };
}

struct disk_result disk_truncate(struct disk *disk, int64_t now_ns, uint32_t number, uint64_t size)
{
    struct disk_file *file = file_of(disk, number);
    struct disk_result result = change(disk, now_ns, file);

    assert(size <= file->size);
    if (result.outcome == DISK_OK)
        cut_file(disk, file, size);
    return result;
}

struct disk_result disk_delete(struct disk *disk, int64_t now_ns, uint32_t number)
{
    struct disk_file *file = file_of(disk, number);
    struct disk_result result = change(disk, now_ns, file);

    cut_file(disk, file, 0);
    file->exists = false;
    return result;
}

struct disk_result disk_rename(struct disk *disk, int64_t now_ns, uint32_t from, uint32_t to)
{
    struct disk_file *source = file_of(disk, from), *target = file_of(disk, to);
    struct disk_result result = change(disk, now_ns, source);

    if (result.outcome != DISK_OK || source == target)
        return result;
    cut_file(disk, target, 0);
    target->table = source->table;
    target->dirty = source->dirty;
    target->size = source->size;
    target->exists = true;
    source->table = (struct page_table){ { PAGE_NONE } };
    source->dirty = PAGE_NONE;
    source->size = 0;
    source->exists = false;
    return result;
}

bool disk_file_exists(const struct disk *disk, uint32_t file)
{
    return file_of(disk, file)->exists;
}

uint64_t disk_file_size(const struct disk *disk, uint32_t file)
{
    return file_of(disk, file)->size;
}

bool disk_is_writing(const struct disk *disk, int64_t now_ns)
{
    /* The last of those that wait for their syncs is durable last. */
    if (disk->settling_first &&
        pages_version(&disk->pages, disk->settling_last)->durable_at_ns > now_ns)
        return true;
    for (uint32_t i = 0; i < disk->config.file_count_max; i++)
        if (disk->files[i].dirty)
            return true;
    return false;
}

void disk_stall(struct disk *disk, int64_t now_ns, int64_t until_ns)
{
    advance(disk, now_ns);
    if (until_ns > disk->stalled_until_ns)
        disk->stalled_until_ns = until_ns;
}

void disk_set_faults(struct disk *disk, const struct disk_faults *faults)
{
    disk->faults = *faults;
}
