/*
 * normal: quantiles of the standard normal distribution, in integers.
 *
 * normal_quantile() takes a random word for a fraction of 2^64 and returns the
 * number (as base/fixed counts) below which that share of a standard normal
 * lies. It never falls as the word grows, and normal_quantile(~word) is
 * exactly -normal_quantile(word). Off by less than 0.0002. Beyond 6.34 there
 * would be one word in 2^32; such words give the last entry, 6.3379577546.
 */
#ifndef SIM_NORMAL_PRIVATE_H
#define SIM_NORMAL_PRIVATE_H

#include <stdint.h>

/* The 99th percentile, exact to the last digit. */
#define NORMAL_99TH INT64_C(9991588038)

int64_t normal_quantile(uint64_t word);

#endif
