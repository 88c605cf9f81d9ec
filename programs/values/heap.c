#include "programs/values/heap.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define ALIGNMENT ((size_t)16)
#define BLOCK_BYTES_MIN ((size_t)1024)

struct heap_block {
    struct heap_block *older;
    size_t size; /* with this header, which takes ALIGNMENT bytes */
};

_Static_assert(sizeof(struct heap_block) <= ALIGNMENT, "a block's header leaves it aligned");

void heap_init(struct heap *heap, size_t limit_bytes)
{
    *heap = (struct heap){ .limit_bytes = limit_bytes };
}

static void release(struct heap *heap, struct heap_block *block)
{
    while (block) {
        struct heap_block *older = block->older;

        heap->held_bytes -= block->size;
        free(block);
        block = older;
    }
}

void heap_close(struct heap *heap)
{
    release(heap, heap->newest);
    heap_init(heap, heap->limit_bytes);
}

static void use_newest(struct heap *heap)
{
    heap->at = (char *)heap->newest + ALIGNMENT;
    heap->end = (char *)heap->newest + heap->newest->size;
}

void heap_reset(struct heap *heap)
{
    if (!heap->newest)
        return;
    release(heap, heap->newest->older);
    heap->newest->older = NULL;
    use_newest(heap);
}

/* Twice the newest, so that few blocks are many bytes; no more than the limit has left. */
static enum status grow(struct heap *heap, size_t size, struct sql_error *err)
{
    size_t left = heap->limit_bytes - heap->held_bytes;
    size_t wanted = heap->newest ? 2 * heap->newest->size : BLOCK_BYTES_MIN;
    struct heap_block *block;

    if (wanted < size + ALIGNMENT)
        wanted = size + ALIGNMENT;
    if (wanted > left)
        wanted = left;
    if (left < ALIGNMENT || size > left - ALIGNMENT)
        return sql_error_set(err, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    block = malloc(wanted);
    if (!block)
        return sql_error_no_memory(err);
    *block = (struct heap_block){ .older = heap->newest, .size = wanted };
    heap->newest = block;
    heap->held_bytes += wanted;
    use_newest(heap);
    return STATUS_OK;
}

enum status heap_push(struct heap *heap, size_t size, void **out, struct sql_error *err)
{
    if (size > SIZE_MAX / 4)
        return sql_error_set(err, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    if (!heap->newest || size > (size_t)(heap->end - heap->at))
        TRY(grow(heap, size, err));
    *out = heap->at;
    heap->at += size;
    heap->work += size;
    return STATUS_OK;
}

void heap_shrink(struct heap *heap, void *start, size_t size)
{
    size = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    assert((char *)start + size <= heap->at);
    heap->at = (char *)start + size;
}
