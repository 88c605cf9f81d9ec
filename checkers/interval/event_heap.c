#include "checkers/interval/event_heap_private.h"

#include "base/array.h"

static bool event_is_before(const struct timed_event *x, const struct timed_event *y)
{
    if (x->at != y->at)
        return x->at < y->at;
    if (x->is_judging != y->is_judging)
        return y->is_judging;
    return x->txn < y->txn;
}

enum status event_heap_push(struct event_heap *a, struct timed_event event, struct error *err)
{
    size_t at = a->count;

    TRY(array_push(a, event, err));
    for (; at > 0 && event_is_before(&event, &a->at[(at - 1) / 2]); at = (at - 1) / 2)
        a->at[at] = a->at[(at - 1) / 2];
    a->at[at] = event;
    return STATUS_OK;
}

struct timed_event event_heap_pop(struct event_heap *a)
{
    struct timed_event top = a->at[0], last = a->at[--a->count];
    size_t at = 0, count = a->count;

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && event_is_before(&a->at[child + 1], &a->at[child]);
        if (!event_is_before(&a->at[child], &last))
            break;
        a->at[at] = a->at[child];
    }
    if (count > 0)
        a->at[at] = last;
    return top;
}
