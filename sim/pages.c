#include "sim/pages.h"

#include <assert.h>
#include <string.h>

#define CHUNK_PAGES 64

struct page_chunk {
    struct page_version versions[CHUNK_PAGES];
    /* As words, because the pages of a page table hold slots. */
    uint32_t words[CHUNK_PAGES][PAGE_TABLE_BRANCH];
};

static uint32_t chunk_count_max(const struct pages *pages)
{
    return pages->count_max / CHUNK_PAGES + (pages->count_max % CHUNK_PAGES != 0);
}

enum status pages_init(struct pages *pages, uint32_t count_max, struct arena *arena,
                       struct error *err)
{
    *pages = (struct pages){ .arena = arena, .count_max = count_max };
    pages->chunks = arena_push(arena, chunk_count_max(pages), sizeof *pages->chunks);
    if (!pages->chunks)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a disk of %u pages", count_max);
    return STATUS_OK;
}

static struct page_chunk *chunk_of(const struct pages *pages, uint32_t number)
{
    assert(number > PAGE_NONE && number <= pages->count);
    return pages->chunks[(number - 1) / CHUNK_PAGES];
}

struct page_version *pages_version(const struct pages *pages, uint32_t number)
{
    return &chunk_of(pages, number)->versions[(number - 1) % CHUNK_PAGES];
}

static uint32_t *words_of(const struct pages *pages, uint32_t number)
{
    return chunk_of(pages, number)->words[(number - 1) % CHUNK_PAGES];
}

uint8_t *pages_bytes(const struct pages *pages, uint32_t number)
{
    return (uint8_t *)words_of(pages, number);
}

/* Adds one page to the free list, from a new chunk where the last one is used up. */
static bool grow(struct pages *pages)
{
    if (pages->count == pages->count_max)
        return false;
    if (pages->count % CHUNK_PAGES == 0) {
        struct page_chunk *chunk = arena_push(pages->arena, 1, sizeof *chunk);
        if (!chunk)
            return false;
        pages->chunks[pages->count / CHUNK_PAGES] = chunk;
    }
    pages->count++;
    pages_version(pages, pages->count)->older = pages->free;
    pages->free = pages->count;
    pages->free_count++;
    return true;
}

bool pages_reserve(struct pages *pages, uint32_t count)
{
    while (pages->free_count < count)
        if (!grow(pages))
            return false;
    return true;
}

uint32_t pages_take(struct pages *pages)
{
    uint32_t number = pages->free;
    struct page_version *version = pages_version(pages, number);

    pages->free = version->older;
    pages->free_count--;
    *version = (struct page_version){ .durable_at_ns = PAGE_NOT_SYNCED };
    return number;
}

static void give_one(struct pages *pages, uint32_t number)
{
    *pages_version(pages, number) = (struct page_version){ .older = pages->free };
    pages->free = number;
    pages->free_count++;
}

void pages_give(struct pages *pages, uint32_t number)
{
    struct page_version *version = pages_version(pages, number);

    if (version->shown)
        give_one(pages, version->shown);
    version->shown = PAGE_NONE;
    version->older = PAGE_NONE;
    if (version->listed)
        version->doomed = true;
    else
        give_one(pages, number);
}

void pages_give_chain(struct pages *pages, uint32_t number)
{
    while (number) {
        uint32_t older = pages_version(pages, number)->older;
        pages_give(pages, number);
        number = older;
    }
}

void pages_unlist(struct pages *pages, uint32_t number)
{
    struct page_version *version = pages_version(pages, number);

    assert(version->listed);
    version->listed = false;
    version->next = PAGE_NONE;
    if (version->doomed)
        give_one(pages, number);
}

bool page_table_has_root(const struct page_table *table, uint32_t index)
{
    assert(index < PAGE_TABLE_MAX);
    return table->roots[index / PAGE_TABLE_BRANCH] != PAGE_NONE;
}

uint32_t *page_table_slot(const struct pages *pages, const struct page_table *table, uint32_t index)
{
    if (!page_table_has_root(table, index))
        return NULL;
    return words_of(pages, table->roots[index / PAGE_TABLE_BRANCH]) + index % PAGE_TABLE_BRANCH;
}

uint32_t page_table_newest(const struct pages *pages, const struct page_table *table,
                           uint32_t index)
{
    const uint32_t *slot = page_table_slot(pages, table, index);

    return slot ? *slot : PAGE_NONE;
}

void page_table_add_root(struct pages *pages, struct page_table *table, uint32_t index)
{
    uint32_t root = pages_take(pages);

    assert(!page_table_has_root(table, index));
    memset(words_of(pages, root), 0, PAGE_BYTES);
    table->roots[index / PAGE_TABLE_BRANCH] = root;
}

void page_table_cut(struct pages *pages, struct page_table *table, uint32_t from_index)
{
    uint32_t first = (from_index + PAGE_TABLE_BRANCH - 1) / PAGE_TABLE_BRANCH;

    for (uint32_t i = first; i < PAGE_TABLE_ROOTS; i++) {
        if (table->roots[i])
            pages_give(pages, table->roots[i]);
        table->roots[i] = PAGE_NONE;
    }
}
