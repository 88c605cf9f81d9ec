#include "programs/generator/events_private.h"

#include <assert.h>

#include "base/binary_heap.h"

enum status events_init(struct events *events, size_t count_max, struct error *err)
{
    *events = (struct events){ 0 };
    return array_reserve(&events->heap, count_max, err);
}

void events_close(struct events *events)
{
    array_close(&events->heap);
}

static bool is_before(struct event a, struct event b)
{
    return a.at != b.at ? a.at < b.at : a.actor < b.actor;
}

#define PUT(place, event) (heap[place] = (event))

void events_push(struct events *events, struct event event)
{
    struct event *heap = events->heap.at;
    size_t last = events->heap.count++;

    assert(last < events->heap.room);
    BINARY_HEAP_UP(heap, last, event, is_before, PUT);
}

bool events_pop(struct events *events, struct event *first)
{
    struct event *heap = events->heap.at;

    if (events->heap.count == 0)
        return false;
    *first = heap[0];
    events->heap.count--;
    if (events->heap.count > 0) {
        struct event last = heap[events->heap.count];

        BINARY_HEAP_DOWN(heap, events->heap.count, 0, last, is_before, PUT);
    }
    return true;
}
