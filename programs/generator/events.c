#include "programs/generator/events_private.h"

#include <assert.h>

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

void events_push(struct events *events, struct event event)
{
    struct event *heap = events->heap.at;
    size_t hole = events->heap.count++;

    assert(hole < events->heap.room);
    while (hole > 0 && is_before(event, heap[(hole - 1) / 2])) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = event;
}

/* Puts an event into the hole at the top, or wherever below it belongs. */
static void sink(struct event *heap, size_t count, struct event event)
{
    size_t hole = 0, child;

    while ((child = 2 * hole + 1) < count) {
        if (child + 1 < count && is_before(heap[child + 1], heap[child]))
            child++;
        if (!is_before(heap[child], event))
            break;
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = event;
}

bool events_pop(struct events *events, struct event *first)
{
    struct event *heap = events->heap.at;

    if (events->heap.count == 0)
        return false;
    *first = heap[0];
    events->heap.count--;
    if (events->heap.count > 0)
        sink(heap, events->heap.count, heap[events->heap.count]);
    return true;
}
