/*
 * fixed: logarithms and powers of two without floating point.
 *
 * libm's log and exp differ between machines and even between code paths of
 * one binary; these are the same everywhere. A fixed number is an int64_t that
 * counts units of 2^-32: FIXED_ONE is 1.
 *
 * fixed_log2() and fixed_exp2() never fall as their argument grows, and are
 * exact at whole powers of two.
 */
#ifndef BASE_FIXED_H
#define BASE_FIXED_H

#include <stdint.h>

#define FIXED_BITS 32
#define FIXED_ONE (INT64_C(1) << FIXED_BITS)

/* Of a whole number of at least 1, rounded down: less than one unit below the truth. */
int64_t fixed_log2(uint64_t number);

/*
 * The whole number nearest to 2^exponent, off by less than one part in 2^46 and
 * half a unit; UINT64_MAX from 2^64 on. Add FIXED_BITS * FIXED_ONE to the
 * exponent to get a fixed number.
 */
uint64_t fixed_exp2(int64_t exponent);

/* Rounded down. The result must fit. */
int64_t fixed_multiply(int64_t a, int64_t b);
/* Rounded towards zero. The divisor is not 0, and the result must fit. */
int64_t fixed_divide(int64_t a, int64_t b);

#endif
