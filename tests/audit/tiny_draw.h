/*
 * tiny_draw: tiny logs at random: of an execution that some level allows, and of others that something is wrong with.
 */
#ifndef TESTS_AUDIT_TINY_DRAW_H
#define TESTS_AUDIT_TINY_DRAW_H

#include "base/random.h"
#include "tests/audit/tiny.h"

/* `txns` at most TINY_TXNS_MAX. */
void tiny_draw(struct random *, int txns, struct tiny_log *);

#endif
