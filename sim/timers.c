#include "sim/timers.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define ROOM_FIRST 256

static enum status grow(struct timers *timers, struct error *err)
{
    uint32_t room = timers->room ? timers->room : ROOM_FIRST / 2;
    struct timer *places;

    room = room > timers->count_max / 2 ? timers->count_max : 2 * room;
    if (room == timers->room)
        return error_set(err, STATUS_TOO_LONG, "no room for more than %" PRIu32 " timers", room);
    places = arena_push(timers->arena, room, sizeof *places);
    if (!places)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for more than %" PRIu32 " timers",
                         timers->room);
    if (timers->used)
        memcpy(places, timers->places, timers->used * sizeof *places);
    timers->places = places;
    timers->room = room;
    return STATUS_OK;
}

enum status timers_init(struct timers *timers, uint32_t count_max, struct arena *arena,
                        struct error *err)
{
    assert(count_max > 0);
    *timers = (struct timers){ .arena = arena, .count_max = count_max, .free_place = TIMER_NONE };
    return grow(timers, err);
}

enum status timers_add(struct timers *timers, uint32_t *list, const struct timer *timer,
                       uint32_t *place, struct error *err)
{
    uint32_t generation = 0;
    struct timer *at;

    if (timers->free_place != TIMER_NONE) {
        *place = timers->free_place;
        timers->free_place = timers->places[*place].next;
        generation = timers->places[*place].generation;
    } else {
        if (timers->used == timers->room)
            TRY(grow(timers, err));
        *place = timers->used++;
    }
    at = &timers->places[*place];
    *at = *timer;
    at->generation = generation + 1;
    at->is_set = true;
    at->previous = TIMER_NONE;
    at->next = *list;
    if (*list != TIMER_NONE)
        timers->places[*list].previous = *place;
    *list = *place;
    return STATUS_OK;
}

void timers_remove(struct timers *timers, uint32_t *list, uint32_t place)
{
    struct timer *at = &timers->places[place];

    assert(at->is_set);
    if (at->previous != TIMER_NONE)
        timers->places[at->previous].next = at->next;
    else
        *list = at->next;
    if (at->next != TIMER_NONE)
        timers->places[at->next].previous = at->previous;
    at->is_set = false;
    at->next = timers->free_place;
    timers->free_place = place;
}

uint64_t timers_identity(const struct timers *timers, uint32_t place)
{
    return (uint64_t)timers->places[place].generation << 32 | place;
}

uint32_t timers_find(const struct timers *timers, uint64_t identity)
{
    uint32_t place = (uint32_t)identity;

    if (place >= timers->used || !timers->places[place].is_set ||
        timers->places[place].generation != identity >> 32)
        return TIMER_NONE;
    return place;
}
