/*
 * values: values by their content, where null, the empty list and what a delete leaves are one.
 *
 * Lists are compared by elements, rows by columns whatever their order. Numbers hash to
 * themselves: who makes a table of hashes mixes them.
 */
#ifndef CHECKERS_VALUES_VALUES_H
#define CHECKERS_VALUES_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "history/history.h"

/* Elements of a list. */
struct elements {
    const int64_t *at;
    uint32_t count;
};

/* What a value is as a list: null has no elements. False: it is none. */
static inline bool values_elements(const struct history *h, struct value value,
                                   struct elements *elements)
{
    *elements = (struct elements){ 0 };
    if (value.kind == VALUE_LIST) {
        uint64_t from = h->list_start[value.bits];

        elements->at = h->list_element + from;
        elements->count = (uint32_t)(h->list_start[value.bits + 1] - from);
    }
    return value.kind == VALUE_LIST || value.kind == VALUE_NULL;
}

/* Of what a key has at first; none if that is no list. */
struct elements values_initial(const struct history *, uint32_t key);
bool values_begin(struct elements list, struct elements beginning);

/* Null, or the empty list. */
static inline bool values_is_nothing(const struct history *h, struct value value)
{
    return value.kind == VALUE_NULL ||
           (value.kind == VALUE_LIST && h->list_start[value.bits] == h->list_start[value.bits + 1]);
}

/* Null for whatever is one with it; else the value. */
struct value values_plain(const struct history *, struct value);
bool values_same(const struct history *, struct value, struct value);
/* The same of values that are the same. */
uint64_t values_hash(const struct history *, struct value);

#endif
