#include "checkers/interval/online/pipeline_private.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/binary_heap.h"
#include "base/error.h"
#include "base/map.h"

/* --- The most recent ------------------------------------------------------------- */

void pipeline_recent_close(struct recent *r)
{
    map_close(&r->generations[0]);
    map_close(&r->generations[1]);
}

enum status pipeline_recent_add(struct recent *r, uint64_t code, bool *is_known, struct error *err)
{
    struct map *younger = &r->generations[r->younger], *elder = &r->generations[!r->younger];
    size_t count = younger->keys.count, place;
    uint64_t ignored;

    if (count == RECENT_KEPT) {
        map_clear(elder);
        r->younger = !r->younger;
        return pipeline_recent_add(r, code, is_known, err);
    }
    TRY(map_add(younger, code, 0, &place, err));
    *is_known = younger->keys.count == count || map_find(elder, code, &ignored);
    return STATUS_OK;
}

#define LANE_SLACK 64 /* places of items given out that are not worth moving the others for */

void pipeline_init(struct pipeline *p)
{
    *p = (struct pipeline){ .passed = INT64_MIN };
}

void pipeline_close(struct pipeline *p)
{
    for (size_t i = 0; i < p->lanes.count; i++)
        array_close(&p->lanes.at[i].items);
    array_close(&p->lanes);
    array_close(&p->free_lanes);
    array_close(&p->heap);
}

/* --- The heap of lanes ----------------------------------------------------------------------- */

static struct pipeline_place place_of(const struct pipeline_lane *lane, uint32_t number)
{
    if (lane->first < lane->items.count)
        return (struct pipeline_place){ lane->items.at[lane->first].invoked,
                                        lane->items.at[lane->first].serial, number };
    return (struct pipeline_place){ lane->bound, UINT64_MAX, number };
}

/* What comes later is no earlier than what waits, where both began at the same time. */
static bool is_before(const struct pipeline_place *a, const struct pipeline_place *b)
{
    if (a->key != b->key)
        return a->key < b->key;
    return a->serial != b->serial ? a->serial < b->serial : a->lane < b->lane;
}

static void put(struct pipeline *p, size_t at, struct pipeline_place place)
{
    p->heap.at[at] = place;
    p->lanes.at[place.lane].place = (uint32_t)at;
}

#define IS_BEFORE(a, b) is_before(&(a), &(b))
#define PUT(at, place) put(p, (at), (place))

static void sift_up(struct pipeline *p, size_t at, struct pipeline_place place)
{
    BINARY_HEAP_UP(p->heap.at, at, place, IS_BEFORE, PUT);
}

static void sift_down(struct pipeline *p, size_t at, struct pipeline_place place)
{
    BINARY_HEAP_DOWN(p->heap.at, p->heap.count, at, place, IS_BEFORE, PUT);
}

/* The lane has something else to bring now. */
static void settle(struct pipeline *p, uint32_t number)
{
    struct pipeline_place place = place_of(&p->lanes.at[number], number);
    size_t at = p->lanes.at[number].place;

    if (at > 0 && is_before(&place, &p->heap.at[(at - 1) / 2]))
        sift_up(p, at, place);
    else
        sift_down(p, at, place);
}

static void remove_lane(struct pipeline *p, uint32_t number)
{
    struct pipeline_lane *lane = &p->lanes.at[number];
    size_t at = lane->place;
    struct pipeline_place last = p->heap.at[--p->heap.count];

    if (last.lane != number) {
        put(p, at, last);
        settle(p, last.lane);
    }
    lane->place = PIPELINE_NONE;
    array_close(&lane->items);
    p->free_lanes.at[p->free_lanes.count++] = number; /* there is room: see take_lane() */
}

/* --- Lanes ------------------------------------------------------------------------------------- */

static enum status take_lane(struct pipeline *p, uint32_t *number, struct error *err)
{
    TRY(array_reserve(&p->heap, 1, err));
    if (p->free_lanes.count > 0) {
        *number = p->free_lanes.at[--p->free_lanes.count];
        return STATUS_OK;
    }
    *number = (uint32_t)p->lanes.count;
    TRY(array_push(&p->lanes, (struct pipeline_lane){ 0 }, err));
    return array_reserve(&p->free_lanes, p->lanes.count, err);
}

enum status pipeline_open_lane(struct pipeline *p, uint32_t owner, int64_t bound, uint32_t *lane,
                               struct error *err)
{
    TRY(take_lane(p, lane, err));
    p->lanes.at[*lane] = (struct pipeline_lane){ .bound = bound, .owner = owner };
    sift_up(p, p->heap.count++, place_of(&p->lanes.at[*lane], *lane));
    return STATUS_OK;
}

void pipeline_close_lane(struct pipeline *p, uint32_t lane)
{
    p->lanes.at[lane].is_closed = true;
    if (p->lanes.at[lane].first == p->lanes.at[lane].items.count)
        remove_lane(p, lane);
}

enum status pipeline_push(struct pipeline *p, uint32_t number, int64_t invoked, void *batch,
                          uint32_t item_number, struct error *err)
{
    struct pipeline_lane *lane = &p->lanes.at[number];
    struct pipeline_item item = { invoked, p->next_serial, batch, item_number };

    assert(!lane->is_closed && invoked >= lane->bound && invoked >= p->passed);
    TRY(array_push(&lane->items, item, err));
    p->next_serial++;
    p->waiting++;
    lane->bound = invoked;
    if (lane->items.count - lane->first == 1)
        settle(p, number);
    return STATUS_OK;
}

void pipeline_set_bound(struct pipeline *p, uint32_t number, int64_t bound)
{
    struct pipeline_lane *lane = &p->lanes.at[number];

    if (bound <= lane->bound)
        return;
    lane->bound = bound;
    if (lane->first == lane->items.count)
        settle(p, number);
}

/* --- Giving out -------------------------------------------------------------------------------- */

/* The places of what was given out are used again. */
static void drop_given(struct pipeline_lane *lane)
{
    size_t left = lane->items.count - lane->first;

    if (left > 0 && (lane->first < LANE_SLACK || lane->first < left))
        return;
    if (left > 0)
        memmove(lane->items.at, lane->items.at + lane->first, left * sizeof *lane->items.at);
    lane->items.count = left;
    lane->first = 0;
}

bool pipeline_next(struct pipeline *p, struct pipeline_item *item)
{
    struct pipeline_lane *lane;
    uint32_t number;

    if (p->heap.count == 0 || p->heap.at[0].serial == UINT64_MAX)
        return false;
    number = p->heap.at[0].lane;
    lane = &p->lanes.at[number];
    *item = lane->items.at[lane->first++];
    p->passed = item->invoked;
    p->waiting--;
    drop_given(lane);
    if (lane->is_closed && lane->items.count == 0)
        remove_lane(p, number);
    else
        sift_down(p, 0, place_of(lane, number));
    return true;
}

uint32_t pipeline_awaited(const struct pipeline *p)
{
    return p->heap.count > 0 && p->heap.at[0].serial == UINT64_MAX ? p->heap.at[0].lane
                                                                   : PIPELINE_NONE;
}
