#include "sim/steering.h"

bool steering_takes(const struct steering_events *events, uint32_t *next, uint64_t event)
{
    while (*next < events->count && events->at[*next] < event)
        ++*next;
    return *next < events->count && events->at[*next] == event;
}

enum status steering_add(struct steering_choices *choices, const struct steering_choice *choice,
                         struct error *err)
{
    size_t count = choices->list.count;

    if (count > 0 && choices->list.at[count - 1].event == choice->event) {
        choices->list.at[count - 1].kinds |= choice->kinds;
        return STATUS_OK;
    }
    return array_push(&choices->list, *choice, err);
}
