/*
 * seeds: reads a range of seeds, "1..100" or "7", as in --seeds.
 */
#ifndef TRIAL_SWEEP_SEEDS_H
#define TRIAL_SWEEP_SEEDS_H

#include <stdint.h>

#include "base/error.h"

/* Both included, at the most SEED_MAX, the first not above the last. */
MUST_USE enum status seeds_read(const char *text, uint64_t *first, uint64_t *last,
                                struct error *);

#endif
