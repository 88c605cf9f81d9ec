#include "tests/sim/disk_inspect.h"

#include <assert.h>

static uint32_t page_count(const struct disk_file *file)
{
    return (uint32_t)((file->size + PAGE_BYTES - 1) / PAGE_BYTES);
}

static void digest_file(const struct disk *disk, const struct disk_file *file, int64_t now_ns,
                        struct digest_stream *stream)
{
    for (uint32_t i = 0; i < page_count(file); i++) {
        uint32_t v = page_table_newest(&disk->pages, &file->table, i);

        while (v && pages_version(&disk->pages, v)->durable_at_ns > now_ns)
            v = pages_version(&disk->pages, v)->older;
        if (!v)
            return;
        digest_add_number(stream, pages_version(&disk->pages, v)->length);
        digest_add(stream, pages_bytes(&disk->pages, v), pages_version(&disk->pages, v)->length);
    }
}

struct digest disk_durable_digest(const struct disk *disk, int64_t now_ns)
{
    struct digest_stream stream;

    digest_begin(&stream);
    for (uint32_t f = 0; f < disk->config.file_count_max; f++) {
        if (!disk->files[f].exists)
            continue;
        digest_add_number(&stream, f);
        digest_file(disk, &disk->files[f], now_ns, &stream);
        digest_add_number(&stream, UINT64_MAX); /* no page is that long: the file ends */
    }
    return digest_end(&stream);
}

/* The pages of the slab that one page of the file holds. */
static uint32_t check_page(const struct disk *disk, const struct disk_file *file, uint32_t index)
{
    uint32_t number = page_table_newest(&disk->pages, &file->table, index), held = 0;
    uint64_t behind = file->size - (uint64_t)index * PAGE_BYTES;
    int64_t durable_at_ns = PAGE_NOT_SYNCED;

    assert(number);
    assert(pages_version(&disk->pages, number)->length ==
           (behind < PAGE_BYTES ? behind : PAGE_BYTES));
    for (; number; number = pages_version(&disk->pages, number)->older) {
        const struct page_version *version = pages_version(&disk->pages, number);

        assert(version->index == index);
        assert(!version->doomed);
        assert(held == 0 || version->durable_at_ns != PAGE_NOT_SYNCED);
        assert(version->durable_at_ns <= durable_at_ns);
        assert(version->listed || version->durable_at_ns <= disk->now_ns);
        durable_at_ns = version->durable_at_ns;
        held += version->shown ? 2 : 1;
    }
    return held;
}

static uint32_t check_file(const struct disk *disk, const struct disk_file *file)
{
    uint32_t held = 0;

    assert(file->exists || file->size == 0);
    for (uint32_t i = 0; i < PAGE_TABLE_ROOTS; i++)
        held += file->table.roots[i] != PAGE_NONE;
    for (uint32_t i = 0; i < page_count(file); i++)
        held += check_page(disk, file, i);
    for (uint32_t v = file->dirty; v; v = pages_version(&disk->pages, v)->next) {
        assert(pages_version(&disk->pages, v)->durable_at_ns == PAGE_NOT_SYNCED);
        assert(page_table_newest(&disk->pages, &file->table,
                                 pages_version(&disk->pages, v)->index) == v);
    }
    return held;
}

static uint32_t check_settling(const struct disk *disk)
{
    uint32_t doomed = 0;
    int64_t last_ns = INT64_MIN;

    for (uint32_t v = disk->settling_first; v; v = pages_version(&disk->pages, v)->next) {
        const struct page_version *version = pages_version(&disk->pages, v);

        assert(version->listed && version->durable_at_ns >= last_ns);
        last_ns = version->durable_at_ns;
        doomed += version->doomed;
    }
    return doomed;
}

void disk_check(const struct disk *disk)
{
    uint32_t held = check_settling(disk), free_count = 0;

    for (uint32_t f = 0; f < disk->config.file_count_max; f++)
        held += check_file(disk, &disk->files[f]);
    for (uint32_t v = disk->pages.free; v; v = pages_version(&disk->pages, v)->older)
        free_count++;
    assert(free_count == disk->pages.free_count);
    assert(held + free_count == disk->pages.count);
}
