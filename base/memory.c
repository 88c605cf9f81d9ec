#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4 << 10)
#define HUGE_PAGE ((size_t)2 << 20)

static _Thread_local uint64_t failures, told;

uint64_t memory_failures(void)
{
    return failures;
}

void memory_note_failure(void)
{
    failures++;
}

void memory_tell_failures(uint64_t before)
{
    failures = before;
    told++;
}

uint64_t memory_told(void)
{
    return told;
}

enum status memory_confirm(uint64_t before, enum status status, struct error *err)
{
    if (failures == before)
        return status;
    if (status == STATUS_OK)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for all of the answer");
    if (!strstr(err->text, "memory"))
        (void)error_wrap(err, "no memory");
    return err->status = STATUS_OVER_LIMIT;
}

enum status memory_resize(void **at, size_t count, size_t element_size, struct error *err)
{
    size_t bytes;
    void *block, *moved;

    if (__builtin_mul_overflow(count, element_size, &bytes) || bytes > PTRDIFF_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu elements of %zu bytes", count,
                         element_size);
    /* Copied as bytes, because the caller's pointer has a type of its own. */
    memcpy(&block, at, sizeof block);
    moved = realloc(block, bytes ? bytes : 1);
    if (!moved) {
        memory_note_failure();
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu bytes", bytes);
    }
    memcpy(at, &moved, sizeof moved);
    if (bytes >= 4 * HUGE_PAGE) {
        /*
         * First touch costs a fault a page: ask for large ones. Advice may be
         * refused. It is asked for whole pages around the block, since a part of
         * a mapping cannot be moved: realloc() would copy where it could remap.
         */
        uintptr_t from = (uintptr_t)moved & ~(uintptr_t)(PAGE - 1);
        uintptr_t to = ((uintptr_t)moved + bytes + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
        (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
    return STATUS_OK;
}
