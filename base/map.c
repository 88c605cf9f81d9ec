#include "base/map.h"

#include <string.h>

#include "base/hash.h"

void map_close(struct map *map)
{
    free(map->slots);
    array_close(&map->keys);
    array_close(&map->values);
    *map = (struct map){ 0 };
}

void map_clear(struct map *map)
{
    if (map->slots)
        memset(map->slots, 0, map->slot_count * sizeof *map->slots);
    map->keys.count = map->values.count = 0;
}

static size_t slot_of(const struct map *map, uint64_t key)
{
    size_t mask = map->slot_count - 1;
    size_t i = (size_t)hash_number(key) & mask;

    while (map->slots[i] && map->keys.at[map->slots[i] - 1] != key)
        i = (i + 1) & mask;
    return i;
}

bool map_find(const struct map *map, uint64_t key, uint64_t *value)
{
    uint32_t place;

    if (map->slot_count == 0)
        return false;
    place = map->slots[slot_of(map, key)];
    if (place == 0)
        return false;
    *value = map->values.at[place - 1];
    return true;
}

static enum status widen(struct map *map, struct error *err)
{
    size_t wider_count = map->slot_count ? map->slot_count * 2 : 64;
    uint32_t *wider = calloc(wider_count, sizeof *wider);

    if (!wider) {
        memory_note_failure();
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a map of %zu", wider_count / 2);
    }
    free(map->slots);
    map->slots = wider;
    map->slot_count = wider_count;
    for (size_t n = 0; n < map->keys.count; n++)
        map->slots[slot_of(map, map->keys.at[n])] = (uint32_t)n + 1;
    return STATUS_OK;
}

enum status map_add(struct map *map, uint64_t key, uint64_t value, size_t *place,
                    struct error *err)
{
    size_t slot;

    if (map->keys.count * 2 >= map->slot_count)
        TRY(widen(map, err));
    slot = slot_of(map, key);
    if (map->slots[slot] == 0) {
        if (map->keys.count >= UINT32_MAX - 1)
            return error_set(err, STATUS_OVER_LIMIT, "more than %u numbers in a map",
                             UINT32_MAX - 1);
        TRY(array_reserve(&map->values, 1, err));
        TRY(array_push(&map->keys, key, err));
        map->values.at[map->values.count++] = value;
        map->slots[slot] = (uint32_t)map->keys.count;
    }
    *place = map->slots[slot] - 1;
    return STATUS_OK;
}
