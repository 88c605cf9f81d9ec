/*
 * scan: finds the cells of a column of numbers that are in a span, with vector instructions.
 *
 *     cells    12  -inf  7  20        10 to 20: two, slots 0 and 3; the least is 12
 *
 * Compiled for vector instructions where the machine has them, and without. The span
 * must not hold INT64_MIN: that is how a cell without a number is written.
 */
#ifndef CHECKERS_ROWS_SCAN_PRIVATE_H
#define CHECKERS_ROWS_SCAN_PRIVATE_H

#include <stdint.h>

struct scan_span {
    int64_t low, high;
};

uint32_t scan_count(const int64_t *cells, uint32_t count, struct scan_span);
/* INT64_MAX, INT64_MIN: there is none. */
int64_t scan_least(const int64_t *cells, uint32_t count, struct scan_span);
int64_t scan_most(const int64_t *cells, uint32_t count, struct scan_span);
/* Modulo 2^64. */
uint64_t scan_sum(const int64_t *cells, uint32_t count, struct scan_span);

#endif
