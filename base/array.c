#include "base/array.h"

#include <assert.h>
#include <string.h>

#define ROOM_MIN ((size_t)16)

enum status array_grow(void **at, size_t count, size_t *room, size_t more, size_t element_size,
                       struct error *err)
{
    size_t wanted;

    if (__builtin_add_overflow(count, more, &wanted))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu more elements", more);
    if (wanted < ROOM_MIN)
        wanted = ROOM_MIN;
    if (wanted < *room + *room / 2)
        wanted = *room + *room / 2;
    TRY(memory_resize(at, wanted, element_size, err));
    *room = wanted;
    return STATUS_OK;
}

void array_close_gap(void *at, size_t *count, size_t place, size_t element_size)
{
    char *gap = (char *)at + place * element_size;

    assert(place < *count);
    --*count;
    memmove(gap, gap + element_size, (*count - place) * element_size);
}
