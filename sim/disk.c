#include "sim/disk.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "sim/disk_damage_private.h"
#include "sim/disk_private.h"
#include "sim/turn.h"

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

void disk_prune(struct disk *disk, uint32_t number)
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

