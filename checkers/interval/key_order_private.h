/*
 * key_order: the keys of a table in the order of their places, to be looked up by range.
 *
 *     place    3    7    7    12        a place is mostly the number that is the primary key;
 *     key      #4   #0   #9   #1        where it is none, all keys have the same
 *
 * Kept in pieces, each in order, so that neither a new key nor a lookup takes long.
 */
#ifndef CHECKERS_INTERVAL_KEY_ORDER_PRIVATE_H
#define CHECKERS_INTERVAL_KEY_ORDER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"

#define KEY_PIECE_ROOM 256

struct placed_key {
    int64_t place;
    uint32_t key;
};

struct key_piece {
    uint32_t count;
    struct placed_key at[KEY_PIECE_ROOM];
};

struct key_order {
    ARRAY(struct key_piece *) pieces; /* none of them empty */
};

/* A walk; what is added on the way may or may not be met. */
struct key_walk {
    const struct key_order *order;
    size_t piece;
    uint32_t at;
    int64_t high;
};

void key_order_close(struct key_order *);
MUST_USE enum status key_order_add(struct key_order *, int64_t place, uint32_t key, struct error *);

/* The keys from one place to another, both included. */
struct key_walk key_order_walk(const struct key_order *, int64_t low, int64_t high);
/* False: that was the last. */
bool key_walk_next(struct key_walk *, uint32_t *key);

#endif
