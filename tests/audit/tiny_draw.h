/*
 * tiny_draw: tiny logs at random: of an execution that some level allows, and of others that something is wrong with.
 */
#ifndef TESTS_AUDIT_TINY_DRAW_H
#define TESTS_AUDIT_TINY_DRAW_H

#include "base/random.h"
#include "tests/audit/tiny.h"

/* By the environment's TINY_SEED, or else by this one. */
void tiny_draw_begin(struct random *, uint64_t seed);

/* `txns` at most TINY_TXNS_MAX. */
void tiny_draw(struct random *, int txns, struct tiny_log *);

#endif
