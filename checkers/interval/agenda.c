#include "checkers/interval/agenda.h"

#include "base/array.h"

static bool event_is_before(const struct mirror_event *x, const struct mirror_event *y)
{
    if (x->at != y->at)
        return x->at < y->at;
    if (x->is_judging != y->is_judging)
        return y->is_judging;
    return x->txn < y->txn;
}

enum status agenda_push(struct agenda *a, struct mirror_event event, struct error *err)
{
    size_t at = a->count;

    TRY(array_push(a, event, err));
    for (; at > 0 && event_is_before(&event, &a->at[(at - 1) / 2]); at = (at - 1) / 2)
        a->at[at] = a->at[(at - 1) / 2];
    a->at[at] = event;
    return STATUS_OK;
}

struct mirror_event agenda_pop(struct agenda *a)
{
    struct mirror_event top = a->at[0], last = a->at[--a->count];
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
