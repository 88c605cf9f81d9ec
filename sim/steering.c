#include "sim/steering.h"

#include <assert.h>

bool steering_takes(struct steering *steering, enum steering_kind kind, uint64_t event)
{
    const struct steering_events *events;
    uint32_t *next = &steering->next[kind];

    if (!steering->options)
        return false;
    events = &steering->options->events[kind];
    while (*next < events->count && events->at[*next] < event)
        ++*next;
    if (*next == events->count || events->at[*next] != event)
        return false;
    ++*next;
    return true;
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

static const struct {
    const char *name, *word;
} kinds[] = {
#define X(kind, name, word) { name, word },
    STEERING_KINDS(X)
#undef X
};

const char *steering_kind_name(enum steering_kind kind)
{
    assert(kind < STEERING_KIND_COUNT);
    return kinds[kind].name;
}

const char *steering_kind_word(enum steering_kind kind)
{
    assert(kind < STEERING_KIND_COUNT);
    return kinds[kind].word;
}
