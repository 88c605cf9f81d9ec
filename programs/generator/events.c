#include "programs/generator/events_private.h"

#include <assert.h>

#include "base/binary_heap.h"

enum status events_init(struct generator_events *events, size_t count_max, struct error *err)
{
    *events = (struct generator_events){ 0 };
    return array_reserve(&events->heap, count_max, err);
}

void events_close(struct generator_events *events)
{
    array_close(&events->heap);
}

static bool is_before(struct generator_event a, struct generator_event b)
{
    return a.at != b.at ? a.at < b.at : a.actor < b.actor;
}

#define PUT(place, event) (heap[place] = (event))

void events_push(struct generator_events *events, struct generator_event event)
{
    struct generator_event *heap = events->heap.at;
    size_t last = events->heap.count++;

    assert(last < events->heap.room);
    BINARY_HEAP_UP(heap, last, event, is_before, PUT);
}

bool events_pop(struct generator_events *events, struct generator_event *first)
{
    struct generator_event *heap = events->heap.at;

    if (events->heap.count == 0)
        return false;
    *first = heap[0];
    events->heap.count--;
    if (events->heap.count > 0) {
        struct generator_event last = heap[events->heap.count];

        BINARY_HEAP_DOWN(heap, events->heap.count, 0, last, is_before, PUT);
    }
    return true;
}
