#include "checkers/interval/event_heap_private.h"

#include "base/array.h"
#include "base/binary_heap.h"

static bool event_is_before(const struct timed_event *x, const struct timed_event *y)
{
    if (x->at != y->at)
        return x->at < y->at;
    if (x->is_judging != y->is_judging)
        return y->is_judging;
    return x->txn < y->txn;
}

#define IS_BEFORE(x, y) event_is_before(&(x), &(y))
#define PUT(place, event) (a->at[place] = (event))

enum status event_heap_push(struct event_heap *a, struct timed_event event, struct error *err)
{
    TRY(array_push(a, event, err));
    BINARY_HEAP_UP(a->at, a->count - 1, event, IS_BEFORE, PUT);
    return STATUS_OK;
}

struct timed_event event_heap_pop(struct event_heap *a)
{
    struct timed_event top = a->at[0], last = a->at[--a->count];

    if (a->count > 0)
        BINARY_HEAP_DOWN(a->at, a->count, 0, last, IS_BEFORE, PUT);
    return top;
}
