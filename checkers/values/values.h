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

/* Null for whatever is one with it; else the value. */
struct value values_plain(const struct history *, struct value);
bool values_same(const struct history *, struct value, struct value);
/* The same of values that are the same. */
uint64_t values_hash(const struct history *, struct value);

#endif
