/*
 * quantity: reads and prints numbers, durations, sizes and probabilities as people write them.
 *
 * All of them are exact: "1.5ms" is 1 500 000 ns, and "0.3ns" is refused. A printed quantity reads
 * back as the same number.
 */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"

/* Decimal, with `_` between digits: 10_000_000, -3. */
bool quantity_to_integer(struct text, int64_t *);
/* A decimal number and its unit: ns, us, ms, s, m, h. */
bool quantity_to_duration(struct text, int64_t *ns);
/* A decimal number and its unit: K, M, G, T, each 1024 of the one before; or bytes without one. */
bool quantity_to_bytes(struct text, int64_t *bytes);
/* A decimal from 0 to 1, with `_` between digits, without an exponent. */
bool quantity_to_probability(struct text, struct ratio *);

/* In the largest unit that needs no fraction: "1500ms", "2s", "0s". */
void quantity_print_duration(struct buffer *, int64_t ns);
/* Of bytes, likewise: "512M", "0". */
void quantity_print_bytes(struct buffer *, int64_t bytes);
/* Rounded to be read: "1.50 s", "230 ms". */
void quantity_print_rounded(struct buffer *, int64_t ns);
/* As a decimal; the denominator is a power of ten, as it is in all that is read here. */
void quantity_print_probability(struct buffer *, struct ratio);
/* With a space between groups of three digits: "48 213". */
void quantity_print_count(struct buffer *, uint64_t);

#endif
