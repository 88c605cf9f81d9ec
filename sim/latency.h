/*
 * latency: how long a message or a disk operation takes, as a distribution.
 *
 * latency_draw_ns() is a pure function of one random word, so the delay of a
 * message is as stable as the word that its identity gives it. Without a tail
 * it never falls as the word grows: the word is the quantile. Integers only
 * (base/fixed, sim/normal), the same on every machine.
 *
 *     constant     always the same
 *     uniform      low to high, both included
 *     exponential  a minimum, and above it an exponential, with this mean in all
 *     log-normal   by its median and its 99th percentile
 *
 * Every duration given must lie within 0 and one hour; what is drawn is never
 * negative and at most LATENCY_DRAW_MAX_NS.
 */
#ifndef SIM_LATENCY_H
#define SIM_LATENCY_H

#include <stdint.h>

#include "base/error.h"
#include "base/random.h"

#define LATENCY_GIVEN_MAX_NS (INT64_C(3600) * 1000 * 1000 * 1000)
#define LATENCY_DRAW_MAX_NS (100 * LATENCY_GIVEN_MAX_NS)

enum latency_kind {
    LATENCY_CONSTANT,
    LATENCY_UNIFORM,
    LATENCY_EXPONENTIAL,
    LATENCY_LOGNORMAL,
};

/* All zero is the constant 0. Set by the functions below, which check. */
struct latency {
    enum latency_kind kind;
    int64_t base_ns;          /* constant: it; uniform: low; exponential: minimum */
    int64_t spread_ns;        /* uniform: high - low; exponential: mean - minimum */
    int64_t log2_median;      /* log-normal, as base/fixed counts */
    int64_t log2_deviation;   /* log-normal, as base/fixed counts */
    int64_t tail_ns;          /* how much longer a slow one takes */
    struct ratio tail_chance; /* denominator 0: no tail */
};

MUST_USE enum status latency_constant(struct latency *, int64_t value_ns, struct error *);
MUST_USE enum status latency_uniform(struct latency *, int64_t low_ns, int64_t high_ns,
                                     struct error *);
MUST_USE enum status latency_exponential(struct latency *, int64_t minimum_ns, int64_t mean_ns,
                                         struct error *);
/* The median is at least 1 ns. */
MUST_USE enum status latency_lognormal(struct latency *, int64_t median_ns, int64_t p99_ns,
                                       struct error *);
/* Adds a tail to any of these: this share of the draws takes so much longer. */
MUST_USE enum status latency_add_tail(struct latency *, struct ratio chance, int64_t longer_ns,
                                      struct error *);

int64_t latency_draw_ns(const struct latency *, uint64_t word);

/*
 * Quantiles of the standard normal distribution, in integers.
 *
 * latency_normal_quantile() takes a random word for a fraction of 2^64 and returns the
 * number (as base/fixed counts) below which that share of a standard normal
 * lies. It never falls as the word grows, and latency_normal_quantile(~word) is
 * exactly -latency_normal_quantile(word). Off by less than 0.0002. Beyond 6.34 there
 * would be one word in 2^32; such words give the last entry, 6.3379577546.
 */

/* The 99th percentile, exact to the last digit. */
#define NORMAL_99TH INT64_C(9991588038)

int64_t latency_normal_quantile(uint64_t word);

#endif
