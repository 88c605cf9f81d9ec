/*
 * zipf: ranks of which the first is the most popular, and each has its part.
 *
 * Rank i of n, counted from 0, is drawn with a probability proportional to
 * 1 / (i + 1)^theta. Weights are whole numbers, 2^40 for the first rank and
 * never less than 1, and their sums are kept, so that a draw is a search by
 * bisection: exact, the same on every machine, and eight bytes a rank.
 *
 * A weight is off by less than one part in 2^28, or less than one unit.
 */
#ifndef PROGRAMS_WORKLOADS_ZIPF_H
#define PROGRAMS_WORKLOADS_ZIPF_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"

#define ZIPF_RANKS_MAX (UINT32_C(1) << 20)
#define ZIPF_THETA_MAX 4

struct zipf {
    const uint64_t *end; /* the sum of the weights up to and with this rank's */
    uint32_t count;
};

/* From 1 to ZIPF_RANKS_MAX ranks; theta is at most ZIPF_THETA_MAX, and uniform at 0. */
MUST_USE enum status zipf_init(struct zipf *, uint32_t count, struct ratio theta, struct arena *,
                               struct error *);

/* The rank that the word stands for: uniform words make ranks of this distribution. */
uint32_t zipf_rank(const struct zipf *, uint64_t word);

uint64_t zipf_weight(const struct zipf *, uint32_t rank);
uint64_t zipf_total(const struct zipf *);

#endif
