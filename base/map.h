/*
 * map: 64-bit numbers to 64-bit numbers, by open addressing, for looking up.
 *
 * Entries stand in `keys` and `values` in the order of insertion; the slots
 * hold their places. Iterate over the entries, never over the slots.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct map {
    uint32_t *slots; /* place in keys plus one; zero: free */
    size_t slot_count;
    ARRAY(uint64_t) keys;
    ARRAY(uint64_t) values;
};

void map_close(struct map *);
/* Forgets the entries, keeps the memory. */
void map_clear(struct map *);
bool map_find(const struct map *, uint64_t key, uint64_t *value);
/* Adds the key with this value unless it is there; `place` is where its value stands. */
MUST_USE enum status map_add(struct map *, uint64_t key, uint64_t value, size_t *place,
                             struct error *);

#endif
